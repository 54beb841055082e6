"""Functions shared by kernels and formulas of several operators."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .._autograd.batched_tensor import level_of
from .._autograd.inplace_checks import check_castable
from .._autograd.tensor import Tensor
from .._c10 import dtypes
from .._c10.errors import output_shape_differs, unimplemented
from .._c10.modes import state
from .._c10.shapes import broadcast_shapes, laid_out
from .registry import Array, op


def check_multipliable(a: Any, b: Any) -> None:
    """Check that the first matrix has as many columns as the second has rows.

    Raises:
        RuntimeError: with torch's message.
    """
    if a.shape[1] != b.shape[0]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({a.shape[0]}x{a.shape[1]} and {b.shape[0]}x{b.shape[1]})"
        )


def kind_of(*operands: Any) -> np.dtype[Any]:
    """The dtype of promoted operands; numbers among them are ignored."""
    kind: np.dtype[Any] = next(each.dtype for each in operands if hasattr(each, "dtype"))
    return kind


def _needing(kinds: str) -> Callable[..., None]:
    """A check that raises for operands of other kinds (NumPy's letters), naming the kernel that does not implement
    them.
    """

    def check(kernel: str, *operands: Any) -> None:
        kind = dtypes.result_dtype(*operands)
        if kind.kind not in kinds:
            raise unimplemented(kernel, kind)

    return check


need_floats = _needing("fV")
need_inexact = _needing("fcV")
need_integers = _needing("iu")
need_reals = _needing("iufV")
refuse_bools = _needing("iufcV")
refuse_integers = _needing("bfcV")


def refuse_bool_negation(operand: Array) -> None:
    """Raise for the negative of a bool tensor.

    Raises:
        RuntimeError: with torch's message.
    """
    if operand.dtype == np.bool_:
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use "
            "the `~` or `logical_not()` operator instead."
        )


def check_subtractable(self: Any, other: Any) -> None:
    """Raise for a subtraction with a bool operand.

    Raises:
        RuntimeError: with torch's message.
    """
    for each in (self, other):
        if getattr(each, "dtype", None) == np.bool_ or isinstance(each, bool):
            both = all(getattr(x, "dtype", None) == np.bool_ or isinstance(x, bool) for x in (self, other))
            raise RuntimeError(
                "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
                "`logical_xor()` operator instead."
                if both
                else "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert "
                "a mask, use the `~` or `logical_not()` operator instead."
            )


def updated(function: Callable[..., Any], self: Array, other: Array) -> Array:
    """The result of a function of two operands with the dtype and shape of the first, which it is written to.

    Raises:
        RuntimeError: with torch's message, if it cannot be.
    """
    common = dtypes.result_dtype(self, other)
    check_castable(common, self.dtype)
    shape = broadcast_shapes(self.shape, other.shape)
    if shape != self.shape:
        raise output_shape_differs(self.shape, shape)
    result = function(self.astype(common, copy=False), other.astype(common, copy=False))
    return np.asarray(result).astype(self.dtype, copy=False)


def half_up(array: Array) -> Array:
    """Convert half precision to float32, in which torch computes it; leave other arrays unchanged."""
    return array.astype(np.float32) if dtypes.is_half(array.dtype) else array


def in_single(function: Callable[..., Any], array: Array, *rest: Any) -> Array:
    """Let a function compute half precision in float32 and round once at the end, as torch does."""
    return np.asarray(function(half_up(array), *rest)).astype(array.dtype, copy=False)


def kept(array: Array, mask: Array, *order: Array) -> Array:
    """The elements where the mask is True, 0 elsewhere: by their bits, which handles inf and nan without a branch.

    The strides are those of a result of ``order``, or of both operands; see Note [Strides of an elementwise result].
    """
    result = np.empty_like(mask, array.dtype)  # an expanded gradient does not decide the strides of a result
    bits = f"i{array.dtype.itemsize}"
    try:
        np.multiply(array.view(bits), mask, out=result.view(bits))
    except ValueError:  # the mask is not batched, see _transforms/backward_batch_rules.py
        result = np.multiply(array.view(bits), mask).view(array.dtype)
    return laid_out(result, *(order or (array, mask)))


def chosen(mask: Array, first: Array, second: Array) -> Array:
    """np.where for two arrays of one dtype and shape: large ones by their bits, since branches on random masks are
    slow.
    """
    if mask.size < 1000:
        return np.where(mask, first, second)
    result = np.empty_like(second)
    bits = f"i{second.dtype.itemsize}"
    out, other = result.view(bits), second.view(bits)
    np.bitwise_xor(first.view(bits), other, out=out)
    np.multiply(out, mask, out=out)
    np.bitwise_xor(out, other, out=out)
    return result


MANY = 16384  # number of elements from which saving a pass pays for its preparation


def beside(array: Array, number: Any) -> Any:
    """The number for np.maximum or np.minimum with an array: for a large one an array, since only two arrays have a
    fast loop.
    """
    if array.size < MANY:
        return number
    if array.flags.c_contiguous and array.shape[-1] >= 64:
        return np.full(array.shape[-1], number, array.dtype)
    return np.full_like(array, number)


def add_rows(rows: Array, where: Array, count: int, start: Array | None = None) -> Array:
    """``count`` rows, zeros or those of ``start``, to which rows are added in order at the indices ``where``."""
    width = rows.shape[1]
    result = np.zeros((count, width), rows.dtype) if start is None else start.copy("C")
    places = where[:, None] * width + np.arange(width)
    np.add.at(result.reshape(-1), places.reshape(-1), np.ascontiguousarray(rows).reshape(-1))
    return result


def integral(self: Any, divisor: Any) -> bool:
    """Whether a division is of integers, which cannot be divided by zero.

    Raises:
        RuntimeError: an element of the divisor is 0.
    """
    if np.asarray(self).dtype.kind not in "iu" or np.asarray(divisor).dtype.kind not in "iu":
        return False
    if not np.all(divisor):
        raise RuntimeError("ZeroDivisionError")
    return True


def floor_quotient(self: Any, other: Any) -> Array:
    """The quotient rounded down; infinities of IEEE division stay."""
    need_reals("div_floor_cpu", self, other)
    if integral(self, other):
        return np.floor_divide(self, other)
    kind = kind_of(self, other)
    if dtypes.is_half(kind):
        return floor_quotient(half_up(np.asarray(self, kind)), half_up(np.asarray(other, kind))).astype(kind)
    return np.where(np.equal(other, 0), np.true_divide(self, other), np.floor_divide(self, other))


def trunc_quotient(self: Any, other: Any) -> Array:
    """The quotient rounded towards zero."""
    need_reals("div_trunc_cpu", self, other)
    if not integral(self, other):
        return np.trunc(np.true_divide(self, other)).astype(kind_of(self, other), copy=False)
    quotient = np.floor_divide(self, other)
    return quotient + ((quotient < 0) & (quotient * other != self))


@functools.cache
def scipy(name: str, half: bool = True) -> Callable[..., Array]:
    """A function of scipy.special, in the dtype of its arguments; SciPy is imported on the first call."""

    @functools.cache
    def find() -> Any:
        import scipy.special  # slow to import

        return getattr(scipy.special, name)

    def kernel(*operands: Any) -> Array:
        if not half and dtypes.is_half(kind_of(*operands)):
            raise unimplemented(f"{name}_cpu", kind_of(*operands))
        kind = kind_of(*operands)
        arrays = [half_up(np.asarray(each, kind)) for each in operands]
        return np.asarray(find()(*arrays)).astype(kind)

    return kernel


def float_function(
    node: str | None,
    name: str,
    kernel: Any,
    text: str,
    gradient: Callable[..., Any] | None = None,
    **facts: Any,
) -> Any:
    """Declare a unary operator that converts integers to floats."""

    def forward(self: Array) -> Array:
        return kernel(self)

    forward.__doc__ = text
    formulas: Any = {} if gradient is None else {"self": gradient}
    return op(node, name=name, promote="self", to_float=True, **formulas, **facts)(forward)


def placed(zeros: Tensor, method: str, *arguments: Any) -> Tensor:
    """A gradient written into new zeros; out of place if it is batched, or while in-place writes are intercepted."""
    apart = state.before_mutation is not None or level_of(arguments) >= 0
    result: Tensor = getattr(zeros, method[:-1] if apart else method)(*arguments)
    return result
