import torch
x = torch.tensor([0., 1.], requires_grad=True)
y = torch.where(x > 0, x / x, torch.zeros_like(x))
y.sum().backward()
print(x.grad)  # tensor([nan, 0.])
