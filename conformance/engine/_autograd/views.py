"""Views: tensors that share another's memory and follow its history (torch: autograd/variable.h, VariableTypeUtils.h)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._c10 import errors
from .._c10.layout import contiguous_format
from .._c10.modes import enable_grad, state
from .._c10.slots import unfilled
from .._c10.version_counter import VersionCounter
from .conj_view import CONJUGATE_PAIRS, update_conjugate
from .node import Gradients, Node, gradient_edge, new_node, node_hooks
from .storage_impl import offset
from .tensor import Tensor, version_counter

# From ops.strided, see Note [Slots].
strided: Callable[[Tensor, Geometry], Tensor] = unfilled
as_strided_backward: Callable[[Tensor, Geometry, Any], Tensor] = unfilled
copy_with_layout: Callable[[Tensor, Any], Tensor] = unfilled


class ViewInfo:
    """How a differentiable view came to be.

    ``base`` is the root: a view of a view has its base. ``creation`` says what forbids in-place changes:
    "default", "no_grad", "inference", "multi_output" or "custom_function". ``attr_version`` is the version at
    which the view's grad_fn was right; see Note [Regenerating grad_fn].
    """

    __slots__ = ("attr_version", "base", "creation")

    def __init__(self, base: Tensor, creation: str, attr_version: int) -> None:
        self.base, self.creation, self.attr_version = base, creation, attr_version

    def grad_fn(self, view: Tensor) -> Node | None:
        """The grad_fn of a differentiable view.

        Note [Regenerating grad_fn]: an in-place change of the base, or of another view of it, gives the base a new
        history; the views' own grad_fn are then stale. They are made anew when next read: an AsStridedBackward0
        straight from the base. A view that must not be changed in place says so here.

        Raises:
            RuntimeError: the view was made under no_grad, in inference mode, as one of several or by a Function; or of a
                base that is detached since, and is not to be taken by strides: it is outside the graph then.
        """
        if view._node is None and not self.base._requires_grad:
            return None
        current = version_counter(view).value
        if self.attr_version == current:
            return view._node
        if self.creation != "default":
            raise RuntimeError(
                errors.modified_view(self.creation, view._node, view._output_nr, indirect=True)
            )
        old = view._node
        node = self.regenerate_grad_fn(view)
        view._node, view._output_nr, view._requires_grad = node, 0, node is not None
        self.attr_version = current
        if node is None:
            raise RuntimeError(errors.VIEW_WITHOUT_NODE)
        move_hooks(view, old, node)
        return node

    def regenerate_grad_fn(self, view: Tensor) -> Node | None:
        """The node of the view anew; see _aten/view_replay.py for another way."""
        return as_strided_node(view, self.base)


class ReplayableView(ViewInfo):
    """A view that knows how to be taken from its base."""

    __slots__ = ("view_fn",)
    view_fn: Callable[[Tensor], Tensor]

    def regenerate_grad_fn(self, view: Tensor) -> Node | None:
        """The node of the view, taken anew; None where the base was detached."""
        with enable_grad():
            return self.view_fn(self.base)._node


class ConversionView(ReplayableView):
    """A view whose numbers are not those of its base: conjugates, or parts of complex numbers.

    Strides and offset do not tell how it is taken from the base, nor do they of the views of it.
    """

    __slots__ = ()


def with_view_fn(view: Tensor, source: Tensor, take: Callable[[Tensor], Tensor]) -> Tensor:
    """Make a view of ``source`` one that ``take`` takes anew."""
    made = view._view
    if made is not None:
        before = view_fn_of(source)
        view._view = ConversionView(made.base, made.creation, made.attr_version)
        view._view.view_fn = lambda base: take(before(base))
    return view


def view_fn_of(source: Tensor) -> Callable[[Tensor], Tensor]:
    """How a tensor comes from its base."""
    info = source._view
    if info is None:
        return lambda base: base
    if isinstance(info, ReplayableView):
        return info.view_fn
    size, stride, offset = source.size(), source.stride(), source.storage_offset()
    return lambda base: base.as_strided(size, stride, offset)


def as_view(view: Tensor, source: Tensor, creation: str | None = None) -> None:
    """Tie a fresh result to the tensor whose memory it shares."""
    if source._inference:
        view._inference = True
        return
    if creation is None or not state.recording:
        creation = (
            (creation or "default") if state.recording else "inference" if state.inference else "no_grad"
        )
    info = source._view
    counter: VersionCounter = version_counter(source)
    if info is None:
        base = source
    else:
        base = info.base
        if info.creation != "default" and creation == "default":
            creation = info.creation
    view._version_counter = counter
    made = view._view = ViewInfo(base, creation, counter.value)
    if info.__class__ is ConversionView and view._array.dtype.kind == source._array.dtype.kind:
        _chain_view_fn(view, made, source)


def _chain_view_fn(view: Tensor, made: ViewInfo, source: Tensor) -> None:
    """A view of a converted one is taken from that by strides."""
    before, geometry = view_fn_of(source), Geometry(view._array, source._array)
    view._view = ConversionView(made.base, made.creation, made.attr_version)
    view._view.view_fn = lambda base: strided(before(base), geometry)


class Geometry:
    """Shape, strides and offset of an array in another's memory, in bytes; ``start`` is counted from its own beginning.

    The base may have been given other memory since: both are counted from the beginning of what is theirs now.
    """

    __slots__ = ("offset", "shape", "start", "strides")

    def __init__(self, array: np.ndarray[Any, Any], base: np.ndarray[Any, Any]) -> None:
        self.shape, self.strides = array.shape, array.strides
        self.start = offset(array)
        self.offset = self.start - offset(base)


def as_strided_node(view: Tensor, base: Tensor) -> Node:
    """The node of a view taken straight from its base's memory."""
    node = new_node(AsStridedBackward0)
    node.next_edges = (gradient_edge(base),)
    node.input_metadata = ((view._array.shape, view._array.dtype),)
    node.geometry = Geometry(view._array, base._array)
    node.base_like = layout_of_memory(base._array)
    return node


def layout_of_memory(array: np.ndarray[Any, Any]) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Shape, strides and size in bytes of memory laid out as this array."""
    extent = array.itemsize + sum((n - 1) * abs(s) for n, s in zip(array.shape, array.strides, strict=True))
    return array.shape, array.strides, extent if array.size else 0


class AsStridedBackward0(Node):
    """The gradient of a strided view: placed into zeros laid out as the base."""

    __slots__ = ("__weakref__", "base_like", "geometry")  # weak: see Note [Saved outputs]
    geometry: Geometry
    base_like: tuple[tuple[int, ...], tuple[int, ...], int]

    def apply(self, grads: Gradients) -> Gradients:
        grad = grads[0]
        if grad is None:
            return (None,)
        return (as_strided_backward(grad, self.geometry, self.base_like),)

    @property
    def _saved_size(self) -> tuple[int, ...]:
        return self.geometry.shape

    @property
    def _saved_stride(self) -> tuple[int, ...]:
        item = self._itemsize()
        return tuple(s // item for s in self.geometry.strides)

    @property
    def _saved_storage_offset(self) -> int:
        return self.geometry.start // self._itemsize()

    def _itemsize(self) -> int:
        kind = self.input_metadata[0][1]
        assert kind is not None
        return kind.itemsize


def move_hooks(tensor: Tensor, old: Node | None, new: Node) -> None:
    """With a new grad_fn: hooks registered so far stay with the old node, retain_grad moves to the new one.

    torch finds it by the output number that the tensor has now: that of a second output is not found, nor one that
    a view taken in place has left with an older node.

    Raises:
        RuntimeError: it is not found.
    """
    tensor._hooks = None
    if not tensor._retains_grad:
        return
    if old is None:
        raise RuntimeError(errors.RETAINING_WITHOUT_NODE)
    number = tensor._output_nr
    retained = None if old.hooks is None else old.hooks.retains_grad.pop(number, None)
    if retained is None:
        raise RuntimeError(errors.RETAINING_NOT_FOUND)
    node_hooks(new).retains_grad[number] = retained


def check_inplace(tensor: Tensor, requires_grad: bool) -> None:
    """Refuse an in-place change that would corrupt the graph.

    Raises:
        RuntimeError: a leaf, a view of a leaf, or a view that forbids it, in a recorded operation.
    """
    if not (requires_grad and state.recording):
        return
    info = tensor._view
    if info is not None:
        if info.creation != "default":
            raise RuntimeError(
                errors.modified_view(info.creation, tensor._node, tensor._output_nr, indirect=False)
            )
        if tensor.requires_grad and info.base._node is None:
            raise RuntimeError(errors.LEAF_VIEW_INPLACE)
    elif tensor.requires_grad and tensor._node is None:
        raise RuntimeError(errors.LEAF_INPLACE)


def increment_version(tensor: Tensor) -> None:
    """Count an in-place change.

    Raises:
        RuntimeError: an inference tensor outside inference mode.
    """
    counter = tensor._version_counter
    if counter is None:
        if tensor._inference:
            if not state.inference:
                raise RuntimeError(errors.INFERENCE_INPLACE)
            return
        counter = tensor._version_counter = VersionCounter()
        counter.value = 0
    counter.value += 1
    if CONJUGATE_PAIRS:  # see Note [Conjugated views]
        update_conjugate(tensor._array)


def rebase_history(tensor: Tensor, node: Node, output_nr: int = 0) -> None:
    """Give a tensor changed in place the node of the change; a view gives it to its base."""
    info = tensor._view
    if info is None:
        old = tensor._node
        tensor._node, tensor._output_nr, tensor._requires_grad = node, output_nr, True
        move_hooks(tensor, old, node)
        return
    base = info.base
    slices = new_node(CopySlices)
    slices.next_edges = (gradient_edge(base), *node.next_edges[1:])
    slices.input_metadata = ((base._array.shape, base._array.dtype),)
    slices.function = node
    slices.view_fn = info.view_fn if info.__class__ is ConversionView else None
    slices.geometry = Geometry(tensor._array, base._array)
    slices.base_like = layout_of_memory(base._array)
    if base._node is not None:
        move_hooks(base, base._node, slices)
    base._node, base._output_nr, base._requires_grad = slices, 0, True
    _ = tensor.grad_fn


def last_written_by(base: Tensor, node: Node) -> bool:
    """Whether the latest in-place change of a view of this tensor was this node's."""
    slices = base._node
    return isinstance(slices, CopySlices) and slices.function is node


class CopySlices(Node):
    """A change of one view, as the history of its base.

    The gradient of the base is copied; the part that the view shows goes through the changing operation's node
    and its result takes that part's place.
    """

    __slots__ = ("base_like", "function", "geometry", "view_fn")
    function: Node | None
    view_fn: Callable[[Tensor], Tensor] | None  # how a converted view is taken
    geometry: Geometry
    base_like: tuple[tuple[int, ...], tuple[int, ...], int]

    def name(self) -> str:
        return "torch::autograd::CopySlices"

    def apply(self, grads: Gradients) -> Gradients:
        grad = grads[0]
        if grad is None:
            return (None,) * len(self.next_edges)
        function = self.function
        if function is None:
            raise RuntimeError(errors.BACKWARD_TWICE)
        result = copy_with_layout(grad, self.base_like)
        grad_slice = strided(result, self.geometry) if self.view_fn is None else self.view_fn(result)
        found = list(function.apply((grad_slice.clone(memory_format=contiguous_format),)))
        if found[0] is not None:  # a Function may leave it undefined, and the base's is then as well
            grad_slice.copy_(found[0])
            found[0] = result if self.next_edges[0][0] is not None else None
        return tuple(found)

    def release(self) -> None:
        self.function = None
