"""torch.nn.utils.skip_init: modules without initialization (torch: nn/utils/init.py)."""

from __future__ import annotations

import inspect
from typing import Any

from ... import __future__ as settings
from ..._aten.random.random import get_rng_state, set_rng_state
from ..modules.module import Module


def skip_init(module_cls: Any, *args: Any, **kwargs: Any) -> Any:
    """Create a module with uninitialized parameters, without drawing random numbers.

    Raises:
        RuntimeError: the class is not a module or has no argument ``device``.
    """
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    before = get_rng_state()
    try:
        made = module_cls(*args, **kwargs)
    finally:
        set_rng_state(before)
    overwriting = settings.get_overwrite_module_params_on_conversion()
    settings.set_overwrite_module_params_on_conversion(
        True
    )  # torch converts from the meta device to new parameters
    try:
        return made.to_empty(device="cpu")
    finally:
        settings.set_overwrite_module_params_on_conversion(overwriting)
