import torch
x = torch.tensor([1., 2.], requires_grad=True)
for i in range(3):
    y = (x ** 2).sum()
    y.backward()
    print(i, x.grad)
