import torch
x = torch.tensor([], requires_grad=True)
m = x.mean()
print(m)
m.backward()
print(x.grad)
