"""torch.autograd.graph: gradient edges, multi-grad hooks and saved tensor hooks."""

from __future__ import annotations

import abc
import contextlib
import functools
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

from .._arguments.absent_names import look_up
from .._aten.creation.factories import empty
from .._autograd import node as _node
from .._autograd.custom_function import BackwardCFunction
from .._autograd.hooks import RemovableHandle
from .._autograd.node import GradientEdge, grad_accumulator
from .._autograd.saved_variable import check_hooks_enabled, disable_saved_tensors_hooks
from .._autograd.tensor import Tensor
from .._autograd.views import increment_version as _count_change
from .._c10 import errors as _errors
from .._c10.modes import enable_grad, state

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
    "set_warn_on_accumulate_grad_stream_mismatch",
]


class Node(abc.ABC):
    """The abstract class of nodes; every node is an instance, though none inherits from it."""

    __module__ = "torch.autograd.graph"

    @classmethod
    def __subclasshook__(cls, subclass: Any) -> Any:
        return (cls is Node and issubclass(subclass, _node.Node)) or NotImplemented

    @abc.abstractmethod
    def name(self) -> str:
        """The node's name."""


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The gradient edge of a tensor: its node and output number.

    Raises:
        RuntimeError: the tensor does not require grad.
    """
    if not tensor.requires_grad:
        raise RuntimeError(
            "It is not possible to get the gradient edge for a Tensor that does not require gradients"
        )
    node = _node_of(tensor)
    token = None
    if isinstance(node, BackwardCFunction):
        with enable_grad():
            token = tensor.view_as(tensor).grad_fn
    return GradientEdge(node, tensor.output_nr, ownership_token=token)


def _node_of(place: Tensor | GradientEdge) -> _node.Node:
    if isinstance(place, GradientEdge):
        return place.node
    node = place.grad_fn if place.requires_grad else None
    # _requires_grad is false for a view made under no_grad, whose requires_grad is its base's.
    if node is None and place._requires_grad:
        node = grad_accumulator(place)
    if node is None:
        raise AssertionError("Expected gradient function to be set")
    return node


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Bump the version counter after a change that autograd did not see; inference tensors have none."""
    try:
        listed = (tensor,) if isinstance(tensor, Tensor) else tuple(tensor)
    except TypeError:
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input") from None
    for each in listed:
        if not isinstance(each, Tensor):
            raise RuntimeError(_errors.NOT_TENSORS_TO_COUNT)
        if not each._inference:
            _count_change(each)


# Multi-grad hooks ---------------------------------------------------------------------------------


class _MultiHandle(RemovableHandle):
    """Removes the hooks of several tensors."""

    __module__ = "torch.autograd.graph"

    def __init__(self, handles: tuple[RemovableHandle, ...]) -> None:
        self.handles = handles

    def remove(self) -> None:
        for each in self.handles:
            each.remove()

    def __getstate__(self) -> tuple[RemovableHandle, ...]:
        return self.handles

    def __setstate__(self, state: tuple[RemovableHandle, ...]) -> None:
        self.handles = state


def register_multi_grad_hook(
    tensors: Sequence[Tensor], fn: Callable[..., Any], *, mode: str = "all"
) -> RemovableHandle:
    """Call ``fn`` once in a backward pass, with all gradients or with the first ("any").

    Raises:
        ValueError: the mode is unknown.
        AssertionError: a tensor does not require grad (mode "all").
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of {('all', 'any')} but got {mode}")
    if mode == "all":
        return _MultiHandle(_when_all(tensors, fn))
    return _MultiHandle(_when_any(tensors, fn))


def _when_all(tensors: Sequence[Tensor], fn: Callable[..., Any]) -> tuple[RemovableHandle, ...]:
    nodes = [_node_of(each) for each in tensors]  # the hooks keep these alive, and not the tensors
    lock = threading.Lock()
    counts: dict[int, int] = {}
    buffers: dict[int, list[Tensor | None]] = {}
    calls = 0

    def hook_for(index: int) -> Callable[[Tensor], None]:
        def inner_hook(grad: Tensor) -> None:
            nonlocal calls
            task = _current_graph_task_id()
            count = counts.get(task, 0)
            buffer = buffers.setdefault(task, [None] * len(nodes))
            with lock:
                counts[task] = count + 1
                if count == 0:
                    calls = sum(map(_will_engine_execute_node, nodes))
            buffer[index] = grad
            if count == calls - 1:
                fn(buffer)
                del counts[task], buffers[task]

        return inner_hook

    return tuple(each.register_hook(hook_for(index)) for index, each in enumerate(tensors))


def _when_any(tensors: Sequence[Tensor], fn: Callable[..., Any]) -> tuple[RemovableHandle, ...]:
    lock = threading.Lock()
    ran: dict[int, bool] = defaultdict(bool)

    @functools.wraps(fn)
    def wrapped_fn(grad: Tensor) -> None:
        task = _current_graph_task_id()
        if task == -1:
            raise AssertionError("expected this hook to be called inside a backward call")
        with lock:
            before, ran[task] = ran[task], True
        if not before:
            fn(grad)

    return tuple(each.register_hook(wrapped_fn) for each in tensors if each.requires_grad)


def set_warn_on_accumulate_grad_stream_mismatch(enabled: bool) -> None:
    """Does nothing: the setting concerns streams of accelerators."""


def _current_graph_task_id() -> int:
    """The id of the backward pass (graph task) running in this thread, -1 outside of one."""
    return -1 if state.graph_task is None else state.graph_task.number


def _will_engine_execute_node(node: _node.Node) -> bool:
    """Whether the running backward pass executes this node, or captures a gradient there."""
    if not isinstance(node, Node):
        raise RuntimeError(f"_will_engine_execute_node expects an grad_fn, but got {type(node).__name__}")
    task = state.graph_task
    if task is None:
        raise RuntimeError("_get_should_execute_nodes should only be called during the backward pass")
    if node not in task.dependencies:
        return False
    if task.needed is None:
        return True
    if not (node in task.needed or node in task.captures):
        return False
    if node in task.captures and not node.next_edges:
        raise RuntimeError(_errors.LEAF_IN_GRAD)
    return True


# Saved tensor hooks -------------------------------------------------------------------------------


class saved_tensors_hooks:
    """A context in which saved tensors are packed by one function and unpacked by another."""

    __module__ = "torch.autograd.graph"

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> None:
        if not (callable(self.pack_hook) and callable(self.unpack_hook)):
            raise TypeError(_errors.HOOKS_NOT_CALLABLE.format(self.pack_hook, self.unpack_hook))
        check_hooks_enabled()
        state.saved_hooks = (*state.saved_hooks, (self.pack_hook, self.unpack_hook))

    def __exit__(self, *args: object) -> None:
        if not state.saved_hooks:
            raise RuntimeError(_errors.NO_HOOKS_TO_POP)
        state.saved_hooks = state.saved_hooks[:-1]


class save_on_cpu(saved_tensors_hooks):
    """A context in which saved tensors are moved to the CPU, where they already are."""

    __module__ = "torch.autograd.graph"

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        def pack_to_cpu(tensor: Tensor) -> tuple[Any, Tensor]:
            if not pin_memory:
                return tensor.device, tensor
            packed = empty(tensor.size(), dtype=tensor.dtype, layout=tensor.layout)
            return tensor.device, packed.copy_(tensor)

        def unpack_from_cpu(packed: tuple[Any, Tensor]) -> Tensor:
            return packed[1]

        super().__init__(pack_to_cpu, unpack_from_cpu)


# Mutation of saved tensors ------------------------------------------------------------------------
# A saved tensor is identified by its memory and version. Before an in-place write, tensors that were saved with that
# memory and version are cloned, and backward unpacks the clones.

_allow_mutation_on_saved_tensors_enabled = False


class _Handle:
    """The placeholder of a saved tensor in the graph."""


_TensorId = tuple[int, int, int]
_StorageId = tuple[int, int]


class _AllowMutationOnSavedContext:
    """The saved tensors and clones of an allow_mutation_on_saved_tensors context."""

    __module__ = "torch.autograd.graph"

    def __init__(self) -> None:
        self.cloned: WeakKeyDictionary[_Handle, Tensor] = WeakKeyDictionary()
        self.original: WeakKeyDictionary[_Handle, Tensor] = WeakKeyDictionary()
        self.tid_to_weakhandle: WeakValueDictionary[_TensorId, _Handle] = WeakValueDictionary()
        self.sid_to_tid: dict[_StorageId, set[_TensorId]] = defaultdict(set)

    def clear(self) -> None:
        """Drop all saved tensors and clones."""
        self.cloned.clear()
        self.original.clear()
        self.tid_to_weakhandle.clear()
        self.sid_to_tid.clear()

    def pack(self, tensor: Tensor) -> _Handle:
        """The pack hook: record a saved tensor."""
        storage_id = (tensor.data_ptr(), tensor._version)
        tensor_id = (id(tensor), *storage_id)
        self.sid_to_tid[storage_id].add(tensor_id)
        handle = self.tid_to_weakhandle.get(tensor_id)
        if handle is None:
            handle = self.tid_to_weakhandle[tensor_id] = _Handle()
            self.original[handle] = tensor
        return handle

    def unpack(self, handle: _Handle) -> Tensor:
        """The unpack hook: the tensor with its value at the time it was saved."""
        if _allow_mutation_on_saved_tensors_enabled:
            found = self.cloned.get(handle)
            found = self.original.get(handle) if found is None else found
            if found is not None:
                return found
        raise AssertionError(
            "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context"
            "in which the graph was originally recorded."
        )

    def before_mutation(self, tensor: Tensor) -> None:
        """Clone the tensors that were saved with this memory."""
        for tensor_id in self.sid_to_tid.get((tensor.data_ptr(), tensor._version), ()):
            handle = self.tid_to_weakhandle.get(tensor_id)
            if handle is not None and handle not in self.cloned:
                self.cloned[handle] = self.original[handle].clone()
                del self.original[handle]


@contextlib.contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[_AllowMutationOnSavedContext]:
    """A context in which saved tensors may be changed in place: backward uses their original values.

    Raises:
        RuntimeError: the context is nested.
    """
    global _allow_mutation_on_saved_tensors_enabled

    ctx = _AllowMutationOnSavedContext()
    before = state.before_mutation
    with saved_tensors_hooks(ctx.pack, ctx.unpack):
        state.before_mutation = ctx.before_mutation
        try:
            if _allow_mutation_on_saved_tensors_enabled:
                raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
            _allow_mutation_on_saved_tensors_enabled = True
            yield ctx
        finally:
            ctx.clear()
            _allow_mutation_on_saved_tensors_enabled = False
            state.before_mutation = before


__getattr__ = look_up("torch.autograd.graph")
