"""Forward-mode AD, vmap, and the function transforms of torch.func (torch: functorch)."""
