"""torch.sparse_coo_tensor, and its invariant checks (torch: native/sparse/SparseTensor.cpp, utils/tensor_new.cpp)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..._autograd.tensor import Tensor, make, wrap
from ..._c10 import context, dtypes, errors
from ..._c10.device import check_memory
from ..._c10.errors import need_fitting
from ..._c10.shapes import new_sizes
from ..._c10.slots import on_first_use
from ..creation.from_data import infer_array
from ..registry import op
from .sparse_array import Array, SparseArray, coalesced, coo, zeros

raw_values: Callable[[Tensor], Tensor] = on_first_use("sparse_values")  # see Note [Slots]

MISSING = object()
_NAME = "torch.sparse_coo_tensor"


def _of_values(grad: Tensor, result: Tensor) -> Tensor:
    return raw_values(grad.sparse_mask(result))


@op(
    "SparseCooTensorWithDimsAndTensorsBackward0",
    name="_sparse_coo_tensor_with_dims_and_tensors",
    tensors="indices",
    complex="as_written",
    jvp="not_implemented",
    values=_of_values,
)
def _with_dims_and_tensors(indices: Array, values: Array, size: Any, _coalesced: bool = False) -> Any:
    return coo(indices, values, tuple(size), _coalesced)


def unsafe(indices: Tensor, values: Tensor, size: Sequence[int], is_coalesced: bool = False) -> Tensor:
    """torch._sparse_coo_tensor_unsafe: a sparse tensor of these indices and values, without checks."""
    result: Tensor = _with_dims_and_tensors(indices, values, tuple(size), is_coalesced)
    return result


def sparse_coo_tensor(
    indices: Any = MISSING, values: Any = MISSING, size: Any = MISSING, *more: Any, dtype: Any = None,
    device: Any = None, pin_memory: bool = False, requires_grad: bool = False, check_invariants: bool | None = None,
    is_coalesced: bool | None = None, layout: Any = None,
) -> Tensor:  # fmt: skip
    """torch.sparse_coo_tensor: a sparse tensor whose values (nnz, *dense) are at these indices (sparse_dim, nnz).

    With a size alone, it has nnz = 0. Indices and values are shared if they are tensors; their contents are not checked.
    """
    alone = values is MISSING
    need_fitting(layout is None and not more, _NAME)
    if alone:
        need_fitting(indices is MISSING or size is MISSING, _NAME)
        size = indices if size is MISSING else size
    if check_invariants:
        raise NotImplementedError("checks of a sparse tensor's invariants")
    if check_invariants is None:
        context.warn_of_invariants()
    kind = dtypes.parse_dtype("sparse_coo_tensor", dtype)
    if alone:
        held_as = (kind or dtypes.default).numpy
        return _leaf(make(zeros(new_sizes((size,)), held_as)), requires_grad)
    need_fitting(size is MISSING or isinstance(size, (tuple, list)), _NAME)
    check_memory(device, pin_memory)
    where = _as_tensor(indices, dtypes.int64)
    held = _as_tensor(values, kind)
    _check_parts(where._array, held._array)
    shape = _inferred(where._array, held._array) if size is MISSING else new_sizes((size,))
    _check_shape(where._array, held._array, shape)
    return _leaf(unsafe(where, held, shape, bool(is_coalesced)), requires_grad)


def new(self: Tensor, *arguments: Any) -> Tensor:
    """Tensor.new of a sparse tensor: a sparse tensor of indices and values, with the values' dtype."""
    need_fitting(arguments and all(isinstance(each, Tensor) for each in arguments[:2]), "Tensor.new")
    return sparse_coo_tensor(*arguments, check_invariants=False)


def _as_tensor(data: Any, kind: Any) -> Tensor:
    if isinstance(data, Tensor):
        return data if kind is None or data.dtype is kind else data.to(kind)
    return wrap(infer_array(data, kind))


def _leaf(found: Tensor, requires_grad: bool) -> Tensor:
    if requires_grad:
        if found._array.dtype.kind not in "fcV":
            raise RuntimeError(errors.REQUIRES_GRAD_DTYPE_NEW)
        found._requires_grad = True
    return found


def _check_parts(indices: Array, values: Array) -> None:
    for name, each in (("indices", indices), ("values", values)):
        if isinstance(each, SparseArray):
            raise RuntimeError(f"expected {name} to be a dense tensor, but got {name} of layout Sparse")
    need_fitting(indices.ndim == 2, _NAME)


def _inferred(indices: Array, values: Array) -> tuple[int, ...]:
    """The smallest shape in which all indices are valid."""
    sparse = tuple(int(each.max()) + 1 if each.size else 0 for each in indices)
    need_fitting((indices >= 0).all(), _NAME)
    return (*sparse, *values.shape[1:])


def _check_shape(indices: Array, values: Array, shape: tuple[int, ...]) -> None:
    sparse = len(indices)
    fits = len(shape) == sparse + values.ndim - 1 and values.shape == (indices.shape[1], *shape[sparse:])
    need_fitting(fits, _NAME)


@op("CoalesceBackward0", name="_coalesce", complex="as_written", self=lambda grad: grad)
def coalesce_row(self: Any) -> Any:
    """The coalesced form: indices sorted and unique, values of equal indices added up."""
    return coalesced(self)
