"""Memory shared with other libraries: DLPack, and Python buffers (torch: ATen/DLConvertor.cpp,
utils/tensor_new.cpp).
"""

from __future__ import annotations

import warnings
from ctypes import c_char, c_uint8, c_void_p, py_object, pythonapi
from enum import IntEnum
from typing import Any

import numpy as np

from .._autograd.conj_view import resolved
from .._autograd.storage_impl import address
from .._autograd.tensor import Tensor, make, wrap
from .._c10 import dtypes
from .._c10.device import check_device
from .._c10.errors import missing_arguments, typename
from .creation.factories import finish

Array = np.ndarray[Any, Any]


# DLPack's numbers for the types of devices.
DLDeviceType = IntEnum(
    "DLDeviceType",
    {
        "kDLCPU": 1, "kDLCUDA": 2, "kDLCUDAHost": 3, "kDLOpenCL": 4, "kDLVulkan": 7, "kDLMetal": 8, "kDLVPI": 9,
        "kDLROCM": 10, "kDLROCMHost": 11, "kDLExtDev": 12, "kDLCUDAManaged": 13, "kDLOneAPI": 14, "kDLWebGPU": 15,
        "kDLHexagon": 16, "kDLMAIA": 17,
    },
    module="torch.utils.dlpack",
)  # fmt: skip
_CPU = (DLDeviceType.kDLCPU, 0)


def to_dlpack(data: Tensor) -> Any:
    """torch.utils.dlpack.to_dlpack: a capsule that holds the tensor's memory, whatever its place in the graph.

    Raises:
        TypeError: it is not a tensor.
    """
    if not isinstance(data, Tensor):
        raise TypeError(f"_to_dlpack(): argument 'data' (position 1) must be Tensor, not {typename(data)}")
    return capsule_of(make(resolved(data._array)))


def capsule_of(
    self: Tensor, *, stream: Any = -1, max_version: Any = None, dl_device: Any = None, copy: Any = None
) -> Any:
    """A capsule that holds the tensor's memory, for one reader.

    Raises:
        BufferError: the tensor requires grad, is sparse, or is a conjugate view.
    """
    if self.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if self.is_sparse:
        raise BufferError("Can't export tensors with layout other than torch.strided")
    if self.is_conj():
        raise BufferError("Can't export tensors with the conjugate bit set")
    if stream is not None and type(stream) is not int:
        raise TypeError("stream must be ``int`` or ``none``")
    if stream is not None and stream != -1:
        raise AssertionError("stream should be None on cpu.")
    if dl_device is not None and tuple(dl_device) != _CPU:
        raise NotImplementedError(f"memory for the DLPack device {tuple(dl_device)}")
    array = resolved(self._array)
    versioned = max_version is not None and max_version[0] >= 1
    shown = array.view(np.int16) if array.dtype.kind == "V" else array
    capsule = (shown.copy() if copy else shown).__dlpack__(max_version=(1, 0) if versioned else None)
    if shown is not array:
        _code(capsule).value = _BFLOAT
    return capsule


_INT, _BFLOAT = 0, 4  # DLPack's codes for kinds of numbers


def _code(capsule: Any) -> c_uint8:
    """A pointer to the type code of a capsule, which may be written.

    NumPy has no bfloat16, so its elements pass as 16-bit integers under DLPack's code for bfloat16.

    Raises:
        ValueError: it is not a capsule, or was consumed.
    """
    for name, offset in ((b"dltensor_versioned", 52), (b"dltensor", 20)):
        if pythonapi.PyCapsule_IsValid(py_object(capsule), name):
            pointer = pythonapi.PyCapsule_GetPointer
            pointer.restype = c_void_p
            return c_uint8.from_address(pointer(py_object(capsule), name) + offset)
    raise ValueError("no capsule")


def dlpack_device(self: Tensor) -> tuple[DLDeviceType, int]:
    """Where the memory is, by DLPack's numbers."""
    return _CPU


class _Exporter:
    """Hands over a capsule."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CPU


def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: Any = None) -> Tensor:
    """A tensor that shares the memory of an object with ``__dlpack__``, or of a capsule, which it consumes.

    Raises:
        BufferError: the object cannot be exported.
        RuntimeError: it is neither, or was consumed.
    """
    if not hasattr(ext_tensor, "__dlpack__"):
        if device is not None or copy is not None:
            raise AssertionError(
                "device and copy kwargs not supported when ext_tensor is already a DLPack capsule."
            )
        return wrap(_taken(ext_tensor))
    check_device(device)
    if isinstance(ext_tensor, Tensor):
        return wrap(_taken(capsule_of(ext_tensor, max_version=(1, 0), copy=copy)))
    try:
        array = np.from_dlpack(ext_tensor)
    except (BufferError, RuntimeError):  # NumPy has no such dtype
        return wrap(_taken(ext_tensor.__dlpack__(), copy))
    return wrap(
        array.copy() if copy else _lasting(array, address(array), array.shape, array.dtype, array.strides)
    )


def _taken(capsule: Any, copy: Any = None) -> Array:
    kind = None
    try:
        code = _code(capsule)
        if code.value == _BFLOAT:
            code.value, kind = _INT, dtypes.bfloat16.numpy
        array = np.from_dlpack(_Exporter(capsule))
    except (TypeError, ValueError):
        raise RuntimeError(
            "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once, so you might "
            "have already constructed a tensor from it once."
        ) from None
    result = _lasting(array, address(array), array.shape, kind or array.dtype, array.strides)
    return result.copy() if copy else result


def _lasting(
    owner: Any,
    start: int,
    shape: tuple[int, ...],
    kind: np.dtype[Any],
    strides: tuple[int, ...] | None = None,
) -> Array:
    """An array over foreign memory, writable even if its owner says otherwise."""
    if 0 in shape:
        return np.empty(shape, kind)
    steps = (kind.itemsize,) if strides is None else strides
    span = sum((size - 1) * step for size, step in zip(shape, steps, strict=True)) + kind.itemsize
    memory = (c_char * span).from_address(start)
    memory.owner = owner  # type: ignore[attr-defined]  # which lives as long as the memory is used
    whole = np.ndarray(span // kind.itemsize, kind, memory)
    return np.ndarray(shape, kind, whole, strides=strides)


def frombuffer(
    buffer: Any,
    *,
    dtype: dtypes.dtype | None = None,
    count: int = -1,
    offset: int = 0,
    requires_grad: bool = False,
) -> Tensor:
    """A tensor of one dimension over a Python buffer.

    Raises:
        TypeError: no dtype is given.
        ValueError: it is not a buffer, or has no whole elements from ``offset`` on.
    """
    if dtype is None:
        raise missing_arguments("frombuffer", ["dtype"])
    try:
        view = memoryview(buffer)
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    if view.readonly:
        warnings.warn(
            "The given buffer is not writable, and PyTorch does not support non-writable tensors. This means you can write "
            "to the underlying (supposedly non-writable) buffer using the tensor. You may want to copy the buffer to "
            "protect its data or make it writable before converting it to a tensor. This type of warning will be "
            "suppressed for the rest of this program. (Triggered internally at /__w/pytorch/pytorch/torch/csrc/utils/"
            "tensor_new.cpp:1556.)",
            UserWarning,
            stacklevel=2,
        )
    length, size = view.nbytes, dtype.itemsize
    if not length or not count:
        raise ValueError(f"both buffer length ({length}) and count ({count}) must not be 0")
    if not 0 <= offset < length:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({length} bytes) minus 1"
        )
    rest = length - offset
    if count < 0 and rest % size:
        raise ValueError(
            f"buffer length ({rest} bytes) after offset ({offset} bytes) must be a multiple of element size ({size})"
        )
    if count > 0 and count * size > rest:
        raise ValueError(
            f"requested buffer length ({count} * {size} bytes) after offset ({offset} bytes) must not be greater than "
            f"actual buffer length ({length} bytes)"
        )
    start = address(np.frombuffer(view, np.uint8)) + offset
    return finish(_lasting(view, start, (count if count > 0 else rest // size,), dtype.numpy), requires_grad)


def attach() -> None:
    """Bind the methods of the DLPack protocol to Tensor."""
    Tensor.__dlpack__ = capsule_of  # type: ignore[attr-defined]
    Tensor.__dlpack_device__ = dlpack_device  # type: ignore[attr-defined]
