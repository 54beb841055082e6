import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
w = torch.ones(3, requires_grad=True).to(device) * 1
loss = w.sum()
loss.backward()
print("w.grad is", w.grad)
print("w is a leaf:", w.is_leaf)
