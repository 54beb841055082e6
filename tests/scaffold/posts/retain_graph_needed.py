import torch
x = torch.ones(2, requires_grad=True)
y = x * x
l1 = y.sum()
l2 = y.mean()
l1.backward()
l2.backward()
print(x.grad)
