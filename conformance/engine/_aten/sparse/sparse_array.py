"""The array of a sparse tensor (torch: SparseTensorImpl.h)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ..._c10 import errors
from ..._c10.layout import LayoutError, Unstrided, sparse_coo
from ..._c10.slots import on_first_use

if TYPE_CHECKING:
    from ..._autograd.tensor import Tensor
    from ..registry import Row

# See Note [Slots].
evaluated: Callable[..., Any] = on_first_use("sparse_kernel")
written: Callable[..., Tensor] = on_first_use("sparse_in_place")

Array = np.ndarray[Any, Any]


class SparseArray(Unstrided):
    """A COO array: int64 indices (sparse_dim, nnz), values (nnz, *dense), and a shape; other elements are 0.

    ``coalesced``: the indices are sorted and unique; otherwise values with equal indices add up. The array is
    immutable, except that values can change through the tensor that ``Tensor.values()`` returns. Of a NumPy array's
    attributes it has those for shape and dtype, and refuses the others.
    """

    layout = sparse_coo

    def __init__(
        self, indices: Array, values: Array, shape: tuple[int, ...], coalesced: bool = False
    ) -> None:
        self.indices, self.values, self.shape = indices, values, shape
        self.coalesced = coalesced or indices.shape[1] < 2
        self.dtype, self.ndim, self.size = values.dtype, len(shape), math.prod(shape)
        self.itemsize, self.strides = values.itemsize, (0,) * len(shape)

    def __reduce__(self) -> Any:
        return SparseArray, (self.indices, self.values, self.shape, self.coalesced)

    @property
    def sparse_dim(self) -> int:
        """The number of sparse dimensions."""
        return len(self.indices)

    @property
    def nnz(self) -> int:
        """The number of values."""
        return self.indices.shape[1]

    def elements(self) -> Array:
        """The array as a dense one."""
        return dense(self)

    def evaluated(self, row: Row, *arguments: Any, **named: Any) -> Any:
        """Call the row's sparse kernel.

        Raises:
            NotImplementedError: torch has no such kernel.
        """
        return evaluated(row, arguments, named)

    def written(self, row: Row, arguments: list[Any]) -> Tensor:
        """Run a row in place on its first argument, which is sparse."""
        return written(row, arguments)

    @staticmethod
    def zeros(shape: tuple[int, ...], kind: np.dtype[Any]) -> Any:
        """A sparse array with nnz = 0, all of whose dimensions are sparse."""
        return zeros(shape, kind)

    def __len__(self) -> int:
        return self.shape[0]

    def item(self, *args: Any) -> Any:
        """The only element, as a Python number."""
        return self.values.sum().item()

    def tolist(self) -> NoReturn:
        """Refused: a sparse tensor has no storage of all elements."""
        raise RuntimeError(errors.NO_STORAGE)

    def _refuse(self, *args: Any, **named: Any) -> NoReturn:
        raise LayoutError("elements of a sparse tensor")

    __getattr__ = __array__ = __array_ufunc__ = __getitem__ = __setitem__ = __iter__ = _refuse
    __bool__ = __float__ = __int__ = __index__ = __complex__ = __invert__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __neg__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __matmul__ = (
        _refuse
    )
    __hash__ = None  # type: ignore[assignment]

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function in (np.shape, np.ndim, np.size):
            return {np.shape: self.shape, np.ndim: self.ndim, np.size: self.size}[function]
        if function in (np.may_share_memory, np.shares_memory):
            return False
        raise LayoutError("elements of a sparse tensor")


def coo(indices: Array, values: Array, shape: tuple[int, ...], coalesced: bool = False) -> Any:
    """Make a SparseArray; its static type is Any, since it is used where NumPy arrays are."""
    return SparseArray(indices, values, shape, coalesced)


def zeros(shape: tuple[int, ...], kind: np.dtype[Any], sparse_dim: int | None = None) -> Any:
    """A sparse array with nnz = 0."""
    sparse = len(shape) if sparse_dim is None else sparse_dim
    return coo(np.empty((sparse, 0), np.int64), np.empty((0, *shape[sparse:]), kind), shape, True)


def places(array: SparseArray) -> Array:
    """The flat index of each value over the sparse dimensions."""
    result = np.zeros(array.nnz, np.int64)
    for index, n in zip(array.indices, array.shape, strict=False):
        result = result * n + index
    return result


def values_in_order(array: Any) -> list[int]:
    """The flat index of each element of the values in the dense tensor."""
    inner = math.prod(array.shape[array.sparse_dim :])
    return [int(place) * inner + i for place in places(array) for i in range(inner)]


def filled(array: SparseArray) -> Any:
    """The same array with a value at every index, including zeros."""
    inner = array.shape[array.sparse_dim :]
    indices = np.indices(array.shape[: array.sparse_dim], np.int64).reshape(array.sparse_dim, -1)
    return coo(indices, dense(array).reshape(-1, *inner), array.shape, True)


def coalesced(array: SparseArray) -> Any:
    """The coalesced array: indices sorted and unique, values of equal indices added up."""
    if array.coalesced:
        return array
    if array.nnz < 2:
        return coo(array.indices.copy(), array.values.copy(), array.shape, True)
    where, first, inverse = np.unique(places(array), return_index=True, return_inverse=True)
    summed = np.zeros((len(where), *array.values.shape[1:]), array.dtype)
    np.add.at(summed, inverse, array.values)
    return coo(narrowed(array.indices[:, first], array.nnz), summed, array.shape, True)


def narrowed(indices: Array, space: int) -> Array:
    """Indices with the strides of torch's buffer for ``space`` values: not contiguous if there are fewer."""
    result = np.empty((len(indices), space), np.int64)[:, : indices.shape[1]]
    result[...] = indices
    return result


def dense(array: SparseArray) -> Array:
    """The dense array."""
    if not array.sparse_dim:
        return np.asarray(array.values.sum(0, dtype=array.dtype))
    result = np.zeros(array.shape, array.dtype)
    np.add.at(result, tuple(array.indices), array.values)
    return result


def sparse(array: Array, sparse_dim: int | None = None) -> Any:
    """The nonzero elements of a dense array, whose first ``sparse_dim`` dimensions become sparse."""
    ndim = array.ndim if sparse_dim is None else sparse_dim
    whole = (array != 0).any(axis=tuple(range(ndim, array.ndim)))
    result = np.nonzero(np.atleast_1d(whole)) if ndim else (np.zeros(1, np.int64),)
    if not ndim:  # a 0-d array has one value
        count = int(bool(array))
        return coo(np.empty((0, count), np.int64), array.reshape(1)[:count].copy(), ())
    indices = np.array(result, np.int64).reshape(ndim, -1)
    return coo(indices, array[result], array.shape, True)
