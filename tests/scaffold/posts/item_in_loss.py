import torch
x = torch.tensor([2.], requires_grad=True)
loss = x * 3
total = 0
total += loss.item()
print(type(total))
try:
    total.backward()
except AttributeError as e:
    print(e)
