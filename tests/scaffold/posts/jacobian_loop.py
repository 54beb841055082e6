import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = torch.stack([x[0] * x[1], x[0] + x[1]])
J = []
for i in range(2):
    gi = torch.autograd.grad(y[i], x, retain_graph=True)[0]
    J.append(gi)
    print("row", i, "=", gi)
J = torch.stack(J)
print(J)
