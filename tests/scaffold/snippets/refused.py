import torch
import numpy as np
x = torch.tensor(np.array([1., 2.]), requires_grad=True)
while x.sum() < 10:
    x = x * 2
try:
    x.backward()
finally:
    pass
print("{}".format(x.foo))
torch.foo(x)
