"""The parts of torch.autograd.gradcheck."""
