"""In-place operations on sparse tensors, which replace the tensor's array (torch: native/sparse)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..._autograd.node import gradient_edge
from ..._autograd.saved_variable import save_output
from ..._autograd.tensor import Tensor, set_array
from ..._autograd.views import check_inplace, increment_version, rebase_history
from ..._c10.modes import state
from .kernels import evaluated
from .sparse_array import SparseArray

if TYPE_CHECKING:
    from ..registry import Row


def written(row: Row, arguments: list[Any]) -> Tensor:
    """Run a row in place on a sparse tensor, the first argument, and record the row's node.

    Raises:
        RuntimeError: the tensor must not be modified in place, or the result has another shape.
    """
    self: Tensor = arguments[0]
    given = [each for name, each in zip(row.parameters, arguments, strict=True) if name in row.inputs]
    recorded = (
        state.recording and row.recorded and any(isinstance(e, Tensor) and e.requires_grad for e in given)
    )
    check_inplace(self, bool(recorded))
    arrays = {
        name: each._array if isinstance(each, Tensor) else each
        for name, each in zip(row.parameters, arguments, strict=True)
    }
    named = {name: arrays.pop(name) for name, p in row.parameters.items() if p.kind is p.KEYWORD_ONLY}
    value = evaluated(row, tuple(arrays.values()), named, in_place=True)
    if not isinstance(value, SparseArray) or value.shape != self._array.shape:
        raise NotImplementedError(f"{row.name}_ of a sparse tensor")
    if row.name == "mul" and not isinstance(arrays.get("other"), SparseArray):
        value.coalesced = value.nnz < 2  # torch does not look whether it was
    node: Any = None
    if recorded:
        edge = gradient_edge(self)
        node = row.record_inplace(*arguments, self, state.recorder)
        node.next_edges = (edge, *node.next_edges[1:])
    set_array(self, value)
    increment_version(self)
    if node is not None:
        rebase_history(self, node)
        if "result" in row.saved:
            node.saved_result = save_output(self, 0, None)
    return self
