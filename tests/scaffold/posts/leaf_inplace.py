import torch
w = torch.zeros(2, requires_grad=True)
w -= 0.1 * torch.ones(2)
print(w)
