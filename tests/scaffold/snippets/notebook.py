a = torch.rand(10, requires_grad=True) # I am a leaf
a.is_leaf
b = torch.rand(10, requires_grad=True) + 2
b.is_leaf
def hook(grad):
    print("hook", grad)
    return grad * 2
c = torch.tensor([1., 2.], requires_grad=True)
h = c.register_hook(hook)
(c * 3).sum().backward()
print("c.grad\t", c.grad)
h.remove()
print("shape:", c.shape, 'type', c.dtype, c.grad.numpy())
