"""torch.sparse.FloatTensor and other legacy constructors of sparse tensors (torch: utils/tensor_new.cpp)."""

from __future__ import annotations

from typing import Any

from ..._autograd.tensor import Tensor
from ..._c10.dtypes import int64
from ..._c10.layout import sparse_coo
from ..._c10.warn_once import warn_program
from ..creation.legacy_constructors import TYPES as STRIDED
from ..creation.legacy_constructors import tensortype
from .construction import sparse_coo_tensor

_DEPRECATED = "torch.sparse.SparseTensor({0}*, device=) is deprecated.  Please use torch.sparse_coo_tensor({0}dtype=, device=)."


class sparsetype(tensortype):
    """The type of torch.sparse.FloatTensor."""

    __module__ = "torch"
    is_sparse = True
    layout = sparse_coo

    def __call__(cls, *arguments: Any) -> Tensor:
        """A sparse tensor of indices and values, with the values' dtype."""
        name = "indices, values, shape, "[: None if len(arguments) == 3 else 17]
        return _made(f"torch.sparse.{cls.__name__}", _DEPRECATED.format(name), arguments)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor) and instance.layout is sparse_coo and instance.dtype is cls.dtype


def new(self: Tensor, *arguments: Any, **named: Any) -> Tensor:
    """Tensor.new of a sparse tensor: a sparse tensor of indices and values, with the values' dtype."""
    return _made("Tensor.new", None, () if named else arguments)


def _made(name: str, warning: str | None, arguments: tuple[Any, ...]) -> Tensor:
    kinds = Tensor, Tensor, (tuple, list)
    if len(arguments) not in (2, 3) or not all(map(isinstance, arguments, kinds)):
        raise NotImplementedError(f"{name} of anything but sparse indices and values")
    if warning is not None:
        warn_program(warning)
    if arguments[0].dtype is not int64:
        raise NotImplementedError(f"{name} of indices that are not int64")
    return sparse_coo_tensor(*arguments, check_invariants=False)


TYPES = {
    name: sparsetype(name, (), {"__module__": "torch.sparse", "dtype": each.dtype})
    for name, each in STRIDED.items()
    if name != "BoolTensor"
}
