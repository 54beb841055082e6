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
    """Indices (sparse_dim, nnz) of int64, and values (nnz, *dense) at these places of zeros of a shape.

    ``coalesced``: the indices are in order, and none is there twice; values at one place add up. No such array is
    changed, but its values may be, through the tensor that ``Tensor.values()`` gives. It has of numpy's arrays what tells
    shape and dtype, and refuses the rest.
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
        """How many dimensions the indices tell."""
        return len(self.indices)

    @property
    def nnz(self) -> int:
        """How many values there are."""
        return self.indices.shape[1]

    def elements(self) -> Array:
        """All its elements."""
        return dense(self)

    def evaluated(self, row: Row, *arguments: Any, **named: Any) -> Any:
        """What the row's sparse kernel gives.

        Raises:
            NotImplementedError: torch has no such kernel.
        """
        return evaluated(row, arguments, named)

    def written(self, row: Row, arguments: list[Any]) -> Tensor:
        """Give the first of the arguments, which is sparse, what the row makes of them."""
        return written(row, arguments)

    def __len__(self) -> int:
        return self.shape[0]

    def item(self, *args: Any) -> Any:
        """The one element."""
        return self.values.sum().item()

    def tolist(self) -> NoReturn:
        """Refused: there is no memory for all elements."""
        raise RuntimeError(errors.NO_STORAGE)

    @property
    def nbytes(self) -> NoReturn:
        """Refused, as it is by torch."""
        raise RuntimeError(
            "nbytes is not defined for sparse tensors.  If you want the size of the constituent tensors, add the nbytes "
            "of the indices and values.  If you want the size of the  equivalent dense tensor, multiply numel() by "
            "element_size()"
        )

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
    """A sparse array of these; as Any, since it stands where arrays do."""
    return SparseArray(indices, values, shape, coalesced)


def zeros(shape: tuple[int, ...], kind: np.dtype[Any], sparse_dim: int | None = None) -> Any:
    """A sparse array without values."""
    sparse = len(shape) if sparse_dim is None else sparse_dim
    return coo(np.empty((sparse, 0), np.int64), np.empty((0, *shape[sparse:]), kind), shape, True)


def places(array: SparseArray) -> Array:
    """Where each value is among the places that the indices can tell, counted in order."""
    found = np.zeros(array.nnz, np.int64)
    for index, n in zip(array.indices, array.shape, strict=False):
        found = found * n + index
    return found


def values_in_order(array: Any) -> list[int]:
    """Where each element of the values is among all elements."""
    inner = math.prod(array.shape[array.sparse_dim :])
    return [int(place) * inner + i for place in places(array) for i in range(inner)]


def filled(array: SparseArray) -> Any:
    """The same with a value at each place, zeros too."""
    inner = array.shape[array.sparse_dim :]
    indices = np.indices(array.shape[: array.sparse_dim], np.int64).reshape(array.sparse_dim, -1)
    return coo(indices, dense(array).reshape(-1, *inner), array.shape, True)


def coalesced(array: SparseArray) -> Any:
    """The same with indices in order, each once."""
    if array.coalesced:
        return array
    if array.nnz < 2:
        return coo(array.indices.copy(), array.values.copy(), array.shape, True)
    where, first, inverse = np.unique(places(array), return_index=True, return_inverse=True)
    summed = np.zeros((len(where), *array.values.shape[1:]), array.dtype)
    np.add.at(summed, inverse, array.values)
    return coo(narrowed(array.indices[:, first], array.nnz), summed, array.shape, True)


def narrowed(indices: Array, space: int) -> Array:
    """Indices in memory that torch has made for so many values: where it is not full, they have gaps."""
    found = np.empty((len(indices), space), np.int64)[:, : indices.shape[1]]
    found[...] = indices
    return found


def dense(array: SparseArray) -> Array:
    """The array with all its elements."""
    if not array.sparse_dim:
        return np.asarray(array.values.sum(0, dtype=array.dtype))
    found = np.zeros(array.shape, array.dtype)
    np.add.at(found, tuple(array.indices), array.values)
    return found


def sparse(array: Array, sparse_dim: int | None = None) -> Any:
    """What is not 0 of an array, by its first dimensions."""
    ndim = array.ndim if sparse_dim is None else sparse_dim
    whole = (array != 0).any(axis=tuple(range(ndim, array.ndim))) if ndim < array.ndim else array != 0
    found = np.nonzero(np.atleast_1d(whole)) if ndim else (np.zeros(1, np.int64),)
    if not ndim:  # one place, which holds the number
        return coo(
            np.empty((0, int(bool(array))), np.int64), array.reshape(1)[: int(bool(array))].copy(), (), True
        )
    indices = np.array(found, np.int64).reshape(ndim, -1)
    return coo(indices, array[found], array.shape, True)
