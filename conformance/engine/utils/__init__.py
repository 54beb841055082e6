"""torch.utils: checkpoint, data, dlpack, hooks and weak."""

from .. import _C  # so that the name torch._C is there
from ..absent import look_up
from . import _python_dispatch, _pytree, checkpoint, data, dlpack, hooks, weak
from .swapping import swap_tensors

__all__ = [
    "_C",
    "_python_dispatch",
    "_pytree",
    "checkpoint",
    "data",
    "dlpack",
    "hooks",
    "swap_tensors",
    "weak",
]

__getattr__ = look_up("torch.utils")
