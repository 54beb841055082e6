"""The in-house engine: a module that stands in for ``torch`` in an autograd program, on numpy."""

from __future__ import annotations

import builtins
from importlib import import_module
from importlib.util import find_spec as _find_spec
from math import e, inf, nan, pi
from typing import Any

from . import __future__, allocation, autograd, legacy, ops, random, return_types, wiring
from .absent import look_up
from .checks import FUNCTIONS as _CHECKS
from .creation import (
    empty,
    empty_like,
    empty_permuted,
    empty_strided,
    eye,
    full,
    full_like,
    ones,
    ones_like,
    scalar_tensor,
    zeros,
    zeros_like,
)  # fmt: skip
from .device import device
from .dtypes import (
    bfloat16,
    can_cast,
    complex64,
    complex128,
    dtype,
    finfo,
    float16,
    float32,
    float64,
    get_default_dtype,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    promote_types,
    result_type,
    set_default_dtype,
    uint8,
    uint64,
)  # fmt: skip
from .dtypes import bool_ as bool
from .exchange import from_dlpack, frombuffer, to_dlpack
from .formats import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    layout,
    legacy_contiguous_format,
    memory_format,
    preserve_format,
    sparse_coo,
    strided,
)
from .from_data import as_tensor, asarray, from_numpy, tensor
from .memory import StorageBase
from .modes import (
    enable_grad,
    inference_mode,
    is_anomaly_check_nan_enabled,
    is_anomaly_enabled,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_anomaly_enabled,
    set_grad_enabled,
)  # fmt: skip
from .once import is_warn_always_enabled, set_warn_always
from .overrides import DisableTorchFunction, DisableTorchFunctionSubclass
from .ranges import arange, linspace, logspace, range
from .refusals import all_refusing
from .settings import (
    are_deterministic_algorithms_enabled,
    get_deterministic_debug_mode,
    get_float32_matmul_precision,
    get_num_interop_threads,
    get_num_threads,
    is_deterministic_algorithms_warn_only_enabled,
    set_deterministic_debug_mode,
    set_float32_matmul_precision,
    set_num_interop_threads,
    set_num_threads,
    use_deterministic_algorithms,
)  # fmt: skip
from .size import Size
from .symbolic import FUNCTIONS as _OF_NUMBERS
from .tensor import Tensor
from .torch_version import __version__

newaxis = None
_device = device
half, float, double = float16, float32, float64
short, int, long = int16, int32, int64
cfloat, cdouble = complex64, complex128

globals().update(ops.FUNCTIONS)
globals().update(all_refusing(random.FUNCTIONS))
globals().update(legacy.TYPES)
globals().update(_CHECKS)
globals().update(_OF_NUMBERS)
typename, set_default_tensor_type = legacy.typename, legacy.set_default_tensor_type


def is_tensor(obj: Any) -> Any:
    """torch.is_tensor."""
    return isinstance(obj, Tensor)


def is_storage(obj: Any, /) -> Any:
    """torch.is_storage."""
    return isinstance(obj, StorageBase)


def get_device_module(device: Any = None) -> Any:
    """torch.get_device_module: the module named after a type of devices; without one the CPU's.

    Raises:
        RuntimeError: it is no device, or there is no such module.
    """
    if not isinstance(device, (_device, str, type(None))):
        raise RuntimeError(f"Invalid value of device '{device}', expect torch.device, str, or None")
    name = "cpu" if device is None else _device(device).type
    if name not in _LATER:
        raise RuntimeError(
            f"Device '{name}' does not have a corresponding module registered as 'torch.{name}'."
        )
    return import_module(f"{__name__}.{name}")


def is_floating_point(input: Tensor) -> Any:
    """torch.is_floating_point."""
    return input.is_floating_point()


def is_inference(input: Tensor) -> Any:
    """torch.is_inference."""
    return input.is_inference()


def is_signed(input: Tensor) -> Any:
    """torch.is_signed."""
    return input.is_signed()


def detach(input: Tensor) -> Tensor:
    """torch.detach."""
    return input.detach()


def is_complex(input: Tensor) -> Any:
    """torch.is_complex."""
    return input.is_complex()


def is_neg(input: Tensor) -> Any:
    """torch.is_neg."""
    return input.is_neg()


def is_conj(input: Tensor) -> Any:
    """torch.is_conj."""
    return input.is_conj()


def get_device(input: Tensor) -> Any:
    """torch.get_device."""
    return input.get_device()


def numel(input: Tensor) -> Any:
    """torch.numel."""
    return input.numel()


_REFUSING = """
arange detach empty empty_like empty_permuted empty_strided eye full full_like get_device is_complex is_conj
is_floating_point is_inference is_neg is_signed linspace logspace numel ones ones_like range zeros zeros_like
"""
globals().update(all_refusing({name: globals()[name] for name in _REFUSING.split()}))


def _assert(condition: Any, message: Any) -> None:
    """torch._assert: assert as a function."""
    if not condition:
        raise AssertionError(message)


wiring.begin()
allocation.keep_freed_memory()
_look_up = look_up("torch")
_LATER = (
    "__future__",
    "_C",
    "_VF",
    "_functorch",
    "_library",
    "_tensor",
    "_tensor_str",
    "_vmap_internals",
    "accelerator",
    "amp",
    "backends",
    "compiler",
    "cpu",
    "cuda",
    "distributions",
    "fft",
    "func",
    "functional",
    "jit",
    "library",
    "linalg",
    "mps",
    "nn",
    "optim",
    "overrides",
    "profiler",
    "signal",
    "sparse",
    "special",
    "storage",
    "testing",
    "types",
    "utils",
    "version",
    "xpu",
)  # imported when first asked for
_ELSEWHERE = {
    "_unique": "_VF",
    "_unique2": "_VF",
    "autocast": "amp",
    "get_default_device": "utils._device",
    "set_default_device": "utils._device",
    "load": "serialization",
    "Tag": "_library.tags",
    "TypedStorage": "storage",
    "UntypedStorage": "storage",
    "_sparse_coo_tensor_unsafe": "sparse.construction",
    "lobpcg": "linalg.conjugate_gradient",
    "save": "serialization",
    "sparse_coo_tensor": "sparse.construction",
    "spmm": "sparse.products",
    "set_printoptions": "printing",
    "vmap": "func",
}  # and where these are from


def _is_part(name: str) -> Any:
    """Whether a module of the engine has this name, which is asked for before it is imported."""
    return name.isidentifier() and _find_spec(f"{__name__}.{name}") is not None


def __dir__() -> list[str]:
    return [*{*globals(), *_LATER, *_ELSEWHERE}]


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return import_module(f"{__name__}.{name}")
    if name in _ELSEWHERE:
        return getattr(import_module(f"{__name__}.{_ELSEWHERE[name]}"), name)
    if "autocast" in name:
        found = import_module(f"{__name__}.casting").public(name)
        if found is not None:
            return found
    if not name.startswith("_") and not _is_part(name):
        from .nn.functions import FUNCTIONS

        if name in FUNCTIONS:
            globals().update(FUNCTIONS)
            return FUNCTIONS[name]
    if name in ("stft", "istft") or name.endswith("_window"):
        from .short_time import FUNCTIONS as WINDOWS

        if name in WINDOWS:
            return WINDOWS[name]
    if name.startswith("_foreach_"):
        from .foreach import FUNCTIONS as EACH

        if name in EACH:
            return EACH[name]
    if name.endswith("Storage"):
        from .storage import named

        found = named(name)
        if found is not None:
            return found
    return _look_up(name)
