"""Operators of torch.special."""
