"""torch.overrides: ``__torch_function__`` of subclasses, modes and other classes (torch: overrides.py, python_arg_parser.cpp).

Note [torch_function costs nothing until used]: operations do not check whether their arguments override them. When the first
subclass of Tensor is defined, or the first mode begins, torch's functions, and the methods and attributes of Tensor, are
replaced by wrappers that check it (``_dispatch/torch_function_wrappers.py``, ``_wiring/overridable_functions.py``). A subclass
gets reflected operators of its own, since Python prefers them only if the subclass defines them. An object that is not a
tensor makes an operation fail; the operation then calls its ``__torch_function__`` (``dispatch_after_failure``) and installs
the wrappers. Inside the default ``__torch_function__``, and in a backward pass, overrides are disabled (``state.overriding``).
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar, cast

from .._c10 import slots
from .._c10.dispatch_state import without_dispatch_modes
from .._c10.modes import state
from .tensor import Tensor

__all__ = [
    "BaseTorchFunctionMode",
    "TorchFunctionMode",
    "get_default_nowrap_functions",
    "handle_torch_function",
    "has_torch_function",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "wrap_torch_function",
]

# The functions that cannot be overridden in torch.
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
_wrap_subclass_methods: Callable[[type], None] = slots.on_first_use("wrap_subclass_methods")
_register_dispatch_subclass: Callable[[type], None] = slots.on_first_use("register_dispatch_subclass")

_Function = TypeVar("_Function", bound=Callable[..., Any])
MARK = "_overrides_torch_function"


def disabled_torch_function(cls: type, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """The ``__torch_function__`` of a subclass that overrides nothing, such as Parameter."""
    return NotImplemented


class DisableTorchFunctionSubclass:
    """Inside, no ``__torch_function__`` of a subclass is called (torch._C.DisableTorchFunctionSubclass)."""

    __module__ = "torch._C"

    def __enter__(self) -> None:
        self.before = state.overriding
        state.overriding = False

    def __exit__(self, *error: object) -> None:
        state.overriding = self.before


def without_overrides(function: _Function) -> _Function:
    """A function in which no ``__torch_function__`` of a subclass is called: torch has it in C++."""

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        before, state.overriding = state.overriding, False
        try:
            return function(*args, **kwargs)
        finally:
            state.overriding = before

    return cast(_Function, called)


class DisableTorchFunction(DisableTorchFunctionSubclass):
    """Inside, no ``__torch_function__`` is called, neither of subclasses nor of modes (torch._C.DisableTorchFunction)."""

    __module__ = "torch._C"

    def __enter__(self) -> None:
        super().__enter__()
        self.modes, state.function_modes = state.function_modes, ()
        self.outer, state.unoverridable = state.unoverridable, True

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        state.function_modes, state.unoverridable = self.modes, self.outer


def _is_torch_function_all_disabled() -> bool:
    """Whether a DisableTorchFunction is in force."""
    return state.unoverridable


def default_torch_function(cls: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """Tensor.__torch_function__: call the function, and convert its results to the subclass (torch: Tensor._convert)."""
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
    """torch.overrides.get_default_nowrap_functions: getters whose tensors are not converted to the subclass."""
    return frozenset(vars(Tensor)[name].__get__ for name in ("_base", "grad"))


def as_subclass(self: Tensor, cls: Any) -> Any:
    """torch.Tensor.as_subclass: an alias of the tensor with this class.

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
    if result._tangents and self._tangents:
        result._tangents = dict(self._tangents)  # those of self, not their aliases
    if (
        getattr(result.__class__, "__torch_function__", None) is not disabled_torch_function
    ):  # not a BatchedTensor
        result.__class__ = cls
    return result


def make_subclass(cls: Any, data: Tensor, require_grad: bool = False, **kwargs: Any) -> Any:
    """``Tensor._make_subclass``: a leaf of this class which shares the memory of ``data``."""
    with without_dispatch_modes():
        result = data.detach()
    result.__class__ = cls
    if require_grad:
        result.requires_grad_(True)
    return result


def overrides(cls: type) -> bool:
    """Whether the wrappers were installed for this subclass of Tensor."""
    return hasattr(cls, MARK)


# Dispatch -----------------------------------------------------------------------------------------


def _overrides(value: Any) -> bool:
    cls = type(value)
    if cls is Tensor or not hasattr(cls, "__torch_function__"):
        return False
    if isinstance(value, Tensor):
        return state.overriding and cls.__torch_function__ is not disabled_torch_function
    return not isinstance(value, type)


def overrides_without_tensor(value: Any) -> bool:
    """Whether a value has ``__torch_function__`` but is not a tensor."""
    return not isinstance(value, (Tensor, type)) and hasattr(type(value), "__torch_function__")


def flat_values(values: Iterable[Any]) -> Iterator[Any]:
    for each in values:
        if isinstance(each, (tuple, list)):
            yield from flat_values(each)
        else:
            yield each


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """torch.overrides.has_torch_function: whether an argument or a mode has to be called.

    Raises:
        TypeError: not iterable.
    """
    if not hasattr(relevant_args, "__iter__"):
        raise TypeError("expected a sequence")
    return bool(state.function_modes) or any(map(_overrides, relevant_args))


def has_torch_function_unary(obj: Any, /) -> bool:
    """torch.overrides.has_torch_function_unary: the same for one argument."""
    return bool(state.function_modes) or _overrides(obj)


def has_torch_function_variadic(*args: Any) -> bool:
    """torch.overrides.has_torch_function_variadic: the same for several arguments."""
    return bool(state.function_modes) or any(map(_overrides, args))


def handle_torch_function(public_api: Any, relevant_args: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
    """torch.overrides.handle_torch_function: call ``__torch_function__`` of the mode, then of the arguments.

    Raises:
        TypeError: all of them return NotImplemented.
    """
    overloaded = _get_overloaded_args(relevant_args, Tensor)
    modes = state.function_modes
    result = _call_torch_function(public_api, overloaded, args, kwargs, DeprecationWarning)
    if result is not NotImplemented:
        return result
    name = f"{public_api.__module__}.{public_api.__name__}"
    within = f" nor in mode {modes[-1]}" if modes else ""
    raise TypeError(
        f"no implementation found for '{name}' on types that implement __torch_function__: "
        f"{[type(each) for each in overloaded]}{within}"
    )


def dispatch_torch_function(public_api: Any, relevant_args: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
    """handle_torch_function for functions that torch implements in C++, which raise another error message."""
    return dispatch_torch_function_with(None, public_api, relevant_args, *args, **kwargs)


def dispatch_torch_function_with(
    besides: type | None, public_api: Any, relevant_args: Iterable[Any], *args: Any, **kwargs: Any
) -> Any:
    """dispatch_torch_function, where ``types`` also has the class ``besides``, though it overrides nothing."""
    overloaded = _get_overloaded_args(relevant_args, besides)
    modes = state.function_modes
    result = _call_torch_function(public_api, overloaded, args, kwargs or None, UserWarning)
    if result is not NotImplemented:
        return result
    listed = f"  - mode object {modes[-1]}\n" if modes else ""
    listed += "".join(f"  - tensor subclass {type(each)}\n" for each in overloaded)
    raise TypeError(
        f"Multiple dispatch failed for '{_name(public_api)}'; all __torch_function__ handlers returned "
        f"NotImplemented:\n\n{listed}\nFor more information, try re-running with TORCH_LOGS=not_implemented"
    )


def _get_overloaded_args(relevant: Iterable[Any], besides: type | None = None) -> list[Any]:
    """The arguments with ``__torch_function__``, one of each class, subclasses first (torch: _get_overloaded_args).

    Args:
        besides: a class whose instances count although they override nothing.
    """
    overloaded: list[Any] = []
    for each in relevant:
        if (type(each) is besides or _overrides(each)) and type(each) not in map(type, overloaded):
            place = (i for i, other in enumerate(overloaded) if issubclass(type(each), type(other)))
            overloaded.insert(next(place, len(overloaded)), each)
    return overloaded


def _call_torch_function(
    public_api: Any, overloaded: list[Any], args: Any, kwargs: Any, category: type[Warning]
) -> Any:
    types = tuple(map(type, overloaded))
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
    for each in overloaded:
        if getattr(each.__torch_function__, "__self__", None) is each:
            mark = "`" if category is UserWarning else ""  # the messages of torch's C++ and Python differ
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
    """torch.overrides.is_tensor_like: whether a value is a tensor or has ``__torch_function__``."""
    return type(inp) is Tensor or hasattr(inp, "__torch_function__")


def is_tensor_method_or_property(func: Any) -> bool:
    """torch.overrides.is_tensor_method_or_property: also for the getters of properties."""
    return any(each is func or getattr(each, "__get__", None) == func for each in vars(Tensor).values())


def wrap_torch_function(dispatcher: Callable[..., Any]) -> Callable[..., Any]:
    """torch.overrides.wrap_torch_function: decorate a function to dispatch to the arguments that ``dispatcher`` returns."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            relevant = dispatcher(*args, **kwargs)
            if has_torch_function(relevant):
                return handle_torch_function(wrapper, relevant, *args, **kwargs)
            return function(*args, **kwargs)

        return wrapper

    return decorate


# Modes --------------------------------------------------------------------------------------------


class TorchFunctionMode:
    """torch.overrides.TorchFunctionMode: inside, torch's functions call its ``__torch_function__``."""

    __module__ = "torch.overrides"

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Return the result of a function of torch."""
        raise NotImplementedError

    def __enter__(self) -> TorchFunctionMode:
        _wrap_tensor_methods()
        state.function_modes = (*state.function_modes, self)
        return self

    def __exit__(self, *error: object) -> None:
        leave_mode()

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> TorchFunctionMode:
        """Deprecated: return a mode."""
        warnings.warn(
            "`Mode.push()` is no longer necessary and can be replaced with just `with Mode()`", stacklevel=2
        )
        return cls(*args, **kwargs)


def leave_mode() -> None:
    """Leave the innermost mode.

    Raises:
        RuntimeError: no mode is in force.
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
    """Enter a mode."""
    mode.__enter__()


def _pop_mode() -> Any:
    """Leave the innermost mode and return it."""
    mode = _get_current_function_mode()
    leave_mode()
    return mode


def _get_current_function_mode() -> Any:
    """The innermost mode, or None."""
    return state.function_modes[-1] if state.function_modes else None


def _get_current_function_mode_stack() -> list[Any]:
    """The modes in force, the outermost first."""
    return list(state.function_modes)


def _init_subclass(cls: type[Tensor], **kwargs: Any) -> None:
    """Called for each new subclass of Tensor."""
    super(Tensor, cls).__init_subclass__(**kwargs)
    if not cls.__module__.startswith("torch"):  # a class of the user, not of the engine
        _wrap_subclass_methods(cls)
    if "__torch_dispatch__" in vars(cls):
        _register_dispatch_subclass(cls)


def attach() -> None:
    """Add the methods of Tensor for subclasses."""
    cls: Any = Tensor
    cls.__init_subclass__ = classmethod(_init_subclass)
    cls.__torch_function__ = classmethod(default_torch_function)
    cls.as_subclass = as_subclass
    cls._make_subclass = staticmethod(make_subclass)
