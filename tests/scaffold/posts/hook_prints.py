import torch

def hook(name):
    def fn(grad):
        print(f"{name}: {grad}")
    return fn

x = torch.tensor(2., requires_grad=True)
y = x ** 2
z = y * 3
x.register_hook(hook("x"))
y.register_hook(hook("y"))
z.backward()
