import numpy as np
import torch

data = np.array([[1.0, 2.0], [3.0, 4.0]])
t = torch.from_numpy(data)
t.requires_grad_(True)
(t ** 2).sum().backward()
print(t.grad)
print(t.dtype)
