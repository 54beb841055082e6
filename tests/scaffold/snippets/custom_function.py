import torch
from torch.autograd import Function, Variable


class MyReLU(Function):
    """A custom ReLU, from the tutorial."""

    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        input, = ctx.saved_tensors
        grad_input = grad_output.clone()
        grad_input[input < 0] = 0
        return grad_input


x = Variable(torch.tensor([-1.0, 2.0]), requires_grad=True)
relu = MyReLU.apply
y = relu(x)
print("y =", y, "with", y.grad_fn)
y.sum().backward()
print("x.grad = %s, leaf: %s" % (x.grad, x.is_leaf))
