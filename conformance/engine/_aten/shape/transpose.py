"""t, transpose, permute, movedim and their aliases: views with the dimensions in another order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor, read_only
from ..._c10.operator_facts import composite
from ..._c10.shapes import sizes, wrap_dim
from ..._c10.warn_once import warn_once
from ..registry import Array, op
from .view_reshape import alias


@op("TBackward0", view="default", complex="holomorphic", self=lambda grad: grad.t())
def t(self: Array) -> Array:
    """A matrix transposed."""
    if self.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
    return self.T


@op(
    "TransposeBackward0",
    view="default",
    overload="int",
    complex="holomorphic",
    vmap="along",
    self=lambda grad, dim0, dim1: grad.transpose(dim0, dim1),
)
def transpose(self: Array, dim0: Any, dim1: Any) -> Array:
    """Two dimensions exchanged."""
    if self.ndim == 0:
        wrap_dim(dim0, 0), wrap_dim(dim1, 0)
        return self[...]
    return np.swapaxes(self, wrap_dim(dim0, self.ndim), wrap_dim(dim1, self.ndim))


@op(
    "PermuteBackward0",
    name="permute",
    view="default",
    complex="holomorphic",
    vmap="along",
    self=lambda grad, dims: grad.permute(_inverse(dims)),
)
def _permute(self: Array, dims: Any) -> Array:
    if len(dims) != self.ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {self.ndim} is not equal to len(dims) = {len(dims)}"
        )
    wrapped = [wrap_dim(dim, self.ndim) for dim in dims]
    if len(set(wrapped)) != len(wrapped):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return self.transpose(wrapped)


def _inverse(dims: Sequence[int]) -> list[int]:
    places = [dim % len(dims) for dim in dims]
    return sorted(range(len(dims)), key=places.__getitem__)


@composite(vmap="decompose")
def permute(input: Tensor, *order: Any, dims: Any = None) -> Tensor:
    """The dimensions in another order."""
    return _permute(input, sizes(order if dims is None else (dims,), "permute(): argument 'dims'"))


@composite(vmap="decompose")
def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Dimensions moved to other places."""
    ndim = input._array.ndim
    sources = tuple(source) if isinstance(source, Sequence) else (source,)
    destinations = tuple(destination) if isinstance(destination, Sequence) else (destination,)
    if len(sources) != len(destinations):
        raise RuntimeError(
            "movedim: Invalid source or destination dims: source "
            f"({list(sources)} dims) should contain the same number of dims as destination ({list(destinations)} dims)"
        )
    src, dst = [wrap_dim(d, ndim) for d in sources], [wrap_dim(d, ndim) for d in destinations]
    for wrapped, given, what in ((src, sources, "source"), (dst, destinations, "destination")):
        if len(set(wrapped)) != len(wrapped):
            raise RuntimeError(f"movedim: repeated dim in `{what}` ({list(given)})")
    if ndim == 0:
        return alias(input)
    order = [d for d in range(ndim) if d not in src]
    for to, place in sorted(zip(dst, src, strict=True)):
        order.insert(to, place)
    return permute(input, order)


moveaxis = movedim


@composite(vmap="decompose")
def swapaxes(input: Tensor, axis0: Any, axis1: Any) -> Tensor:
    """An alias of transpose, with NumPy's name."""
    return transpose(input, axis0, axis1)


@composite(vmap="decompose")
def swapdims(input: Tensor, dim0: Any, dim1: Any) -> Tensor:
    """An alias of transpose."""
    return transpose(input, dim0, dim1)


@composite(vmap="decompose")
def adjoint(input: Tensor) -> Tensor:
    """The last two dimensions exchanged, and a complex tensor conjugated."""
    return _matrices_transposed(
        input, "tensor.adjoint()", "adjoint() is deprecated on 0-D tensors. " + _CONJ
    ).conj()


_CONJ = "Consider using x.conj()."


def _matrices_transposed(input: Tensor, name: str, of_none: str) -> Tensor:
    """The last two dimensions exchanged; a 0-d tensor is returned as it is, with a warning."""
    if not input._array.ndim:
        warn_once(of_none)
        return input
    if input._array.ndim < 2:
        raise RuntimeError(
            f"{name} is only supported on matrices or batches of matrices. Got {input._array.ndim}-D tensor."
        )
    return transpose(input, -2, -1)


def _reversed_dims(self: Tensor) -> Tensor:
    if self._array.ndim == 0:
        warn_once(
            "Tensor.T is deprecated on 0-D tensors. This function is the identity in these cases.",
        )
    elif self._array.ndim != 2:
        warn_once(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and "
            "it will throw an error in a future release. Consider `x.mT` to transpose batches of matrices "
            "or `x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.",
        )
    return permute(self, tuple(reversed(range(self._array.ndim))))


def _hermitian(self: Tensor) -> Tensor:
    if self._array.ndim not in (0, 2):
        batches = " For batches of matrices, consider using tensor.mH" if self._array.ndim > 2 else ""
        raise RuntimeError(
            f"tensor.H is only supported on matrices (2-D tensors). Got {self._array.ndim}-D tensor.{batches}"
        )
    return _matrices_transposed(self, "tensor.H", "Tensor.H is deprecated on 0-D tensors. " + _CONJ).conj()


def _matrix_transpose(self: Tensor) -> Tensor:
    identity = "Tensor.mT is deprecated on 0-D tensors. This function is the identity in these cases."
    return _matrices_transposed(self, "tensor.mT", identity)


def _matrix_adjoint(self: Tensor) -> Tensor:
    return _matrices_transposed(self, "tensor.mH", "Tensor.mH is deprecated on 0-D tensors. " + _CONJ).conj()


def attach() -> None:
    """Attach the properties T, mT, H and mH of Tensor."""
    Tensor.T = read_only("T", _reversed_dims)  # type: ignore[attr-defined]
    Tensor.mT = read_only("mT", _matrix_transpose)  # type: ignore[attr-defined]
    Tensor.H = read_only("H", _hermitian)  # type: ignore[attr-defined]
    Tensor.mH = read_only("mH", _matrix_adjoint)  # type: ignore[attr-defined]
