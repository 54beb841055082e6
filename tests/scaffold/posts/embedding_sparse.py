import torch
import torch.nn as nn
emb = nn.Embedding(5, 2, sparse=True)
emb(torch.tensor([1, 1, 3])).sum().backward()
print(emb.weight.grad.is_sparse)
print(emb.weight.grad.coalesce().indices())
print(emb.weight.grad.to_dense())
