import torch
import torch.nn as nn
net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
for p in net[0].parameters():
    p.requires_grad = False
print([p.requires_grad for p in net.parameters()])
net(torch.ones(4, 2)).mean().backward()
for n, p in net.named_parameters():
    print(n, None if p.grad is None else p.grad.shape)
