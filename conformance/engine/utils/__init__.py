"""torch.utils: checkpoint, data, dlpack and hooks."""

from .. import _C  # so that the name torch._C is there
from ..absent import look_up
from . import _python_dispatch, _pytree, checkpoint, data, dlpack, hooks

__all__ = ["_C", "_python_dispatch", "_pytree", "checkpoint", "data", "dlpack", "hooks"]

__getattr__ = look_up("torch.utils")
