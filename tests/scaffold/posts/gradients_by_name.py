from collections import defaultdict
import torch

grads = defaultdict(list)
w = torch.ones(2, requires_grad=True)
for i in range(3):
    w.grad = None
    (w * i).sum().backward()
    grads["w"].append(w.grad.tolist())
print(dict(grads))
