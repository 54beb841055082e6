#!/usr/bin/env python
# -*- coding: utf-8 -*-
"""Linear regression by hand"""
from __future__ import print_function
import torch
import numpy as np
import matplotlib.pyplot as plt

dtype = torch.float
device = torch.device("cpu")
N, D_in, H, D_out = 4, 3, 5, 2
x = torch.randn(N, D_in, device=device, dtype=dtype)
y = torch.randn(N, D_out, device=device, dtype=dtype)
w1 = torch.randn(D_in, H, device=device, dtype=dtype, requires_grad=True)
w2 = torch.randn(H, D_out, device=device, dtype=dtype, requires_grad=True)

learning_rate = 1e-6
for t in range(5):
    y_pred = x.mm(w1).clamp(min=0).mm(w2)
    loss = (y_pred - y).pow(2).sum()
    if t % 2 == 1:
        print(t, loss.item())
    loss.backward()
    with torch.no_grad():
        w1 -= learning_rate * w1.grad
        w2 -= learning_rate * w2.grad
        w1.grad.zero_()
        w2.grad.zero_()
print(w1.grad, w1.requires_grad)
plt.plot([1, 2])
plt.show()
