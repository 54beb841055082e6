"""Attributes and methods about shape, dtype, device, layout and storage of a tensor (torch: Tensor Attributes)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from .._c10 import dtypes, errors
from .._c10.device import CPU
from .._c10.interpreter_stack import is_wrapped
from .._c10.layout import Unstrided, is_contiguous_as, layout_of
from .._c10.operator_facts import composite
from .._c10.shapes import existing_dim, strides
from .._c10.size import Size
from .._c10.slots import on_first_use, provided
from .._c10.zero_tensor import ZeroTensor
from .conj_view import CONJUGATE_PAIRS, is_conjugate_view, source_memory
from .storage_impl import address, offset, storage
from .tensor import Tensor, read_only

if TYPE_CHECKING:
    from .._aten.storage import TypedStorage, UntypedStorage

# See Note [Slots].
untyped: Callable[[Any], UntypedStorage] = on_first_use("untyped_storage")
typed: Callable[..., TypedStorage] = on_first_use("typed_storage")
warn_of_typed_storage: Callable[[], None] = on_first_use("warn_of_typed_storage")

_SHAPED: Any = tuple.__new__  # creates a Size without its checks

ATTRIBUTES: dict[str, Callable[[Tensor], Any]] = {
    "shape": lambda self: _SHAPED(Size, self._array.shape),
    "dtype": lambda self: dtypes.BY_NUMPY[self._array.dtype],
    "ndim": lambda self: self._array.ndim,
    "device": lambda self: CPU,
    "layout": lambda self: layout_of(self._array),
    "is_sparse": lambda self: isinstance(self._array, Unstrided),
    "itemsize": lambda self: self._array.itemsize,
    "nbytes": lambda self: self._array.nbytes,
    "is_cpu": lambda self: True,
    "name": lambda self: None,
} | dict.fromkeys(
    (
        "is_cuda",
        "is_quantized",
        "is_meta",
        "is_mps",
        "is_mkldnn",
        "is_nested",
        "is_xpu",
        "is_sparse_csr",
        "is_ipu",
        "is_maia",
        "is_mtia",
        "is_vulkan",
        "is_xla",
    ),
    lambda self: False,
)
"""The read-only attributes of Tensor."""


def size(self: Tensor, dim: int | None = None) -> Any:
    """The shape, or one of its entries."""
    if dim is None:
        return _SHAPED(Size, self._array.shape)
    return self._array.shape[existing_dim(dim, self._array.ndim, "size")]


def dim(self: Tensor) -> int:
    """The number of dimensions."""
    return self._array.ndim


def numel(self: Tensor) -> int:
    """The number of elements."""
    return self._array.size


def element_size(self: Tensor) -> int:
    """The bytes of one element."""
    return self._array.itemsize


def stride(self: Tensor, dim: int | None = None) -> Any:
    """The strides, in elements, or one of them."""
    result = strides(self._array)
    return result if dim is None else result[existing_dim(dim, len(result), "stride")]


def storage_offset(self: Tensor) -> int:
    """The storage offset, in elements."""
    if isinstance(self._array, Unstrided):
        return 0
    base = storage(self._array)
    return (address(self._array) - address(base)) // self._array.itemsize


def data_ptr(self: Tensor) -> int:
    """The address of the first element; 0 for an empty tensor."""
    array = self._array
    if isinstance(array, Unstrided) or is_wrapped(self):
        raise RuntimeError(errors.NO_STORAGE)
    if not array.size or isinstance(array, ZeroTensor):
        return 0
    if CONJUGATE_PAIRS:  # see Note [Conjugate views]
        return address(source_memory(array)) + offset(array)
    return address(array)


def module_load(self: Tensor, other: Tensor, assign: bool = False) -> Tensor:
    """torch.Tensor.module_load: the new value of this parameter or buffer, from a state dict."""
    return other.detach() if assign else self.copy_(other).detach()


def check_storage(tensor: Tensor) -> None:
    """Check that a tensor has a storage.

    Raises:
        NotImplementedError: it is sparse, or an input of a running torch.func transform.
    """
    if isinstance(tensor._array, Unstrided):
        raise NotImplementedError("Cannot access storage of SparseTensorImpl")
    if is_wrapped(tensor):
        raise NotImplementedError("Cannot access storage of TensorWrapper")


def untyped_storage(self: Tensor) -> UntypedStorage:
    """The storage, which the tensor shares with its views."""
    check_storage(self)
    return untyped(source_memory(self._array))


def share_memory_(self: Tensor) -> Tensor:
    """The tensor itself: its storage is not moved."""
    return self


def is_floating_point(self: Tensor) -> bool:
    """Whether the dtype is a floating one."""
    return self._array.dtype.kind in "fV"


def is_complex(self: Tensor) -> bool:
    """Whether the dtype is a complex one."""
    return self._array.dtype.kind == "c"


def is_signed(self: Tensor) -> bool:
    """Whether the dtype is signed."""
    return self.dtype.is_signed


def cuda(self: Tensor, *args: Any, **kwargs: Any) -> NoReturn:
    """Raises: only the CPU is supported."""
    raise AssertionError(errors.NO_CUDA)


def get_device(self: Tensor) -> int:
    """-1: the CPU."""
    return -1


def is_neg(self: Tensor) -> bool:
    """Whether this is a negated view."""
    return self._array.dtype.kind != "c" and is_conjugate_view(self._array)


def is_conj(self: Tensor) -> bool:
    """Whether this is a conjugated view."""
    return self._array.dtype.kind == "c" and is_conjugate_view(self._array)


def is_pinned(self: Tensor, device: Any = None) -> bool:
    """False: memory is never pinned."""
    return False


def is_contiguous(self: Tensor, *, memory_format: Any = None) -> bool:
    """Whether the elements are contiguous in a memory format."""
    return not isinstance(self._array, Unstrided) and is_contiguous_as(self._array, memory_format)


def pin_memory(self: Tensor, device: Any = None) -> NoReturn:
    """Raises: there is no device to pin memory for."""
    raise RuntimeError("Cannot access accelerator device when none is available.")


def typed_storage(self: Tensor) -> TypedStorage:
    """The storage as a TypedStorage; deprecated."""
    warn_of_typed_storage()
    return _typed_storage(self)


def _typed_storage(self: Tensor) -> TypedStorage:
    """The same, without a warning."""
    return typed(wrap_storage=self.untyped_storage(), dtype=self.dtype, _internal=True)


def _of_layouts(name: str) -> Callable[..., Any]:
    """A method of sparse tensors, imported on the first call."""

    @composite(vmap="fallback" if name == "to_dense" else None)
    def method(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        return provided("sparse_methods")[name](self, *args, **kwargs)

    method.__name__ = method.__qualname__ = name
    return method


_OF_LAYOUTS = """
indices values _indices _values _nnz coalesce is_coalesced sparse_dim _dimI dense_dim _dimV to_sparse
to_dense sparse_mask
"""

METHODS = {
    "size": size, "dim": dim, "ndimension": dim, "numel": numel, "nelement": numel, "element_size": element_size,
    "stride": stride, "storage_offset": storage_offset, "data_ptr": data_ptr, "untyped_storage": untyped_storage,
    "pin_memory": pin_memory,
    "storage": typed_storage, "_typed_storage": _typed_storage, "is_floating_point": is_floating_point, "is_complex": is_complex,
    "is_signed": is_signed, "cuda": cuda, "get_device": get_device, "is_contiguous": is_contiguous,
    "is_neg": is_neg, "is_conj": is_conj, "is_pinned": is_pinned, "share_memory_": share_memory_,
    "const_data_ptr": data_ptr, "module_load": module_load,
}  # fmt: skip
METHODS |= {name: _of_layouts(name) for name in _OF_LAYOUTS.split()}


def attach() -> None:
    """Add the attributes and methods to Tensor."""
    for name, read in ATTRIBUTES.items():
        setattr(Tensor, name, read_only(name, read))
    for name, method in METHODS.items():
        setattr(Tensor, name, method)
