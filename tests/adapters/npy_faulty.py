"""The device npy with three faults: a sum that overwrites, a transpose that copies, a clone that shares memory."""

from __future__ import annotations

from typing import Any

import torch

from tests.adapters.npy_device import divergences, kernels, on_cpu, on_npy

__all__ = ["divergences"]


def overwrite(tensor: torch.Tensor, other: Any, alpha: float = 1) -> torch.Tensor:
    """Fault: `add_` forgets what was there, so that a gradient is not accumulated."""
    on_cpu(tensor).copy_(on_cpu(other))
    return tensor


def copy_transposed(tensor: torch.Tensor) -> torch.Tensor:
    """Fault: `t` returns a copy."""
    return on_npy(on_cpu(tensor).t().clone())


def share(tensor: torch.Tensor, memory_format: Any = None) -> torch.Tensor:
    """Fault: `clone` returns a tensor on the same memory."""
    return on_npy(on_cpu(tensor), tensor.untyped_storage())


for name, kernel in (("add_.Tensor", overwrite), ("t", copy_transposed), ("clone", share)):
    kernels.impl(name, kernel, "PrivateUse1")
