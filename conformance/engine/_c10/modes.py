"""Per-thread state: grad mode, inference mode, saved-tensor hooks, sequence numbers; and anomaly mode, of all threads."""

from __future__ import annotations

import functools
import inspect
import itertools
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType, TracebackType
from typing import Any, Literal

import numpy as np

from .errors import wrong_type
from .interpreter_stack import transforms
from .slots import on_first_use

set_autocast_enabled: Callable[[str, bool], None] = on_first_use("set_autocast_enabled")


class Recorder:
    """What recording an operation asks of its thread."""

    __slots__ = ("saved_hooks", "sequence_nrs")

    anomaly = False  # of all threads, as in torch
    anomaly_check_nan = True

    def __init__(self) -> None:
        self.saved_hooks: tuple[tuple[Callable[..., Any], Callable[..., Any]], ...] = ()
        self.sequence_nrs = itertools.count()


class State(threading.local):
    """What torch keeps in thread-local storage.

    ``recording`` answers all that is asked on the hot path, since each read of a thread's own attribute costs a
    tenth of a small operation: the thread's recorder where grad mode is on, False where it is off, None in
    inference mode.
    Note [Floating point warnings]: torch computes inf and nan silently. numpy warns, and switching that off
    for each operation costs more than the operation; it is switched off once for each thread, here.
    """

    grad_enabled = True
    inference = False
    forward_grad = True  # whether forward-mode AD is on
    saved_hooks_disabled: str | None = None
    before_mutation: Callable[[Any], None] | None = None  # set by allow_mutation_on_saved_tensors
    evaluating: Any = None  # the node now running backward (anomaly mode names it as parent)
    unpacked: dict[Any, Any] | None = None  # by hooks, for the node that runs for each example of a batch
    graph_task: Any = None  # the backward pass now running in this thread
    nesting = 0  # how many backward passes run inside one another
    multithreading = True
    layout_enforced = True  # whether a first gradient is laid out as its leaf
    view_replay = False  # whether views know how to be taken anew
    unoverridable = False  # whether neither subclasses nor modes are asked
    function_modes: tuple[Any, ...] = ()  # the TorchFunctionModes in force, the innermost last
    default_device: Any = None  # the DeviceContext that set_default_device has begun
    pending: Any = None  # the operation that a TorchDispatchMode is asked about
    dispatch_modes: tuple[Any, ...] = ()  # the TorchDispatchModes in force, the innermost last
    suspended_dispatch_modes: tuple[Any, ...] | None = (
        None  # the modes that have given the result of the row that runs, if one does
    )
    dispatching = True  # whether subclasses of Tensor are asked what operations below autograd give
    below_autograd = False  # whether a kernel runs, which nothing is recorded of whatever the grad mode
    overriding = True  # whether subclasses of Tensor are asked what torch's functions do
    checkpoint_valid = True  # no backward pass with inputs is running
    graph_exec_group: Any = None  # the GraphExecGroup of checkpoint
    trace: Any = None  # what a profile records of this thread
    autocast: frozenset[str] = frozenset()  # the types of devices for which it is on
    autocast_dtypes: Mapping[str, Any] = MappingProxyType({})  # the lower precisions, where they were set
    autocast_cache = True  # whether copies of parameters are kept
    autocast_nesting = 0  # how many of its contexts run inside one another

    def __init__(self) -> None:
        self.recorder = Recorder()
        self.recording: Recorder | Literal[False] | None = self.recorder
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
    """What a program may switch in this thread without a context that switches it back.

    Note [Each node begins as the pass]: torch gives every node the thread-local state with which its pass began, so
    that a hook or a backward that leaves grad mode, autocast or hooks for saved tensors otherwise changes neither the
    nodes that follow nor what comes after the pass. Only Python can change it: what was found before the program's
    code ran inside a pass for the first time is put back whenever it has.
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
    """Put back what ``thread_locals`` found."""
    if found is None or found == thread_locals():
        return
    modes, state.forward_grad, state.saved_hooks, state.saved_hooks_disabled, autocast = found[:5]
    _set(*modes)
    for device_type in autocast ^ state.autocast:
        set_autocast_enabled(device_type, device_type in autocast)
    state.autocast_dtypes = found[5]


@contextmanager
def below_autograd() -> Iterator[None]:
    """Inside, nothing is recorded and no tangent computed, while grad mode is what it is (torch: AutoDispatchBelowAutograd)."""
    before = state.below_autograd, state.forward_grad
    state.below_autograd, state.forward_grad = True, False
    transforms.begin()  # see Note [Writes inside kernels]
    _set(state.grad_enabled, state.inference)
    try:
        yield
    finally:
        transforms.end()
        state.below_autograd, state.forward_grad = before
        _set(state.grad_enabled, state.inference)


class without_dispatch_modes:
    """Inside, no TorchDispatchMode sees anything; gives those outside, the outermost first."""

    def __enter__(self) -> tuple[Any, ...]:
        self.before, state.dispatch_modes = state.dispatch_modes, ()
        return self.before

    def __exit__(self, *error: object) -> None:
        state.dispatch_modes = self.before


class ContextDecorator:
    """A context manager that also decorates functions and generators (torch.utils._contextlib)."""

    def clone(self) -> ContextDecorator:
        """A fresh one for each call of a decorated function."""
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
        """The mode holds while the generator's body runs, not while it is suspended."""

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
                        with self.clone():  # as torch throws it, of which Python warns from 3.12 on
                            response = generator.throw(*sys.exc_info())
                    else:
                        with self.clone():
                            response = generator.send(request)
            except StopIteration as stop:
                return stop.value

        return decorated


class _set_fwd_grad_enabled(ContextDecorator):
    """Switches forward mode on or off at once; as a context it restores."""

    __module__ = "torch.autograd.forward_ad"

    def __init__(self, mode: bool) -> None:
        self.previous, self.mode = state.forward_grad, mode
        state.forward_grad = mode

    def clone(self) -> _set_fwd_grad_enabled:
        return type(self)(self.mode)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *args: object) -> None:
        state.forward_grad = self.previous


class _NoParameter(ContextDecorator):
    """torch's modes without parameter may decorate with or without parentheses."""

    def __new__(cls, function: Any = None) -> Any:
        instance = super().__new__(cls)
        return instance if function is None else instance(function)

    def __init__(self) -> None:
        self.previous = False


class no_grad(_NoParameter):
    """torch.no_grad: nothing is recorded inside."""

    __module__ = "torch.autograd.grad_mode"

    def __enter__(self) -> None:
        self.previous = state.grad_enabled
        _set(False, state.inference)

    def __exit__(self, kind: Any, value: Any, trace: TracebackType | None) -> None:
        _set(self.previous, state.inference)


class enable_grad(_NoParameter):
    """torch.enable_grad: recording is on inside, unless in inference mode."""

    __module__ = "torch.autograd.grad_mode"

    def __enter__(self) -> None:
        self.previous = state.grad_enabled
        _set(True, state.inference)

    def __exit__(self, kind: Any, value: Any, trace: TracebackType | None) -> None:
        _set(self.previous, state.inference)


class set_grad_enabled(ContextDecorator):
    """torch.set_grad_enabled: takes effect when called; as a context it restores, as a decorator it waits."""

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
    """torch.inference_mode: no recording, and the tensors made inside stay out of autograd for good."""

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
    """Refuse what is no bool.

    Raises:
        TypeError: as torch words it for the argument of this function.
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
    """torch.autograd.detect_anomaly: errors of backward come with the traceback of the forward call."""

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
    """torch.autograd.set_detect_anomaly: switches at once; as a context manager it restores."""

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
        TypeError: for anything but bools.
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
