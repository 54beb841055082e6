"""Tensor's operators: a function each, with Python's own TypeError for operands that it does not take."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .._autograd.tensor import Tensor
from .._autograd.torch_function import overrides_without_tensor
from .blas import matmul
from .pointwise import arithmetic, logical, power, remainder
from .registry import ROWS
from .type_promotion import ask_operand, plain_number

PUBLIC = ()

# operator -> the method that it calls; the reflected and in-place ones too.
OPERATORS = {
    "__add__": "add", "__radd__": "add", "__iadd__": "add_",
    "__sub__": "sub", "__rsub__": "_rsub", "__isub__": "sub_",
    "__mul__": "mul", "__rmul__": "mul", "__imul__": "mul_",
    "__truediv__": "div", "__rtruediv__": "_rtruediv", "__itruediv__": "div_",
    "__div__": "div", "__rdiv__": "_rtruediv", "__idiv__": "div_",
    "__floordiv__": "floor_divide", "__rfloordiv__": "_rfloordiv", "__ifloordiv__": "floor_divide_",
    "__mod__": "remainder", "__rmod__": "_rmod", "__imod__": "remainder_",
    "__pow__": "pow", "__rpow__": "_rpow", "__ipow__": "pow_",
    "__matmul__": "matmul", "__rmatmul__": "_rmatmul",
    "__and__": "bitwise_and", "__rand__": "bitwise_and", "__iand__": "bitwise_and_",
    "__or__": "bitwise_or", "__ror__": "bitwise_or", "__ior__": "bitwise_or_",
    "__xor__": "bitwise_xor", "__rxor__": "bitwise_xor", "__ixor__": "bitwise_xor_",
    "__lshift__": "bitwise_left_shift", "__rlshift__": "_rlshift", "__ilshift__": "bitwise_left_shift_",
    "__rshift__": "bitwise_right_shift", "__rrshift__": "_rrshift", "__irshift__": "bitwise_right_shift_",
    "__eq__": "eq", "__ne__": "ne", "__lt__": "lt", "__le__": "le", "__gt__": "gt", "__ge__": "ge",
}  # fmt: skip


def operator(function: Callable[..., Any], name: str) -> Callable[[Tensor, Any], Any]:
    """The function as an operator: a TypeError means that this operand is not for us, but maybe for its own class."""

    @functools.wraps(function)
    def apply(self: Tensor, other: Any) -> Any:
        if not isinstance(other, Tensor):
            other = plain_number(other)
        try:
            return function(self, other)
        except TypeError:
            return ask_operand(name, self, other) if overrides_without_tensor(other) else NotImplemented

    return apply


# Methods that are one row each, whose operator is compiled and needs no wrapper.
_COMPILED = frozenset(
    [
        "add",
        "sub",
        "mul",
        "div",
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
        "bitwise_left_shift",
        "bitwise_right_shift",
    ]
)

_REFLECTED: dict[str, Callable[[Tensor, Any], Any]] = {
    "_rmatmul": lambda self, other: (
        matmul.rmatmul(self, other) if isinstance(other, Tensor) else NotImplemented
    ),
    "_rsub": arithmetic.rsub,
    "_rtruediv": lambda self, other: self.reciprocal() * other,
    "_rpow": lambda self, other: power.pow(other, self),
    "_rfloordiv": lambda self, other: remainder.floor_divide(other, self),
    "_rmod": lambda self, other: remainder.remainder(other, self),
    "_rlshift": lambda self, other: logical.bitwise_left_shift(other, self),
    "_rrshift": lambda self, other: logical.bitwise_right_shift(other, self),
}


def _invert(self: Tensor) -> Tensor:
    if self._array.dtype.kind not in "iub":
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return self.bitwise_not()


def attach() -> None:
    """Make the operators of the methods."""
    for name, method in OPERATORS.items():
        own = ROWS[method].operator if method in _COMPILED else None
        reflected = _REFLECTED.get(method)
        setattr(
            Tensor,
            name,
            own or (operator(reflected, name) if reflected else operator(getattr(Tensor, method), method)),
        )
    for name, method in (("__neg__", "neg"), ("__pos__", "positive"), ("__abs__", "abs")):
        setattr(Tensor, name, vars(Tensor)[method])
    Tensor.__invert__ = _invert  # type: ignore[method-assign]
