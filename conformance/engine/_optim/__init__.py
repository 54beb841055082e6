"""Shared parts of torch.optim: checks, kernels of steps and base classes, imported by `optim` and never the reverse."""
