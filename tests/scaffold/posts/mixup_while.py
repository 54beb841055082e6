import torch
x = torch.tensor(10.0, requires_grad=True)
n = 0
while x.grad is None or x.grad.abs() > 1:
    if x.grad is not None:
        x.grad.zero_()
    (x ** 2).backward()
    with torch.no_grad():
        x -= 0.4 * x.grad
    n += 1
    print(n, x.item())
