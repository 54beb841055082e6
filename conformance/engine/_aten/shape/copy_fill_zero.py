"""copy_, fill_ and zero_, which overwrite all elements of a tensor (torch: native/Copy.cpp, Fill.cpp)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._autograd.inplace_checks import warn_of_lost_part, write
from ..._autograd.tensor import Tensor, make
from ..._c10.dtypes import BY_NUMPY, number_to_fill
from ..._c10.operator_facts import composite
from ..._c10.shapes import like_steps
from ..creation.factories import zeros_like
from ..inplace import is_free, is_separate, run_inplace
from ..registry import ROWS, Array, op
from ..type_promotion import plain_number


@composite(vmap_unbatched="arithmetic")
def copy_(self: Tensor, other: Any, non_blocking: bool = False) -> Tensor:
    """Overwrite the tensor with another's values, or with a number, in its own dtype.

    Raises:
        TypeError: ``other`` is neither a tensor nor a number.
        OverflowError: an integer of more than 64 bits.
    """
    if not isinstance(other, Tensor):
        number = plain_number(other)
        if number.__class__ is int:
            number.to_bytes(8, "little", signed=number < 0)  # which raises torch's error
        other = make(np.asarray(number))  # in double precision, and cast like any tensor
    if is_free(self) and is_separate(self, other):  # see Note [Written at once]
        write(self, other._array)
        return self
    return run_inplace(ROWS["copy"], [self, other])


@op(
    "FillBackward2",
    name="fill",
    overload="Scalar",
    complex="holomorphic",
    vmap="fallback",
    vmap_inplace="aligned",
    overlap="allow",
    vmap_unbatched="by_name",
    self=lambda grad: make(np.zeros(grad._array.shape, grad._array.dtype)),
)
def _fill(self: Array, value: Any) -> Array:
    return like_steps(np.full(self.shape, number_to_fill(self.dtype, self.size, value), self.dtype), self)


@op(
    "FillBackward3",
    name="fill_tensor",
    overload="Tensor",
    complex="holomorphic",
    handle_r_to_c=False,
    vmap_inplace="aligned",
    operator="fill",
    self=lambda grad: make(np.zeros(grad._array.shape, grad._array.dtype)),
    value=lambda grad: grad.sum(),
)
def _fill_tensor(self: Array, value: Array) -> Array:
    if value.ndim:
        raise RuntimeError(
            f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions."
        )
    if value.dtype.kind == "c" and self.dtype.kind not in "cb":
        if self.size:
            warn_of_lost_part(BY_NUMPY[self.dtype])
        value = value.real
    return like_steps(np.full(self.shape, value, self.dtype), self)


@composite(variants="function, method", vmap_unbatched="by_name")
def fill_(self: Tensor, value: Any) -> Tensor:
    """Set every element to ``value``, in place."""
    if value.__class__ in (int, float) and is_free(self):  # see Note [Written at once]
        write(self, number_to_fill(self._array.dtype, self._array.size, value))
        return self
    if isinstance(value, Tensor):
        return run_inplace(ROWS["fill_tensor"], [self, value])
    if self._array.dtype.kind == "b" and isinstance(value, float):
        value = bool(value)
    return run_inplace(ROWS["fill"], [self, value])


_FILLED = op(
    "FillBackward0",
    name="fill_copy",
    overload="Scalar",
    complex="holomorphic",
    operator="fill",
    **ROWS["fill"].formulas,
)(ROWS["fill"].forward)
_FILLED_TENSOR = op(
    "FillBackward1",
    name="fill_tensor_copy",
    overload="Tensor",
    complex="holomorphic",
    handle_r_to_c=False,
    operator="fill",
    **ROWS["fill_tensor"].formulas,
)(ROWS["fill_tensor"].forward)


@composite(variants="function", vmap="fallback", overload="Tensor Scalar")
def fill(input: Tensor, value: Any) -> Tensor:
    """A copy with every element set to ``value``."""
    return (_FILLED_TENSOR if isinstance(value, Tensor) else _FILLED)(input, value)


@op(
    "ZeroBackward0",
    name="zero",
    complex="holomorphic",
    vmap_inplace="aligned",
    overlap="allow",
    self=lambda grad: zeros_like(grad),
)
def _zero(self: Array) -> Array:
    return np.zeros(self.shape, self.dtype)


@composite(variants="function, method")
def zero_(self: Tensor) -> Tensor:
    """Set every element to 0, in place."""
    if is_free(self):  # see Note [Written at once]
        write(self, 0)
        return self
    return run_inplace(ROWS["zero"], [self])


def attach() -> None:
    """Attach copy_, fill_ and zero_ as methods of Tensor, instead of the methods that their rows would generate."""
    for method in (copy_, fill_, zero_):
        setattr(Tensor, method.__name__, method)
