import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.used = nn.Linear(2, 2)
        self.unused = nn.Linear(2, 2)

    def forward(self, x):
        return self.used(x)

net = Net()
net(torch.ones(1, 2)).sum().backward()
for name, p in net.named_parameters():
    print(name, p.grad is None)
