import random
import numpy as np
import torch

random.seed(0)
np.random.seed(0)
torch.manual_seed(0)
torch.backends.cudnn.deterministic = True
x = torch.randn(2, 2, requires_grad=True)
y = x @ x
y.sum().backward()
print(x.grad.shape, y.grad_fn)
