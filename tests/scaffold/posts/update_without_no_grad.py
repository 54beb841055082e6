import torch
w = torch.tensor([1.0], requires_grad=True)
for step in range(3):
    loss = (w - 3) ** 2
    loss.backward()
    w = w - 0.1 * w.grad
    print(step, w, w.grad)
