"""Tensors from shapes, from data and from ranges."""
