"""The implementation of torch.autograd.gradcheck."""
