import torch
z = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
loss = (z.abs() ** 2).sum()
loss.backward()
print(z.grad)
print(z)
