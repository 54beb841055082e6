import torch

@torch.compile
def f(x):
    return torch.sin(x) ** 2

x = torch.tensor([0., 1.], requires_grad=True)
f(x).sum().backward()
print(x.grad)
model = torch.compile(torch.nn.Linear(2, 1))
print(model(torch.ones(1, 2)).shape)
