"""torch.sparse.FloatTensor and other legacy constructors of sparse tensors (torch: utils/tensor_new.cpp)."""

from __future__ import annotations

from typing import Any

from ..._autograd.tensor import Tensor
from ..._c10.context import checks_invariants
from ..._c10.device import check_device
from ..._c10.dtypes import int64
from ..._c10.errors import typename
from ..._c10.layout import sparse_coo
from ..._c10.size import Size
from ..._c10.warn_once import warn_program
from ..creation.legacy_constructors import TYPES as STRIDED
from ..creation.legacy_constructors import check_legacy_device, tensortype
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
        """A sparse tensor of indices and values, with the values' dtype; or an empty one of this type's dtype.

        Raises:
            TypeError: other arguments.
        """
        check_device(device)
        named = _named(arguments)
        if named is not None:
            warn_program(_DEPRECATED.format(named, named) if arguments else _EMPTY)
        if named and isinstance(arguments[0], Tensor) and arguments[0].dtype is not int64:
            raise RuntimeError("indices must be an int64 tensor")
        return _made("torch.sparse.SparseTensor", cls.dtype, *arguments)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor) and instance.layout is sparse_coo and instance.dtype is cls.dtype


def new(self: Tensor, *arguments: Any, device: Any = None, **named: Any) -> Tensor:
    """Tensor.new of a sparse tensor: a sparse tensor, of its dtype if no values are given."""
    check_legacy_device(device)
    if "size" in named and not arguments and len(named) == 1:
        named["size"] = Size(named["size"])
    return _made("SparseTensor.new", self.dtype, *arguments, *named.values())


def _named(arguments: tuple[Any, ...]) -> str | None:
    """The argument names in torch's deprecation warning, or None for arguments that are not accepted."""
    if len(arguments) in (2, 3) and all(isinstance(each, Tensor) for each in arguments[:2]):
        sized = len(arguments) == 2 or isinstance(arguments[2], (tuple, list))
        return "indices, values, shape, "[: None if len(arguments) == 3 else 17] if sized else None
    if not arguments:
        return ""
    return (
        "shape, "
        if isinstance(arguments[0], Size) or all(isinstance(each, int) for each in arguments)
        else None
    )


def _made(caller: str, dtype: Any, *arguments: Any) -> Tensor:
    """A sparse tensor of indices and values, with the values' dtype; or an empty one of ``dtype``.

    Raises:
        TypeError: other arguments.
        RuntimeError: the indices are not int64.
    """
    if _named(arguments) is None:
        if len(arguments) == 1 and isinstance(arguments[0], (tuple, list)):
            raise TypeError(
                f"{caller}(sequence) only accepts sizes.  Please use torch.sparse_coo_tensor() or construct a strided tensor "
                "and convert it to sparse via to_sparse."
            )
        told = _SIGNATURES.format(f"({', '.join(map(typename, arguments))})")
        if len(arguments) == 3 and all(isinstance(each, Tensor) for each in arguments[:2]):
            marked = ", ".join(f"!{typename(each)}!" for each in arguments)
            told += f"      didn't match because some of the arguments have invalid types: ({marked})\n"
        raise TypeError(told)
    if not arguments or not isinstance(arguments[0], Tensor):
        size = (arguments or (Size((0,)),))[0]
        return sparse_coo_tensor(
            size if isinstance(size, Size) else arguments, dtype=dtype, check_invariants=checks_invariants()
        )
    if arguments[0].dtype is not int64:
        raise RuntimeError(f"expected scalar type Long but found {arguments[0].dtype.legacy}")
    return sparse_coo_tensor(*arguments, check_invariants=checks_invariants())


TYPES = {
    name: sparsetype(name, (), {"__module__": "torch.sparse", "dtype": each.dtype})
    for name, each in STRIDED.items()
    if name != "BoolTensor"
}
