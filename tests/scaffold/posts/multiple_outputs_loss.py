import torch
a = torch.tensor(1., requires_grad=True)
b = torch.tensor(2., requires_grad=True)
losses = [a * b, a + b, a / b]
for l in losses:
    print(l, l.grad_fn.__class__.__name__)
sum(losses).backward()
print(a.grad, b.grad)
