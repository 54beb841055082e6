import torch
a = torch.tensor([1, 2, 3.], requires_grad=True)
out = a.sigmoid()
c = out.data
c.zero_()
out.sum().backward()
print(a.grad)

a = torch.tensor([1, 2, 3.], requires_grad=True)
out = a.sigmoid()
c = out.detach()
c.zero_()
try:
    out.sum().backward()
except RuntimeError as err:
    print("Error:", err)
