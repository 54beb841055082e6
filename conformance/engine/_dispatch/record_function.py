"""The events recorded while a thread is profiled (torch: ATen/record_function.h, profiler_kineto.cpp).

Note [What a profile shows]: the calls that the program itself makes. An operation has one event for each call, named as
in the dispatcher (``aten::mul``), with the sequence number of the first node that it makes; a Function has its own name.
A backward pass has two events for each node: one with its hooks (``autograd::engine::evaluate_function: MulBackward0``) and
inside it one without (``MulBackward0``), which contains the events of a Function's backward. User scopes are those that the
program names with ``record_function`` and those that torch's optimizers and data loaders name. A profile does not contain
the calls that torch's operations make internally, such as ``aten::t`` in ``aten::linear``, nor those of its nodes and
optimizers, since the engine composes them differently; nor does it contain memory, stacks or other threads.

While a thread is profiled, operations pass through stubs, as they do for transforms; see Note
[Transforms cost nothing until one is in force].
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

BACKWARD_FUNCTION, USER_SCOPE = 1, 7  # torch: at::RecordScope


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
    """The events of a thread between ``start`` and ``stop``.

    ``in_user_code`` is true while the thread runs the program's own code, whose calls are recorded.
    """

    def __init__(self, record_shapes: bool) -> None:
        self.events: list[Event] = []
        self.record_shapes, self.in_user_code, self.running = record_shapes, True, False
        self.node: Any = None  # the node that a backward pass is running
        self._began = self._last = 0

    def start(self) -> None:
        """Begin to record events of this thread."""
        _composite_wrappers.install()
        self._began = perf_counter_ns()
        self.running, state.trace = True, self

    def stop(self) -> None:
        """End the recording; a second call does nothing."""
        if state.trace is self:
            state.trace = None
        if not self.running:
            return
        self.running = False
        _composite_wrappers.remove()
        for event in self.events:
            if not event.end:
                self.end(event)
                event.is_async = True  # like an event that ends in another thread

    def _now(self) -> int:
        """The time in nanoseconds, which strictly increases, so that the nesting of events is unambiguous."""
        self._last = max(self._last + 1, perf_counter_ns() - self._began)
        return self._last

    def begin(self, name: str, **fields: Any) -> Event:
        """Begin an event."""
        event = Event(name, self._now(), **{"shapes": [], **fields})
        self.events.append(event)
        return event

    def end(self, event: Event) -> None:
        """End an event, unless the trace has ended it when it stopped."""
        event.end = event.end or self._now()

    @contextmanager
    def event(self, name: str, in_user_code: bool, **fields: Any) -> Iterator[None]:
        """An event around the block; ``in_user_code`` says whether calls inside are recorded."""
        event = self.begin(name, **fields)
        outer, self.in_user_code = self.in_user_code, in_user_code
        try:
            yield
        finally:
            self.in_user_code = outer
            self.end(event)

    def user_scope(self, name: str) -> AbstractContextManager[None]:
        """The event of a ``record_function`` block."""
        return self.event(name, True, scope=USER_SCOPE, is_annotation=True)

    @contextmanager
    def operation(self, name: str, arguments: Sequence[Any], in_user_code: bool = False) -> Iterator[None]:
        """An event around an operation; ``in_user_code`` is true for a custom operator, whose calls are recorded."""
        recorded = state.recording and any(isinstance(each, Tensor) for each in _flat(arguments))
        number = next_sequence_nr() if recorded else -1
        with self.event(name, in_user_code, sequence_nr=number, shapes=self.shapes(arguments)):
            yield

    def shapes(self, arguments: Iterable[Any]) -> list[list[int]]:
        """The sizes of the tensors among the arguments, if ``record_shapes`` is set."""
        if not self.record_shapes:
            return []
        return [list(each.shape) if isinstance(each, Tensor) else [] for each in arguments]


def next_sequence_nr() -> int:
    """The sequence number that this thread's next node gets."""
    return int(repr(state.recorder.sequence_nrs)[len("count(") : -1])


def _flat(values: Any) -> Iterator[Any]:
    for each in values:
        if isinstance(each, (tuple, list)):
            yield from each
        else:
            yield each


# Operations ---------------------------------------------------------------------------------------

# Functions without an event of their own: torch does not dispatch them, or composes them of operations as the engine does.
WITHOUT_EVENT = """
    __getitem__ __setitem__ affine_grid all_refusing apply_ assigned broadcast_shapes clamped data_ptr dense_dim dim
    element_size exact_product gaussian_nll_loss get_device get_rng_state given half_opposed initial_seed interpolate is_coalesced
    is_complex is_conj is_contiguous is_floating_point is_inference is_neg is_pinned is_same_size is_set_to is_signed
    log_add_exp look_up manual_seed map_ mat2_grad multi_head_attention_forward multilabel_soft_margin_loss ndimension
    nelement new new_tensor normalize numel numpy parse_to real_part renaming seed set_rng_state size sparse_dim storage
    storage_offset stride svd_lowrank taking_numpy_names tolist triplet_margin_with_distance_loss type untyped_storage
    upsample warn_of_lost_part without_leading_ones
    """
CASTS = "bfloat16 bool byte cdouble cfloat char double float half int long short type_as"
# The events of functions whose own name is not the event's: the operations that torch calls one after the other.
_EVENT_NAMES = {
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
    """The names of the events of an operation: usually its own, or those of the operations that torch calls in turn."""
    return [f"aten::{each}" for each in _EVENT_NAMES.get(name, name).split()]


def record_operator(
    row: Any, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], end: str = ""
) -> Any:
    """Call an operator of the registry inside its events."""
    names = event_names(opname(row.name) + end)
    return _record(names, call, args, kwargs, bind(row, args, kwargs).values())


def _record(
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


def record_function_call(
    names: list[str], wrapped: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    trace = state.trace
    if trace is None or not trace.in_user_code:
        return wrapped(*args, **kwargs)
    arguments = [*args, *kwargs.values()]
    if names == ["aten::contiguous"] and args[0].is_contiguous(*args[1:], **kwargs):
        return wrapped(*args, **kwargs)  # torch returns the tensor without a dispatch
    while arguments and not isinstance(arguments[-1], (Tensor, list, tuple)):
        arguments.pop()  # torch counts the arguments of its schema; trailing ones here may differ
    return _record(names, wrapped, args, kwargs, arguments)


def record_rnn(wrapped: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return record_function_call([f"aten::{args[0].lower()}"], wrapped, args, kwargs)


class _CompositeWrappers(SharedCompositeWrappers):
    """The dispatch wrappers that record events of composite functions and of the backward pass."""

    def find(self) -> None:
        """Wrap them in a check whether the thread is profiled."""
        wrap_traced(self)


_composite_wrappers = _CompositeWrappers()


# Nodes, custom Functions and custom operators -----------------------------------------------------

_EVALUATE = "autograd::engine::evaluate_function: "


def set_in_user_code(
    in_user_code: bool, wrapped: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    trace = state.trace
    if trace is None:
        return wrapped(*args, **kwargs)
    outer, trace.in_user_code = trace.in_user_code, in_user_code
    try:
        return wrapped(*args, **kwargs)
    finally:
        trace.in_user_code = outer


def record_capture(wrapped: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Capture a node's gradient for autograd.grad: an event, unless the node also runs and then has its own."""
    runs, trace = wrapped(*args, **kwargs), state.trace
    if trace is not None and not runs:
        name, fields = _name_and_fields(args[1])
        trace.end(trace.begin(f"{_EVALUATE}{name}", **fields))
    return runs


def record_evaluate_function(
    wrapped: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    trace = state.trace
    if trace is None:
        return wrapped(*args, **kwargs)
    name, fields = _name_and_fields(args[0])
    with trace.event(f"{_EVALUATE}{name}", False, **fields):
        return wrapped(*args, **kwargs)


def record_apply(wrapped: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    trace = state.trace
    node, inputs = args
    if trace is None or trace.node is node:  # the node runs once per sample, inside its event
        return wrapped(*args, **kwargs)
    name, fields = _name_and_fields(node)
    outer, trace.node = trace.node, node
    try:
        with trace.event(
            name, _runs_user_code(node), scope=BACKWARD_FUNCTION, shapes=trace.shapes(inputs), **fields
        ):
            return wrapped(*args, **kwargs)
    finally:
        trace.node = outer


def _runs_user_code(node: Any) -> bool:
    """Whether a node runs the program's code: a custom Function's backward, or post-accumulate-grad hooks."""
    return hasattr(node, "_forward_cls") or bool(
        getattr(getattr(node, "variable", None), "_post_accumulate_hooks", ())
    )


def _name_and_fields(node: Any) -> tuple[str, dict[str, int]]:
    """A node's name with its sequence number and forward thread, which AccumulateGrad and GraphRoot do not have."""
    if isinstance(node, (AccumulateGrad, GraphRoot)):
        return f"torch::autograd::{type(node).__name__}", {}
    return node.name(), {"sequence_nr": node.sequence_nr, "forward_thread": 1}


def record_custom_function(wrapped: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    trace = state.trace
    if trace is None or not trace.in_user_code:
        return wrapped(*args, **kwargs)
    with trace.event(args[0].__name__, True, sequence_nr=next_sequence_nr(), shapes=trace.shapes(args[1])):
        return wrapped(*args, **kwargs)


def record_custom_operator(wrapped: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    trace = state.trace
    if trace is None or not trace.in_user_code:
        return wrapped(*args, **kwargs)
    op, arguments, named = args
    with trace.operation(f"{op.namespace}::{op._opname}", [*arguments, *named.values()], True):
        return wrapped(*args, **kwargs)
