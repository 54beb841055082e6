>>> import torch
>>> a = torch.ones(4, requires_grad=True)
>>> b = a * 1
>>> v = b[:2]
>>> v.mul_(3)
tensor([3., 3.], grad_fn=<MulBackward0>)
>>> b
tensor([3., 3., 1., 1.], grad_fn=<CopySlices>)
>>> b.sum().backward()
>>> a.grad
tensor([3., 3., 1., 1.])
