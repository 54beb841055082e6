import torch
x = torch.arange(4.)
x.requires_grad_(True)
for i, v in enumerate(x):
    if i % 2 == 0:
        continue
    v.backward()
    print(f"after {i}: {x.grad}")
