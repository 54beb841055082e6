"""Factory functions from shapes and like other tensors; see from_data.py for those from data, ranges.py for ranges."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor, wrap
from ..._c10 import dtypes, errors
from ..._c10.context import empty_array
from ..._c10.device import check_device, check_memory
from ..._c10.errors import need_fitting
from ..._c10.layout import LayoutError, laid_out, layout_of, preserve_format, strided
from ..._c10.operator_facts import Out, composite
from ..._c10.shapes import blank, empty_in_steps, like_steps, new_sizes, strides
from ..._c10.slots import on_first_use
from ..out import fill_out

sparse_zeros: Callable[..., Any] = on_first_use("sparse_zeros")  # see Note [Slots]


def finish(
    array: np.ndarray[Any, Any], requires_grad: bool = False, out: Tensor | None = None, name: str = ""
) -> Tensor:
    """Wrap an array as a new leaf tensor, or resize and fill the tensor given as out=.

    Raises:
        TypeError: ``requires_grad`` is not a bool.
        RuntimeError: ``requires_grad`` is set for an integer dtype, or out= is a leaf that requires grad.
    """
    if out is None:
        if not array.size and array.__class__ is np.ndarray and not any(array.strides):
            array = empty_in_steps(array.shape, array.dtype, strides(array))  # its views keep these strides
        result = wrap(array)
    else:
        result = fill_out(out, array, name)
        result._requires_grad = False  # torch sets the flag as the call asks for, as it does for a new tensor
    if requires_grad:
        if array.dtype.kind not in "fcV":
            raise RuntimeError(errors.REQUIRES_GRAD_DTYPE_NEW)
        result._requires_grad = True
    return result


def kind_of(
    dtype: dtypes.dtype | None, out: Tensor | None, otherwise: dtypes.dtype | None = None
) -> np.dtype[Any]:
    """The dtype of the result: that of out=, the requested one, ``otherwise``, or the default.

    Raises:
        RuntimeError: the requested dtype is not that of out=.
    """
    dtype = dtypes.parse_dtype("empty", dtype)
    if out is not None:
        if dtype is not None and dtype is not out.dtype:
            raise RuntimeError(
                f"dtype {dtype.legacy} does not match dtype of out parameter ({out.dtype.legacy})"
            )
        return out._array.dtype
    return (dtype or otherwise or dtypes.default).numpy


def _filled_like(like: np.ndarray[Any, Any], value: Any, kind: np.dtype[Any], memory_format: Any) -> Any:
    """An array filled with one value, with the strides of another array or of a memory format."""
    array = np.full_like(like, value, kind, order="K", subok=False)
    return (
        like_steps(array, like)
        if memory_format in (None, preserve_format)
        else laid_out(array, memory_format)
    )


def _filled(
    name: str, fill: Callable[..., np.ndarray[Any, Any]], writes: Out
) -> tuple[Callable[..., Tensor], Callable[..., Tensor]]:
    @composite(name=name, out=writes)
    def by_shape(
        *sides: Any, size: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False,
        out: Any = None, layout: Any = None, pin_memory: bool = False, memory_format: Any = None,
    ) -> Tensor:  # fmt: skip
        check_memory(device, pin_memory)
        formats = memory_format is None or (name == "empty" and memory_format is not preserve_format)
        need_fitting(layout in (None, strided) and formats, f"torch.{name}")
        kind = kind_of(dtypes.parse_dtype(name, dtype), out)
        if sides and size is not None:
            raise TypeError(f"{name}() got multiple values for argument 'size'")
        array = fill(new_sizes(sides if size is None else (size,), name), kind)
        return finish(
            array if memory_format is None else laid_out(array, memory_format), requires_grad, out, name
        )

    def like(
        input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
        layout: Any = None, memory_format: Any = None, pin_memory: bool = False,
    ) -> Tensor:  # fmt: skip
        check_memory(device, pin_memory)
        dtype = dtypes.parse_dtype(f"{name}_like", dtype)
        kind = dtype.numpy if dtype else input._array.dtype
        try:
            array = _filled_like(input._array, fill((), kind)[()], kind, memory_format)
        except LayoutError:  # a sparse tensor, which has no elements but zeros
            if name == "ones":
                raise
            array = sparse_zeros(input._array.shape, kind)
        return finish(array, requires_grad)

    by_shape.__name__ = by_shape.__qualname__ = name
    like.__name__ = like.__qualname__ = f"{name}_like"
    return by_shape, like


zeros, zeros_like = _filled("zeros", np.zeros, Out())


def zeros_written(shape: tuple[int, ...], dtype: dtypes.dtype) -> Tensor:
    """Zeros of version 1: torch zeroes tensors in place if it creates them from a node's saved shape and dtype."""
    return zeros(shape, dtype=dtype).zero_()


ones, ones_like = _filled("ones", np.ones, Out())
empty, empty_like = _filled("empty", empty_array, Out(resize="only"))


def empty_strided(
    size: Any, stride: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    layout: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """torch.empty_strided: an uninitialized tensor with given strides."""
    check_memory(device, pin_memory)
    kind = (dtypes.parse_dtype("empty_strided", dtype) or dtypes.default).numpy

    shape, steps = new_sizes((size,)), tuple(s * kind.itemsize for s in stride)
    need_fitting(len(shape) == len(steps) and all(s >= 0 for s in steps), "torch.empty_strided")
    if 0 in shape:
        return finish(empty_in_steps(shape, kind, stride), requires_grad)
    extent = kind.itemsize + sum((n - 1) * s for n, s in zip(shape, steps, strict=True))
    result = blank((shape, steps, extent), kind)
    result[...] = empty_array((), kind)
    return finish(result, requires_grad)


def empty_permuted(
    size: Any, physical_layout: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    layout: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """torch.empty_permuted: an uninitialized tensor with a given order of dimensions in memory, the outermost first."""
    check_memory(device, pin_memory)
    kind = (dtypes.parse_dtype("empty_permuted", dtype) or dtypes.default).numpy
    shape, order = tuple(size), tuple(physical_layout)
    need_fitting(sorted(order) == [*range(len(shape))], "torch.empty_permuted")
    inside = new_sizes(([shape[axis] for axis in order],))
    return finish(empty_array(inside, kind).transpose(np.argsort(order)), requires_grad)


def _check_full(name: str, size: Any, fill_value: Any) -> Any:
    """The value to fill with as a number."""
    if isinstance(fill_value, Tensor) and not (fill_value._array.ndim or fill_value.requires_grad):
        return fill_value.item()
    return fill_value


def full(
    size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    out: Any = None, layout: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """torch.full: a tensor filled with one number."""
    check_memory(device, pin_memory)
    need_fitting(layout in (None, strided), "torch.full")
    fill_value = _check_full("full", size, fill_value)
    kind = kind_of(dtypes.parse_dtype("full", dtype), out, dtypes.of_number(fill_value))
    sizes = new_sizes((size,), "full")
    number = dtypes.number_to_fill(kind, math.prod(sizes), fill_value)
    return finish(np.full(sizes, number, kind), requires_grad, out, "full")


def full_like(
    input: Tensor,
    fill_value: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    layout: Any = None,
    memory_format: Any = None,
    pin_memory: bool = False,
) -> Tensor:
    """torch.full_like."""
    check_memory(device, pin_memory)
    fill_value = _check_full("full_like", (), fill_value)
    dtype = dtypes.parse_dtype("full_like", dtype)
    kind = dtype.numpy if dtype else input._array.dtype
    number = dtypes.number_to_fill(kind, input._array.size, fill_value)
    return finish(_filled_like(input._array, number, kind, memory_format), requires_grad)


@composite(overload=lambda *args: "m" if len(args) > 1 else "default")
def eye(
    n: int, m: int | None = None, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    out: Any = None, layout: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """torch.eye: the identity matrix."""
    check_memory(device, pin_memory)
    need_fitting(n >= 0 and (m is None or m >= 0), "torch.eye")
    shape = new_sizes(((n, n if m is None else m),), "eye")
    return finish(np.eye(*shape, dtype=kind_of(dtype, out)), requires_grad, out, "eye")


def scalar_tensor(
    s: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    layout: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """torch.scalar_tensor: a zero-dimensional tensor, by default in the default dtype."""
    check_memory(device, pin_memory)
    kind = (dtypes.parse_dtype("scalar_tensor", dtype) or dtypes.default).numpy
    return finish(dtypes.number_as(kind, s), requires_grad)


def _new(make_one: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def method(
        self: Tensor,
        *sides: Any,
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        **given: Any,
    ) -> Tensor:
        check_device(device)
        given.setdefault("layout", layout_of(self._array))
        return make_one(*sides, dtype=dtype or self.dtype, requires_grad=requires_grad, **given)

    return method


def attach() -> None:
    """Install Tensor.new_*: like torch.*, by default in this tensor's dtype."""
    for name, fill in (("new_zeros", np.zeros), ("new_ones", np.ones), ("new_empty", empty_array)):
        setattr(Tensor, name, _new(_filled(name, fill, Out())[0]))
    Tensor.new_full = _new(full)  # type: ignore[attr-defined]
    Tensor.new_empty_strided = _new(empty_strided)  # type: ignore[attr-defined]
