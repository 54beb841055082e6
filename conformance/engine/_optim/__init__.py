"""What torch.optim is made of: no module here has a counterpart in torch, and none imports `optim`."""
