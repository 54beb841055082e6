"""torch.__future__: how module conversions and load_state_dict replace parameters (torch: __future__.py)."""

from __future__ import annotations

_overwrite = False
_swap = False


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Whether conversions create new parameters instead of assigning new data to the existing ones."""
    global _overwrite
    _overwrite = value


def get_overwrite_module_params_on_conversion() -> bool:
    """Whether conversions create new parameters."""
    return _overwrite


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Whether conversions and load_state_dict replace parameters by torch.utils.swap_tensors."""
    global _swap
    _swap = value


def get_swap_module_params_on_conversion() -> bool:
    """Whether conversions and load_state_dict replace parameters by torch.utils.swap_tensors."""
    return _swap
