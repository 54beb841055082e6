"""torch.utils.checkpoint: saved tensors are dropped in forward and recomputed when backward needs them."""

from __future__ import annotations

import contextlib
import uuid
import warnings
import weakref
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

from .. import autograd
from .._arguments.absent_names import look_up
from .._aten.random import random as _random
from .._autograd.custom_function import Function
from .._autograd.saved_variable import SavedTensor, save
from .._autograd.tensor import Tensor
from .._c10.modes import enable_grad, state
from .._dispatch.autocast import get_autocast_dtype, is_autocast_cache_enabled, is_autocast_enabled
from ..amp.autocast_mode import autocast
from ..autograd.graph import _current_graph_task_id, saved_tensors_hooks
from . import _checkpoint_errors
from ._checkpoint_log import Log
from ._selective_checkpoint import (
    SAC_IGNORED_OPS,
    CheckpointPolicy,
    SelectiveCheckpointContext,
    _CachedTorchDispatchMode,
    _CachingTorchDispatchMode,
    create_selective_checkpoint_contexts,
)

__all__ = [
    "SAC_IGNORED_OPS",
    "CheckpointError",
    "CheckpointFunction",
    "CheckpointPolicy",
    "GraphExecGroup",
    "SelectiveCheckpointContext",
    "_CachedTorchDispatchMode",
    "_CachingTorchDispatchMode",
    "check_backward_validity",
    "checkpoint",
    "checkpoint_sequential",
    "create_selective_checkpoint_contexts",
    "detach_variable",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
]

Contexts = Callable[[], tuple[Any, Any]]


def noop_context_fn() -> tuple[Any, Any]:
    """The default ``context_fn``: no context around forward or recomputation."""
    return contextlib.nullcontext(), contextlib.nullcontext()


def _get_autocast_kwargs() -> dict[str, Any]:
    """The current autocast settings of the CPU, which the recomputation restores."""
    return {
        "device_type": "cpu",
        "enabled": is_autocast_enabled("cpu"),
        "dtype": get_autocast_dtype("cpu"),
        "cache_enabled": is_autocast_cache_enabled(),
    }


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Contexts = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """Run ``function`` without keeping its saved tensors; backward runs it again.

    Raises:
        ValueError: the arguments are not compatible.
    """
    if use_reentrant is None:
        warnings.warn(_checkpoint_errors.USE_REENTRANT, stacklevel=2)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        if context_fn is not noop_context_fn or debug is not False:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, preserve, *args)
    forward_context, frame = _frame(
        function, preserve, context_fn, determinism_check, debug, early_stop, kwargs
    )
    if not state.grad_enabled:
        return function(*args, **kwargs)
    frame.save_inputs(args)
    finished = False
    with _checkpoint_hook(frame), forward_context:
        result = function(*args, **kwargs)
        finished = True
    if not finished:
        raise RuntimeError(_checkpoint_errors.SUPPRESSED)
    frame.forward_completed = True
    return result


def checkpoint_sequential(
    functions: Any,
    segments: int,
    input: Any,
    use_reentrant: bool | None = None,
    **kwargs: Any,
) -> Any:
    """Run functions in sequence, in segments that are checkpointed except for the last."""
    if use_reentrant is None:
        warnings.warn(_checkpoint_errors.SEQUENTIAL_USE_REENTRANT, stacklevel=2)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if hasattr(functions, "children"):
        functions = list(functions.children())

    def run(part: Sequence[Callable[[Any], Any]]) -> Callable[[Any], Any]:
        def forward(input: Any) -> Any:
            for each in part:
                input = each(input)
            return input

        return forward

    size = len(functions) // segments
    end = 0
    for start in range(0, size * (segments - 1), size):
        end = start + size
        input = checkpoint(
            run(functions[start:end]), input, use_reentrant=use_reentrant, preserve_rng_state=preserve
        )
    return run(functions[end:])(input)


# The reentrant implementation ---------------------------------------------------------------------


def detach_variable(inputs: Any) -> tuple[Any, ...]:
    """Detach the tensors among the inputs; their requires_grad stays the same.

    Raises:
        RuntimeError: the inputs are not a tuple.
    """
    if not isinstance(inputs, tuple):
        raise RuntimeError(
            f"Only tuple of tensors is supported. Got Unsupported input type: {type(inputs).__name__}"
        )
    return tuple(
        each.detach().requires_grad_(each.requires_grad) if isinstance(each, Tensor) else each
        for each in inputs
    )


def check_backward_validity(inputs: Any) -> None:
    """Warn if no input requires grad."""
    if not any(each.requires_grad for each in inputs if isinstance(each, Tensor)):
        warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2)


class CheckpointFunction(Function):
    """The reentrant implementation: backward runs the function again and then a nested backward pass."""

    __module__ = "torch.utils.checkpoint"

    @staticmethod
    def forward(ctx: Any, run_function: Any, preserve_rng_state: bool, *args: Any) -> Any:
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.autocast_kwargs = _get_autocast_kwargs()
        ctx.rng_state = _random.get_rng_state() if preserve_rng_state else None
        ctx.inputs = [None if isinstance(each, Tensor) else each for each in args]
        ctx.tensor_indices = [index for index, each in enumerate(args) if isinstance(each, Tensor)]
        ctx.save_for_backward(*(args[index] for index in ctx.tensor_indices))
        return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *args: Any) -> Any:
        if not state.checkpoint_valid:
            raise RuntimeError(_checkpoint_errors.NOT_BACKWARD)
        inputs = list(ctx.inputs)
        for index, tensor in zip(ctx.tensor_indices, ctx.saved_tensors, strict=True):
            inputs[index] = tensor
        with _random.fork_rng(enabled=ctx.rng_state is not None):
            if ctx.rng_state is not None:
                _random.set_rng_state(ctx.rng_state)
            leaves = detach_variable(tuple(inputs))
            with enable_grad(), autocast(**ctx.autocast_kwargs):
                outputs = ctx.run_function(*leaves)
        if isinstance(outputs, Tensor):
            outputs = (outputs,)
        live = [
            (output, gradient)
            for output, gradient in zip(outputs, args, strict=True)
            if isinstance(output, Tensor) and output.requires_grad
        ]
        if not live:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        autograd.backward([output for output, _ in live], [gradient for _, gradient in live])
        return None, None, *(each.grad if isinstance(each, Tensor) else None for each in leaves)


# With hooks for saved tensors ---------------------------------------------------------------------
# What forward saves is replaced by empty holders. The first holder that backward unpacks makes
# the function run again; the n-th tensor saved then belongs to the n-th holder. Nothing but the function's inputs is
# kept in between. Each backward pass (a "group") recomputes for itself.


class CheckpointError(RuntimeError):
    """The recomputation differs from the forward pass."""

    __module__ = "torch.utils.checkpoint"


class _StopRecomputationError(Exception):
    """Stops the recomputation early, when all saved tensors have been recomputed."""


class _Handle:
    """Keeps one recomputed tensor alive."""


class _Holder:
    """The placeholder of a saved tensor in the graph."""

    def __init__(self) -> None:
        self.handles: dict[Hashable, _Handle | None] = {}


class _CheckpointFrame:
    """One checkpointed call."""

    def __init__(
        self, recompute: Callable[..., None], early_stop: bool, metadata: Callable[[Tensor], Any]
    ) -> None:
        self.recompute = recompute
        self.early_stop = early_stop
        self.metadata = metadata
        self.saved_args: list[Any] = []
        self.weak_holders: list[weakref.ref[_Holder]] = []
        self.metadatas: list[Any] = []
        self.recomputed: dict[Hashable, weakref.WeakKeyDictionary[_Handle, Tensor]] = defaultdict(
            weakref.WeakKeyDictionary
        )
        self.counter: dict[Hashable, int] = defaultdict(int)
        self.is_recomputed: set[Hashable] = set()
        self.log: Log | None = None  # only with debug=True
        self.forward_completed = False
        self.ignore_saved_mismatch = False

    def save_inputs(self, args: tuple[Any, ...]) -> None:
        """Save the function's inputs, as a node does."""
        self.saved_args = [save(each, state.recorder) if isinstance(each, Tensor) else each for each in args]

    def pack(self, tensor: Tensor) -> _Holder:
        """The pack hook: replace a tensor by a holder."""
        holder = _Holder()
        self.weak_holders.append(weakref.ref(holder))
        if self.log is not None:
            self.log.record(tensor, recomputing=False)
        self.metadatas.append(self.metadata(tensor))
        return holder

    def unpack(self, holder: _Holder) -> Tensor:
        """The unpack hook: recompute if necessary, and return the holder's tensor, once."""
        group: Hashable = GraphExecGroup._get_current_group()
        if group is None:
            group = _current_graph_task_id()
            if group == -1:
                group = uuid.uuid4()
        if group not in self.is_recomputed:
            args = [each.unpack() if isinstance(each, SavedTensor) else each for each in self.saved_args]
            hook = _recomputation_hook(weakref.ref(self), group)
            with contextlib.suppress(_StopRecomputationError), hook, enable_grad():
                self.recompute(*args)
            self.is_recomputed.add(group)
            self.check(group)
        _internal_assert(group in holder.handles)
        handle = holder.handles[group]
        if handle is None:
            where = "" if state.graph_exec_group is None else _checkpoint_errors.OVERLAP
            raise CheckpointError(_checkpoint_errors.UNPACKED_TWICE.format(where))
        _internal_assert(handle in self.recomputed[group])
        found = self.recomputed[group][handle]
        holder.handles[group] = None
        return found

    def unpack_with_log(self, holder: _Holder) -> Tensor:
        """unpack, with the log added to an error."""
        assert self.log is not None
        try:
            return self.unpack(holder)
        except CheckpointError as error:
            raise CheckpointError(self.log.text()) from error

    def check(self, group: Hashable) -> None:
        """Compare the recomputed tensors' number and metadata with those of the forward pass."""
        if self.ignore_saved_mismatch:
            return
        if len(self.weak_holders) != self.counter[group]:
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
                f"recomputation.\nNumber of tensors saved during forward: {len(self.weak_holders)}\nNumber of tensors "
                f"saved during recomputation: {self.counter[group]}.\n{_checkpoint_errors.TIP}"
            )
        text = ""
        for index, (reference, before) in enumerate(zip(self.weak_holders, self.metadatas, strict=True)):
            holder = reference()
            if holder is None:
                continue
            handle = holder.handles[group]
            assert handle is not None
            after = self.metadata(self.recomputed[group][handle])
            if before != after:
                text += (
                    f"tensor at position {index}:\nsaved metadata: {before}\nrecomputed metadata: {after}\n"
                )
        if text:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than "
                f"during the forward pass.\n{text}.\n{_checkpoint_errors.TIP}"
            )


class _checkpoint_hook(saved_tensors_hooks):
    """The saved tensor hooks around forward."""

    def __init__(self, frame: _CheckpointFrame) -> None:
        super().__init__(frame.pack, frame.unpack if frame.log is None else frame.unpack_with_log)


class _recomputation_hook(saved_tensors_hooks):
    """The saved tensor hooks around the recomputation, which fill the holders of forward."""

    def __init__(self, reference: weakref.ref[_CheckpointFrame], group: Hashable) -> None:
        def pack(tensor: Tensor) -> Tensor:
            tensor = tensor.detach() if tensor.requires_grad else tensor
            frame = reference()
            assert frame is not None
            if frame.log is not None:
                frame.log.record(tensor, recomputing=True)
            index = frame.counter[group]
            frame.counter[group] += 1
            if index >= len(frame.weak_holders):
                _internal_assert(not frame.early_stop)
                if not frame.forward_completed:  # backward was called inside the checkpointed function
                    frame.ignore_saved_mismatch = True
                    return tensor
                raise CheckpointError(
                    "torch.utils.checkpoint: trying to save more tensors during recomputation than during the "
                    f"original forward pass.\n{_checkpoint_errors.TIP}"
                )
            holder = frame.weak_holders[index]()
            if holder is not None:
                _internal_assert(holder.handles.get(group) is None)
                handle = holder.handles[group] = _Handle()
                frame.recomputed[group][handle] = tensor
            if frame.early_stop and frame.counter[group] == len(frame.weak_holders):
                raise _StopRecomputationError
            return tensor

        super().__init__(pack, lambda tensor: tensor)


def _internal_assert(condition: bool) -> None:
    if not condition:
        raise AssertionError(
            "Something went unexpectedly wrong in activation checkpoint. Please report this bug by filing an issue to "
            "PyTorch."
        )


def _shape_and_type(tensor: Tensor) -> dict[str, Any]:
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}


_CHECKS: dict[str, Callable[[Tensor], Any]] = {"default": _shape_and_type, "none": lambda _: None}


def _frame(
    function: Callable[..., Any],
    preserve: bool,
    context_fn: Contexts,
    determinism_check: str,
    debug: bool,
    early_stop: bool,
    kwargs: dict[str, Any],
) -> tuple[Any, _CheckpointFrame]:
    logged = debug if _debug_enabled is None else _debug_enabled
    if logged and context_fn is not noop_context_fn:
        raise ValueError("debug=True is incompatible with non-default context_fn")
    if determinism_check not in _CHECKS:
        raise ValueError(f"determinism_check should be one of {list(_CHECKS)}, but got {determinism_check}")
    forward_context, recompute_context = context_fn()
    autocast_kwargs = _get_autocast_kwargs()
    rng_state = _random.get_rng_state() if preserve else None

    def recompute(*args: Any) -> None:
        with _random.fork_rng(enabled=rng_state is not None):
            if rng_state is not None:
                _random.set_rng_state(rng_state)
            with autocast(**autocast_kwargs), recompute_context:
                function(*args, **kwargs)

    stops = early_stop if _early_stop_enabled is None else _early_stop_enabled
    frame = _CheckpointFrame(recompute, stops, _CHECKS[determinism_check])
    frame.log = Log() if logged else None
    return forward_context, frame


_early_stop_enabled: bool | None = None
_debug_enabled: bool | None = None


@contextlib.contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """A context that sets whether recomputation stops as soon as all saved tensors are available."""
    global _early_stop_enabled
    before, _early_stop_enabled = _early_stop_enabled, enable
    try:
        yield
    finally:
        _early_stop_enabled = before


@contextlib.contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """A context that sets whether checkpoints keep a log of their operations."""
    global _debug_enabled
    before, _debug_enabled = _debug_enabled, enabled
    try:
        yield
    finally:
        _debug_enabled = before


class GraphExecGroup:
    """A context in which several backward passes share one recomputation."""

    __module__ = "torch.utils.checkpoint"

    def __enter__(self) -> GraphExecGroup:
        if state.graph_exec_group is not None:
            raise RuntimeError(
                f"GraphExecGroup contexts cannot be nested. Already inside group {state.graph_exec_group}"
            )
        state.graph_exec_group = self
        return self

    def __exit__(self, *args: object) -> None:
        state.graph_exec_group = None

    @classmethod
    def _get_current_group(cls) -> GraphExecGroup | None:
        return state.graph_exec_group


__getattr__ = look_up("torch.utils.checkpoint")
