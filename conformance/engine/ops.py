"""torch.ops: operators by their dispatcher names, ATen's and custom ones (torch: _ops.py)."""

from __future__ import annotations

from typing import Any

from ._dispatch.torch_dispatch import aten
from ._library.operators import namespace


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module 'torch.ops' has no attribute '{name}'")
    found = globals()[name] = namespace(name)
    return found
