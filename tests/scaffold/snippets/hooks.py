import torch
print("PyTorch", torch.__version__)

grads = {}

def save_grad(name):
    def hook(grad):
        grads[name] = grad
    return hook

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = 3 * x
z = y * y
# In here, save_grad('y') returns a hook (a function) that keeps 'y' as name
y.register_hook(save_grad('y'))
z.register_hook(save_grad('z'))
z.sum().backward()

print(grads['y'])
print(grads['z'])
