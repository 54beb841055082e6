"""torch._library: the implementation of torch.library."""
