import torch

a = torch.rand(3, requires_grad=True)
b = a.sigmoid()
b += 1
try:
    b.sum().backward()
except RuntimeError as e:
    print(e)
