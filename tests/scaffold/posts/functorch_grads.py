import torch
from functorch import grad, vmap

def f(x):
    return (x ** 2).sum()

x = torch.arange(6.).reshape(3, 2)
print(vmap(grad(f))(x))
