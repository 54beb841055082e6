"""torch.autograd.graph."""
