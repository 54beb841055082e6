"""Functions shared by kernels and formulas of several operators."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .._c10 import dtypes
from .._c10.errors import output_shape_differs, unimplemented
from .._c10.shapes import broadcast_shapes, laid_out
from .inplace import check_castable
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
    for each in operands:
        kind: np.dtype[Any] | None = getattr(each, "dtype", None)
        if kind is not None:
            return kind
    return np.asarray(operands[0]).dtype


def _needing(kinds: str) -> Callable[..., None]:
    """A check that raises for operands of other kinds (NumPy's letters), naming the kernel that does not implement
    them.
    """

    def check(kernel: str, *operands: Any) -> None:
        kind = kind_of(*operands)
        if complex in map(type, operands):
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


def only_needed(found: Any, needed: Any) -> list[Any]:
    """The requested gradients, None for the others."""
    return [each if wanted else None for each, wanted in zip(found, needed, strict=True)]


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
    """``count`` rows, zeros or those of ``start``, to which the given rows are added in order at the indices
    ``where``.

    For many rows this is a product with a sparse matrix, which SciPy adds row by row; np.add.at is fast only for flat
    memory.
    """
    width = rows.shape[1]
    if rows.size < MANY or width < 4 or rows.dtype.kind not in "fcV" or dtypes.is_half(rows.dtype):
        result = np.zeros((count, width), rows.dtype) if start is None else start.copy("C")
        places = where[:, None] * width + np.arange(width)
        np.add.at(result.reshape(-1), places.reshape(-1), np.ascontiguousarray(rows).reshape(-1))
        return result
    from scipy.sparse import csc_array  # slow to import

    if start is not None and count > 2 * len(where):  # most rows get nothing added
        named, where = np.unique(where, return_inverse=True)
        result = start.copy("C")
        result[named] = add_rows(rows, where, len(named), start[named])
        return result
    if start is not None:
        rows, where = np.concatenate([start, rows]), np.concatenate([np.arange(count), where])
    ones, ends = np.ones(len(where), rows.dtype), np.arange(len(where) + 1)
    return csc_array((ones, where, ends), shape=(count, len(where))) @ rows


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
        return _floor_quotient_of_halves(self, other, kind)
    return np.where(np.equal(other, 0), np.true_divide(self, other), np.floor_divide(self, other))


def _floor_quotient_of_halves(self: Any, other: Any, kind: np.dtype[Any]) -> Array:
    """Two tensors: rounded after each step; a tensor and a number: at the end (torch: div_floor_kernel in
    BinaryOpsKernel.cpp).
    """
    if not isinstance(other, np.ndarray):
        self = half_up(self)
    elif other.size == 1:
        self, other = half_up(self), half_up(other)
    left = np.asarray(np.fmod(self, other))
    quotient = (self - left) / other
    quotient = np.where(_opposed(left, other), quotient - quotient.dtype.type(1), quotient)
    below = np.floor(quotient)
    below = np.where(quotient - below > 0.5, below + below.dtype.type(1), below)
    result = np.where(quotient == 0, np.copysign(quotient, self / other), below)
    return np.where(np.equal(other, 0), self / other, result).astype(kind, copy=False)


def remainder_of_halves(self: Any, other: Any) -> Array:
    """np.fmod with the sign of the divisor."""
    left = np.asarray(np.fmod(self, other))
    return np.where(_opposed(left, other), left + other, left)


def _opposed(left: Array, divisor: Any) -> Array:
    """Where the remainder is not zero and its sign differs from the divisor's."""
    return (left != 0) & (np.less(divisor, 0) != (left < 0))


def trunc_quotient(self: Any, other: Any) -> Array:
    """The quotient rounded towards zero."""
    need_reals("div_trunc_cpu", self, other)
    if not integral(self, other):
        if isinstance(self, np.ndarray) and dtypes.is_half(self.dtype) and np.size(other) == 1:
            divisor = half_up(np.asarray(other))
            return in_single(lambda wide: np.trunc(wide / divisor), self)
        return np.trunc(np.true_divide(self, other))
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
        return np.asarray(find()(*arrays)).astype(kind, copy=False)

    return kernel


def growing(name: str) -> Callable[..., Array]:
    """A function of scipy.special that grows like exp(abs(x)), by which torch multiplies: it is infinite whenever exp
    is.
    """
    kernel = scipy(name)

    def found(self: Any) -> Array:
        values = kernel(self)
        kind = values.dtype
        if kind.itemsize > 4:
            return values
        place, single = half_up(np.asarray(self, kind)), half_up(values)
        infinite = np.isinf(np.exp(np.abs(place))) & np.isfinite(place)
        return np.where(infinite, np.copysign(np.float32(np.inf), single), single).astype(kind)

    return found


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
