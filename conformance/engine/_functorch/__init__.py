"""torch._functorch: the package in which torch implements torch.func."""
