import copy
import torch
import torch.nn as nn
a = nn.Linear(2, 2)
b = copy.deepcopy(a)
before = a.weight.clone()
opt = torch.optim.SGD(a.parameters(), lr=1.)
a(torch.ones(1, 2)).sum().backward()
opt.step()
print(torch.equal(before, a.weight), torch.equal(b.weight, before))
print(b.weight.grad)
