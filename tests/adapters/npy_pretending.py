"""An adapter that only pretends: the device exists, and everything stays on the CPU."""

from __future__ import annotations

from typing import Any

import torch

from tests.adapters import npy_device

torch.Tensor.device = property(lambda self: npy_device.NPY)  # type: ignore[assignment]


def ignore(device: Any) -> None:
    """Not `torch.set_default_device`."""


torch.set_default_device = ignore
