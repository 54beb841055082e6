"""torch._functorch: where torch keeps what torch.func is made of."""
