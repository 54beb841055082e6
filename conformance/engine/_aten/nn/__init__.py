"""Operators that torch.nn's modules and torch.nn.functional are built on."""
