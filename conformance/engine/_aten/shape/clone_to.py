"""clone, contiguous, to and the conversions to dtypes, repeat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._arguments.overloads import argument_error
from ..._autograd.inplace_checks import warn_of_lost_part
from ..._autograd.tensor import Tensor, make
from ..._c10 import dtypes
from ..._c10.device import check_device, device, parsed
from ..._c10.errors import output_shape_differs
from ..._c10.interpreter_stack import transforms
from ..._c10.layout import (
    LayoutError,
    contiguous_format,
    is_contiguous_as,
    laid_out,
    preserve_format,
    suggest_memory_format,
)
from ..._c10.modes import state
from ..._c10.operator_facts import composite
from ..._c10.shapes import (
    broadcast_shapes,
    like_steps,
    ordered,
    refuse_negative,
    sizes,
)
from ..registry import Array, op


@op(
    "CloneBackward0",
    name="clone",
    complex="holomorphic",
    jvp="auto_linear",
    kernel_writes=1,
    self=lambda grad: grad,
)
def _clone(self: Array, memory_format: Any = None) -> Array:
    copy = laid_out(self, memory_format)
    return like_steps(copy, self) if memory_format in (None, preserve_format) else copy


@composite(vmap="decompose")
def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy that autograd records."""
    copy: Tensor = _clone(input) if memory_format is None else _clone(input, memory_format=memory_format)
    return _as_normal(copy, input) if input._inference else copy


def _as_normal(copy: Tensor, source: Tensor) -> Tensor:
    """The copy of an inference tensor: outside inference mode torch's kernel writes to a normal tensor, which autograd sees."""
    return copy if state.inference else copy.copy_(source)


def _check_none(name: str, beyond: tuple[Any, ...]) -> None:
    """Refuse positional arguments of a method that has none."""
    if beyond:
        were = "was" if len(beyond) == 1 else "were"
        raise TypeError(f"{name}() takes 0 positional arguments but {len(beyond)} {were} given")


@composite(variants="method", vmap="decompose")
def contiguous(self: Tensor, *beyond: Any, memory_format: Any = None) -> Tensor:
    """The tensor itself if it is contiguous in the memory format, else a contiguous copy."""
    _check_none("contiguous", beyond)
    try:
        if is_contiguous_as(self._array, memory_format):
            return self
    except LayoutError:
        pass  # the kernel of its layout raises the error
    if memory_format is preserve_format:
        raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
    return in_order(self) if memory_format is None else _clone(self, memory_format)


@op(
    "CloneBackward0",
    name="_in_order",
    complex="holomorphic",
    jvp="auto_linear",
    variants="",
    operator="clone",
    schema_args=lambda self: ((self,), {"memory_format": contiguous_format}),
    self=lambda grad: grad,
)
def in_order(self: Array) -> Array:
    """A contiguous copy.

    A large transposed matrix is copied in stripes as wide as a cache line: numpy's own copy loads each cache line once
    per element, which takes up to four times as long.
    """
    if self.ndim != 2 or not self.flags.f_contiguous or min(self.shape) < 256:
        return self.copy("C")
    copy, width = np.empty(self.shape, self.dtype), 64 // self.itemsize
    for start in range(0, self.shape[1], width):
        copy[:, start : start + width] = self[:, start : start + width]
    return copy


def _cast_back(grad: Tensor, kind: Any) -> Tensor:
    """The gradient in the dtype of the input; if the input is real, the edge takes the real part."""
    return grad if grad._array.dtype.kind == "c" else to(grad, kind)


@op(
    "ToCopyBackward0",
    complex="holomorphic",
    jvp="auto_linear",
    vmap="pointwise",
    kernel_writes=1,
    schema_args=lambda self, dtype: ((self,), {"dtype": dtype}),
    self=lambda grad, _self_scalar_type: _cast_back(grad, _self_scalar_type),
)
def _to_copy(self: Array, dtype: Any, memory_format: Any = None) -> Array:
    return _converted(self, dtype, memory_format)


@op(tensors="self", vmap="pointwise")
def _to_copy_integer(self: Array, dtype: Any, memory_format: Any = None) -> Array:
    return _converted(self, dtype, memory_format)


def _converted(array: Array, dtype: Any, memory_format: Any) -> Array:
    if array.dtype.kind == "c" and dtype.category < dtypes.COMPLEX:
        real = np.empty_like(array, array.real.dtype)  # the real part has twice the strides
        real[...] = array.real
        array = real if dtype is not dtypes.bool_ else array != 0
    converted = np.array(array, dtype.numpy, order="K")
    if memory_format in (None, preserve_format):
        return like_steps(converted, array)
    return laid_out(converted, memory_format)


@composite(variants="method", vmap="decompose")
def to(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """The tensor in another dtype; itself if nothing changes and ``copy`` is False."""
    if not kwargs and len(args) == 1 and args[0].__class__ is dtypes.dtype:  # the usual call
        return _in(self, args[0])
    where, dtype, _, copy, memory_format = parse_to(args, kwargs)
    check_device(where)
    return _in(self, dtype, bool(copy), memory_format)


def _in(self: Tensor, dtype: dtypes.dtype | None, copy: bool = False, memory_format: Any = None) -> Tensor:
    stays = memory_format in (None, preserve_format) or suggest_memory_format(self._array) is memory_format
    if (dtype is None or dtype is self.dtype) and not copy and stays:
        return self
    dtype = dtype or self.dtype
    if self._array.dtype.kind == "c" and dtype.category < dtypes.COMPLEX and self._array.size:
        warn_of_lost_part(dtype)
    convert = _to_copy_integer if dtype.category < dtypes.FLOATING else _to_copy
    converted: Tensor = convert(self, dtype, memory_format)
    return _as_normal(converted, self) if self._inference else converted


_PLACES = ("device", "dtype", "non_blocking", "copy")
_OF_NUMBERS = {
    bool: dtypes.bool_,
    float: dtypes.float64,
    complex: dtypes.complex128,
}  # which torch treats as tensors


def parse_to(
    args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[device | None, dtypes.dtype | None, bool, bool | None, Any]:
    """Parse the arguments of Tensor.to: a device and dtype, a dtype or a tensor; non_blocking, copy, memory_format.

    Raises:
        TypeError: a combination that is none of these.
    """
    if args and args[0].__class__ in _OF_NUMBERS:
        args = (_OF_NUMBERS[args[0].__class__], *args[1:])
    result = argument_error("Tensor.to", args, kwargs)
    if result is not None:
        raise result
    memory_format = kwargs.get("memory_format")
    first = args[0] if args else kwargs.get("tensor")
    if isinstance(first, Tensor):
        named = dict(zip(_PLACES[2:], args[1:], strict=False), device=first.device, dtype=first.dtype)
    else:
        of_dtype = isinstance(first, (dtypes.dtype, type))
        named = dict(zip(_PLACES[of_dtype:], args, strict=False))
    named = kwargs | named
    where, kind, non_blocking, copy = map(named.get, _PLACES)
    where = None if where is None else parsed(where)
    return where, dtypes.parse_dtype("to", kind), bool(non_blocking), copy, memory_format


def _parse_to(*args: Any, **kwargs: Any) -> tuple[device | None, dtypes.dtype | None, bool, Any]:
    """Parse the arguments of Module.to: those of Tensor.to without ``copy``."""
    where, kind, non_blocking, copy, memory_format = parse_to(args, kwargs)
    if copy is not None:
        raise RuntimeError(".to() does not accept copy argument")
    return where, kind, non_blocking, memory_format


def real_part(array: Array, kind: dtypes.dtype | None) -> Array:
    """The real part of a complex array if ``kind`` is a real dtype, with torch's warning; else the array."""
    if kind is None or array.dtype.kind != "c" or kind.category == dtypes.COMPLEX or kind is dtypes.bool_:
        return array
    warn_of_lost_part(kind)
    return array.real


@composite(variants="method", vmap="decompose")
def type_as(self: Tensor, other: Tensor) -> Tensor:
    """The tensor in another tensor's dtype."""
    return _in(self, other.dtype)


def _zeros_like(grad: Tensor) -> Tensor:
    return make(np.zeros(grad._array.shape, grad._array.dtype))


@op(
    "CopyBackwards",
    name="copy",
    tensors="self",
    complex="holomorphic",
    vmap_inplace="aligned",
    vmap_unbatched="arithmetic",
    self=lambda grad: _zeros_like(grad),
    src=lambda grad, _src_scalar_type: _cast_back(grad, _src_scalar_type),
)
def _copy(self: Array, src: Array) -> Array:
    lost = False
    if src.dtype.kind == "c" and self.dtype.kind not in "cb":
        lost, src = bool(self.size), src.real
    try:
        result = np.broadcast_to(src, self.shape)
    except ValueError:
        raise output_shape_differs(self.shape, broadcast_shapes(self.shape, src.shape)) from None
    if lost:
        warn_of_lost_part(dtypes.BY_NUMPY[self.dtype])
    return result.astype(
        self.dtype, copy=bool(transforms.count)
    )  # write() copies; a tangent has the same strides


def assigned(to: Tensor, value: Any) -> Tensor:
    """The value of an assignment to an indexed tensor, as a tensor.

    Raises:
        TypeError: the value is neither a tensor nor a number.
    """
    if isinstance(value, Tensor):
        return value
    if isinstance(value, (int, float, complex, np.integer)):
        return make(dtypes.number_as(to._array.dtype, value))
    name = type(value).__name__
    given = f"numpy.{name}" if isinstance(value, (np.ndarray, np.generic)) else name
    raise TypeError(f"can't assign a {given} to a torch.{to.dtype.legacy}Tensor")


@op(
    "RepeatBackward0",
    name="repeat",
    complex="holomorphic",
    jvp="auto_linear",
    self=lambda grad, repeats, self_sym_sizes: _repeat_backward(grad, repeats, self_sym_sizes),
)
def _repeat(self: Array, repeats: Any) -> Array:
    if len(repeats) < self.ndim:
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"
        )
    sides = [n * m for n, m in zip(repeats, (1,) * (len(repeats) - self.ndim) + self.shape, strict=True)]
    refuse_negative(sides)
    result = np.tile(self, repeats)
    return ordered(result) if result.size else result.copy()  # numpy may return a view of an empty array


def _repeat_backward(grad: Tensor, repeats: Sequence[int], shape: tuple[int, ...]) -> Tensor:
    if 0 in repeats:
        return make(np.zeros(shape, grad._array.dtype)).zero_()  # one version, as torch's zeros
    added = len(repeats) - len(shape)
    for _ in range(added):
        grad = grad.sum(0)
    sizes: list[int] = []
    repeated: list[int] = []
    for count, n in zip(repeats[added:], shape, strict=True):
        if count != 1:
            repeated.append(len(sizes))
            sizes.append(count)
        sizes.append(n)
    return grad.reshape(sizes).sum(repeated) if repeated else grad


@composite(variants="method", vmap="decompose")
def repeat(self: Tensor, *counts: Any, repeats: Any = None) -> Tensor:
    """The tensor tiled."""
    return _repeat(self, sizes(counts if repeats is None else (repeats,), "repeat(): argument 'repeats'"))


def _cast(name: str, kind: dtypes.dtype) -> Any:
    @composite(vmap="decompose")
    def method(self: Tensor, *beyond: Any, memory_format: Any = None) -> Tensor:
        _check_none(name, beyond)
        return _in(self, kind, memory_format=memory_format)

    return method


def attach() -> None:
    """Attach the methods named after dtypes, such as Tensor.float."""
    names = {
        "float": dtypes.float32, "double": dtypes.float64, "half": dtypes.float16, "bfloat16": dtypes.bfloat16, "int": dtypes.int32,
        "long": dtypes.int64, "short": dtypes.int16, "char": dtypes.int8, "byte": dtypes.uint8, "bool": dtypes.bool_,
        "cfloat": dtypes.complex64, "cdouble": dtypes.complex128,
    }  # fmt: skip
    for name, kind in names.items():
        setattr(Tensor, name, _cast(name, kind))
    Tensor.cpu = lambda self, memory_format=None: _in(self, None, memory_format=memory_format)  # type: ignore[attr-defined]


def without_leading_ones(source: Tensor) -> Tensor:
    """A view without leading dimensions of 1, as torch's C++ indexed assignment makes it."""
    shape = source._array.shape
    while shape and shape[0] == 1:
        shape = shape[1:]
    return source if shape == source._array.shape else source.view(shape)
