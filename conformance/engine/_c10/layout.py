"""torch.layout and torch.memory_format: how elements lie in memory.

Note [Arrays of other layouts]: a tensor of another layout than strided has for its array one that knows shape, dtype
and layout, and hides the rest: whatever asks it for elements raises LayoutError. Nothing asks beforehand what layout
a tensor has. Where a row's function fails, it looks whether an operand has such an array, whose layout's own kernel
then computes the result, or says that there is none; in-place forms, AccumulateGrad and sums of gradients catch the
error, too. Dense tensors pay nothing for it.
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
    """Whether a tensor stores all its elements (``torch.strided``)."""

    __slots__ = ("_name",)
    __module__ = "torch"

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> Any:
        return by_name, (self._name,)


class memory_format(layout):
    """In which order elements lie."""

    __slots__ = ()
    __module__ = "torch"


strided, sparse_coo = layout("strided"), layout("sparse_coo")
contiguous_format = memory_format("contiguous_format")
legacy_contiguous_format = contiguous_format
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")


def by_name(name: str) -> layout:
    """The layout or memory format of a name, of which there is one."""
    formats = (strided, sparse_coo, contiguous_format, preserve_format, channels_last, channels_last_3d)
    return next(each for each in formats if each._name == name)


LAYOUTS: list[
    type
] = []  # the classes of arrays of other layouts that are loaded: for most programs there is none


class LayoutError(NotImplementedError):
    """An array was asked for elements that its layout has elsewhere, see Note [Arrays of other layouts]."""


class Unstrided:
    """The array of a tensor of another layout, see Note [Arrays of other layouts]; no numpy array, lest numpy read it."""

    layout: layout

    def __init_subclass__(cls) -> None:
        LAYOUTS.append(cls)

    def elements(self) -> np.ndarray[Any, Any]:
        """All its elements."""
        raise NotImplementedError

    def evaluated(self, row: Row, *arguments: Any, **named: Any) -> Any:
        """What the row's kernel for the layout gives for these arguments of its forward."""
        raise NotImplementedError

    def written(self, row: Row, arguments: list[Any]) -> Tensor:
        """What is done in place of the row's in-place form."""
        raise NotImplementedError


def unstrided_among(operands: Iterable[Any]) -> Any:
    """The first operand that has another layout, or None."""
    for each in operands:
        if isinstance(each, (tuple, list)):
            each = unstrided_among(each)
        if isinstance(each, Unstrided):
            return each
    return None


def elements_of(value: Any) -> Any:
    """What an operation gives, as an array with all its elements."""
    return value.elements() if isinstance(value, Unstrided) else np.asarray(value)


def array_of(value: Any) -> Any:
    """One of several results as an array; of another layout as it is."""
    return value if isinstance(value, Unstrided) else np.asanyarray(value)


def type_name(array: Any) -> str:
    """The name of a tensor's type in texts."""
    name = errors.tensor_type(dtypes.BY_NUMPY[array.dtype])
    if not isinstance(array, Unstrided):
        return name
    return name.replace("torch.", "torch.sparse.").replace("CPU", "SparseCPU")


def layout_of(array: Any) -> Any:
    """The layout of a tensor that has this array."""
    return array.layout if isinstance(array, Unstrided) else strided


_CHANNELS_LAST = {channels_last: 4, channels_last_3d: 5}  # and how many dimensions they are for


def suggest_memory_format(array: np.ndarray[Any, Any]) -> memory_format:
    """The format that the steps suggest, which many results follow (torch: c10/core/TensorImpl.h).

    Channels last are those whose steps grow from the channels to the last dimension and on to the first; where lengths
    of 1 leave it open, they are in order.
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
    """A result with the channels last where the steps of an operand suggest it, else in order."""
    for each in operands:
        wanted = suggest_memory_format(each)
        if _CHANNELS_LAST.get(wanted) == found.ndim:
            return np.moveaxis(ordered(np.moveaxis(found, 1, -1)), -1, 1)
    return ordered(found)


def following_image(
    spatial: int, found: np.ndarray[Any, Any], *operands: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    """The same where two dimensions are spatial; where three are, always in order."""
    return following(found, *operands) if spatial == 2 else ordered(found)


def is_contiguous_as(array: np.ndarray[Any, Any], wanted: Any) -> bool:
    """Whether the elements lie in memory in the order of a format."""
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
    """A copy whose elements lie in the order of a format; as they lie now where none is wanted.

    Raises:
        RuntimeError: channels_last for anything but four dimensions, channels_last_3d for anything but five.
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
    return array.copy("K")  # which would put repeated dimensions, of stride 0, last
