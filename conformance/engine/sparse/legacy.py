"""torch.sparse.FloatTensor and its like: sparse tensors before dtypes (torch: utils/tensor_new.cpp)."""

from __future__ import annotations

import warnings
from typing import Any

from ..device import check_device
from ..errors import typename
from ..formats import sparse_coo
from ..legacy import TYPES as STRIDED
from ..legacy import tensortype
from ..settings import checks_invariants
from ..size import Size
from ..tensor import Tensor
from .construction import sparse_coo_tensor

_DEPRECATED = "torch.sparse.SparseTensor({}*, device=) is deprecated.  Please use torch.sparse_coo_tensor({}dtype=, device=)."
_EMPTY = "torch.sparse.SparseTensor() is deprecated.  Please use torch.sparse_coo_tensor((0,), dtype=)."
_SIGNATURES = """new() received an invalid combination of arguments - got {}, but expected one of:
 * (*, torch.device device = None)
 * (Tensor indices, Tensor values, *, torch.device device = None)
 * (Tensor indices, Tensor values, tuple of ints size, *, torch.device device = None)
 * (tuple of ints size, *, torch.device device = None)
"""


class sparsetype(tensortype):
    """The type of torch.sparse.FloatTensor."""

    __module__ = "torch"
    is_sparse = True
    layout = sparse_coo

    def __call__(cls, *arguments: Any, device: Any = None) -> Tensor:
        """A sparse tensor of indices and values, whose dtype it has, or one of this dtype without values.

        Raises:
            TypeError: other arguments.
        """
        check_device(device)
        if not arguments:
            warnings.warn(_EMPTY, stacklevel=2)
            return sparse_coo_tensor((0,), dtype=cls.dtype, check_invariants=checks_invariants())
        if len(arguments) in (2, 3) and all(isinstance(each, Tensor) for each in arguments[:2]):
            named = "indices, values, " if len(arguments) == 2 else "indices, values, shape, "
            warnings.warn(_DEPRECATED.format(named, named), stacklevel=2)
            if arguments[0].dtype is not STRIDED["LongTensor"].dtype:
                raise RuntimeError("indices must be an int64 tensor")
            return sparse_coo_tensor(*arguments, check_invariants=checks_invariants())
        if all(isinstance(each, int) for each in arguments) or isinstance(arguments[0], Size):
            warnings.warn(_DEPRECATED.format("shape, ", "shape, "), stacklevel=2)
            size = arguments[0] if isinstance(arguments[0], Size) else arguments
            return sparse_coo_tensor(size, dtype=cls.dtype, check_invariants=checks_invariants())
        if len(arguments) == 1 and isinstance(arguments[0], (tuple, list)):
            raise TypeError(
                "torch.sparse.SparseTensor(sequence) only accepts sizes.  Please use torch.sparse_coo_tensor() or construct a "
                "strided tensor and convert it to sparse via to_sparse."
            )
        raise TypeError(_SIGNATURES.format(f"({', '.join(map(typename, arguments))})"))

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor) and instance.layout is sparse_coo and instance.dtype is cls.dtype


TYPES = {
    name: sparsetype(name, (), {"__module__": "torch.sparse", "dtype": each.dtype})
    for name, each in STRIDED.items()
    if name != "BoolTensor"
}
