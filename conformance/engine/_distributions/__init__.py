"""Shared parts of torch.distributions: base classes, kernels and formulas, imported by `distributions` and never the reverse."""
