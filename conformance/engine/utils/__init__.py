"""torch.utils: checkpoint, deterministic and hooks."""

from importlib import import_module
from typing import Any

from .. import _C  # makes torch._C available
from .._arguments.absent_names import look_up
from . import _python_dispatch, _pytree, checkpoint, hooks
from ._swap_tensors import swap_tensors

__all__ = [
    "_C",
    "_python_dispatch",
    "_pytree",
    "checkpoint",
    "deterministic",
    "hooks",
    "swap_tensors",
]

_look_up = look_up("torch.utils")


def __getattr__(name: str) -> Any:
    """Import rarely used submodules on first use."""
    return import_module(f"{__name__}.{name}") if name == "deterministic" else _look_up(name)
