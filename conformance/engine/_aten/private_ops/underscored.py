"""Operators of torch whose names begin with an underscore; most implement a public one.

``FUNCTIONS`` are functions of torch; those in ``_METHODS`` are methods of Tensor as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._arguments.argument_errors import check_all_arguments
from ..._autograd.tensor import Tensor, make
from ..._autograd.undefined_gradient import unsupported
from ..._c10.device import check_memory
from ..._c10.errors import need_fitting
from ..._c10.operator_facts import composite
from ..._c10.shapes import new_sizes, wrap_dim
from ..._c10.slots import on_first_use
from ..._c10.zero_tensor import ZeroTensor, zeros
from ..blas import cdist
from ..creation import factories
from ..indexing.index_put import index, index_put
from ..nn import softmax
from ..nn.embedding import trilinear
from ..nn.softmax import _softmax_backward
from ..out import given
from ..pointwise import complex_parts
from ..reduction import segment_reduce
from ..registry import ROWS, Array, op
from . import multiple_dispatch

# See Note [Slots].
safe_softmax: Callable[..., Tensor] = on_first_use("safe_softmax")
standard_gamma: Callable[[Tensor, Any], Tensor] = on_first_use("standard_gamma")
sample_dirichlet: Callable[[Tensor, Any], Tensor] = on_first_use("sample_dirichlet")

PUBLIC = ()

# Views and metadata -------------------------------------------------------------------------------


def _efficientzerotensor(
    *size: Any,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    **named: Any,
) -> Tensor:
    """A ZeroTensor, which has no memory, see Note [ZeroTensor]."""
    need_fitting(size and not named, "torch._efficientzerotensor")
    check_memory(device, pin_memory)
    shape = new_sizes(size, "_efficientzerotensor")
    return factories.finish(zeros(shape, factories.kind_of(dtype, None)), requires_grad)


def _is_zerotensor(input: Tensor) -> bool:
    """Whether the tensor is a ZeroTensor."""
    return isinstance(input._array, ZeroTensor)


def _neg_view(input: Tensor) -> Tensor:
    """The negative, as a view.

    Raises:
        NotImplementedError: the tensor is complex; lazy negation of complex views is not implemented.
    """
    if input.is_complex():
        raise NotImplementedError("torch._neg_view of complex numbers")
    return complex_parts._negated(input)


# Reductions ---------------------------------------------------------------------------------------


@op(name="_is_all_true", tensors="self")
def _are_all_true(self: Array) -> Array:
    return np.asarray(np.logical_and.reduce(self, axis=None))


@op(name="_is_any_true", tensors="self")
def _are_any_true(self: Array) -> Array:
    return np.asarray(np.logical_or.reduce(self, axis=None))


def _is_all_true(input: Tensor) -> Tensor:
    """Whether all elements of a bool tensor are True."""
    result: Tensor = _are_all_true(input)
    return result


def _is_any_true(input: Tensor) -> Tensor:
    """Whether any element of a bool tensor is True."""
    result: Tensor = _are_any_true(input)
    return result


# Joining and choosing -----------------------------------------------------------------------------


@op(
    "UnsafeIndexPutBackward0",
    name="_unsafe_index_put",
    lists="indices",
    self=lambda grad, indices, accumulate: (
        grad if accumulate else _unsafe_put(grad, indices, make(np.zeros((), grad._array.dtype)), accumulate)
    ),
    values=lambda grad, indices: _chosen(grad, indices),
)
def _unsafe_put(self: Array, indices: Any, values: Array, accumulate: bool = False) -> Array:
    """index_put without bounds checks in torch: a copy with values written, or added, at the indices."""
    result: Array = index_put.row.forward(self, indices, values, accumulate)  # type: ignore[attr-defined]
    return result


def _added(grad: Tensor, shape: tuple[int, ...], indices: Any) -> Tensor:
    result: Tensor = _unsafe_put(make(np.zeros(shape, grad._array.dtype)), indices, grad, True)
    return result


@op(
    "UnsafeIndexBackward0",
    name="_unsafe_index",
    lists="indices",
    complex="holomorphic",
    overload="Tensor",
    self=lambda grad, self_sym_sizes, indices: _added(grad, self_sym_sizes, indices),
)
def _chosen(self: Array, indices: Any) -> Array:
    for each in indices:
        need_fitting(each.dtype in (np.int64, np.int32), "torch._unsafe_index")
    result: Array = index.row.forward(self, indices)  # type: ignore[attr-defined]
    return result


def _unsafe_index(input: Tensor, indices: Any) -> Tensor:
    """The elements that index tensors select; masks are refused."""
    result: Tensor = _chosen(input, indices)
    return result


# Softmax ------------------------------------------------------------------------------------------


def _without_conversion(name: str) -> Callable[..., Tensor]:
    row = ROWS[name]

    def function(input: Tensor, dim: int, half_to_float: bool, *, out: Any = None) -> Tensor:
        if half_to_float:
            raise RuntimeError("softmax with half to float conversion is not supported on CPU")
        return given(name, out, row.call(input, dim))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"torch.{name}: beneath {name[1:]}, of floating numbers alone."
    return function


def _safe_softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """softmax, but zeros where all elements are -inf."""
    return safe_softmax(input, dim, dtype)


@op(
    "MaskedSoftmaxBackward0",
    name="_masked_softmax",
    tensors="mask",
    jvp="not_implemented",
    vmap="fallback",
    self=lambda grad, result, mask, dim: _masked_backward(grad, result, mask, dim),
)
def _masked(self: Array, mask: Array, dim: Any = None, mask_type: Any = None) -> Array:
    wanted: tuple[int, ...] | None = self.shape
    if mask.ndim == 2 and self.ndim == 4:
        n, _, rows, _ = self.shape
        wanted = {0: (rows, rows), 1: (n, rows)}.get(mask_type)
    else:
        mask_type = 2
    need_fitting(mask.dtype == np.bool_ and mask.shape == wanted, "torch._masked_softmax")
    spread = mask[:, None, None, :] if mask_type == 1 else mask
    with np.errstate(invalid="ignore"):
        return softmax._softmax_row(np.where(spread, -np.inf, self), _last(dim, self))


def _last(dim: int | None, array: Array) -> int:
    return array.ndim - 1 if dim is None else wrap_dim(dim, array.ndim)


@op(
    "NotImplemented",
    name="_masked_softmax_backward",
    vmap="fallback",
    tensors="mask",
    inputs=dict.fromkeys(("grad_output", "output"), unsupported("_masked_softmax_backward")),
)
def _masked_backward(grad_output: Array, output: Array, mask: Array, dim: Any) -> Array:
    if mask.shape != output.shape:  # torch differentiates masks of type 2 alone
        raise RuntimeError("Mask shape should match grad shape")
    result = _softmax_backward.row.forward(grad_output, output, _last(dim, output))  # type: ignore[attr-defined]
    return np.where(mask, 0, result)


def _masked_softmax(
    input: Tensor, mask: Tensor, dim: int | None = None, mask_type: int | None = None
) -> Tensor:
    """softmax without masked elements; the mask has the input's shape, or for (B, H, L, L) type 0 (L, L) or 1 (B, L).

    Raises:
        RuntimeError: the mask does not fit.
    """
    result: Tensor = _masked(input, mask, dim, mask_type)
    return result


# Distances, products, samples ---------------------------------------------------------------------


def _euclidean_dist(x1: Tensor, x2: Tensor) -> Tensor:
    """Euclidean distances of the rows of two matrices, by a matrix product."""
    return cdist._euclidean_dist(x1, x2)


def _trilinear(
    i1: Tensor,
    i2: Tensor,
    i3: Tensor,
    expand1: Any,
    expand2: Any,
    expand3: Any,
    sumdim: Any,
    unroll_dim: int = 1,
) -> Tensor:
    """The product of three tensors, unsqueezed at given dimensions, summed over others."""
    dims = [tuple(each) for each in (expand1, expand2, expand3, sumdim)]
    result: Tensor = trilinear(i1, i2, i3, *dims)
    return result


@composite(random="elementwise", random_by_values=True)
def _standard_gamma(input: Tensor, generator: Any = None) -> Tensor:
    """Samples of gamma distributions with these shape parameters."""
    return standard_gamma(input, generator)


@composite(random="elementwise", random_by_values=True)
def _sample_dirichlet(input: Tensor, generator: Any = None) -> Tensor:
    """Samples of Dirichlet distributions; not differentiable."""
    return sample_dirichlet(input, generator)


FUNCTIONS: dict[str, Callable[..., Any]] = check_all_arguments(
    {
        "_efficientzerotensor": _efficientzerotensor,
        "_euclidean_dist": _euclidean_dist,
        "_is_all_true": _is_all_true,
        "_is_any_true": _is_any_true,
        "_is_zerotensor": _is_zerotensor,
        "_log_softmax": _without_conversion("_log_softmax"),
        "_masked_softmax": _masked_softmax,
        "_neg_view": _neg_view,
        "_safe_softmax": _safe_softmax,
        "_sample_dirichlet": _sample_dirichlet,
        "_segment_reduce": segment_reduce.segment_reduce,
        "_softmax": _without_conversion("_softmax"),
        "_standard_gamma": _standard_gamma,
        "_trilinear": _trilinear,
        "_unsafe_index": _unsafe_index,
        **{
            name: getattr(multiple_dispatch, name)
            for name in vars(multiple_dispatch)
            if name.startswith("_test_autograd")
        },
    }
)
_METHODS = ("_is_all_true", "_is_any_true", "_is_zerotensor", "_neg_view")


def attach() -> None:
    """Attach the operators in ``_METHODS`` to Tensor."""
    for name in _METHODS:
        setattr(Tensor, name, globals()[name])
