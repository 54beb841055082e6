import torch
import numpy as np
import torch.nn as nn
import matplotlib.pyplot as plt

# Trying to backward twice
x = torch.tensor([2.0, 3.0], requires_grad=True)
y = x ** 2
z = y.sum()
z.backward()
print("grad:", x.grad)
print(f"y.grad is {y.grad}, leaf {y.is_leaf}")
print(y.grad_fn)
z.backward()
print('never reached', x.grad)
