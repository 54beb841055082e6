"""The kernels of operations for sparse tensors, by row (torch: native/sparse/SparseTensorMath.cpp).

Each takes the arguments of the row's forward, some of them sparse arrays, and returns a sparse or a dense array, the
same as in torch. The nodes are those of the rows; their formulas call these kernels for sparse gradients. Kernels of
one operand are here, others in ``_aten/sparse/elementwise.py``, ``_aten/sparse/shape.py`` and
``_aten/sparse/matrices.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._autograd.tensor import make
from ..._c10.errors import need_fitting
from ..._c10.slots import on_first_use
from .sparse_array import SparseArray, coalesced, coo, zeros

if TYPE_CHECKING:
    from ..registry import Row

operation: Callable[..., Any] = on_first_use("dispatched_operation")  # see Note [Slots]

KERNELS: dict[str, Callable[..., Any]] = {}


def evaluated(row: Row, arguments: tuple[Any, ...], named: dict[str, Any], in_place: bool = False) -> Any:
    """Call the sparse kernel of a row; with ``in_place``, the result will replace the first operand's array.

    Raises:
        NotImplementedError: the row does not have a sparse kernel, in torch or here alone.
        RuntimeError: the tensor would be expanded, or is not coalesced where it has to be.
    """
    name = row.name.removesuffix("_in_place").removesuffix("_")
    found = KERNELS.get(name)
    if found is not None:
        return found(*arguments, **named)
    if name in _KEEP_ZERO or (name == "pow" and not in_place):
        return _of_values(row, arguments, named, f"{name}_" if in_place else "")
    if name in ("expand", "repeat"):
        raise RuntimeError("expand is unsupported for Sparse tensors")
    if name in _TORCH_HAS:
        raise NotImplementedError(f"{name} of a sparse tensor")
    raise NotImplementedError(no_kernel(_aten(row, arguments, in_place), "SparseCPU"))


def _of_values(row: Row, arguments: tuple[Any, ...], named: dict[str, Any], in_place: str) -> Any:
    """What maps 0 to 0, of the values of the coalesced tensor (torch: native/sparse/SparseUnaryOps.cpp)."""
    given = arguments[0]
    if in_place and not given.coalesced:
        raise RuntimeError(f"{in_place} requires coalesced input")
    if row.name == "pow" and arguments[1] == 0:
        raise RuntimeError(
            "pow: cannot raise to zeroth power on sparse tensor; it would make the result tensor dense"
        )
    whole = coalesced(given)
    return coo(whole.indices.copy(), row.forward(whole.values, *arguments[1:], **named), whole.shape, True)


def no_kernel(name: str, backend: str) -> str:
    """The beginning of torch's error for an operator without a kernel for a backend; torch goes on with a list."""
    return (
        f"Could not run '{name}' with arguments from the '{backend}' backend. This could be because the operator doesn't "
        "exist for this backend, or was omitted during the selective/custom build process (if using custom build). If you "
        "are a Facebook employee using PyTorch on mobile, please visit https://fburl.com/ptmfixes for possible resolutions."
    )


_TORCH_HAS = frozenset({"any", "index_select", "mv", "permute", "select", "unbind"})
_KEEP_ZERO = frozenset({
    "abs", "asin", "asinh", "atan", "atanh", "ceil", "deg2rad", "erf", "erfinv", "expm1", "floor", "frac",
    "isinf", "isnan", "isneginf", "isposinf", "log1p", "nan_to_num", "rad2deg", "relu", "round", "sgn",
    "sign", "signbit", "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
})  # fmt: skip

# The operator that torch calls first, for composite operations: its name is in the error.
_RUNS = {
    "mean": "aten::mean.dim",
    **dict.fromkeys(
        ("squeeze", "squeeze_dim", "squeeze_dims", "slice", "split", "diagonal", "narrow"), "aten::as_strided"
    ),
}


def _aten(row: Row, arguments: tuple[Any, ...], in_place: bool) -> str:
    if row.name in _RUNS:
        return _RUNS[row.name]
    given = tuple(make(each) if isinstance(each, (np.ndarray, SparseArray)) else each for each in arguments)
    return f"aten::{operation(row, given, in_place).name().removeprefix('aten::')}"


def kernel(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function as the sparse kernel of these rows."""

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        KERNELS.update(dict.fromkeys(names, function))
        return function

    return declare


# One operand --------------------------------------------------------------------------------------


@kernel("clone")
def _clone(self: SparseArray, memory_format: Any = None) -> Any:
    need_fitting(memory_format is None, "Tensor.clone")
    return coo(self.indices.copy(), self.values.copy(), self.shape, self.coalesced)


@kernel("copy")
def _copy(self: Any, other: Any, *_: Any) -> Any:
    fits = isinstance(self, SparseArray) and isinstance(other, SparseArray)
    need_fitting(fits and self.sparse_dim == other.sparse_dim, "Tensor.copy_")
    return coo(other.indices.copy(), other.values.astype(self.dtype), other.shape, other.coalesced)


@kernel("_to_copy", "_to_copy_integer")
def to_copy(self: SparseArray, dtype: Any, memory_format: Any = None) -> Any:
    return coo(self.indices.copy(), self.values.astype(dtype.numpy), self.shape, self.coalesced)


@kernel("neg")
def _neg(self: SparseArray) -> Any:
    return coo(self.indices.copy(), -self.values, self.shape, self.coalesced)


@kernel("conj_physical")
def _conj_physical(self: SparseArray) -> Any:
    return coo(self.indices.copy(), self.values.conj(), self.shape, self.coalesced)


@kernel("zero")
def _zero(self: SparseArray) -> Any:
    return zeros(self.shape, self.dtype, self.sparse_dim)
