"""Tensors from existing data: numbers, sequences, numpy arrays, buffers and other tensors."""

from __future__ import annotations

import operator
from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._autograd.storage_impl import StorageBase
from ..._autograd.tensor import Tensor, wrap
from ..._c10 import dtypes, errors
from ..._c10.device import check_device, check_memory
from ..._c10.dtypes import BY_NUMPY, with_own_dtype
from ..._c10.shapes import like_steps
from ..._c10.warn_once import warn_once, warn_program
from .factories import finish


def infer_array(data: Any, kind: dtypes.dtype | None = None) -> np.ndarray[Any, Any]:
    """Convert Python numbers, nested sequences, numpy arrays or tensors to a new array, with the dtype torch infers.

    Raises:
        TypeError, ValueError, RuntimeError: a sequence is ragged or an element is not a number, as in torch.tensor.
    """
    if isinstance(data, (np.ndarray, np.generic)):
        _check_array(data)
        if kind is not None and data.dtype.kind == "c" and kind.category < dtypes.COMPLEX:
            raise NotImplementedError("real tensors of complex arrays")
        return like_steps(with_own_dtype(np.array(data, kind.numpy if kind else None)), np.asarray(data))
    if isinstance(data, StorageBase):
        raise NotImplementedError("tensors made from storages")
    shape = _shape_of(data)
    flat: list[Any] = []
    if 0 not in shape:  # else torch looks at no element
        _flatten(data, shape, flat)
    if kind is None:
        kind = _infer_dtype(flat)
    to_number = (operator.index, operator.index, float, complex)[kind.category]
    flat = [
        to_number(each) if isinstance(each, Tensor) else each.item() if isinstance(each, np.generic) else each
        for each in flat
    ]
    if dtypes.INTEGER <= kind.category < dtypes.COMPLEX and any(isinstance(each, complex) for each in flat):
        real = kind.category == dtypes.FLOATING
        text = "must be real number, not complex", "'complex' object cannot be interpreted as an integer"
        raise TypeError(text[not real])
    if kind.category == dtypes.INTEGER:
        if any(
            each.__class__ is int and (each < -(2**63) or (each >= 2**63 and kind is not dtypes.uint64))
            for each in flat
        ):
            raise ValueError("Overflow when unpacking long long")
        if kind is not dtypes.int64 or any(isinstance(each, (float, complex)) for each in flat):
            flat = [dtypes.number_within(kind.numpy, each, kind.name) for each in flat]
    return np.array(flat, kind.numpy).reshape(shape)


_SLOW = (
    "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list to a "
    "single numpy.ndarray with numpy.array() before converting to a tensor."
)


def _shape_of(data: Any) -> tuple[int, ...]:
    shape: list[int] = []
    while True:
        if isinstance(data, np.ndarray):
            return (*shape, *data.shape)
        if isinstance(data, str) and shape:
            raise ValueError("too many dimensions 'str'")
        if isinstance(data, (str, bytes)) or not isinstance(data, Sequence):  # a tensor counts as one number
            return tuple(shape)
        shape.append(len(data))
        if not len(data):
            return tuple(shape)
        data = data[0]


def _flatten(data: Any, shape: tuple[int, ...], flat: list[Any], dim: int = 0) -> None:
    if dim == len(shape):
        if isinstance(data, (str, bytes)):
            raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
        if isinstance(data, (list, tuple)):
            kind = type(data).__name__
            real = flat and _infer_dtype(flat).category >= dtypes.FLOATING
            text = f"must be real number, not {kind}", f"'{kind}' object cannot be interpreted as an integer"
            raise TypeError(text[not real])
        if not isinstance(data, (bool, int, float, complex, np.generic, Tensor)):
            raise RuntimeError(f"Could not infer dtype of {type(data).__name__}")
        flat.append(data)
        return
    if isinstance(data, np.ndarray):
        warn_once(_SLOW)
        data = [*data]
    elif isinstance(data, Tensor) and data._array.ndim:
        data = [*data]
    if not isinstance(data, Sequence):
        raise TypeError("not a sequence")
    if len(data) != shape[dim]:
        raise ValueError(f"expected sequence of length {shape[dim]} at dim {dim} (got {len(data)})")
    for each in data:
        _flatten(each, shape, flat, dim + 1)


def _dtype_of(number: Any) -> dtypes.dtype:
    """The dtype of a tensor or numpy scalar, or the one that torch infers for a Python number."""
    if isinstance(number, Tensor):
        return number.dtype
    return BY_NUMPY[number.dtype] if isinstance(number, np.generic) else dtypes.of_number(number)


def _infer_dtype(flat: list[Any]) -> dtypes.dtype:
    if not flat:
        return dtypes.default
    kinds = [_dtype_of(each) for each in flat]
    kind = kinds[0]
    for each in kinds[1:]:
        kind = dtypes.promote_types(kind, each)
    return kind


def tensor(
    data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False
) -> Tensor:
    """torch.tensor: a new leaf that copies ``data``."""
    if requires_grad.__class__ is not bool:
        raise errors.wrong_type("tensor", "requires_grad", "bool", requires_grad)
    check_memory(device, pin_memory)
    if isinstance(data, Tensor):
        array = _copied("torch.tensor", data, dtypes.parse_dtype("tensor", dtype))
    else:
        array = infer_array(data, dtypes.parse_dtype("tensor", dtype))
    return finish(array, requires_grad)


def _copied(name: str, source: Tensor, dtype: Any) -> np.ndarray[Any, Any]:
    warn_program(
        "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
        f"sourceTensor.detach().clone().requires_grad_(True), rather than {name}(sourceTensor).",
    )
    return source._array.astype(dtype.numpy) if dtype else source._array.copy()


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """torch.as_tensor: shares memory with ``data`` where possible."""
    check_device(device)
    dtype = dtypes.parse_dtype("as_tensor", dtype)
    if isinstance(data, Tensor):
        return data if dtype is None or dtype is data.dtype else data.to(dtype)
    if isinstance(data, np.ndarray):
        shared = _shared(data, True)
        return shared if dtype is None else shared.to(dtype)
    return finish(infer_array(data, dtype))


def asarray(
    obj: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    copy: bool | None = None,
    requires_grad: bool | None = None,
) -> Tensor:
    """torch.asarray: shares memory like as_tensor, or copies if ``copy`` is True.

    Raises:
        ValueError: ``copy=False``, but the memory cannot be shared.
    """
    check_device(device)
    dtype = dtypes.parse_dtype("asarray", dtype)
    if isinstance(obj, np.ndarray):
        obj = _shared(obj, not copy and (dtype is None or obj.dtype == dtype.numpy))
    elif not isinstance(obj, Tensor):
        if isinstance(obj, (bytes, bytearray, memoryview, array)):
            raise NotImplementedError("tensors over buffers")
        if copy is False:
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        return finish(infer_array(obj, dtype), bool(requires_grad))
    if requires_grad is None and obj.requires_grad:
        warn_program(_ASARRAY_KEEPS)
    kind = dtype or obj.dtype
    if kind is not obj.dtype and copy is False:
        raise ValueError(f"can't alias tensor with dtype '{obj.dtype.legacy}' into dtype '{kind.legacy}'.")
    result = obj.to(kind) if kind is not obj.dtype else obj.clone() if copy else obj
    if requires_grad is None or requires_grad == result.requires_grad:
        return result
    return (
        result.detach().requires_grad_(requires_grad)
        if result._node
        else result.requires_grad_(requires_grad)
    )


_ASARRAY_KEEPS = (
    "torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of False. Pass "
    "requires_grad=False explicitly to get the old behavior and silence this warning."
)


_NOT_WRITABLE = (
    "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means writing to "
    "this tensor will result in undefined behavior. You may want to copy the array to protect its data or make it "
    "writable before converting it to a tensor. This type of warning will be suppressed for the rest of this program."
)


def _check_array(array: np.ndarray[Any, Any] | np.generic) -> None:
    """Check that a numpy array can share its memory with a tensor."""
    kind = array.dtype.newbyteorder("=")
    if kind not in BY_NUMPY or kind.kind == "V":
        if kind.kind == "u":
            raise NotImplementedError(f"tensors of {kind}")
        raise TypeError(
            f"can't convert np.ndarray of type {kind.type.__module__}.{kind.type.__name__}. The only supported types are: "
            "float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, uint8, "
            "and bool."
        )
    if any(stride < 0 for stride in array.strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
            "currently supported. (You can probably work around this by making a copy of your array  with "
            "array.copy().) "
        )
    if any(stride % kind.itemsize for stride in array.strides):
        raise ValueError(
            "given numpy array strides not a multiple of the element byte size. Copy the numpy array to reallocate the "
            "memory."
        )
    if not array.dtype.isnative:
        raise ValueError(
            "given numpy array has byte order different from the native byte order. Conversion between byte orders is "
            "currently not supported."
        )


def from_numpy(array: np.ndarray[Any, Any]) -> Tensor:
    """torch.from_numpy: shares the array's memory."""
    return _shared(array, True)


def _shared(array: np.ndarray[Any, Any], warn: bool) -> Tensor:
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {errors.typename(array)})")
    _check_array(array)
    if warn and not array.flags.writeable:
        warn_once(_NOT_WRITABLE)
    return wrap(with_own_dtype(array))


def attach() -> None:
    """Install Tensor.new_tensor: like torch.tensor, by default in this tensor's dtype."""

    def new_tensor(
        self: Tensor, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
    ) -> Tensor:
        check_device(device)
        dtype = dtypes.parse_dtype("new_tensor", dtype) or self.dtype
        if isinstance(data, Tensor):
            return finish(_copied("tensor.new_tensor", data, dtype), requires_grad)
        return tensor(data, dtype=dtype, requires_grad=requires_grad)

    Tensor.new_tensor = new_tensor  # type: ignore[attr-defined]
