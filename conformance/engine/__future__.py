"""torch.__future__: what a module's conversions and load_state_dict do with its parameters (torch: __future__.py)."""

from __future__ import annotations

_overwrite = False
_swap = False


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Whether conversions give a module new parameters, in place of new data for those it has."""
    global _overwrite
    _overwrite = value


def get_overwrite_module_params_on_conversion() -> bool:
    """Whether conversions give a module new parameters."""
    return _overwrite


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Whether conversions and load_state_dict swap parameters with what they become (torch.utils.swap_tensors)."""
    global _swap
    _swap = value


def get_swap_module_params_on_conversion() -> bool:
    """Whether conversions and load_state_dict swap."""
    return _swap
