"""Gradients of complex numbers: which rows are right for them, and what becomes of what they save.

Note [Complex gradients]: the gradient of a real L with respect to z = x + iy is dL/dx + i dL/dy, the direction of
steepest ascent. Through a holomorphic f it flows back as ``grad * conj(f'(z))``. A row's formula is written as for
real numbers; f' has real coefficients, so that where the node's output is complex it is enough to give the formula the
conjugates of what was saved: tensors, results and numbers (and ``grad`` as it is). Such rows are holomorphic. The
formulas of those that are as_written conjugate themselves what they have to, as those in FORMULAS do, or save nothing
that could be. Any other row refuses what is complex, as torch does: no node is made of it. In place torch does not ask, and
takes the formula as it is.

Where an input is real and the node's output complex, the real part of its gradient is taken right here, as torch's
formulas do (handle_r_to_c), but for those without handle_r_to_c; what a Function returns must fit by itself. An operand that had a
real node and was given complex data is no real input to the formulas, and its gradient no gradient for that node.

Real numbers pay nothing for this: the nodes of complex outputs have a class of their own, beside that of the others,
which is chosen where the metadata of real ones is not found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .._arguments.overloads import opname
from .._autograd.node import Edge, Identity
from .._autograd.tensor import Tensor
from .._c10 import dtypes, errors
from .._c10.modes import state
from .._c10.slots import on_first_use
from .creation.factories import scalar_tensor

if TYPE_CHECKING:
    from .._autograd.node import Node
    from .._c10.tensor_metadata import InputMetadata
    from .registry import Row

of_complex_numbers: Callable[[str, str], Any] = on_first_use("of_complex_numbers")  # see Note [Slots]


def check_declared(row: Row) -> None:
    """Refuse a row whose formulas are not right for complex numbers.

    Raises:
        RuntimeError: as torch words it.
    """
    if row.facts.complex is None:
        raise RuntimeError(
            f"{opname(row.name)} does not support automatic differentiation for outputs with complex dtype."
        )


def formula_of(row: Row, key: str) -> Callable[..., Any]:
    """The formula for an input (or several) of a node whose output is complex."""
    return of_complex_numbers(row.name, key) or row.formulas[key]


def as_complex(
    row: Row,
    node: Node,
    metadata: Sequence[InputMetadata],
    operands: Sequence[Any],
    in_place: bool = False,
) -> None:
    """Make a node one of complex outputs.

    Raises:
        RuntimeError: the row is not declared for them; of what is changed in place torch does not ask that.
    """
    if not in_place:
        check_declared(row)
    node.__class__ = row.uncast_node if any(map(_has_become_complex, operands)) else row.complex_node
    node.input_metadata = tuple(metadata)


def _has_become_complex(operand: Any) -> bool:
    """Whether a tensor was given complex data after its real node."""
    if not isinstance(operand, Tensor) or operand._array.dtype.kind != "c" or operand._node is None:
        return False
    kind = operand._node.input_metadata[operand._output_nr][1]
    return kind is not None and kind.kind != "c"


def conjugate(saved: Any) -> Any:
    """What was saved, as the formula of a holomorphic function needs it."""
    if isinstance(saved, Tensor):
        return saved.conj() if saved._array.dtype.kind == "c" else saved
    if isinstance(saved, complex):
        return saved.conjugate()
    if saved.__class__ is list:
        return [conjugate(each) for each in saved]
    return saved


def conjugate_operand(saved: Any) -> Any:
    """As ``conjugate``, of what stood for a tensor: torch's conj() makes a number that did so a tensor like any other."""
    if saved.__class__ is complex:
        return scalar_tensor(saved.conjugate(), dtype=dtypes.complex128)
    return conjugate(saved)


def real_part(gradient: Tensor | None, edge: Edge) -> Tensor | None:
    """A complex gradient of a real input is its real part (torch: handle_r_to_c)."""
    return gradient.real if gradient is not None and _is_unfit(gradient, edge) else gradient


def uncast(gradient: Tensor | None, edge: Edge) -> Tensor | None:
    """A gradient where there is no handle_r_to_c, found unfit before the node frees what it saved.

    Raises:
        RuntimeError: it is complex, and the pass wants it for a real input.
    """
    task = state.graph_task
    if gradient is not None and _is_unfit(gradient, edge) and (task is None or task.should_compute(edge[0])):
        raise RuntimeError(errors.NO_COMPLEX_HERE)
    return gradient


def _is_unfit(gradient: Tensor, edge: Edge) -> bool:
    """Whether a gradient is complex and its input is not."""
    node, number = edge
    if node is None or gradient._array.dtype.kind != "c":
        return False
    if node.__class__ is Identity:  # which stands for an input outside the graph
        return False
    kind = node.input_metadata[number][1]
    if kind is None:  # a leaf that takes gradients of any dtype
        kind = node.variable._array.dtype  # type: ignore[attr-defined]
    return kind.kind != "c"
