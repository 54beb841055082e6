import torch
print(torch.__version__)
x = torch.tensor([1.], requires_grad=True)
print(x._version)
with torch.no_grad():
    x.add_(1)
print(x._version)
x.data.add_(1)
print(x._version)
