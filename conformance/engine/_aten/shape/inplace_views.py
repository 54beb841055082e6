"""In-place views: squeeze_, unsqueeze_, t_, transpose_, as_strided_ and their aliases; set_.

They change the tensor's shape and strides, but write nothing to its storage. So a view's new node follows its own
last node, and its base's grad_fn does not change.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._autograd import conj_view
from ..._autograd.batched_tensor import BatchedTensor, for_each_sample_inplace, uses_batch_rules
from ..._autograd.inplace_checks import check_mutable
from ..._autograd.node import Node, NotImplementedNode, gradient_edge, new_node
from ..._autograd.storage_impl import StorageBase
from ..._autograd.tensor import Tensor, make, set_array
from ..._autograd.views import check_inplace, increment_version, rebase_history
from ..._c10 import errors
from ..._c10.dtypes import c_name
from ..._c10.modes import state
from ..._c10.operator_facts import composite
from ..._c10.slots import on_first_use
from ..registry import ROWS, Array, Row, op
from ..type_promotion import MISSING
from . import transpose as transposing_rows  # noqa: F401
from . import view_reshape as shape_rows  # noqa: F401  its rows are read below, as those of the next are

view_batch_in_place: Callable[..., None] = on_first_use("view_batch_in_place")  # see Note [Slots]


def _twin(name: str, node: str) -> Row:
    """A copy of a view's row with the node name of its in-place form."""
    row = ROWS[name]
    op(node, name=f"{name}_in_place", view="default", complex="holomorphic", **row.formulas)(row.forward)
    return ROWS[f"{name}_in_place"]


_squeeze_all = _twin("squeeze", "SqueezeBackward3")
_squeeze_dim = _twin("squeeze_dim", "SqueezeBackward4")
_squeeze_dims = _twin("squeeze_dims", "SqueezeBackward5")
_unsqueeze = _twin("unsqueeze", "UnsqueezeBackward1")
_transpose = _twin("transpose", "TransposeBackward1")
_t = _twin("t", "TBackward1")


def view_in_place(row: Row, self: Tensor, *arguments: Any) -> Tensor:
    """Set a tensor's shape and strides to those of a row's view of it.

    Raises:
        RuntimeError: a leaf that requires grad, or a view that must not be modified in place.
    """
    if self.__class__ is BatchedTensor:
        if self._value is not None and uses_batch_rules(self._level):

            def take(name: str, *given: Any) -> Tensor:
                return view_in_place(ROWS[name], *given)

            view_batch_in_place(take, row.name, self, arguments)
            return self
        given = (self, *arguments)
        return for_each_sample_inplace(
            lambda *each: view_in_place(row, *each), given, {}, self._level, row.name + "_"
        )
    recorded = state.recording and self.requires_grad
    check_inplace(self, recorded)
    for tangent in (self._tangents or {}).values():
        view_in_place(row, tangent, *arguments)
    array = row.evaluate(self, *arguments)
    node = row.record(self, *arguments, make(array), state.recorder) if recorded else None
    return _show(self, array, node)


def _show(self: Tensor, array: Array, node: Node | None) -> Tensor:
    set_array(self, array)
    increment_version(self)  # it raises for an inference tensor, after the change as in torch
    if node is not None:
        self._node, self._output_nr, self._requires_grad = node, 0, True  # hooks stay on the old node
        if self._view is not None and self._version_counter is not None:
            self._view.attr_version = self._version_counter.value
    return self


@composite(vmap="decompose")
def squeeze_(self: Tensor, dim: Any = MISSING) -> Tensor:
    """squeeze in place."""
    if dim is MISSING:
        return view_in_place(_squeeze_all, self)
    if isinstance(dim, (tuple, list)):
        return view_in_place(_squeeze_dims, self, tuple(dim))
    return view_in_place(_squeeze_dim, self, dim)


@composite(vmap="decompose")
def unsqueeze_(self: Tensor, dim: Any) -> Tensor:
    """unsqueeze in place."""
    return view_in_place(_unsqueeze, self, dim)


@composite(vmap="decompose")
def transpose_(self: Tensor, dim0: Any, dim1: Any) -> Tensor:
    """transpose in place."""
    return view_in_place(_transpose, self, dim0, dim1)


@composite(vmap="decompose")
def swapdims_(self: Tensor, dim0: Any, dim1: Any) -> Tensor:
    """swapdims in place."""
    return view_in_place(_transpose, self, dim0, dim1)


@composite(vmap="decompose")
def swapaxes_(self: Tensor, axis0: Any, axis1: Any) -> Tensor:
    """swapaxes in place."""
    return view_in_place(_transpose, self, axis0, axis1)


@composite(vmap="decompose")
def t_(self: Tensor) -> Tensor:
    """t in place."""
    if self._array.ndim > 2:
        raise RuntimeError(f"t_() expects a tensor with <= 2 dimensions, but self is {self._array.ndim}D")
    return view_in_place(_t, self)


def set_(
    self: Tensor, source: Any = MISSING, storage_offset: Any = None, size: Any = None, stride: Any = None
) -> Tensor:
    """Use the storage of another tensor, or an empty one; not differentiable.

    Raises:
        RuntimeError: a leaf that requires grad, or another dtype.
        TypeError: an offset without a size.
        NotImplementedError: a storage, or a part of one.
    """
    if source is None or (storage_offset is None) != (size is None):
        raise TypeError("no such overload")  # replaced by torch's message in the caller
    if isinstance(source, StorageBase) or size is not None:
        raise NotImplementedError("Tensor.set_ to a storage, or a part of one")
    array = _memory_of(self, source)
    given = source if isinstance(source, Tensor) else make(array)
    if self._tangents or given._tangents:
        raise NotImplementedError(errors.NO_FORWARD_MODE.format("set_"))
    recorded = bool(state.recording and (self.requires_grad or given.requires_grad))
    check_inplace(self, recorded)
    check_mutable(self)
    node: Any = None
    if recorded:
        node = new_node(NotImplementedNode)
        node.operation = "set_"
        node.next_edges = (gradient_edge(self), gradient_edge(given))
        node.input_metadata = ((array.shape, array.dtype),)
        rebase_history(self, node)
    self._grad_accumulator = None  # gradients of the old storage are not accumulated here
    return _show(self, array, None)


def _memory_of(self: Tensor, source: Any) -> Array:
    if source is MISSING:
        return np.zeros(0, self._array.dtype)
    if source._array.dtype is not self._array.dtype:
        theirs, ours = c_name(source._array.dtype), c_name(self._array.dtype)
        raise RuntimeError(f"Could not set tensor of type {theirs} to a tensor of type {ours}")
    # The conjugate bit of the tensor does not change.
    if conj_view.is_conjugate_view(source._array) != conj_view.is_conjugate_view(self._array):
        return conj_view.conjugate_view(source._array)
    return source._array


PUBLIC = ("set_", "squeeze_", "swapaxes_", "swapdims_", "t_", "transpose_", "unsqueeze_")
