    import torch
    x = torch.tensor(2.0, requires_grad=True)
    y = x ** 3
    # first derivative
    dy = torch.autograd.grad(y, x, create_graph=True)[0]
    dy
    d2y, = torch.autograd.grad(dy, x)
    d2y, d2y.requires_grad
    torch.autograd.grad(y, x)
