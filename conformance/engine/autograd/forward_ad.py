"""torch.autograd.forward_ad: dual tensors and their levels."""

from typing import Any

from .._transforms import forward_ad as _forward_ad
from .._transforms.forward_ad import (
    UnpackedDualTensor,
    _is_fwd_grad_enabled,
    _set_fwd_grad_enabled,
    dual_level,
    enter_dual_level,
    exit_dual_level,
    make_dual,
    unpack_dual,
)


def __getattr__(name: str) -> Any:
    """``_current_level``, which is looked up at each access since it changes."""
    if name == "_current_level":
        return _forward_ad._current_level
    raise AttributeError(f"module 'torch.autograd.forward_ad' has no attribute '{name}'")
