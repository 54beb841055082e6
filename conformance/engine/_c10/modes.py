"""Thread-local state: grad mode, inference mode, saved-tensor hooks and so on (torch: c10/core/GradMode.h, AutogradState.h).

Anomaly mode is not thread-local, as in torch.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import sys
import threading
import warnings
from collections.abc import Callable, Mapping
from types import MappingProxyType, TracebackType
from typing import Any, Literal

import numpy as np

from .errors import wrong_type
from .slots import on_first_use

restore_autocast: Callable[[frozenset[str], Mapping[str, Any]], None] = on_first_use("restore_autocast")


class Recorder:
    """What operations read when they are recorded: one attribute access of the thread-local state."""

    __slots__ = ("saved_hooks", "sequence_nrs")

    anomaly = False  # for all threads, as in torch
    anomaly_check_nan = True

    def __init__(self) -> None:
        self.saved_hooks: tuple[tuple[Callable[..., Any], Callable[..., Any]], ...] = ()
        self.sequence_nrs = itertools.count()


class State(threading.local):
    """The thread-local state.

    ``recording`` combines several flags, since each read of a thread-local attribute costs a tenth of a small operation: it
    is the thread's Recorder if grad mode is on, False if it is off, None in inference mode.
    """

    grad_enabled = True
    inference = False
    forward_grad = True  # whether forward-mode AD is on
    saved_hooks_disabled: str | None = None
    before_mutation: Callable[[Any], None] | None = None  # set by allow_mutation_on_saved_tensors
    evaluating: Any = None  # the running node (torch: get_current_node)
    unpacked: dict[Any, Any] | None = (
        None  # results of unpack hooks, for a node that runs once for each sample
    )
    graph_task: Any = None  # the GraphTask of the pass that runs in this thread
    nesting = 0  # the depth of nested (reentrant) backward passes
    multithreading = True
    layout_enforced = True  # whether the strides of a grad must be those of its leaf
    view_replay = False  # see Note [Replayed views]
    unoverridable = False  # whether no __torch_function__ is called (DisableTorchFunction)
    function_modes: tuple[Any, ...] = ()  # the TorchFunctionModes in force, the innermost last
    default_device: Any = None  # the DeviceContext of set_default_device
    pending: Any = None  # the operation for which a TorchDispatchMode is being called
    dispatch_modes: tuple[Any, ...] = ()  # the TorchDispatchModes in force, the innermost last
    suspended_dispatch_modes: tuple[Any, ...] | None = (
        None  # the modes around the running operation, for which they have returned the result; see Note [Below autograd]
    )
    dispatching = True  # whether __torch_dispatch__ of subclasses is called
    below_autograd = (
        False  # whether a kernel runs below autograd: nothing is recorded, whatever the grad mode
    )
    overriding = True  # whether __torch_function__ of subclasses is called
    checkpoint_valid = True  # False inside a backward pass with inputs (torch: checkpoint_valid)
    graph_exec_group: Any = None  # the GraphExecGroup of checkpoint
    autocast: frozenset[str] = frozenset()  # the device types for which it is on
    autocast_dtypes: Mapping[str, Any] = MappingProxyType({})  # by device type, if they were set
    autocast_cache = True  # whether casts of parameters are cached
    autocast_nesting = 0  # the depth of nested autocast contexts

    def __init__(self) -> None:
        self.recorder = Recorder()
        self.recording: Recorder | Literal[False] | None = self.recorder
        # torch computes inf and nan silently, numpy warns; np.errstate for each operation would cost more than the operation.
        np.seterr(all="ignore")

    @property
    def anomaly(self) -> bool:
        return Recorder.anomaly

    @anomaly.setter
    def anomaly(self, value: bool) -> None:
        Recorder.anomaly = value

    @property
    def anomaly_check_nan(self) -> bool:
        return Recorder.anomaly_check_nan

    @anomaly_check_nan.setter
    def anomaly_check_nan(self, value: bool) -> None:
        Recorder.anomaly_check_nan = value

    @property
    def saved_hooks(self) -> tuple[tuple[Callable[..., Any], Callable[..., Any]], ...]:
        return self.recorder.saved_hooks

    @saved_hooks.setter
    def saved_hooks(self, value: tuple[tuple[Callable[..., Any], Callable[..., Any]], ...]) -> None:
        self.recorder.saved_hooks = value


state = State()


def _set(grad_enabled: bool, inference: bool) -> None:
    state.grad_enabled = grad_enabled
    state.inference = inference
    state.recording = None if inference else grad_enabled and not state.below_autograd and state.recorder


ThreadLocals = tuple[Any, ...]


def thread_locals() -> ThreadLocals:
    """The thread-local state that user code can change without a context manager (torch: ThreadLocalState).

    Note [Thread-local state of a node]: in torch every node runs with the thread-local state with which its pass began. So if a
    hook or a custom backward changes grad mode, autocast or the saved-tensor hooks and does not restore them, this affects
    neither the following nodes nor the code after the pass. Only user code can change the state: so a pass saves it before
    user code first runs, and restores it each time after user code has run.
    """
    return (
        (state.grad_enabled, state.inference),
        state.forward_grad,
        state.saved_hooks,
        state.saved_hooks_disabled,
        state.autocast,
        state.autocast_dtypes,
    )


def restore_thread_locals(found: ThreadLocals | None) -> None:
    """Restore a state from ``thread_locals``."""
    if found is None or found == thread_locals():
        return
    modes, state.forward_grad, state.saved_hooks, state.saved_hooks_disabled, autocast, dtypes = found
    _set(*modes)
    if (autocast, dtypes) != (state.autocast, state.autocast_dtypes):
        restore_autocast(autocast, dtypes)


class ContextDecorator:
    """A context manager that can also decorate functions and generators (torch: utils/_contextlib.py)."""

    def clone(self) -> ContextDecorator:
        """A new instance for each call of a decorated function."""
        return type(self)()

    def __enter__(self) -> Any:
        raise NotImplementedError

    def __exit__(self, kind: Any, value: Any, trace: TracebackType | None) -> None:
        raise NotImplementedError

    def __call__(self, function: Any) -> Any:
        if inspect.isclass(function):
            warnings.warn(
                "Decorating classes is deprecated and will be disabled in future versions. You should only decorate "
                "functions or methods. To preserve the current behavior of class decoration, you can directly "
                "decorate the `__init__` method and nothing else.",
                FutureWarning,
                stacklevel=2,
            )
            return self(lambda *args, **kwargs: function(*args, **kwargs))
        if inspect.isgeneratorfunction(function):
            return self._wrap_generator(function)

        @functools.wraps(function)
        def decorated(*args: Any, **kwargs: Any) -> Any:
            with self.clone():
                return function(*args, **kwargs)

        return decorated

    def _wrap_generator(self, function: Any) -> Any:
        """Decorate a generator: the mode is in force while its body runs, not while it is suspended."""

        @functools.wraps(function)
        def decorated(*args: Any, **kwargs: Any) -> Any:
            generator = function(*args, **kwargs)
            try:
                with self.clone():
                    response = generator.send(None)
                while True:
                    try:
                        request = yield response
                    except GeneratorExit:
                        with self.clone():
                            generator.close()
                        raise
                    except BaseException:
                        with self.clone():  # the deprecated signature of throw, as in torch
                            response = generator.throw(*sys.exc_info())
                    else:
                        with self.clone():
                            response = generator.send(request)
            except StopIteration as stop:
                return stop.value

        return decorated


class _NoParameter(ContextDecorator):
    """A mode without parameters: decorates with or without parentheses (torch: _NoParamDecoratorContextManager)."""

    def __new__(cls, function: Any = None) -> Any:
        instance = super().__new__(cls)
        return instance if function is None else instance(function)

    def __init__(self) -> None:
        self.previous = False


class no_grad(_NoParameter):
    """torch.no_grad: inside, nothing is recorded."""

    __module__ = "torch.autograd.grad_mode"

    def __enter__(self) -> None:
        self.previous = state.grad_enabled
        _set(False, state.inference)

    def __exit__(self, kind: Any, value: Any, trace: TracebackType | None) -> None:
        _set(self.previous, state.inference)


class enable_grad(_NoParameter):
    """torch.enable_grad: inside, operations are recorded, unless in inference mode."""

    __module__ = "torch.autograd.grad_mode"

    def __enter__(self) -> None:
        self.previous = state.grad_enabled
        _set(True, state.inference)

    def __exit__(self, kind: Any, value: Any, trace: TracebackType | None) -> None:
        _set(self.previous, state.inference)


class set_grad_enabled(ContextDecorator):
    """torch.set_grad_enabled: takes effect when called; as a context manager restores it at the end.

    As a decorator, it takes effect only inside the function.
    """

    __module__ = "torch.autograd.grad_mode"

    def __init__(self, mode: bool) -> None:
        check_bool(mode, "set_grad_enabled")
        self.previous = state.grad_enabled
        self.mode = mode
        _set(mode, state.inference)

    def __repr__(self) -> str:
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"

    def clone(self) -> set_grad_enabled:
        return type(self)(self.mode)

    def __call__(self, function: Any) -> Any:
        _set(self.previous, state.inference)
        return super().__call__(function)

    def __enter__(self) -> None:
        _set(self.mode, state.inference)

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: TracebackType | None) -> None:
        _set(self.previous, state.inference)


class inference_mode(ContextDecorator):
    """torch.inference_mode: nothing is recorded; tensors created inside are inference tensors, which cannot be saved."""

    __module__ = "torch.autograd.grad_mode"
    previous: tuple[bool, bool]

    def __new__(cls, mode: Any = True) -> Any:
        instance = super().__new__(cls)
        if isinstance(mode, bool):
            return instance
        instance.mode = True
        return instance(mode)

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode

    def clone(self) -> inference_mode:
        return type(self)(self.mode)

    def __enter__(self) -> None:
        self.previous = (state.grad_enabled, state.inference)
        _set(not self.mode, self.mode)

    def __exit__(self, kind: Any, value: Any, trace: TracebackType | None) -> None:
        _set(*self.previous)


def check_bool(value: Any, function: str, argument: str = "enabled", position: int = 1) -> None:
    """Check that an argument is a bool.

    Raises:
        TypeError: another type; with torch's message for this argument of the function.
    """
    if not isinstance(value, bool):
        raise wrong_type(function, argument, "bool", value, position)


def is_grad_enabled() -> bool:
    """torch.is_grad_enabled."""
    return state.grad_enabled


def is_inference_mode_enabled() -> bool:
    """torch.is_inference_mode_enabled."""
    return state.inference


class detect_anomaly:
    """torch.autograd.detect_anomaly: an error in backward warns with the traceback of the forward call."""

    __module__ = "torch.autograd.anomaly_mode"

    def __init__(self, check_nan: bool = True) -> None:
        self.previous = (state.anomaly, state.anomaly_check_nan)
        self.check_nan = check_nan
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be "
            "enabled for debugging.",
            stacklevel=2,
        )

    def __enter__(self) -> None:
        set_anomaly_enabled(True, self.check_nan)

    def __exit__(self, kind: Any, value: Any, trace: TracebackType | None) -> None:
        state.anomaly, state.anomaly_check_nan = self.previous


class set_detect_anomaly:
    """torch.autograd.set_detect_anomaly: takes effect when called; as a context manager restores it at the end."""

    __module__ = "torch.autograd.anomaly_mode"

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.previous = (state.anomaly, state.anomaly_check_nan)
        set_anomaly_enabled(mode, check_nan)

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, value: Any, trace: TracebackType | None) -> None:
        state.anomaly, state.anomaly_check_nan = self.previous


def set_anomaly_enabled(enabled: bool, check_nan: bool = True) -> None:
    """torch.set_anomaly_enabled.

    Raises:
        TypeError: an argument is not a bool.
    """
    check_bool(enabled, "set_anomaly_enabled")
    check_bool(check_nan, "set_anomaly_enabled", "check_nan", 2)
    state.anomaly, state.anomaly_check_nan = enabled, check_nan


def is_anomaly_enabled() -> bool:
    """torch.is_anomaly_enabled."""
    return state.anomaly


def is_anomaly_check_nan_enabled() -> bool:
    """torch.is_anomaly_check_nan_enabled."""
    return state.anomaly_check_nan
