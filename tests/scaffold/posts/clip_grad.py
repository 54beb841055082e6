import torch
w = torch.tensor([3., 4.], requires_grad=True)
(w * w / 2).sum().backward()
norm = torch.nn.utils.clip_grad_norm_([w], max_norm=1.0)
print("norm: %.1f" % norm)
print("grad: {}".format(w.grad))
