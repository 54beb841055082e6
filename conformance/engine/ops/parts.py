"""Parts of numbers: real part, conjugate and angle (of real numbers), mantissa and exponent."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import return_types
from ..creation import zeros_like
from ..dtypes import refuse_complex
from ..out import given_several
from ..rows import Array, op
from ..tensor import Tensor, make
from ..views import as_view


@op(
    "FrexpBackward0",
    name="frexp",
    outputs="mantissa exponent",
    returns=return_types.frexp,
    self=lambda grad, exponent: grad / exponent.exp2(),
)
def _frexp(self: Array) -> tuple[Array, Array]:
    if self.dtype.kind != "f":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    mantissa, exponent = np.frexp(self)
    return mantissa, exponent


def frexp(input: Tensor, *, out: Any = None) -> Any:
    """Mantissa (from 0.5 to 1) and exponent of two."""
    return given_several("frexp", out, _frexp(input), ("frexp_mantissa", "frexp_exponent"))


@op("AngleBackward0", meet="self", to_float=True, self=lambda grad, self: zeros_like(self))
def angle(self: Array) -> Array:
    """The angle from the positive real numbers: 0, or pi for negative ones."""
    if self.dtype.kind == "c":
        return np.asarray(np.angle(self))
    return np.where(np.isnan(self), self, np.where(self < 0, self.dtype.type(math.pi), self.dtype.type(0)))


def _itself(name: str, text: str) -> Any:
    def function(input: Tensor) -> Tensor:
        refuse_complex(name, input._array)
        return input

    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    return function


real = _itself("real", "The real part: of a real tensor, the tensor itself.")
_conj_physical = _itself("conj_physical", "")
conj = _itself("conj", "The conjugate: of a real tensor, the tensor itself.")


def conj_physical(input: Tensor, *, out: Any = None) -> Tensor:
    """The conjugate: of a real tensor, the tensor itself."""
    if out is not None:
        return _conj_physical_in_place(input.detach(), out=out)
    return _conj_physical(input)


resolve__conj_physical = _itself("conj_physical", "")
conj = _itself("resolve_conj", "The tensor itself.")
resolve_neg = _itself("resolve_neg", "The tensor itself.")


def imag(input: Tensor) -> Tensor:
    """The imaginary part, a view; a real tensor has none."""
    if input._array.dtype.kind == "c":
        part = make(input._array.imag)
        as_view(part, input)
        return part
    raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")


@op(tensors="self")
def isreal(self: Array) -> Array:
    """Where the imaginary part is 0."""
    return np.isreal(self)


def is_nonzero(input: Tensor) -> bool:
    """Whether the one element is not 0."""
    return bool(input)


@op("ConjPhysicalBackward1", name="conj_physical_", self=lambda grad: grad)
def _conj_physical_in_place(self: Array) -> Array:
    return self


def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether the shapes are the same."""
    return input._array.shape == other._array.shape


def attach() -> None:
    """``real`` and ``imag`` are attributes of a tensor, not methods."""
    Tensor.real = property(real)  # type: ignore[attr-defined]
    Tensor.imag = property(imag)  # type: ignore[attr-defined]
