"""Tensors, nodes, and the engine that runs them backward (torch: torch/csrc/autograd)."""
