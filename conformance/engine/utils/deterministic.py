"""torch.utils.deterministic: whether uninitialized memory is filled in deterministic mode."""

from __future__ import annotations

import sys
from types import ModuleType

from .._c10.context import get_fill_uninitialized_memory, set_fill_uninitialized_memory


class _Deterministic(ModuleType):
    """A module class with the setting as a property."""

    @property
    def fill_uninitialized_memory(self) -> bool:
        """Whether uninitialized memory is filled, with nan or the dtype's maximum.

        Raises:
            RuntimeError: the value is not a bool.
        """
        return get_fill_uninitialized_memory()

    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, mode: bool) -> None:
        set_fill_uninitialized_memory(mode)


sys.modules[__name__].__class__ = _Deterministic
