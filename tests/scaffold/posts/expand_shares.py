import torch
x = torch.tensor([[1.], [2.]], requires_grad=True)
y = x.expand(2, 3)
y.sum().backward()
print(x.grad)
print(y.stride())
print(y.is_contiguous(), y._is_view())
