"""Logical and bitwise operators, and tests such as isnan and isfinite."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor
from ..._autograd.views import increment_version
from ..._c10.errors import unimplemented
from ..._c10.operator_facts import composite
from ..registry import Array, op
from ..type_promotion import invalid_combination

# Logical: any dtype in, bool out ------------------------------------------------------------------


def _logical(name: str, function: Any, text: str) -> Any:
    def forward(self: Array, other: Array) -> Array:
        return function(self, other)

    forward.__name__, forward.__doc__ = name, text
    return op(promote="self other", numbers=False, inplace="method", vmap_unbatched="arithmetic")(forward)


logical_and = _logical("logical_and", np.logical_and, "Whether both are nonzero.")
logical_or = _logical("logical_or", np.logical_or, "Whether one is nonzero.")
logical_xor = _logical("logical_xor", np.logical_xor, "Whether exactly one is nonzero.")


@op(promote="self", kernel_writes=1, inplace="method")
def logical_not(self: Array) -> Array:
    """Whether each element is zero."""
    return np.logical_not(self)


# Tests --------------------------------------------------------------------------------------------


def _test(name: str, function: Any, text: str, **facts: Any) -> Any:
    def forward(self: Array) -> Array:
        return function(self)

    forward.__name__, forward.__doc__ = name, text
    return op(promote="self", **facts)(forward)


isnan = _test("isnan", np.isnan, "Where it is nan.", out=False)
isinf = _test("isinf", np.isinf, "Where it is infinite.", out=False, wrapped_number=True)
_isfinite = _test(
    "isfinite", np.isfinite, "Where it is neither infinite nor nan.", vmap="front", wrapped_number=True
)


@composite(vmap="decompose")
def isfinite(input: Tensor) -> Tensor:
    """Whether each element is neither infinite nor nan."""
    result: Tensor = _isfinite(input)
    if input._array.dtype.kind == "c":  # torch tests both parts and combines them in place
        increment_version(result)
    return result


def _refused(name: str) -> RuntimeError:
    return RuntimeError(f"{name} does not support complex inputs.")


isposinf = _test(
    "isposinf",
    np.isposinf,
    "Where it is infinite and positive.",
    no_complex=_refused("isposinf"),
)
isneginf = _test(
    "isneginf",
    np.isneginf,
    "Where it is infinite and negative.",
    no_complex=_refused("isneginf"),
)


# Bits ---------------------------------------------------------------------------------------------


def _bitwise(name: str, kernel: str, function: Any, text: str, **facts: Any) -> Any:
    def forward(self: Any, other: Any) -> Array:
        kind = np.result_type(self, other) if isinstance(self, np.ndarray) else other.dtype
        if kind.kind not in ("iub" if "bitwise" in kernel else "iu"):
            raise unimplemented(kernel, kind)
        return function(self, other)

    def not_two_numbers(*operands: Any) -> None:
        if not any(isinstance(each, np.ndarray) for each in operands):
            raise invalid_combination(name, operands)

    forward.__name__, forward.__doc__ = name, text
    return op(
        promote="self other", check=not_two_numbers, inplace="method", vmap_unbatched="broadcast", **facts
    )(forward)


bitwise_and = _bitwise(
    "bitwise_and", "bitwise_and_cpu", np.bitwise_and, "The bits set in both.", overload="Tensor Scalar"
)
bitwise_or = _bitwise(
    "bitwise_or", "bitwise_or_cpu", np.bitwise_or, "The bits set in one.", overload="Tensor Scalar"
)
bitwise_xor = _bitwise(
    "bitwise_xor", "bitwise_xor_cpu", np.bitwise_xor, "The bits set in exactly one.", overload="Tensor Scalar"
)
bitwise_left_shift = _bitwise(
    "bitwise_left_shift", "lshift_cpu", np.left_shift, "The bits moved up, which doubles at each place."
)
bitwise_right_shift = _bitwise(
    "bitwise_right_shift", "rshift_cpu", np.right_shift, "The bits moved down, which halves at each place."
)


@op(promote="self", inplace="method")
def bitwise_not(self: Array) -> Array:
    """Invert all bits; of a bool, the logical negation."""
    if self.dtype.kind not in "iub":
        raise unimplemented("bitwise_not_cpu", self.dtype)
    return np.invert(self)
