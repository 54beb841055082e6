"""Conformance suite for autograd engines, with PyTorch as the reference."""

__version__ = "0.1.0"
