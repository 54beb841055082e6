"""The in-house engine: a module that replaces ``torch`` in autograd programs, implemented on NumPy."""

from __future__ import annotations

import builtins
from importlib import import_module
from importlib import util as _util
from math import e, inf, nan, pi
from typing import Any

from . import __future__, autograd, random, return_types
from ._arguments.absent_names import look_up
from ._arguments.argument_errors import check_all_arguments
from ._aten import operators as _operators
from ._aten.creation import legacy_constructors as _legacy_constructors
from ._aten.creation.factories import (
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
from ._aten.creation.from_data import as_tensor, asarray, from_numpy, tensor
from ._aten.creation.ranges import arange, linspace, logspace
from ._aten.random import random as _random
from ._autograd.storage_impl import StorageBase
from ._autograd.tensor import Tensor
from ._autograd.torch_function import DisableTorchFunction, DisableTorchFunctionSubclass
from ._c10 import allocator as _allocator
from ._c10.context import (
    are_deterministic_algorithms_enabled,
    get_float32_matmul_precision,
    get_num_threads,
    is_deterministic_algorithms_warn_only_enabled,
    set_float32_matmul_precision,
    set_num_threads,
    use_deterministic_algorithms,
)  # fmt: skip
from ._c10.device import device
from ._c10.dtypes import (
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
from ._c10.dtypes import bool_ as bool
from ._c10.layout import (
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
from ._c10.modes import (
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
from ._c10.size import Size
from ._c10.warn_once import is_warn_always_enabled, set_warn_always
from ._wiring import providers as _providers
from .torch_version import __version__

newaxis = None
half, float, double = float16, float32, float64
short, int, long = int16, int32, int64
cfloat, cdouble = complex64, complex128

globals().update(_operators.FUNCTIONS)
globals().update(check_all_arguments(_random.FUNCTIONS))
globals().update(_legacy_constructors.TYPES)
typename = _legacy_constructors.typename


def is_tensor(obj: Any) -> Any:
    """torch.is_tensor."""
    return isinstance(obj, Tensor)


def is_storage(obj: Any, /) -> Any:
    """torch.is_storage."""
    return isinstance(obj, StorageBase)


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
arange can_cast detach empty empty_like empty_permuted empty_strided eye full full_like get_device is_complex is_conj
is_floating_point is_inference is_neg is_signed linspace logspace numel ones ones_like promote_types result_type zeros
zeros_like
"""
globals().update(check_all_arguments({name: globals()[name] for name in _REFUSING.split()}))


def _assert(condition: Any, message: Any) -> None:
    """torch._assert: assert as a function."""
    if not condition:
        raise AssertionError(message)


_providers.begin()
_allocator.keep_freed_memory()
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
    "cuda",
    "distributions",
    "fft",
    "func",
    "functional",
    "jit",
    "library",
    "linalg",
    "nn",
    "ops",
    "optim",
    "overrides",
    "sparse",
    "special",
    "storage",
    "testing",
    "types",
    "utils",
    "version",
)  # submodules that are imported on first use
_ELSEWHERE = {
    "autocast": "amp",
    "get_default_device": "utils._device",
    "set_default_device": "utils._device",
    "UntypedStorage": "storage",
    "sparse_coo_tensor": "_aten.sparse.construction",
    "spmm": "_aten.sparse.products",
    "set_printoptions": "_c10.number_format",
    "vmap": "func",
}  # names that are imported from other modules on first use


def _is_submodule(name: str) -> Any:
    """Whether the engine has a submodule of this name (checked before the import)."""
    return name.isidentifier() and _util.find_spec(f"{__name__}.{name}") is not None


def __dir__() -> list[str]:
    return [*{*globals(), *_LATER, *_ELSEWHERE}]


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return import_module(f"{__name__}.{name}")
    if name in _ELSEWHERE:
        return getattr(import_module(f"{__name__}.{_ELSEWHERE[name]}"), name)
    if "autocast" in name:
        found = import_module(f"{__name__}._dispatch.autocast").public(name)
        if found is not None:
            return found
    if not name.startswith("_") and not _is_submodule(name):
        from ._nn.functions import FUNCTIONS

        if name in FUNCTIONS:
            globals().update(FUNCTIONS)
            return FUNCTIONS[name]
    if name in ("stft", "istft") or name.endswith("_window"):
        from ._aten.fft.stft import FUNCTIONS as WINDOWS

        if name in WINDOWS:
            return WINDOWS[name]
    return _look_up(name)
