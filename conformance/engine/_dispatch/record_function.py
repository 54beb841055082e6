"""What is recorded of a thread while it is profiled (torch: ATen/record_function.h, profiler_kineto.cpp).

Note [What a profile shows]: what the program itself calls. An operation has the dispatcher's name, ``aten::mul``, once for
each call, with the number that the node has which it makes first; a Function has its own. A backward pass shows each
node in two events, with its hooks (``autograd::engine::evaluate_function: MulBackward0``) and without
(``MulBackward0``), in which there is what a Function's backward calls. Sections are those that the program names, and those
that torch's optimizers and data loaders name. Left out is what torch's operations call inside themselves, as ``aten::t``
in ``aten::linear``, and what its nodes and optimizers call: the engine's are made of other parts. So are memory, stacks and
other threads.

While a thread is profiled operations pass through stubs, as for transforms; see Note [Transforms cost nothing until one is in
force].
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any

from .._arguments.overloads import opname
from .._aten.registry import bind
from .._autograd.node import AccumulateGrad, GraphRoot
from .._autograd.tensor import Tensor
from .._c10.interpreter_stack import CompositeWrappers, SharedCompositeWrappers
from .._c10.modes import state
from .._c10.slots import on_first_use

wrap_traced: Callable[[CompositeWrappers], None] = on_first_use("wrap_traced")  # see Note [Slots]

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
    is_async: bool = False


class Trace:
    """What a thread runs from ``start`` to ``stop``.

    ``seen`` tells whether it runs code of the program's own.
    """

    def __init__(self, record_shapes: bool) -> None:
        self.events: list[Event] = []
        self.record_shapes, self.seen, self.running = record_shapes, True, False
        self.node: Any = None  # of a backward pass, which runs
        self._began = self._last = 0

    def start(self) -> None:
        """Record what this thread runs from here on."""
        _operations.install()
        self._began = perf_counter_ns()
        self.running, state.trace = True, self

    def stop(self) -> None:
        """No longer; it may have stopped before."""
        if state.trace is self:
            state.trace = None
        if not self.running:
            return
        self.running = False
        _operations.remove()
        for event in self.events:
            if not event.end:
                self.end(event)
                event.is_async = True  # as what ends in another thread

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
        """It ends now, unless the trace has stopped before."""
        event.end = event.end or self._now()

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
        return self.event(name, True, scope=USER_SCOPE, is_annotation=True)

    @contextmanager
    def operation(self, name: str, arguments: Sequence[Any], seen: bool = False) -> Iterator[None]:
        """An event around an operation, inside which things are seen if it is one of the program's own."""
        recorded = state.recording and any(isinstance(each, Tensor) for each in _flat(arguments))
        number = next_sequence_nr() if recorded else -1
        with self.event(name, seen, sequence_nr=number, shapes=self.shapes(arguments)):
            yield

    def shapes(self, arguments: Iterable[Any]) -> list[list[int]]:
        """The sizes of what is a tensor, if they are wanted."""
        if not self.record_shapes:
            return []
        return [list(each.shape) if isinstance(each, Tensor) else [] for each in arguments]


def next_sequence_nr() -> int:
    """The number of the node that this thread makes next."""
    return int(repr(state.recorder.sequence_nrs)[len("count(") : -1])


def _flat(values: Any) -> Iterator[Any]:
    for each in values:
        if isinstance(each, (tuple, list)):
            yield from each
        else:
            yield each


# Operations ---------------------------------------------------------------------------------------

# Functions without an event of their own: they ask no dispatcher, or torch's call operations as these do.
UNSEEN = """
    __getitem__ __setitem__ affine_grid all_refusing apply_ assigned broadcast_shapes clamped data_ptr dense_dim dim
    element_size exact_product gaussian_nll_loss get_device get_rng_state given half_opposed initial_seed interpolate is_coalesced
    is_complex is_conj is_contiguous is_floating_point is_inference is_neg is_pinned is_same_size is_set_to is_signed
    log_add_exp look_up manual_seed map_ mat2_grad multi_head_attention_forward multilabel_soft_margin_loss ndimension
    nelement new new_tensor normalize numel numpy parse_to real_part renaming seed set_rng_state size sparse_dim storage
    storage_offset stride svd_lowrank taking_numpy_names tolist triplet_margin_with_distance_loss type untyped_storage
    upsample warn_of_lost_part without_leading_ones
    """
CASTS = "bfloat16 bool byte cdouble cfloat char double float half int long short type_as"
# Events by what has others than its own name: those of what torch calls one after the other.
_NAMES = {
    **dict.fromkeys(CASTS.split(), "to"),
    **dict.fromkeys(("dropout1d", "dropout2d", "dropout3d"), "feature_dropout"),
    **{name: f"broadcast_tensors {name}" for name in ("huber_loss", "l1_loss", "mse_loss", "smooth_l1_loss")},
    "as_subclass": "alias",
    "cross_entropy": "cross_entropy_loss",
    "grid_sample": "grid_sampler",
    "logsigmoid": "log_sigmoid",
    "nll_loss": "nll_loss_nd",
    "norm": "linalg_vector_norm",
    "softmin": "neg softmax",
    "softsign": "abs add div",
    "tanhshrink": "tanh sub",
    "tensor": "empty to lift_fresh detach_",
}

PROPERTIES = {"T": "numpy_T", "mT": "mT", "H": "matrix_H", "mH": "mH", "real": "real", "imag": "imag"}
CONVERSIONS = {
    "__bool__": "is_nonzero",
    **dict.fromkeys(("__complex__", "__float__", "__index__", "__int__"), "item"),
}


def event_names(name: str) -> list[str]:
    """The events of a function or row: its operation's, or those of what it calls one after the other."""
    return [f"aten::{each}" for each in _NAMES.get(name, name).split()]


def of_row(
    row: Any, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], end: str = ""
) -> Any:
    """Call a row as what the trace shows of it."""
    names = event_names(opname(row.name) + end)
    return _seen(names, call, args, kwargs, bind(row, args, kwargs).values())


def _seen(
    names: list[str],
    call: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    arguments: Iterable[Any],
) -> Any:
    trace = state.trace
    for name in names[:-1]:
        with trace.operation(name, ()):
            pass
    with trace.operation(names[-1], [*arguments]):
        return call(*args, **kwargs)


def _ask(names: list[str], made: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    trace = state.trace
    if trace is None or not trace.seen:
        return made(*args, **kwargs)
    given = [*args, *kwargs.values()]
    if names == ["aten::contiguous"] and args[0].is_contiguous(*args[1:], **kwargs):
        return made(*args, **kwargs)  # which Python answers
    while given and not isinstance(given[-1], (Tensor, list, tuple)):
        given.pop()  # torch counts what its schema has, and this engine may have others
    return _seen(names, made, args, kwargs, given)


def _recurring(made: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return _ask([f"aten::{args[0].lower()}"], made, args, kwargs)


class _Operations(SharedCompositeWrappers):
    """What events are of."""

    def find(self) -> None:
        """Let it ask whether the thread is traced."""
        wrap_traced(self)


_operations = _Operations()


# Nodes, and functions of the program's own --------------------------------------------------------

_EVALUATE = "autograd::engine::evaluate_function: "


def _seeing(seen: bool, made: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    trace = state.trace
    if trace is None:
        return made(*args, **kwargs)
    outer, trace.seen = trace.seen, seen
    try:
        return made(*args, **kwargs)
    finally:
        trace.seen = outer


def _capturing(made: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Keep a node's gradient: an event, unless the node runs as well and has one itself."""
    runs, trace = made(*args, **kwargs), state.trace
    if trace is not None and not runs:
        name, told = _told(args[1])
        trace.end(trace.begin(f"{_EVALUATE}{name}", **told))
    return runs


def _evaluating(made: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    trace = state.trace
    if trace is None:
        return made(*args, **kwargs)
    name, told = _told(args[0])
    with trace.event(f"{_EVALUATE}{name}", False, **told):
        return made(*args, **kwargs)


def _applying(made: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    trace = state.trace
    node, inputs = args
    if trace is None or trace.node is node:  # which runs for one example of several
        return made(*args, **kwargs)
    name, told = _told(node)
    outer, trace.node = trace.node, node
    try:
        with trace.event(
            name, _is_programmed(node), scope=BACKWARD_FUNCTION, shapes=trace.shapes(inputs), **told
        ):
            return made(*args, **kwargs)
    finally:
        trace.node = outer


def _is_programmed(node: Any) -> bool:
    """Whether a node runs code of the program's own: a Function, or hooks after accumulation."""
    return hasattr(node, "_forward_cls") or bool(
        getattr(getattr(node, "variable", None), "_post_accumulate_hooks", ())
    )


def _told(node: Any) -> tuple[str, dict[str, int]]:
    """A node's name and number; those that no operation made have none, and no thread."""
    if isinstance(node, (AccumulateGrad, GraphRoot)):
        return f"torch::autograd::{type(node).__name__}", {}
    return node.name(), {"sequence_nr": node.sequence_nr, "forward_thread": 1}


def _calling(made: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    trace = state.trace
    if trace is None or not trace.seen:
        return made(*args, **kwargs)
    with trace.event(args[0].__name__, True, sequence_nr=next_sequence_nr(), shapes=trace.shapes(args[1])):
        return made(*args, **kwargs)


def _dispatching(made: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    trace = state.trace
    if trace is None or not trace.seen:
        return made(*args, **kwargs)
    op, given, named = args
    with trace.operation(f"{op.namespace}::{op._opname}", [*given, *named.values()], True):
        return made(*args, **kwargs)
