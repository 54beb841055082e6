"""The operations that autocast runs in a different precision, and its settings (torch: ATen/autocast_mode.cpp).

Note [Autocast]: while autocast is on for the CPU, the operations with a policy receive copies of their floating-point
operands, cast to another precision. The operations themselves do not know of autocast. Operations without one,
and calls with ``out=``, run unchanged. The cast of a parameter to the lower precision is cached until the outermost
context ends, so that the gradients of all its uses are accumulated in the lower precision, at one ``ToCopyBackward0``.
The cache is keyed by the parameter alone: neither an in-place change nor another lower precision makes a new copy.

Note [Casting costs nothing while autocast is off]: operators check for autocast in their stubs, see Note
[Transforms cost nothing until one is in force]. An operation that is a single operator in torch and a composition in the
engine gets a dispatch wrapper when autocast is first switched on.
"""

from __future__ import annotations

import inspect
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from types import FunctionType
from typing import Any

from .._arguments.argument_errors import check_arguments
from .._aten.shape.clone_to import to as copied
from .._autograd.tensor import Tensor
from .._c10 import dtypes
from .._c10.device import device
from .._c10.errors import wrong_type
from .._c10.interpreter_stack import SharedCompositeWrappers
from .._c10.modes import _set, state
from .._c10.operator_facts import facts_of
from .._c10.slots import on_first_use

composites_of_autocast: Callable[[], Iterator[FunctionType]] = on_first_use(
    "composites_of_autocast"
)  # see Note [Slots]

DEVICE_TYPES = ("cpu", "cuda", "mtia", "maia", "xpu", "ipu", "hpu", "xla", "privateuseone", "mps")

Arguments = tuple[Any, ...]
Keywords = dict[str, Any]
Run = Callable[[Arguments, Keywords], Any]

# The policies, see ``autocast`` in _c10/operator_facts.py -------------------------------------------------------


def _lower_precision(operands: Iterable[Tensor]) -> dtypes.dtype:
    return get_autocast_dtype("cpu")


def _single_precision(operands: Iterable[Tensor]) -> dtypes.dtype:
    return dtypes.float32


def _widest(operands: Iterable[Tensor]) -> dtypes.dtype:
    """float32 if an operand has it, else the lower precision."""
    lower = result = get_autocast_dtype("cpu")
    if lower is dtypes.float64:
        raise RuntimeError("promote type is double in at::autocast::prioritize")
    for each in operands:
        kind = each.dtype
        if not each.is_floating_point() or kind is dtypes.float64:
            continue
        if dtypes.float32 in (kind, result):
            result = dtypes.float32
        elif not kind is result is lower:
            raise RuntimeError("Unexpected floating ScalarType in at::autocast::prioritize")
    return result


_POLICIES: dict[str, Callable[[Iterable[Tensor]], dtypes.dtype]] = {
    "lower_precision_fp": _lower_precision,
    "fp32": _single_precision,
    "promote": _widest,
}


def with_casts(policy: str, call: Run, args: Arguments, kwargs: Keywords) -> Any:
    """Run an operation on operands cast by its policy, with autocast off inside."""
    outer, state.autocast = state.autocast, state.autocast - {"cpu"}
    try:
        if kwargs.get("out") is None:
            to = _POLICIES[policy](_tensors((args, kwargs.values())))
            # In reverse, since torch's C++ evaluates these arguments from right to left, which numbers their nodes.
            kwargs = {each: _cast(kwargs[each], to) for each in reversed(kwargs)}
            args = tuple([_cast(each, to) for each in reversed(args)][::-1])
        return call(args, kwargs)
    finally:
        state.autocast = outer


def _tensors(values: Iterable[Any]) -> Iterator[Tensor]:
    for each in values:
        if isinstance(each, Tensor):
            yield each
        elif isinstance(each, (tuple, list)):
            yield from _tensors(each)


# Copies of operands -------------------------------------------------------------------------------

_cached_casts: dict[
    int, tuple[weakref.ref[Tensor], Tensor]
] = {}  # by the parameter's id; shared by all threads


def _cast(value: Any, to: dtypes.dtype) -> Any:
    """A tensor cast to a dtype if it is eligible, or a list of tensors with each of them cast.

    ``__torch_function__`` is not called: torch casts below it.
    """
    if isinstance(value, (tuple, list)) and any(isinstance(each, Tensor) for each in value):
        return [_cast(each, to) for each in value]
    if not isinstance(value, Tensor) or value.dtype is to or not is_eligible(value):
        return value
    if not _is_cacheable(value):
        return copied(value, to)
    cached = _cached_casts.get(id(value))
    if cached is None or cached[0]() is not value:
        enabled = state.grad_enabled
        _set(True, state.inference)
        try:
            cached = _cached_casts[id(value)] = weakref.ref(value), copied(value, to)
        finally:
            _set(enabled, state.inference)
    return cached[1]


def is_eligible(value: Tensor) -> bool:
    """Whether autocast casts a tensor: it is floating-point and not float64."""
    return value.is_floating_point() and value.dtype is not dtypes.float64


def _is_cacheable(value: Tensor) -> bool:
    """Whether the cast is cached: the tensor is a float32 leaf that requires grad, such as a parameter."""
    return (
        state.autocast_cache
        and not state.inference
        and value.dtype is dtypes.float32
        and value.requires_grad
        and value.is_leaf
        and not value._is_view()
    )


# Composed operations ---------------------------------------------------------------------


class _CompositeWrappers(SharedCompositeWrappers):
    """The dispatch wrappers of operations with a policy that are compositions, without a row in the registry."""

    def find(self) -> None:
        """Wrap them in a check whether autocast is on."""
        for function in composites_of_autocast():
            policy = facts_of(function).autocast
            assert policy is not None
            pooling = "return_indices" in inspect.signature(function).parameters
            self.wrap(function, partial(_call_with_autocast, policy, pooling))


_composite_wrappers = _CompositeWrappers()


def _call_with_autocast(
    policy: str, pooling: bool, composite: Callable[..., Any], args: Arguments, kwargs: Keywords
) -> Any:
    if "cpu" not in state.autocast or (pooling and _returns_indices(args, kwargs)):
        return composite(*args, **kwargs)
    return with_casts(policy, lambda args, kwargs: composite(*args, **kwargs), args, kwargs)


def _returns_indices(args: Arguments, kwargs: Keywords) -> bool:
    """Whether the call is torch's max_pool3d_with_indices, which has no policy."""
    return bool(kwargs.get("return_indices", args[6] if len(args) > 6 else False))


# Settings of the thread ---------------------------------------------------------------------------


def _device_type(device_type: str, function: str) -> str:
    """The type of a device, without its index."""
    if not isinstance(device_type, str):
        raise wrong_type(function, "device_type", "str", device_type, 1)
    return device(device_type).type


def _autocast_device_type(device_type: str, function: str) -> str:
    """The type of a device that supports autocast."""
    result = _device_type(device_type, function)
    if result not in DEVICE_TYPES:
        raise RuntimeError("unknown device type for autocast in get_autocast_dispatch_key_from_device_type")
    return result


def is_autocast_available(device_type: str) -> bool:
    """torch.amp.is_autocast_available."""
    return _device_type(device_type, "_is_autocast_available") in DEVICE_TYPES


_is_autocast_available = is_autocast_available


def _autocast_supported_devices() -> list[str]:
    """The types of devices that support autocast."""
    return [*DEVICE_TYPES]


def _is_any_autocast_enabled() -> bool:
    """Whether autocast is on for any device type."""
    return bool(state.autocast)


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """torch.is_autocast_enabled.

    Raises:
        RuntimeError: the device does not support autocast.
    """
    return _autocast_device_type(device_type, "is_autocast_enabled") in state.autocast


def set_autocast_enabled(device_type: Any = "cuda", enabled: Any = None) -> None:
    """torch.set_autocast_enabled, for this thread; a single argument is ``enabled`` for cuda.

    Raises:
        RuntimeError: the device does not support autocast.
    """
    if enabled is None:
        device_type, enabled = "cuda", device_type
    if not isinstance(enabled, bool):
        raise wrong_type("set_autocast_enabled", "enabled", "bool", enabled, 2)
    kind = _autocast_device_type(device_type, "set_autocast_enabled")
    if kind == "cpu" and enabled and kind not in state.autocast:
        _composite_wrappers.install()  # see Note [Casting costs nothing while autocast is off]
    elif kind == "cpu" and not enabled and kind in state.autocast:
        _composite_wrappers.remove()
    state.autocast = state.autocast | {kind} if enabled else state.autocast - {kind}


def restore_autocast(enabled: frozenset[str], lower: Mapping[str, Any]) -> None:
    """Make autocast what it was, with the lower precisions."""
    for device_type in enabled ^ state.autocast:
        set_autocast_enabled(device_type, device_type in enabled)
    state.autocast_dtypes = lower


def get_autocast_dtype(device_type: str) -> Any:
    """torch.get_autocast_dtype: the lower precision.

    Raises:
        RuntimeError: the device does not support autocast.
    """
    kind = _device_type(device_type, "get_autocast_dtype")
    if kind not in DEVICE_TYPES:
        raise RuntimeError("unsupported scalarType")
    default = dtypes.bfloat16 if kind in ("cpu", "hpu", "maia", "xla") else dtypes.float16
    return state.autocast_dtypes.get(kind, default)


def set_autocast_dtype(device_type: Any, dtype: Any = None) -> None:
    """torch.set_autocast_dtype, for this thread.

    Raises:
        TypeError: ``dtype`` is not a dtype.
        RuntimeError: the device does not support autocast.
    """
    kind = _autocast_device_type(device_type, "set_autocast_dtype")
    if not isinstance(dtype, dtypes.dtype):
        raise wrong_type("set_autocast_dtype", "dtype", "torch.dtype", dtype, 2)
    state.autocast_dtypes = {**state.autocast_dtypes, kind: dtype}


def _check_type(argument: str, value: Any, kind: type) -> None:
    """Check the type of an argument that torch's binding parses by hand, with that binding's message."""
    if not isinstance(value, kind):
        must = "torch.dtype" if kind is dtypes.dtype else kind.__name__
        raise TypeError(f"{argument} must be a {must} (got {type(value).__name__})")


def is_autocast_cache_enabled() -> bool:
    """torch.is_autocast_cache_enabled: whether casts of parameters are cached."""
    return state.autocast_cache


def set_autocast_cache_enabled(enabled: Any) -> None:
    """torch.set_autocast_cache_enabled, for this thread.

    Raises:
        TypeError: ``enabled`` is not a bool.
    """
    _check_type("enabled", enabled, bool)
    state.autocast_cache = enabled


def clear_autocast_cache() -> None:
    """torch.clear_autocast_cache: drop the cached casts of all threads."""
    _cached_casts.clear()


def autocast_increment_nesting() -> int:
    """torch.autocast_increment_nesting: the depth of nested contexts, incremented."""
    state.autocast_nesting += 1
    return state.autocast_nesting


def autocast_decrement_nesting() -> int:
    """torch.autocast_decrement_nesting: the depth of nested contexts, decremented."""
    state.autocast_nesting -= 1
    return state.autocast_nesting


# Deprecated names ---------------------------------------------------------------------------------

_DEPRECATED_DEVICES = {"cpu": "cpu", "gpu": "cuda", "xla": "xla", "ipu": "ipu"}


def _deprecated(name: str) -> Callable[..., Any] | None:
    """A deprecated function of one device type, such as torch.is_autocast_cpu_enabled, which warns."""
    action, _, rest = name.partition("_autocast_")
    place, _, what = rest.partition("_")
    function = globals().get(f"{action}_autocast_{what}")
    if place not in _DEPRECATED_DEVICES or function is None or (place, what) == ("gpu", "enabled"):
        return None
    kind, argument = _DEPRECATED_DEVICES[place], what if action == "set" else ""
    instead = f"torch.{action}_autocast_{what}({kind!r}{argument and f', {argument}'})"

    def deprecated(*arguments: Any) -> Any:
        for each in arguments:
            _check_type(what, each, dtypes.dtype if what == "dtype" else bool)
        text = f"torch.{name}({argument}) is deprecated. Please use {instead} instead."
        warnings.warn(text, DeprecationWarning, stacklevel=2)
        return function(kind, *arguments)

    deprecated.__name__ = deprecated.__qualname__ = name
    return deprecated


_PUBLIC = """
    autocast_decrement_nesting autocast_increment_nesting clear_autocast_cache get_autocast_dtype is_autocast_cache_enabled
    is_autocast_enabled set_autocast_cache_enabled set_autocast_dtype set_autocast_enabled
    """.split()  # noqa: SIM905  like the other lists


@cache
def public(name: str) -> Any:
    """The function that torch has under this name, or None."""
    if name in _PUBLIC:
        return check_arguments(globals()[name], name)
    return _deprecated(name)
