import torch
x = torch.zeros(1, requires_grad=True)
torch.sqrt(x).backward()
print(x.grad)
x.grad = None
(x.abs() ** 0.5).backward()
print(x.grad)
