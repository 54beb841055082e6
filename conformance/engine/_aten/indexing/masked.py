"""masked_fill, masked_select, masked_scatter; nonzero, nonzero_static and argwhere."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor, make, wrap
from ..._c10 import dtypes
from ..._c10.dtypes import NUMBERS
from ..._c10.operator_facts import Out, composite
from ..._c10.shapes import broadcast_shapes, empty_in_steps, like_steps
from ..creation.factories import zeros_like
from ..inplace import run_inplace
from ..inplace_errors import check_source
from ..kernels import placed
from ..registry import ROWS, Array, op

# masked_fill --------------------------------------------------------------------------------------


def _filled(self: Array, mask: Array, value: Any) -> Array:
    if mask.dtype != np.bool_:
        raise RuntimeError(
            f"masked_fill_ only supports boolean masks, but got mask with dtype {dtypes.c_name(mask.dtype)}"
        )
    shape = broadcast_shapes(mask.shape, self.shape)
    kind = self.dtype
    result = np.array(np.broadcast_to(self, shape), kind, order="C")
    if isinstance(value, (np.ndarray, np.generic)) and kind.kind != "c":
        value = value.item()
    if value.__class__ in NUMBERS:
        value = dtypes.number_within(kind, value)
    np.copyto(result, np.asarray(value).astype(kind), where=mask)
    return result


@op(
    "MaskedFillBackward0",
    name="masked_fill",
    tensors="mask",
    overload="Scalar",
    complex="holomorphic",
    vmap="pointwise",
    overlap="warn",
    kernel_writes=2,
    vmap_unbatched="arithmetic",
    self=lambda grad, mask: _masked_fill(grad, mask, 0),
)
def _masked_fill(self: Array, mask: Array, value: Any) -> Array:
    return _filled(self, mask, value)


@op(
    "MaskedFillBackward1",
    name="masked_fill_tensor",
    tensors="mask",
    overload="Tensor",
    complex="holomorphic",
    handle_r_to_c=False,
    tangent_writes=0,
    vmap="fallback",
    operator="masked_fill",
    overlap="warn",
    self=lambda grad, mask: _masked_fill(grad, mask, 0),
    value=lambda grad, mask: grad.masked_select(mask).sum(),
)
def _masked_fill_tensor(self: Array, mask: Array, value: Array) -> Array:
    if value.ndim:
        raise RuntimeError(
            f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {value.ndim} dimension(s)."
        )
    return _filled(self, mask, value)


def _fill_row(value: Any) -> str:
    return "masked_fill_tensor" if isinstance(value, Tensor) else "masked_fill"


@composite(vmap="decompose")
def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """A copy with one value wherever the mask is True."""
    return ROWS[_fill_row(value)].call(input, mask, value)


@composite(vmap_unbatched="arithmetic")
def masked_fill_(self: Tensor, mask: Tensor, value: Any) -> Tensor:
    """masked_fill in place."""
    return run_inplace(ROWS[_fill_row(value)], [self, mask, value])


# masked_select, masked_scatter --------------------------------------------------------------------


def _masked_select_backward(grad: Tensor, self: Tensor, mask: Tensor) -> Tensor:
    shape = broadcast_shapes(self._array.shape, mask._array.shape)
    zeros = like_steps(np.zeros(shape, grad._array.dtype), self._array)
    return placed(make(zeros), "masked_scatter_", mask, grad)


@op(
    "MaskedSelectBackward0",
    tensors="mask",
    complex="holomorphic",
    jvp="auto_linear",
    out=Out(memory="separate"),
    no_vmap=(
        "vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support this because for each "
        "batch this would return a differently shaped Tensor. Please file an issue at "
        "https://github.com/pytorch/pytorch/issues if you need this feature.",
        "mask",
    ),
    self=_masked_select_backward,
)
def masked_select(self: Array, mask: Array) -> Array:
    """The elements where the mask is True, as a 1-d tensor."""
    if mask.dtype != np.bool_:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    shape = broadcast_shapes(mask.shape, self.shape)
    return np.broadcast_to(self, shape)[np.broadcast_to(mask, shape)]


@op(
    "MaskedScatterBackward0",
    out=False,
    tensors="mask",
    complex="holomorphic",
    jvp="auto_linear",
    vmap="fallback",
    vmap_inplace="fallback",
    inplace="method",
    self=lambda grad, mask: _masked_fill(grad, mask, 0),
    source=lambda grad, mask, source_sym_sizes: _masked_scatter_backward(grad, mask, source_sym_sizes),
)
def masked_scatter(self: Array, mask: Array, source: Array) -> Array:
    """A copy with the elements of source written, in order, where the mask is True."""
    shape = broadcast_shapes(mask.shape, self.shape)
    check_source(self, source)
    if mask.dtype == np.uint8:
        warnings.warn(
            "masked_scatter_ received a mask with dtype torch.uint8, this behavior is now deprecated,please use a mask "
            "with dtype torch.bool instead.",
            stacklevel=3,
        )
    if mask.dtype != np.bool_:
        kind = dtypes.BY_NUMPY[mask.dtype].legacy
        raise RuntimeError(f"masked_scatter_ only supports boolean masks, but got mask with dtype {kind}")
    where = np.broadcast_to(mask, shape)
    count = int(np.count_nonzero(where))
    if count > source.size:
        raise RuntimeError("Number of elements of source < number of ones in mask")
    result = np.array(np.broadcast_to(self, shape), order="C")
    result[where] = source.ravel()[:count]
    return result


@op(
    "MaskedScatterBackwardBackward0",
    name="masked_scatter_backward",
    vmap="fallback",
    tensors="mask",
    complex="holomorphic",
    grad_output=lambda grad, grad_output, mask: zeros_like(grad_output).masked_scatter(mask, grad),
)
def _masked_scatter_backward(grad_output: Array, mask: Array, sizes: Any) -> Array:
    result = np.zeros(int(np.prod(sizes, dtype=np.int64)), grad_output.dtype)
    found = grad_output[np.broadcast_to(mask, grad_output.shape)]
    result[: found.size] = found
    return result.reshape(sizes)


# nonzero ------------------------------------------------------------------------------------------


@composite(vmap="dynamic", out=True)
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The indices of the nonzero elements: a row each, or a tensor for each dimension."""
    array = input._array
    if as_tuple:
        result = (array.reshape(1) if array.ndim == 0 else array).nonzero()
        rows = wrap(np.array(result))
        return tuple(rows.select(0, number) for number in range(len(result)))
    where = np.argwhere(array)
    if not len(where):
        where = empty_in_steps(where.shape, where.dtype, (1, 0))
    return wrap(where)


@composite(vmap="fallback", out=True)
def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
    """The indices of the first ``size`` nonzero elements, a row each, padded with rows of ``fill_value``."""
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    result = np.full((size, input._array.ndim), fill_value, np.int64)
    where = np.argwhere(input._array)[:size]
    result[: len(where)] = where
    return wrap(result)


@composite(vmap="fallback")
def argwhere(input: Tensor) -> Tensor:
    """The indices of the nonzero elements, a row each."""
    return nonzero(input)


PUBLIC = (
    "argwhere",
    "masked_fill",
    "masked_fill_",
    "masked_scatter",
    "masked_select",
    "nonzero",
    "nonzero_static",
)
