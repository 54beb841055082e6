"""What is recorded of a thread while it is profiled (torch: ATen/record_function.h, profiler_kineto.cpp).

Note [What a profile shows]: what the program itself calls. An operation has the dispatcher's name, ``aten::mul``, once for
each call, with the number that the node has which it makes first; a Function has its own. A backward pass shows each
node in two events, with its hooks (``autograd::engine::evaluate_function: MulBackward0``) and without
(``MulBackward0``), in which there is what a Function's backward calls. Sections are those that the program names, and those
that torch's optimizers and data loaders name. Left out is what torch's operations call inside themselves, as ``aten::t``
in ``aten::linear``, and what its nodes and optimizers call: the engine's are made of other parts. So are memory, stacks and
other threads.

While a thread is profiled operations pass doors, as for transforms; see Note [Transforms cost nothing until one is in
force].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from time import perf_counter_ns
from types import FunctionType
from typing import Any

from .modes import state
from .tensor import Tensor
from .transforms import Doors, transforms

BACKWARD_FUNCTION, USER_SCOPE = 1, 7  # of nodes, and of sections (torch: at::RecordScope)


@dataclass(eq=False)
class Event:
    """One call, with times in nanoseconds since the trace began; see FunctionEvent."""

    name: str
    start: int
    end: int = 0
    scope: int = 0
    sequence_nr: int = -1
    forward_thread: int = 0
    shapes: Any = ()
    is_annotation: bool = False


class Trace:
    """What a thread runs from ``start`` to ``stop``.

    ``seen`` tells whether it runs code of the program's own.
    """

    def __init__(self, record_shapes: bool) -> None:
        self.events: list[Event] = []
        self.record_shapes, self.seen = record_shapes, True
        self._began = self._last = 0

    def start(self) -> None:
        """Record what this thread runs from here on."""
        self._began = perf_counter_ns()
        _operations.close()
        state.trace = self

    def stop(self) -> None:
        """No longer."""
        if state.trace is self:
            state.trace = None
        _operations.open()
        for event in self.events:
            if not event.end:
                self.end(event)

    def _now(self) -> int:
        """The time, which is another whenever it is asked: so it is known what ran inside of what."""
        self._last = max(self._last + 1, perf_counter_ns() - self._began)
        return self._last

    def begin(self, name: str, **told: Any) -> Event:
        """An event that begins now."""
        event = Event(name, self._now(), **{"shapes": [], **told})
        self.events.append(event)
        return event

    def end(self, event: Event) -> None:
        """It ends now."""
        event.end = self._now()

    @contextmanager
    def event(self, name: str, seen: bool, **told: Any) -> Iterator[None]:
        """An event around what runs inside, which is seen or not."""
        event = self.begin(name, **told)
        outer, self.seen = self.seen, seen
        try:
            yield
        finally:
            self.seen = outer
            self.end(event)

    def section(self, name: str) -> AbstractContextManager[None]:
        """A named part of what the thread runs."""
        return self.event(name, self.seen, scope=USER_SCOPE, is_annotation=True)

    def operation(
        self, name: str, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Call an operation, as one event."""
        tensors = any(isinstance(each, Tensor) for each in _flat((args, kwargs.values())))
        shapes = list(map(_shape, args)) if self.record_shapes else []
        with self.event(
            name, False, sequence_nr=next_sequence_nr() if tensors and state.recording else -1, shapes=shapes
        ):
            return call(*args, **kwargs)


def next_sequence_nr() -> int:
    """The number of the node that this thread makes next."""
    return int(repr(state.recorder.sequence_nrs)[len("count(") : -1])


def _flat(values: Any) -> Iterator[Any]:
    for each in values:
        if isinstance(each, (tuple, list)):
            yield from each
        else:
            yield each


def _shape(argument: Any) -> list[int]:
    return list(argument.shape) if isinstance(argument, Tensor) else []


# Operations ---------------------------------------------------------------------------------------

# What has no event of its own: it asks no dispatcher, or calls operations as torch does.
_UNSEEN = frozenset(
    """
    __getitem__ __setitem__ size
    """.split()
)
_NAMES: dict[str, str] = {}  # events by functions of another name, one after the other


def event_names(name: str) -> list[str]:
    """The events of a function or row: its operation's, or those of what it calls one after the other."""
    return [f"aten::{each}" for each in _NAMES.get(name, name).split()]


def of_row(row: Any, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], end: str = "") -> Any:
    """Call a row as what the trace shows of it."""
    from .dispatch import base_name

    return _seen(event_names(base_name(row.name) + end), call, args, kwargs)


def _seen(
    names: list[str], call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    trace = state.trace
    *before, last = names
    for name in before:
        trace.operation(name, lambda *given, **named: None, args, kwargs)
    return trace.operation(last, call, args, kwargs)


def _ask(names: list[str], made: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    trace = state.trace
    if trace is None or not trace.seen:
        return made(*args, **kwargs)
    return _seen(names, made, args, kwargs)


class _Operations(Doors):
    """What events are of, found when the first trace starts; several threads may be traced."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def close(self) -> None:
        """Let it ask whether the thread is traced."""
        transforms.begin(carrying=False)
        with self.lock:
            if not self.codes:
                self._find()
            self.count += 1
            if self.count == 1:
                super().close()

    def open(self) -> None:
        """One trace of several has stopped."""
        transforms.end(carrying=False)
        with self.lock:
            self.count -= 1
            if not self.count:
                super().open()

    def _find(self) -> None:
        from . import creation, execution, fft, forward, ranges  # noqa: F401  forward, which the doors of rows lead to
        from .autograd import function
        from .func.composites import composed

        for (name, _), each in dict(composed()).items():
            if name not in _UNSEEN and each not in self.codes:
                self.guard(each, partial(_ask, event_names(name)), outer=True)
        for module, names in (
            (creation, "eye full empty_permuted empty_strided scalar_tensor ones zeros empty"),
            (ranges, "arange linspace logspace range"),
        ):
            for name in names.split():
                each = getattr(module, name)
                while hasattr(each, "__wrapped__"):
                    each = each.__wrapped__
                self.guard(each, partial(_ask, event_names(name)), outer=True)
        for name, each in vars(fft).items():
            if name in fft.__all__ and isinstance(each, FunctionType):
                self.guard(each, partial(_ask, event_names(f"fft_{name}")), outer=True)
        self.guard(execution.ones_like_root, partial(_ask, ["aten::ones_like"]))
        self.guard(execution._evaluate, _evaluating)
        self.guard(execution._applied, _applying)
        self.guard(function._apply, _calling)


_operations = _Operations()


# Nodes, and functions of the program's own --------------------------------------------------------


def _evaluating(made: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    trace = state.trace
    if trace is None:
        return made(*args, **kwargs)
    name, told = _told(args[0])
    with trace.event(f"autograd::engine::evaluate_function: {name}", True, **told):
        return made(*args, **kwargs)


def _applying(made: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    trace = state.trace
    if trace is None or not trace.seen:
        return made(*args, **kwargs)
    node, inputs = args
    name, told = _told(node)
    shapes = list(map(_shape, inputs)) if trace.record_shapes else []
    with trace.event(name, hasattr(node, "_forward_cls"), scope=BACKWARD_FUNCTION, shapes=shapes, **told):
        return made(*args, **kwargs)


def _told(node: Any) -> tuple[str, dict[str, int]]:
    """A node's name and number; an AccumulateGrad has no number, and no thread that made it."""
    from .node import AccumulateGrad

    if isinstance(node, AccumulateGrad):
        return "torch::autograd::AccumulateGrad", {}
    return node.name(), {"sequence_nr": node.sequence_nr, "forward_thread": 1}


def _calling(made: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    trace = state.trace
    if trace is None or not trace.seen:
        return made(*args, **kwargs)
    shapes = list(map(_shape, args[1])) if trace.record_shapes else []
    with trace.event(args[0].__name__, True, sequence_nr=next_sequence_nr(), shapes=shapes):
        return made(*args, **kwargs)
