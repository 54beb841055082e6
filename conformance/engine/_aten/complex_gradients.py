"""Gradients of complex numbers: which operators support them, and how their formulas use saved values.

Note [Complex gradients]: the gradient of a real L with respect to z = x + iy is dL/dx + i dL/dy, the direction of
steepest ascent. The gradient through a holomorphic f is ``grad * conj(f'(z))``. Formulas are written as for real
numbers; since f' has real coefficients, a node with a complex output only has to give its formula the conjugates of
the saved values: tensors, results and numbers (``grad`` is not conjugated). Such operators are declared
``holomorphic``. The formulas of operators declared ``as_written`` conjugate what they must, as do those in FORMULAS,
or save no such value. All other operators raise for complex inputs that require grad, as in torch. Their in-place
forms do not, as in torch, and use the formula as it is.

If an input is real and the node's output complex, the node takes the real part of the gradient, as torch's formulas
do (handle_r_to_c) unless they omit it; an autograd.Function must return a fitting gradient itself. An operand with a
real node that was given complex data is not a real input to the formulas, and its gradient does not fit that node.

This costs nothing for real numbers: nodes with complex outputs have a second class, chosen if the metadata of real
outputs is not found.
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
    """Raise for a row whose formulas do not support complex numbers.

    Raises:
        RuntimeError: with torch's message.
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
    """Change the class of a node to that for complex outputs.

    Raises:
        RuntimeError: the row does not support complex numbers; torch does not raise that for in-place forms.
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
    """A saved value as the formula of a holomorphic function needs it."""
    if isinstance(saved, Tensor):
        return saved.conj() if saved._array.dtype.kind == "c" else saved
    if isinstance(saved, complex):
        return saved.conjugate()
    if saved.__class__ is list:
        return [conjugate(each) for each in saved]
    return saved


def conjugate_operand(saved: Any) -> Any:
    """``conjugate`` for a tensor operand: torch's conj() turns a number that was wrapped as a tensor into an ordinary
    tensor.
    """
    if saved.__class__ is complex:
        return scalar_tensor(saved.conjugate(), dtype=dtypes.complex128)
    return conjugate(saved)


def real_part(gradient: Tensor | None, edge: Edge) -> Tensor | None:
    """A complex gradient of a real input is its real part (torch: handle_r_to_c)."""
    return gradient.real if gradient is not None and _is_unfit(gradient, edge) else gradient


def uncast(gradient: Tensor | None, edge: Edge) -> Tensor | None:
    """Check a gradient without handle_r_to_c before the node frees its saved values.

    Raises:
        RuntimeError: it is complex, and the pass needs it for a real input.
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
    if node.__class__ is Identity:  # a placeholder for an input outside the graph
        return False
    kind = node.input_metadata[number][1]
    if kind is None:  # a leaf that accepts gradients of any dtype
        kind = node.variable._array.dtype  # type: ignore[attr-defined]
    return kind.kind != "c"
