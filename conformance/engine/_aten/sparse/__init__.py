"""Sparse tensors and their kernels."""
