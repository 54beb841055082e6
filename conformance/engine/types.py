"""torch.types: type aliases for annotations."""

from __future__ import annotations

import os
from builtins import bool as _bool
from builtins import bytes as _bytes
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from builtins import str as _str
from collections.abc import Sequence
from typing import IO, Any, TypeAlias

from ._arguments.absent_names import look_up
from ._autograd.tensor import Tensor
from ._c10.device import device as _device
from ._c10.dtypes import dtype as _dtype
from ._c10.layout import layout as _layout
from ._c10.size import Size

__all__ = ["Device", "FileLike", "Number", "Storage"]

Number: TypeAlias = int | float | bool
_Number = (int, float, bool)
Device: TypeAlias = _device | str | int | None
FileLike: TypeAlias = str | os.PathLike[str] | IO[bytes]
_TensorOrTensors: TypeAlias = Tensor | Sequence[Tensor]
_TensorOrOptionalTensors: TypeAlias = Tensor | Sequence[Tensor | None]
_size: TypeAlias = Size | list[int] | tuple[int, ...]


class Storage:
    """The common interface of storages, for annotations."""

    __module__ = "torch.types"
    _cdata: int
    device: _device
    dtype: _dtype

    def __deepcopy__(self, memo: dict[int, Any]) -> Storage:
        raise NotImplementedError

    def _new_shared(self, size: int) -> Storage:
        raise NotImplementedError


__getattr__ = look_up("torch.types")
_SHADOWED = (_bool, _bytes, _complex, _float, _int, _layout, _str)  # torch's aliases of Python's types
