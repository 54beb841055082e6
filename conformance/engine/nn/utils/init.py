"""Modules whose parameters are not drawn (torch: nn/utils/init.py)."""

from __future__ import annotations

import inspect
from typing import Any

from ..._aten.random.random import get_rng_state, set_rng_state
from ..modules.module import Module


def skip_init(module_cls: Any, *args: Any, **kwargs: Any) -> Any:
    """A module with any values in its parameters; no random number is used up.

    Raises:
        RuntimeError: no module, or one that takes no ``device``.
    """
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    before = get_rng_state()
    try:
        return module_cls(*args, **kwargs)
    finally:
        set_rng_state(before)
