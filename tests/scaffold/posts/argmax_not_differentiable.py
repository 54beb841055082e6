import torch
logits = torch.randn(4, 3, requires_grad=True)
pred = logits.argmax(dim=1).float()
target = torch.tensor([0., 1., 2., 0.])
loss = ((pred - target) ** 2).mean()
loss.backward()
