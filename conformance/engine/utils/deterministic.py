"""torch.utils.deterministic: what memory holds that nothing was written to, where results shall be deterministic."""

from __future__ import annotations

import sys
from types import ModuleType

from .._c10.context import get_fill_uninitialized_memory, set_fill_uninitialized_memory


class _Deterministic(ModuleType):
    """A module whose one name is a setting."""

    @property
    def fill_uninitialized_memory(self) -> bool:
        """Whether such memory is filled: with nan, or the greatest number.

        Raises:
            RuntimeError: it is set to what is no bool.
        """
        return get_fill_uninitialized_memory()

    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, mode: bool) -> None:
        set_fill_uninitialized_memory(mode)


sys.modules[__name__].__class__ = _Deterministic
