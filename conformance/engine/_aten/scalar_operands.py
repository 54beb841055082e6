"""Arithmetic of a tensor and a number as in torch's C++ formulas: rows whose number is not an operand.

In Python ``a * 2`` wraps the 2 as a tensor and records MulBackward0; in a C++ formula it records MulBackward1, and the
graph of a gradient shows that.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._autograd.tensor import Tensor, make
from .._c10.dtypes import is_half, result_dtype
from .inplace import run_inplace
from .kernels import in_single
from .registry import ROWS, Array, op
from .type_promotion import array_to_float

PUBLIC = ()
_REAL = frozenset((int, float, np.float32))


@op(
    "MulBackward1",
    promote="self",
    name="mul_scalar",
    overload="Tensor",
    complex="holomorphic",
    jvp="auto_element_wise",
    wrapped_number=True,
    operator="mul",
    self=lambda grad, other: times(grad, other),
)
def times(self: Array, other: Any) -> Array:
    """self * other."""
    return scaled_by(np.multiply, _fitting(self, other), other)


@op(
    "DivBackward1",
    promote="self",
    name="div_scalar",
    overload="Tensor",
    complex="holomorphic",
    jvp="auto_element_wise",
    wrapped_number=True,
    operator="div",
    self=lambda grad, other: over(grad, other),
)
def over(self: Array, other: Any) -> Array:
    """self / other."""
    return scaled_by(np.true_divide, array_to_float(self), other)


@op(
    "AddBackward1",
    promote="self",
    name="add_scalar",
    overload="Tensor",
    complex="holomorphic",
    wrapped_number=True,
    operator="add",
    self=lambda grad: grad,
)
def plus(self: Array, other: Any) -> Array:
    """self + other."""
    return np.add(*_met(self, other))


@op(
    "SubBackward1",
    promote="self",
    name="sub_scalar",
    overload="Tensor",
    complex="holomorphic",
    wrapped_number=True,
    operator="sub",
    self=lambda grad: grad,
)
def minus(self: Array, other: Any) -> Array:
    """self - other."""
    if self.dtype.kind == "b":
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, "
            "use the `~` or `logical_not()` operator instead."
        )
    return np.subtract(*_met(self, other))


def times_(self: Tensor, other: Any) -> Tensor:
    """self * other, in place."""
    return run_inplace(ROWS["mul_scalar"], [self, other])


def over_(self: Tensor, other: Any) -> Tensor:
    """self / other, in place."""
    return run_inplace(ROWS["div_scalar"], [self, other])


def _fitting(array: Array, number: Any) -> Array:
    """The array, promoted with the number."""
    return array if array.dtype.kind in "fV" else array.astype(result_dtype(array, number), copy=False)


def scaled_by(function: np.ufunc, self: Any, other: Any) -> Array:
    """A product or quotient; see Note [Halves and numbers]."""
    if other.__class__ in _REAL and is_half(self.dtype):
        return in_single(function, self, other)
    result: Array = function(self, other)
    return result


def _met(array: Array, number: Any) -> tuple[Array, Any]:
    """Both, promoted."""
    array = _fitting(array, number)
    # with a Python number NumPy would convert bfloat16 to float32
    return array, array.dtype.type(number) if array.dtype.kind == "V" else number


def less_than(number: Any, tensor: Tensor) -> Tensor:
    """number - tensor: torch subtracts from a tensor filled with the number."""
    return make(np.full(tensor._array.shape, number, tensor._array.dtype)).sub_(tensor)


def maybe_times(grad: Tensor, alpha: Any) -> Tensor:
    """grad * alpha, the gradient itself for 1."""
    return grad if alpha == 1 else times(grad, alpha)
