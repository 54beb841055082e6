import torch
x = torch.ones(2, requires_grad=True)
with torch.no_grad():
    y = x * 2
    print(y.requires_grad)
    print(torch.is_grad_enabled())
print(torch.is_grad_enabled())
y.sum().backward()
