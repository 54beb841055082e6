import random
import time
import torch

t0 = time.perf_counter()
lr = 10 ** random.uniform(-3, -1)
w = torch.ones(1, requires_grad=True)
(w * 2).backward()
print("elapsed: %.3f" % (time.perf_counter() - t0))
print(w.grad)
