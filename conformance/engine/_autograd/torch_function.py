"""torch.overrides: classes whose objects say themselves what torch's functions do with them.

Note [Overriding costs others nothing]: no operation asks whether its operands override it. With the first subclass of
Tensor, or the first mode, torch's functions are replaced by ones that ask (``Overridable``), and Tensor's methods and
attributes by ones that ask, too (``_dispatch/torch_function_wrappers.py``, ``_wiring/overridable_functions.py``). A subclass has reflected operators of its own, since Python gives
them precedence only where they are. Objects that are no tensors are asked by what fails with the first of them, a row
or what is composed of rows (``ask_late``), and from then on torch's functions ask. While the default
``__torch_function__``, or a backward pass, runs, nobody asks: inside, torch's operations know tensors alone.
"""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .._c10 import slots
from .._c10.location import PACKAGE
from .._c10.modes import state, without_dispatch_modes
from .tensor import Tensor

__all__ = [
    "BaseTorchFunctionMode",
    "TorchFunctionMode",
    "get_default_nowrap_functions",
    "get_ignored_functions",
    "get_overridable_functions",
    "handle_torch_function",
    "has_torch_function",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "resolve_name",
    "wrap_torch_function",
]

# What torch does not let be overridden.
NOT_OVERRIDABLE = frozenset(
    [
        "as_subclass",
        "as_tensor",
        "asarray",
        "can_cast",
        "from_numpy",
        "get_default_dtype",
        "is_grad_enabled",
        "is_tensor",
        "load",
        "manual_seed",
        "promote_types",
        "result_type",
        "save",
        "set_default_dtype",
        "set_grad_enabled",
        "set_printoptions",
        "tensor",
        "typename",
    ]
)
# See Note [Slots].
_alias: Callable[[Tensor], Tensor] = slots.unfilled  # from ops.shape
_wrap_tensor_methods: Callable[[], None] = slots.on_first_use("wrap_tensor_methods")
_overridable: Callable[[], Any] = slots.on_first_use("overridable")
_resolve: Callable[[Any], Any] = slots.on_first_use("resolve_torch_function")

MARK = "_overrides_torch_function"


def disabled_torch_function(cls: type, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """The ``__torch_function__`` of a class that overrides nothing: parameters have it."""
    return NotImplemented


class DisableTorchFunctionSubclass:
    """Inside, subclasses of Tensor are taken as tensors."""

    __module__ = "torch._C"

    def __enter__(self) -> None:
        self.before = state.overriding
        state.overriding = False

    def __exit__(self, *error: object) -> None:
        state.overriding = self.before


class DisableTorchFunction(DisableTorchFunctionSubclass):
    """Inside, neither subclasses nor modes are asked."""

    __module__ = "torch._C"

    def __enter__(self) -> None:
        super().__enter__()
        self.modes, state.function_modes = state.function_modes, ()
        self.outer, state.unoverridable = state.unoverridable, True

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        state.function_modes, state.unoverridable = self.modes, self.outer


def _is_torch_function_all_disabled() -> bool:
    """Whether neither subclasses nor modes can be asked."""
    return state.unoverridable


def default_torch_function(cls: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """What a subclass of Tensor does if it says nothing: the same, with results of its own class."""
    if not all(issubclass(cls, each) for each in types):
        return NotImplemented
    with DisableTorchFunctionSubclass():
        result = func(*args, **(kwargs or {}))
        return result if func in get_default_nowrap_functions() else _converted(result, cls)


def _converted(result: Any, cls: Any) -> Any:
    if isinstance(result, Tensor):
        return result if isinstance(result, cls) else result.as_subclass(cls)
    if isinstance(result, (tuple, list)):
        return type(result)(_converted(each, cls) for each in result)
    return result


@functools.cache
def get_default_nowrap_functions() -> frozenset[Any]:
    """What returns tensors that stay as they are: they belong to the graph."""
    return frozenset(vars(Tensor)[name].__get__ for name in ("_base", "grad"))


def get_ignored_functions() -> set[Any]:
    """The functions that cannot be overridden."""
    places = (vars(sys.modules[PACKAGE]), vars(Tensor))
    return {place[name] for place in places for name in NOT_OVERRIDABLE if name in place}


def get_overridable_functions() -> dict[Any, list[Any]]:
    """The functions that can be overridden, by the module or class that has them."""
    found: dict[Any, list[Any]] = _overridable()[0]
    return found


def resolve_name(f: Any) -> str | None:
    """What a program calls a function that ``__torch_function__`` is told; None where that is none of torch's."""
    found: str | None = _resolve(f)
    return found


def as_subclass(self: Tensor, cls: Any) -> Any:
    """An alias of the tensor that is of this subclass of Tensor.

    Raises:
        TypeError: the class does not inherit from Tensor.
    """
    if not isinstance(cls, type):
        raise TypeError(f"cls must be a type (got {type(cls).__name__})")
    if not issubclass(cls, Tensor):
        raise TypeError(
            "Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. Make sure your "
            "class inherits from Tensor."
        )
    with without_dispatch_modes():
        result = _alias(self)
    result.__class__ = cls
    return result


def make_subclass(cls: Any, data: Tensor, require_grad: bool = False, **kwargs: Any) -> Any:
    """``Tensor._make_subclass``: a leaf of this class over the same memory."""
    with without_dispatch_modes():
        result = data.detach()
    result.__class__ = cls
    if require_grad:
        result.requires_grad_(True)
    return result


def overrides(cls: type) -> bool:
    """Whether the class is a subclass of Tensor that is asked."""
    return hasattr(cls, MARK)


# Asking -------------------------------------------------------------------------------------------


def _overrides(value: Any) -> bool:
    cls = type(value)
    if cls is Tensor or not hasattr(cls, "__torch_function__"):
        return False
    if isinstance(value, Tensor):
        return state.overriding and cls.__torch_function__ is not disabled_torch_function
    return not isinstance(value, type)


def overrides_without_tensor(value: Any) -> bool:
    """Whether it overrides what torch's functions do, and is no tensor."""
    return not isinstance(value, (Tensor, type)) and hasattr(type(value), "__torch_function__")


def flat_values(values: Iterable[Any]) -> Iterator[Any]:
    for each in values:
        if isinstance(each, (tuple, list)):
            yield from flat_values(each)
        else:
            yield each


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Whether one of the arguments, or a mode, says itself what is to be done.

    Raises:
        TypeError: they cannot be gone through.
    """
    if not hasattr(relevant_args, "__iter__"):
        raise TypeError("expected a sequence")
    return bool(state.function_modes) or any(map(_overrides, relevant_args))


def has_torch_function_unary(obj: Any, /) -> bool:
    """has_torch_function of one argument."""
    return bool(state.function_modes) or _overrides(obj)


def has_torch_function_variadic(*args: Any) -> bool:
    """has_torch_function of arguments one by one."""
    return bool(state.function_modes) or any(map(_overrides, args))


def handle_torch_function(public_api: Any, relevant_args: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
    """Ask the arguments that override, subclasses first, what a function written in Python does.

    Raises:
        TypeError: none of them knows.
    """
    asked = _get_overloaded_args(relevant_args, Tensor)
    modes = state.function_modes
    found = _call_torch_function(public_api, asked, args, kwargs, DeprecationWarning)
    if found is not NotImplemented:
        return found
    name = f"{public_api.__module__}.{public_api.__name__}"
    within = f" nor in mode {modes[-1]}" if modes else ""
    raise TypeError(
        f"no implementation found for '{name}' on types that implement __torch_function__: "
        f"{[type(each) for each in asked]}{within}"
    )


def dispatch_torch_function(public_api: Any, relevant_args: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
    """handle_torch_function for what torch has no Python for, whose refusal reads otherwise."""
    return dispatch_torch_function_with(None, public_api, relevant_args, *args, **kwargs)


def dispatch_torch_function_with(
    besides: type | None, public_api: Any, relevant_args: Iterable[Any], *args: Any, **kwargs: Any
) -> Any:
    """ask, where arguments of one class are among the types that are told, though they override nothing."""
    asked = _get_overloaded_args(relevant_args, besides)
    modes = state.function_modes
    found = _call_torch_function(public_api, asked, args, kwargs or None, UserWarning)
    if found is not NotImplemented:
        return found
    listed = f"  - mode object {modes[-1]}\n" if modes else ""
    listed += "".join(f"  - tensor subclass {type(each)}\n" for each in asked)
    raise TypeError(
        f"Multiple dispatch failed for '{_name(public_api)}'; all __torch_function__ handlers returned "
        f"NotImplemented:\n\n{listed}\nFor more information, try re-running with TORCH_LOGS=not_implemented"
    )


def _get_overloaded_args(relevant: Iterable[Any], besides: type | None = None) -> list[Any]:
    """The arguments that override, or are of the other class, one of each, subclasses before what they derive from."""
    asked: list[Any] = []
    for each in relevant:
        if (type(each) is besides or _overrides(each)) and type(each) not in map(type, asked):
            place = (i for i, other in enumerate(asked) if issubclass(type(each), type(other)))
            asked.insert(next(place, len(asked)), each)
    return asked


def _call_torch_function(
    public_api: Any, asked: list[Any], args: Any, kwargs: Any, category: type[Warning]
) -> Any:
    types = tuple(map(type, asked))
    modes: tuple[Any, ...] = state.function_modes
    if modes:
        if getattr(modes[-1].__torch_function__, "__self__", modes[-1]) is not modes[-1]:
            raise RuntimeError(
                "Defining your mode's `__torch_function__` as a classmethod is not supported, please make it a plain method"
            )
        state.function_modes = modes[:-1]
        try:
            result = modes[-1].__torch_function__(public_api, types, args, kwargs)
        finally:
            state.function_modes = modes
        if result is not NotImplemented:
            return result
    for each in asked:
        if getattr(each.__torch_function__, "__self__", None) is each:
            mark = "`" if category is UserWarning else ""  # torch's kernels and its Python disagree
            warnings.warn(
                f"Defining your `__torch_function__{mark} as a plain method is deprecated and will be an error in future, "
                "please define it as a classmethod.",
                category,
                stacklevel=4,
            )
        result = each.__torch_function__(public_api, types, args, kwargs)
        if result is not NotImplemented:
            return result
    return NotImplemented


def _name(function: Any) -> str:
    name = getattr(function, "__name__", str(function))
    is_method = vars(Tensor).get(name) is function
    return f"torch.Tensor.{name}" if is_method else f"{getattr(function, '__module__', 'torch')}.{name}"


def is_tensor_like(inp: Any) -> bool:
    """Whether it is a tensor, or overrides what torch does with tensors."""
    return type(inp) is Tensor or hasattr(inp, "__torch_function__")


def is_tensor_method_or_property(func: Any) -> bool:
    """Whether it is one of Tensor's methods, or gets one of its properties."""
    return any(each is func or getattr(each, "__get__", None) == func for each in vars(Tensor).values())


def wrap_torch_function(dispatcher: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a function so that its relevant arguments, which the dispatcher tells, are asked first."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def asking(*args: Any, **kwargs: Any) -> Any:
            relevant = dispatcher(*args, **kwargs)
            if has_torch_function(relevant):
                return handle_torch_function(asking, relevant, *args, **kwargs)
            return function(*args, **kwargs)

        return asking

    return decorate


# Modes --------------------------------------------------------------------------------------------


class TorchFunctionMode:
    """Inside, ``__torch_function__`` is asked what torch's functions do."""

    __module__ = "torch.overrides"

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """What ``func`` gives."""
        raise NotImplementedError

    def __enter__(self) -> TorchFunctionMode:
        _wrap_tensor_methods()
        state.function_modes = (*state.function_modes, self)
        return self

    def __exit__(self, *error: object) -> None:
        leave_mode()

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> TorchFunctionMode:
        """Deprecated: a mode."""
        warnings.warn(
            "`Mode.push()` is no longer necessary and can be replaced with just `with Mode()`", stacklevel=2
        )
        return cls(*args, **kwargs)


def leave_mode() -> None:
    """End the innermost mode.

    Raises:
        RuntimeError: there is none.
    """
    if not state.function_modes:
        raise RuntimeError("trying to pop from empty mode stack")
    state.function_modes = state.function_modes[:-1]


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that changes nothing."""

    __module__ = "torch.overrides"

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


def _push_mode(mode: TorchFunctionMode) -> None:
    """Begin a mode, the innermost from here on."""
    mode.__enter__()


def _pop_mode() -> Any:
    """End the innermost mode, which is returned."""
    mode = _get_current_function_mode()
    leave_mode()
    return mode


def _get_current_function_mode() -> Any:
    """The innermost mode, None where there is none."""
    return state.function_modes[-1] if state.function_modes else None


def _get_current_function_mode_stack() -> list[Any]:
    """The modes in force, the outermost first."""
    return list(state.function_modes)


def attach() -> None:
    """What Tensor has for its subclasses."""
    cls: Any = Tensor
    cls.__torch_function__ = classmethod(default_torch_function)
    cls.as_subclass = as_subclass
    cls._make_subclass = staticmethod(make_subclass)
