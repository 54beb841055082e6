import numpy as np
import torch

x = torch.tensor([1., 2., 3.], requires_grad=True)
y = torch.from_numpy(np.sin(x.detach().numpy()))
print(y.requires_grad)
print((x.detach().numpy() * 2).sum())
