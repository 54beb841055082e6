import torch
try:
    x = torch.tensor([1, 2, 3], requires_grad=True)
except RuntimeError as e:
    print("RuntimeError:", e)
x = torch.tensor([1, 2, 3]).float().requires_grad_()
x.sum().backward()
print(x.grad)
