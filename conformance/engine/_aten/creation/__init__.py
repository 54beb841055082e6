"""Tensor creation: from shapes, from data and from ranges."""
