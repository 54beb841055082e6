"""Views: tensors that share the memory of their base, and its autograd history.

See torch: autograd/variable.h (DifferentiableViewMeta), VariableTypeUtils.h, functions/tensor.h (CopySlices).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._c10 import errors
from .._c10.layout import contiguous_format
from .._c10.modes import enable_grad, state
from .._c10.slots import unfilled
from .._c10.version_counter import NO_VERSIONS, VersionCounter
from .conj_view import CONJUGATE_PAIRS, update_conjugate
from .node import Gradients, Node, gradient_edge, new_node, node_hooks
from .storage_impl import offset
from .tensor import Tensor, version_counter

# From ops.strided, see Note [Slots].
strided: Callable[[Tensor, Geometry], Tensor] = unfilled
as_strided_backward: Callable[[Tensor, Geometry, Any], Tensor] = unfilled
copy_with_layout: Callable[[Tensor, Any], Tensor] = unfilled


class ViewInfo:
    """The view metadata of a differentiable view (torch: DifferentiableViewMeta).

    ``base`` is never a view itself: a view of a view has the base of that view. ``creation`` (torch: CreationMeta) is
    "default", or the reason why in-place operations raise: "no_grad", "inference", "multi_output" or "custom_function".
    ``attr_version`` is the version for which the view's grad_fn is valid; see Note [Regenerating grad_fn].
    """

    __slots__ = ("attr_version", "base", "creation")

    def __init__(self, base: Tensor, creation: str, attr_version: int) -> None:
        self.base, self.creation, self.attr_version = base, creation, attr_version

    def grad_fn(self, view: Tensor) -> Node | None:
        """The grad_fn of a differentiable view.

        Note [Regenerating grad_fn]: an in-place operation on the base, or on another view of it, gives the base a new grad_fn;
        those of its views are then stale. They are regenerated on the next read: as an AsStridedBackward0 whose edge leads
        to the base, or by ``view_fn``. This is also where a view that must not be modified in place raises.

        Raises:
            RuntimeError: the base was modified, and the view was created under no_grad, in inference mode, as one of several
                outputs or by a Function; or its base was detached since, and ``view_fn`` gives a view without grad_fn.
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
        """Create the grad_fn of the view again."""
        return as_strided_node(view, self.base)


class ReplayableView(ViewInfo):
    """A view with a function ``view_fn`` that takes it from its base; see Note [Replayed views] in _aten/view_replay.py."""

    __slots__ = ("view_fn",)
    view_fn: Callable[[Tensor], Tensor]

    def regenerate_grad_fn(self, view: Tensor) -> Node | None:
        """The grad_fn of the view that ``view_fn`` returns; None if the base was detached."""
        with enable_grad():
            return self.view_fn(self.base)._node


class ConversionView(ReplayableView):
    """A view with other values than its base: conj, real, imag, view_as_real, view_as_complex.

    Strides and offset alone do not define it, nor views of it: these always need a ``view_fn``.
    """

    __slots__ = ()


def with_view_fn(view: Tensor, source: Tensor, take: Callable[[Tensor], Tensor]) -> Tensor:
    """Give a view of ``source`` the ``view_fn`` that applies ``take`` to ``source``."""
    view_info = view._view
    if view_info is not None:
        before = view_fn_of(source)
        view._view = ConversionView(view_info.base, view_info.creation, view_info.attr_version)
        view._view.view_fn = lambda base: take(before(base))
    return view


def view_fn_of(source: Tensor) -> Callable[[Tensor], Tensor]:
    """The function that takes a tensor from its base."""
    info = source._view
    if info is None:
        return lambda base: base
    if isinstance(info, ReplayableView):
        return info.view_fn
    size, stride, offset = source.size(), source.stride(), source.storage_offset()
    return lambda base: base.as_strided(size, stride, offset)


def as_view(view: Tensor, source: Tensor, creation: str | None = None) -> None:
    """Make a result a view of ``source``, whose memory it shares (torch: as_view in VariableTypeUtils.h).

    Args:
        creation: see ViewInfo; by default that of the current grad mode.
    """
    if source._inference:
        view._inference = True
        return
    if not state.recording:
        creation = "inference" if state.inference else "no_grad"
    elif creation is None:
        creation = "default"
    info = source._view
    counter: VersionCounter = version_counter(source)
    if info is None:
        base = source
    else:
        base = info.base
        if info.creation == "inference" or (info.creation != "default" and creation == "default"):
            creation = info.creation
    view._version_counter = counter
    view_info = view._view = ViewInfo(base, creation, counter.value)
    if info.__class__ is ConversionView and view._array.dtype.kind == source._array.dtype.kind:
        _chain_view_fn(view, view_info, source)


def _chain_view_fn(view: Tensor, view_info: ViewInfo, source: Tensor) -> None:
    """Give a view of a ConversionView a ``view_fn``: that of ``source``, then strides."""
    before, geometry = view_fn_of(source), Geometry(view._array, source._array)
    view._view = ConversionView(view_info.base, view_info.creation, view_info.attr_version)
    view._view.view_fn = lambda base: strided(before(base), geometry)


class Geometry:
    """Shape, strides and storage offset of a view, in bytes (torch: TensorGeometry).

    ``start`` is the offset in the view's own storage, ``offset`` that relative to the base. Both are needed since ``.data = x``
    may have given the base another storage.
    """

    __slots__ = ("offset", "shape", "start", "strides")

    def __init__(self, array: np.ndarray[Any, Any], base: np.ndarray[Any, Any]) -> None:
        self.shape, self.strides = array.shape, array.strides
        self.start = offset(array)
        self.offset = self.start - offset(base)

    def of_batch(self, value: np.ndarray[Any, Any]) -> Geometry:
        """This geometry in each sample of a value whose batch dimension is first."""
        result = Geometry(value, value)
        result.shape, result.strides = (len(value), *self.shape), (value.strides[0], *self.strides)
        result.offset, result.start = self.offset, self.start
        return result


def as_strided_node(view: Tensor, base: Tensor) -> Node:
    """Create the AsStridedBackward0 of a view, whose edge leads to its base."""
    node = new_node(AsStridedBackward0)
    node.next_edges = (gradient_edge(base),)
    node.input_metadata = ((view._array.shape, view._array.dtype),)
    node.geometry = Geometry(view._array, base._array)
    node.base_like = layout_of_memory(base._array)
    return node


def layout_of_memory(array: np.ndarray[Any, Any]) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Shape and strides of an array, and the bytes from its first to its last element."""
    extent = array.itemsize + sum((n - 1) * abs(s) for n, s in zip(array.shape, array.strides, strict=True))
    return array.shape, array.strides, extent if array.size else 0


class AsStridedBackward0(Node):
    """The node of as_strided: its gradient is zeros with the layout of the base, with the gradient written into the view."""

    __slots__ = ("__weakref__", "base_like", "geometry")  # weak: see Note [Saved outputs]
    geometry: Geometry
    base_like: tuple[tuple[int, ...], tuple[int, ...], int]

    def _apply(self, grads: Gradients) -> Gradients:
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
    """After an in-place operation: hooks stay with the old grad_fn, retain_grad moves to the new one.

    Like torch, this looks up the retain_grad hook by the current output number of the tensor. It does not find that of
    a second output, nor one that a view that was changed in place has left with an older node.

    Raises:
        RuntimeError: the retain_grad hook is not found.
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
    """Check that a recorded in-place operation is allowed (torch: check_inplace).

    Raises:
        RuntimeError: the tensor is a leaf that requires grad, a view of one, or a view whose ``creation`` is not default.
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
    """Increment the version counter of a tensor that was modified in place.

    Raises:
        RuntimeError: an inference tensor outside inference mode.
    """
    counter = tensor._version_counter
    if counter is NO_VERSIONS or (counter is None and tensor._inference):
        if not state.inference:
            raise RuntimeError(errors.INFERENCE_INPLACE)
        return
    if counter is None:
        counter = tensor._version_counter = VersionCounter()
        counter.value = 0
    if tensor._inference and state.inference:  # a tensor whose data is an inference tensor's
        return
    counter.value += 1
    if CONJUGATE_PAIRS:  # see Note [Conjugate views]
        update_conjugate(tensor._array)


def rebase_history(tensor: Tensor, node: Node, output_nr: int = 0) -> None:
    """Make a node the grad_fn of the tensor that it modified in place; of a view, the base gets a CopySlices.

    torch: impl::rebase_history.
    """
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
    """Whether this node did the last in-place operation on a view of ``base``."""
    slices = base._node
    return isinstance(slices, CopySlices) and slices.function is node


class CopySlices(Node):
    """The node of a base of which a view was modified in place (torch: CopySlices).

    ``_apply`` copies the gradient of the base, passes the part that belongs to the view to ``function``, the node of the
    in-place operation, and writes the result into that part.
    """

    __slots__ = ("base_like", "function", "geometry", "view_fn")
    function: Node | None
    view_fn: Callable[[Tensor], Tensor] | None  # of a ConversionView, else None
    geometry: Geometry
    base_like: tuple[tuple[int, ...], tuple[int, ...], int]

    def name(self) -> str:
        return "torch::autograd::CopySlices"

    def _apply(self, grads: Gradients) -> Gradients:
        grad = grads[0]
        if grad is None:
            return (None,) * len(self.next_edges)
        function = self.function
        if function is None:
            raise RuntimeError(errors.BACKWARD_TWICE)
        result = copy_with_layout(grad, self.base_like)
        grad_slice = strided(result, self.geometry) if self.view_fn is None else self.view_fn(result)
        found = list(function._apply((grad_slice.clone(memory_format=contiguous_format),)))
        if found[0] is not None:  # a Function may return None; then the base's gradient is None as well
            grad_slice.copy_(found[0])
            found[0] = result if self.next_edges[0][0] is not None else None
        return tuple(found)

    def release(self) -> None:
        self.function = None
