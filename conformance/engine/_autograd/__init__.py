"""Tensors, the autograd graph, and the engine that runs it backward (torch: torch/csrc/autograd)."""
