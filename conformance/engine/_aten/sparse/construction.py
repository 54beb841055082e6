"""torch.sparse_coo_tensor, and its invariant checks (torch: native/sparse/SparseTensor.cpp, utils/tensor_new.cpp)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor, make, wrap
from ..._c10 import context, dtypes, errors
from ..._c10.device import check_memory
from ..._c10.errors import typename
from ..._c10.shapes import new_sizes
from ..._c10.slots import on_first_use
from ..creation.from_data import infer_array
from ..registry import op
from .sparse_array import Array, SparseArray, coalesced, coo, zeros

raw_values: Callable[[Tensor], Tensor] = on_first_use("sparse_values")  # see Note [Slots]

MISSING = object()
SIGNATURES = """sparse_coo_tensor() received an invalid combination of arguments - got {}, but expected one of:
 * (object indices, object values, *, torch.dtype dtype = None, torch.device device = None, bool pin_memory = False, bool requires_grad = False, bool check_invariants = None, bool is_coalesced = None)
 * (object indices, object values, tuple of ints size, *, torch.dtype dtype = None, torch.device device = None, bool pin_memory = False, bool requires_grad = False, bool check_invariants = None, bool is_coalesced = None)
 * (tuple of ints size, *, torch.dtype dtype = None, torch.device device = None, bool requires_grad = False, bool check_invariants = None)
"""


def _of_values(grad: Tensor, result: Tensor) -> Tensor:
    return raw_values(grad.sparse_mask(result))


@op(
    "SparseCooTensorWithDimsAndTensorsBackward0",
    name="_sparse_coo_tensor_with_dims_and_tensors",
    tensors="indices",
    complex="as_written",
    values=_of_values,
)
def _with_dims_and_tensors(indices: Array, values: Array, size: Any, _coalesced: bool = False) -> Any:
    return coo(indices, values, tuple(size), _coalesced)


def unsafe(indices: Tensor, values: Tensor, size: Sequence[int], is_coalesced: bool = False) -> Tensor:
    """torch._sparse_coo_tensor_unsafe: a sparse tensor of these indices and values, without checks."""
    result: Tensor = _with_dims_and_tensors(indices, values, tuple(size), is_coalesced)
    return result


def sparse_coo_tensor(*args: Any, **kwargs: Any) -> Tensor:
    """torch.sparse_coo_tensor: see ``_made``.

    Raises:
        TypeError: no indices, or ``size`` is not a size.
    """
    size = args[2] if len(args) > 2 else kwargs.get("size", ())
    if not (args or "indices" in kwargs or "size" in kwargs) or len(args) > 3 or not _is_size(size):
        named = (f"{name}={typename(kwargs[name])}" for name in sorted(kwargs))
        raise TypeError(SIGNATURES.format(f"({', '.join([*map(typename, args), *named])})"))
    if not args and "indices" not in kwargs and "values" not in kwargs:
        args = (kwargs.pop("size"),)
    return _made(*args, **kwargs)


def _is_size(size: Any) -> bool:
    return isinstance(size, (tuple, list)) and (not size or hasattr(size[0], "__index__"))


def _made(
    indices: Any = MISSING, values: Any = MISSING, size: Any = None, *, dtype: Any = None, device: Any = None,
    pin_memory: bool = False, requires_grad: bool = False, check_invariants: bool | None = None,
    is_coalesced: bool | None = None, **others: Any,
) -> Tensor:  # fmt: skip
    """A sparse tensor whose values (nnz, *dense) are at these indices (sparse_dim, nnz).

    With a size alone, it has nnz = 0. Indices and values are shared if they are tensors; their contents are not checked.
    """
    if others or indices is MISSING:
        shown = [
            type(each).__name__
            for each in (indices, values, size)
            if each is not MISSING and each is not None
        ]
        shown += [f"{name}={typename(value)}" for name, value in others.items()]
        raise TypeError(SIGNATURES.format(f"({', '.join(shown)})"))
    if check_invariants:
        raise NotImplementedError("checks of a sparse tensor's invariants")
    if check_invariants is None:
        context.warn_of_invariants()
    kind = dtypes.parse_dtype("sparse_coo_tensor", dtype)
    if values is MISSING:
        if isinstance(indices, Tensor):
            raise TypeError(
                "sparse_coo_tensor(): argument 'size' (position 1) must be tuple of ints, not Tensor"
            )
        held_as = (kind or dtypes.default).numpy
        return _leaf(make(zeros(new_sizes((indices,)), held_as)), requires_grad)
    check_memory(device, pin_memory)
    where = _as_tensor(indices, dtypes.int64)
    held = _as_tensor(values, kind)
    _check_parts(where._array, held._array)
    shape = _inferred(where._array, held._array) if size is None else new_sizes((size,))
    _check_shape(where._array, held._array, shape)
    return _leaf(unsafe(where, held, shape, bool(is_coalesced)), requires_grad)


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
    if indices.ndim != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(indices.shape)}")


def _inferred(indices: Array, values: Array) -> tuple[int, ...]:
    """The smallest shape in which all indices are valid."""
    sparse = tuple(int(each.max()) + 1 if each.size else 0 for each in indices)
    if indices.size and indices.min() < 0:
        axis = int(np.nonzero(indices.min(1) < 0)[0][0])
        raise RuntimeError(f"found negative index {int(indices[axis].min())} for dim {axis}")
    return (*sparse, *values.shape[1:])


def _check_shape(indices: Array, values: Array, shape: tuple[int, ...]) -> None:
    sparse, dense_dims = len(indices), max(values.ndim - 1, 0)
    if len(shape) != sparse + dense_dims:
        raise RuntimeError(
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(shape)}, sparse_dim = {sparse}, "
            f"dense_dim = {dense_dims}"
        )
    count = values.shape[0] if values.ndim else 1
    if indices.shape[1] != count or not values.ndim:
        raise RuntimeError(
            f"indices and values must have same nnz, but got nnz from indices: {indices.shape[1]}, nnz from values: {count}"
        )
    wanted = [count, *shape[sparse:]]
    if list(values.shape) != wanted:
        raise RuntimeError(f"values has incorrect size, expected {wanted}, got {list(values.shape)}")


@op("CoalesceBackward0", name="_coalesce", complex="as_written", self=lambda grad: grad)
def coalesce_row(self: Any) -> Any:
    """The coalesced form: indices sorted and unique, values of equal indices added up."""
    return coalesced(self)
