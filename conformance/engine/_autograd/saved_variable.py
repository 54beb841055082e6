"""Saved variables: what a node saves in forward for backward (torch: autograd/saved_variable.h)."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .._c10 import dtypes, errors
from .._c10.interpreter_stack import transforms
from .._c10.layout import type_name
from .._c10.modes import Recorder, _set, state
from .._c10.slots import on_first_use
from .._c10.version_counter import counter_at
from .forward_grad import DualOutput
from .ownership import Owner
from .tensor import Tensor, make

if TYPE_CHECKING:
    from .node import Node

scalar_tensor: Callable[..., Tensor] = on_first_use("scalar_tensor")  # see Note [Slots]


class SavedTensor:
    """A saved tensor, with its version when it was saved.

    Note [Saved outputs]: an input is saved as the tensor itself. An output refers to its own node by its grad_fn, which would
    be a reference cycle; so of an output only array, version counter and output number are saved, and ``unpack`` creates
    the tensor again, with the node as its grad_fn. If the output is a view that was written to in place, its grad_fn is
    the view's regenerated node (``view_node``), as long as that is alive, since the saving node is inside the base's
    CopySlices.

    ``unpack`` first checks whether the tensor was freed, then whether its version has changed.
    """

    __slots__ = (
        "array",
        "counter",
        "freed",
        "hooks",
        "leaf",
        "origin",
        "output_nr",
        "owner",
        "packed",
        "tensor",
        "version",
        "view_node",
    )

    tensor: Tensor | None  # an input; None for an output, and after freeing or packing
    array: Any  # of an output, with its version counter
    counter: Any
    version: int
    leaf: bool  # of an input: whether it was a leaf
    output_nr: int
    freed: bool
    view_node: weakref.ref[Node] | DualOutput | None
    hooks: tuple[Callable[..., Any], Callable[..., Any]] | None
    packed: Any  # what the pack hook returned
    owner: Owner | None  # of a packed tensor
    origin: tuple[Any, int, bool, Any] | None  # of a packed input: its autograd metadata

    __module__ = "torch._C._autograd"

    def __init__(self) -> None:
        raise RuntimeError("Trying to create a SavedTensor object from Python is forbidden.")

    def unpack(self, node: Node | None = None) -> Any:
        """The saved tensor.

        Args:
            node: the node that saved it, which becomes the grad_fn of an output.

        Raises:
            RuntimeError: freed by an earlier backward, or changed in place since it was saved; an output
                without its node.
        """
        tensor = self.tensor
        if tensor is not None:
            if tensor._node is None and not self.leaf and (node is None or node.selective):
                raise RuntimeError(errors.SAVED_DETACHED)
            counter = tensor._version_counter
            if (0 if counter is None else counter.value) != self.version:
                raise RuntimeError(self._modified(tensor._array, tensor._version, node))
            return tensor
        if self.freed:
            raise RuntimeError(errors.BACKWARD_TWICE)
        if self.hooks is not None:
            if state.unpacked is None:
                return self._unpack_hooked(node)
            if self not in state.unpacked:
                state.unpacked[self] = self._unpack_hooked(node)
            return state.unpacked[self]
        if self is EMPTY:
            return None
        if node is None:
            raise RuntimeError(errors.SAVED_DETACHED)
        if self.counter.value != self.version:
            raise RuntimeError(self._modified(self.array, self.counter.value, node))
        return self._rebuild(self.array, node)

    def _rebuild(self, array: np.ndarray[Any, Any], node: Node | None) -> Tensor:
        tensor = make(array)
        if state.dispatch_modes:
            tensor = tensor.detach()  # see Note [Seen below autograd] in _dispatch/dispatch_composite.py
        if node is not None:
            if self.view_node.__class__ is DualOutput:
                self.view_node.restore(tensor)
            tensor._node, tensor._output_nr, tensor._requires_grad = self._origin(node), self.output_nr, True
        if self.counter is not None:
            tensor._version_counter = self.counter
        return tensor

    def _origin(self, node: Node | None) -> Node | None:
        """The grad_fn of an output, see Note [Saved outputs]."""
        return node if self.view_node is None else self.view_node() or node

    def _unpack_hooked(self, node: Node | None) -> Tensor:
        assert self.hooks is not None
        if state.graph_task is not None and node is not None:
            state.graph_task.enter_python(node)
        result = self.hooks[1](self.packed)
        if not isinstance(result, Tensor):
            raise TypeError(errors.UNPACK_NOT_TENSOR.format(type(result).__name__))
        if self.origin is not None and not (self.origin[2] or result.requires_grad):
            return result  # neither requires grad: the tensor that the hook returned
        restored = result.detach()  # shares the version counter of what the hook returned
        if self.origin is None:
            restored._node, restored._output_nr = node, self.output_nr
            restored._requires_grad = node is not None
        else:
            grad_fn, restored._output_nr, restored._requires_grad, restored._grad_accumulator = self.origin
            restored._node = grad_fn
        return restored

    def _modified(self, array: np.ndarray[Any, Any], current: int, node: Node | None) -> str:
        text = f"{type_name(array)} {list(array.shape)}"
        tensor = self.tensor
        origin = self._origin(node) if tensor is None else tensor.grad_fn
        output_nr = self.output_nr if tensor is None else 0  # torch reports it only for outputs
        return errors.modified(text, origin, output_nr, (current, self.version), state.anomaly)

    # Public attributes ---------------------------------------------------------------------------

    @property
    def data(self) -> Any:
        """The saved input, the saved output without grad_fn, or the result of the pack hook; None after freeing."""
        if self.hooks is not None:
            return self.packed
        if self.freed or self is EMPTY or self.tensor is not None:
            return self.tensor
        return self._rebuild(self.array, None)

    @property
    def unpack_hook(self) -> Callable[..., Any] | None:
        return None if self.hooks is None else self.hooks[1]

    def register_hooks(self, *hooks: Any) -> None:
        """Call the first hook (pack) now; ``unpack`` will call the second one.

        Raises:
            RuntimeError: it was freed, is empty, or has hooks already.
            TypeError: for anything but two callables.
        """
        if len(hooks) != 2 or not all(callable(each) for each in hooks):
            raise TypeError(errors.REGISTER_HOOKS + ", ".join(map(repr, (self, *hooks))))
        pack, unpack = hooks
        if self.freed:
            raise RuntimeError(errors.HOOKS_AFTER_FREE)
        if self.hooks is not None:
            raise RuntimeError(errors.HOOKS_ALREADY_SET)
        if self is EMPTY:
            raise RuntimeError(errors.HOOKS_ON_NONE)
        if self.tensor is not None:
            self.pack((pack, unpack), self.tensor.detach())
        else:
            assert self.array is not None
            self.pack((pack, unpack), self._rebuild(self.array, None))

    def pack(self, hooks: tuple[Callable[..., Any], Callable[..., Any]], value: Tensor) -> None:
        """Call the pack hook; store its result and the autograd metadata of the tensor.

        Raises:
            RuntimeError: the hook modified the tensor in place; the hooks are set nevertheless.
        """
        before = value._version_counter.value if value._version_counter is not None else 0
        previous = (state.grad_enabled, state.inference)
        dispatch_state = (state.dispatch_modes, state.dispatching, state.suspended_dispatch_modes)
        _set(False, state.inference)
        if state.suspended_dispatch_modes is not None:  # modes see the operations of the hook
            state.dispatch_modes, state.dispatching, state.suspended_dispatch_modes = (
                state.suspended_dispatch_modes,
                True,
                None,
            )
        try:
            self.packed = hooks[0](value)
        finally:
            _set(*previous)
            state.dispatch_modes, state.dispatching, state.suspended_dispatch_modes = dispatch_state
        self.owner = Owner(hooks[1], self.packed)
        self.origin = None
        tensor = self.tensor
        if tensor is not None:
            self.origin = (tensor._node, tensor._output_nr, tensor._requires_grad, tensor._grad_accumulator)
        self.hooks = hooks
        self.tensor = self.array = self.counter = None
        if value._version_counter is not None and value._version_counter.value != before:
            raise RuntimeError(errors.PACK_INPLACE)

    def release(self) -> None:
        """Free the tensor; ``unpack`` raises from here on."""
        self.freed = True
        self.tensor = self.array = self.counter = None
        if self.hooks is not None:
            self.hooks = self.packed = self.owner = None


_new = object.__new__


def save_unchecked(tensor: Tensor, recorder: Recorder | None = None) -> SavedTensor:
    """Save an input without hooks or checks: for a node that runs at once and is not part of the graph."""
    saved = _new(SavedTensor)
    saved.tensor = tensor
    saved.leaf = tensor._node is None
    counter = tensor._version_counter
    saved.version = 0 if counter is None else counter.value
    saved.freed, saved.hooks = False, None
    return saved


def saved_on_access(tensor: Tensor) -> SavedTensor:
    """The SavedTensor of an input that the node saved as a plain tensor.

    Note [Inputs saved as tensors]: most inputs have no version counter, since they were neither modified in place nor
    shared. For these the node saves the tensor itself, and a SavedTensor is created only on access. Without a counter the
    version is still 0; a counter that was created later is compared with 0. ``detach_`` also creates a counter, and sets
    ``_was_detached``: the tensor was not a leaf when it was saved.
    """
    saved = save_unchecked(tensor)
    saved.version, saved.leaf = 0, saved.leaf and not tensor._was_detached
    return saved


def save(tensor: Tensor, recorder: Recorder) -> SavedTensor:
    """Save an input of an operation; call the pack hook, if one is in force.

    Raises:
        RuntimeError: for an inference tensor.
    """
    # a transform of torch.func accepts inference tensors from outside
    if tensor._inference and tensor._age >= transforms.since:
        raise RuntimeError(errors.INFERENCE_SAVED)
    saved = save_unchecked(tensor)
    if recorder.saved_hooks:
        saved.pack(recorder.saved_hooks[-1], tensor)
    return saved


def save_output(tensor: Tensor, output_nr: int = 0, view_node: Node | None = None) -> SavedTensor:
    """Save an output of an operation; see Note [Saved outputs]."""
    saved = _new(SavedTensor)
    saved.view_node = None if view_node is None else weakref.ref(view_node)
    saved.tensor = None
    saved.array = tensor._array
    counter = tensor._version_counter
    if counter is None:
        counter = tensor._version_counter = counter_at(0)
    saved.counter = counter
    saved.version = counter.value
    saved.output_nr = output_nr
    saved.freed, saved.hooks = False, None
    hooks = state.recorder.saved_hooks
    if hooks:
        saved.pack(hooks[-1], tensor)
    return saved


def release(value: Any) -> Any:
    """What replaces a saved value in a list when the node is released; other references to the value stay valid."""
    return None if value is None else FREED


FREED = _new(SavedTensor)
FREED.freed, FREED.hooks = True, None
FREED.tensor = None
EMPTY = _new(SavedTensor)  # what _raw_saved_* returns for a tensor that was not saved
EMPTY.freed, EMPTY.hooks = False, None
EMPTY.tensor = None


# Saved attributes of nodes ------------------------------------------------------------------------


def saved_property(name: str, kind: str) -> property:
    """The property ``_saved_<name>`` of a node: the saved value, unpacked."""
    slot = f"saved_{name}"

    def read(node: Any) -> Any:
        return unpack_attribute(getattr(node, slot), node, kind)

    return property(read)


def raw_saved_property(name: str) -> property:
    """The property ``_raw_saved_<name>`` of a node: SavedTensors."""
    slot = f"saved_{name}"

    def read(node: Any) -> Any:
        value = getattr(node, slot)
        if value.__class__ in dtypes.NUMBERS:
            value = unpack_attribute(value, node, "tensor")
        if isinstance(value, Tensor):
            value = saved_on_access(value)
            setattr(node, slot, value)
        if isinstance(value, (tuple, list)):
            if FREED in value:
                FREED.unpack(node)
            return tuple(EMPTY if each is None else each for each in value)
        return EMPTY if value is None else value

    return property(read)


_DOUBLE = {float: dtypes.float64, complex: dtypes.complex128}


def unpack_attribute(value: Any, node: Node, kind: str) -> Any:
    """The value of a ``_saved_*`` attribute.

    Args:
        kind: "tensor": SavedTensors are unpacked, and numbers that were passed for tensors become tensors; "plain": an int
            such as a dim, which torch converts as unsigned, so that -1 reads as 2**64 - 1; otherwise a Scalar.
    """
    if kind == "tensor" and isinstance(value, Tensor):
        return saved_on_access(value).unpack(node)
    if isinstance(value, SavedTensor):
        return value.unpack(node)
    if kind == "tensor" and value.__class__ in dtypes.NUMBERS:
        return scalar_tensor(value, dtype=_DOUBLE.get(value.__class__) or dtypes.of_number(value))
    if isinstance(value, (tuple, list)):
        return tuple(unpack_attribute(each, node, kind) for each in value)
    if kind == "plain" and value.__class__ is int and value < 0:
        return value + 2**64
    return value


# Disabled hooks ----------------------------------------------------------------------------------


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """torch.autograd.graph.disable_saved_tensors_hooks: inside, saved_tensors_hooks raises this message."""
    before = state.saved_hooks_disabled
    if not isinstance(error_message, str):
        raise TypeError(errors.HOOKS_DISABLED_WITHOUT_TEXT.format(error_message))
    try:
        state.saved_hooks_disabled = error_message
        if state.saved_hooks:
            check_hooks_enabled()
        yield
    finally:
        state.saved_hooks_disabled = before


def check_hooks_enabled() -> None:
    """Check that hooks for saved tensors are not disabled.

    Raises:
        RuntimeError: they are; with the message of ``disable_saved_tensors_hooks``.
    """
    if state.saved_hooks_disabled is not None:
        raise RuntimeError(state.saved_hooks_disabled)
