import torch

class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 2

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        print("backward called with", grad_output)
        return grad_output * 2 * x

x = torch.tensor([1., 2., 3.], requires_grad=True)
y = Square.apply(x)
print(y)
y.backward(torch.ones(3))
print(x.grad)
