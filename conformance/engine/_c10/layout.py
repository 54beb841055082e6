"""torch.layout and torch.memory_format (torch: c10/core/Layout.h, MemoryFormat.h).

Note [Sparse arrays]: the ``_array`` of a sparse tensor is an ``Unstrided`` object with shape, dtype and layout; any other access
(as to an ndarray) raises LayoutError. Operations do not check the layout of their operands first. If an operation
fails, it checks whether an operand is ``Unstrided``; then the kernel of that layout computes the result, or raises if there is
none. In-place operations, AccumulateGrad and the sum of gradients catch LayoutError, too. So dense tensors pay nothing for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import dtypes, errors
from .shapes import empty_in_steps, ordered, steps_in_order, strides

if TYPE_CHECKING:
    from .._aten.registry import Row
    from .._autograd.tensor import Tensor


class layout:
    """torch.layout: ``torch.strided`` or ``torch.sparse_coo``."""

    __slots__ = ("_name",)
    __module__ = "torch"

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> Any:
        return by_name, (self._name,)


class memory_format(layout):
    """torch.memory_format: the order of dimensions in memory."""

    __slots__ = ()
    __module__ = "torch"


strided, sparse_coo = layout("strided"), layout("sparse_coo")
contiguous_format = memory_format("contiguous_format")
legacy_contiguous_format = contiguous_format
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")


def by_name(name: str) -> layout:
    """The layout or memory format with this name."""
    formats = (strided, sparse_coo, contiguous_format, preserve_format, channels_last, channels_last_3d)
    return next(each for each in formats if each._name == name)


LAYOUTS: list[type] = []  # the imported subclasses of Unstrided; most programs need none


class LayoutError(NotImplementedError):
    """The elements of an Unstrided array were accessed, see Note [Sparse arrays]."""


class Unstrided:
    """The array of a sparse tensor, see Note [Sparse arrays]; not an ndarray, so that numpy cannot read it."""

    layout: layout

    def __init_subclass__(cls) -> None:
        LAYOUTS.append(cls)

    def elements(self) -> np.ndarray[Any, Any]:
        """All elements, as a dense array."""
        raise NotImplementedError

    @staticmethod
    def zeros(shape: tuple[int, ...], kind: np.dtype[Any]) -> Any:
        """Zeros in this layout."""
        raise NotImplementedError

    def evaluated(self, row: Row, *arguments: Any, **named: Any) -> Any:
        """The result of the operation's kernel for this layout."""
        raise NotImplementedError

    def written(self, row: Row, arguments: list[Any]) -> Tensor:
        """Run the operation in place for this layout; return the tensor."""
        raise NotImplementedError


def unstrided_among(operands: Iterable[Any]) -> Any:
    """The first Unstrided operand, or None."""
    for each in operands:
        if isinstance(each, (tuple, list)):
            each = unstrided_among(each)
        if isinstance(each, Unstrided):
            return each
    return None


def elements_of(value: Any) -> Any:
    """The result of an operation as a dense array."""
    return value.elements() if isinstance(value, Unstrided) else np.asarray(value)


def array_of(value: Any) -> Any:
    """One of several results as an array; an Unstrided one is not changed."""
    return value if isinstance(value, Unstrided) else np.asanyarray(value)


def type_name(array: Any) -> str:
    """The legacy type name of a tensor in error messages, such as torch.FloatTensor."""
    name = errors.tensor_type(dtypes.BY_NUMPY[array.dtype])
    if not isinstance(array, Unstrided):
        return name
    return name.replace("torch.", "torch.sparse.").replace("CPU", "SparseCPU")


def layout_of(array: Any) -> Any:
    """The layout of a tensor with this array."""
    return array.layout if isinstance(array, Unstrided) else strided


_CHANNELS_LAST = {channels_last: 4, channels_last_3d: 5}  # with the number of dimensions


def suggest_memory_format(array: np.ndarray[Any, Any]) -> memory_format:
    """The memory format that the strides suggest (torch: Tensor::suggest_memory_format).

    channels_last if the strides grow from the channels to the last dimension and on to the first; if sizes of 1 make this
    ambiguous, contiguous_format.
    """
    for wanted, ndim in _CHANNELS_LAST.items():
        if array.ndim == ndim and array.size and array.strides[1]:
            least = 0
            for axis in (1, *range(ndim - 1, 1, -1), 0):
                step, n = array.strides[axis], array.shape[axis]
                if step < least or (axis == 0 and least == array.strides[1]):
                    break
                least = step * n
            else:
                return wanted
    return contiguous_format


def following(found: np.ndarray[Any, Any], *operands: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A result in channels_last if the strides of an operand suggest it, otherwise contiguous."""
    for each in operands:
        wanted = suggest_memory_format(each)
        if _CHANNELS_LAST.get(wanted) == found.ndim:
            return np.moveaxis(ordered(np.moveaxis(found, 1, -1)), -1, 1)
    return ordered(found)


def following_image(
    spatial: int, found: np.ndarray[Any, Any], *operands: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    """The same for two spatial dimensions; for three, always contiguous."""
    return following(found, *operands) if spatial == 2 else ordered(found)


def is_contiguous_as(array: np.ndarray[Any, Any], wanted: Any) -> bool:
    """Whether an array is contiguous in a memory format."""
    ndim = _CHANNELS_LAST.get(wanted)
    if ndim is None:
        return bool(array.flags.c_contiguous)
    if array.size or array.ndim != ndim:
        return array.ndim == ndim and bool(np.moveaxis(array, 1, -1).flags.c_contiguous)
    pairs = zip(array.shape, strides(array), _channels_last_steps(array.shape), strict=True)
    return all(n == 1 or step == steps for n, step, steps in pairs)


def _channels_last_steps(shape: tuple[int, ...]) -> tuple[int, ...]:
    batch, *image, channel = steps_in_order((shape[0], *shape[2:], shape[1]))
    return batch, channel, *image


def laid_out(array: np.ndarray[Any, Any], wanted: Any) -> np.ndarray[Any, Any]:
    """A copy that is contiguous in a memory format; None or preserve_format keep the strides of a dense array.

    Raises:
        RuntimeError: channels_last without four dimensions, or channels_last_3d without five.
    """
    if wanted in _CHANNELS_LAST:
        ndim = _CHANNELS_LAST[wanted]
        if array.ndim != ndim:
            raise RuntimeError(f"required rank {ndim} tensor to use {wanted._name} format")
        if not array.size:
            return empty_in_steps(array.shape, array.dtype, _channels_last_steps(array.shape))
        return np.moveaxis(np.moveaxis(array, 1, -1).copy("C"), -1, 1)
    if not array.size and wanted is not contiguous_format:
        return empty_in_steps(array.shape, array.dtype, strides(array))
    if wanted is contiguous_format or array.flags.c_contiguous or 0 in array.strides:
        return array.copy("C")
    return array.copy("K")  # not for strides of 0: it would make expanded dimensions the innermost ones
