"""Which operations autocast runs in another precision than that of their operands (torch: ATen/autocast_mode.cpp).

Note [Autocast]: while autocast is on for the CPU, the operations with a policy get copies of their floating-point operands
in another precision, and know nothing of autocast themselves. What has none runs as ever, and so does what writes to
a tensor that is given. Of a parameter one copy in the lower precision is kept until the outermost context ends, so that
the gradients of all its uses meet in the lower precision, at one ``ToCopyBackward0``. It is kept by the parameter alone:
neither a change in place nor another lower precision makes a new one.

Note [Casting costs nothing while autocast is off]: rows check it in their stubs, see Note
[Transforms cost nothing until one is in force]. Operations that torch has as one and the engine composes of several get
such a stub of their own when autocast is first switched on.
"""

from __future__ import annotations

import inspect
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from types import FunctionType
from typing import Any

from .._arguments.argument_errors import refusing
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
    """Single precision if one of them has it, else the lower one.

    Raises:
        RuntimeError: there is another floating-point dtype among them.
    """
    lower = found = get_autocast_dtype("cpu")
    if lower is dtypes.float64:
        raise RuntimeError("promote type is double in at::autocast::prioritize")
    for each in operands:
        kind = each.dtype
        if not each.is_floating_point() or kind is dtypes.float64:
            continue
        if dtypes.float32 in (kind, found):
            found = dtypes.float32
        elif not kind is found is lower:
            raise RuntimeError("Unexpected floating ScalarType in at::autocast::prioritize")
    return found


_POLICIES: dict[str, Callable[[Iterable[Tensor]], dtypes.dtype]] = {
    "lower_precision_fp": _lower_precision,
    "fp32": _single_precision,
    "promote": _widest,
}


def with_casts(policy: str, call: Run, args: Arguments, kwargs: Keywords) -> Any:
    """Run an operation on operands as its policy wants them; inside, autocast is off."""
    outer, state.autocast = state.autocast, state.autocast - {"cpu"}
    try:
        if kwargs.get("out") is None:
            to = _POLICIES[policy](_tensors((args, kwargs.values())))
            # The last operand first, as C++ evaluates arguments here: so are their nodes numbered.
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

_copies: dict[int, tuple[weakref.ref[Tensor], Tensor]] = {}  # by the parameter's id; of all threads


def _cast(value: Any, to: dtypes.dtype) -> Any:
    """A tensor in another precision, if it is of a floating-point type but double; so all tensors of a list.

    No subclass is asked, nor mode: torch casts beneath them.
    """
    if isinstance(value, (tuple, list)) and any(isinstance(each, Tensor) for each in value):
        return [_cast(each, to) for each in value]
    if not isinstance(value, Tensor) or value.dtype is to or not is_eligible(value):
        return value
    if not _may_be_kept(value):
        return copied(value, to)
    kept = _copies.get(id(value))
    if kept is None or kept[0]() is not value:
        enabled = state.grad_enabled
        _set(True, state.inference)
        try:
            kept = _copies[id(value)] = weakref.ref(value), copied(value, to)
        finally:
            _set(enabled, state.inference)
    return kept[1]


def is_eligible(value: Tensor) -> bool:
    """Whether autocast may cast a tensor."""
    return value.is_floating_point() and value.dtype is not dtypes.float64


def _may_be_kept(value: Tensor) -> bool:
    """Whether it is a parameter: float32, so that it is being cast to the lower precision."""
    return (
        state.autocast_cache
        and not state.inference
        and value.dtype is dtypes.float32
        and value.requires_grad
        and value.is_leaf
        and not value._is_view()
    )


# Composed operations ---------------------------------------------------------------------


class _Operations(SharedCompositeWrappers):
    """The operations with a policy that are no rows."""

    def find(self) -> None:
        """Let them ask whether autocast is on."""
        for function in composites_of_autocast():
            policy = facts_of(function).autocast
            assert policy is not None
            pooling = "return_indices" in inspect.signature(function).parameters
            self.wrap(function, partial(_ask, policy, pooling))


_operations = _Operations()


def _ask(policy: str, pooling: bool, made: Callable[..., Any], args: Arguments, kwargs: Keywords) -> Any:
    if "cpu" not in state.autocast or (pooling and _tells_indices(args, kwargs)):
        return made(*args, **kwargs)
    return with_casts(policy, lambda args, kwargs: made(*args, **kwargs), args, kwargs)


def _tells_indices(args: Arguments, kwargs: Keywords) -> bool:
    """Whether a pooling is torch's max_pool3d_with_indices, which has no policy."""
    return bool(kwargs.get("return_indices", args[6] if len(args) > 6 else False))


# What a thread is told ----------------------------------------------------------------------------


def _type(device_type: str, function: str) -> str:
    """The type of a device, without its number.

    Raises:
        TypeError: it is no text.
        RuntimeError: there is no such device.
    """
    if not isinstance(device_type, str):
        raise wrong_type(function, "device_type", "str", device_type, 1)
    return device(device_type).type


def _checked(device_type: str, function: str) -> str:
    """The type of a device that has autocast.

    Raises:
        RuntimeError: it has none, or is no device.
    """
    found = _type(device_type, function)
    if found not in DEVICE_TYPES:
        raise RuntimeError("unknown device type for autocast in get_autocast_dispatch_key_from_device_type")
    return found


def is_autocast_available(device_type: str) -> bool:
    """torch.amp.is_autocast_available."""
    return _type(device_type, "_is_autocast_available") in DEVICE_TYPES


_is_autocast_available = is_autocast_available


def _autocast_supported_devices() -> list[str]:
    """The types of devices that have autocast."""
    return [*DEVICE_TYPES]


def _is_any_autocast_enabled() -> bool:
    """Whether it is on for one of them."""
    return bool(state.autocast)


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """torch.is_autocast_enabled.

    Raises:
        RuntimeError: there is no autocast for such a device.
    """
    return _checked(device_type, "is_autocast_enabled") in state.autocast


def set_autocast_enabled(device_type: Any = "cuda", enabled: Any = None) -> None:
    """torch.set_autocast_enabled: in this thread; what is given alone is for cuda.

    Raises:
        RuntimeError: there is no autocast for such a device.
    """
    if enabled is None:
        device_type, enabled = "cuda", device_type
    if not isinstance(enabled, bool):
        raise wrong_type("set_autocast_enabled", "enabled", "bool", enabled, 2)
    kind = _checked(device_type, "set_autocast_enabled")
    if kind == "cpu" and enabled and kind not in state.autocast:
        _operations.install()
    elif kind == "cpu" and not enabled and kind in state.autocast:
        _operations.remove()
    state.autocast = state.autocast | {kind} if enabled else state.autocast - {kind}


def get_autocast_dtype(device_type: str) -> Any:
    """torch.get_autocast_dtype: the lower precision.

    Raises:
        RuntimeError: there is no autocast for such a device.
    """
    kind = _type(device_type, "get_autocast_dtype")
    if kind not in DEVICE_TYPES:
        raise RuntimeError("unsupported scalarType")
    default = dtypes.bfloat16 if kind in ("cpu", "hpu", "maia", "xla") else dtypes.float16
    return state.autocast_dtypes.get(kind, default)


def set_autocast_dtype(device_type: Any, dtype: Any = None) -> None:
    """torch.set_autocast_dtype: in this thread.

    Raises:
        TypeError: it is no dtype.
        RuntimeError: there is no autocast for such a device.
    """
    kind = _checked(device_type, "set_autocast_dtype")
    if not isinstance(dtype, dtypes.dtype):
        raise wrong_type("set_autocast_dtype", "dtype", "torch.dtype", dtype, 2)
    state.autocast_dtypes = {**state.autocast_dtypes, kind: dtype}


def _check_given(argument: str, value: Any, kind: type) -> None:
    """What torch's functions say that take what Python gives them.

    Raises:
        TypeError: the value is of another kind.
    """
    if not isinstance(value, kind):
        must = "torch.dtype" if kind is dtypes.dtype else kind.__name__
        raise TypeError(f"{argument} must be a {must} (got {type(value).__name__})")


def is_autocast_cache_enabled() -> bool:
    """torch.is_autocast_cache_enabled: whether copies of parameters are kept."""
    return state.autocast_cache


def set_autocast_cache_enabled(enabled: Any) -> None:
    """torch.set_autocast_cache_enabled: in this thread.

    Raises:
        TypeError: it is no bool.
    """
    _check_given("enabled", enabled, bool)
    state.autocast_cache = enabled


def clear_autocast_cache() -> None:
    """torch.clear_autocast_cache: the copies that are kept, of all threads."""
    _copies.clear()


def autocast_increment_nesting() -> int:
    """torch.autocast_increment_nesting: one context more."""
    state.autocast_nesting += 1
    return state.autocast_nesting


def autocast_decrement_nesting() -> int:
    """torch.autocast_decrement_nesting: one less; those that are left."""
    state.autocast_nesting -= 1
    return state.autocast_nesting


# Older names --------------------------------------------------------------------------------------

_OLDER = {"cpu": "cpu", "gpu": "cuda", "xla": "xla", "ipu": "ipu"}


def _older(name: str) -> Callable[..., Any] | None:
    """torch.is_autocast_cpu_enabled and its like: the function for one type of device, which warns."""
    action, _, rest = name.partition("_autocast_")
    place, _, what = rest.partition("_")
    function = globals().get(f"{action}_autocast_{what}")
    if place not in _OLDER or function is None or (place, what) == ("gpu", "enabled"):
        return None
    kind, argument = _OLDER[place], what if action == "set" else ""
    instead = f"torch.{action}_autocast_{what}({kind!r}{argument and f', {argument}'})"

    def older(*given: Any) -> Any:
        for each in given:
            _check_given(what, each, dtypes.dtype if what == "dtype" else bool)
        text = f"torch.{name}({argument}) is deprecated. Please use {instead} instead."
        warnings.warn(text, DeprecationWarning, stacklevel=2)
        return function(kind, *given)

    older.__name__ = older.__qualname__ = name
    return older


_PUBLIC = """
    autocast_decrement_nesting autocast_increment_nesting clear_autocast_cache get_autocast_dtype is_autocast_cache_enabled
    is_autocast_enabled set_autocast_cache_enabled set_autocast_dtype set_autocast_enabled
    """.split()  # noqa: SIM905  as the other lists


@cache
def public(name: str) -> Any:
    """torch's function of that name, None if there is no such."""
    if name in _PUBLIC:
        return refusing(globals()[name], name)
    return _older(name)
