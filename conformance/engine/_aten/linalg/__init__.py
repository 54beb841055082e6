"""Operators of torch.linalg."""
