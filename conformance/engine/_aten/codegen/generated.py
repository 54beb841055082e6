"""The kinds of functions that are generated for a row: their names, purposes and generators.

See Note [Rows are compiled] in _aten/registry.py. ``conformance engine inhouse --source mul`` prints those of ``mul``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from .forward import call_source, evaluate_source
from .node import (
    apply_source,
    complex_apply_source,
    linearize_source,
    record_inplace_source,
    record_source,
    release_source,
    uncast_apply_source,
)

if TYPE_CHECKING:
    from ..registry import Row


class Kind(NamedTuple):
    """One kind of generated function."""

    does: str
    source: Callable[[Row], str]
    name: str | None = None  # None: the row's name


KINDS = {
    "call": Kind(
        "the function of the namespace torch: computes the result, and makes its node",
        partial(call_source, variant="call"),
    ),
    "method": Kind("the method of Tensor; self is a tensor", partial(call_source, variant="method")),
    "operator": Kind(
        "Python's operator (as __mul__): takes its operands alone, and checks less",
        partial(call_source, variant="operator"),
    ),
    "evaluate": Kind("computes the array of the result, and makes no node", evaluate_source, "evaluate"),
    "record": Kind("makes the node of a result that is there already", record_source, "record"),
    "record_inplace": Kind(
        "makes the node of a tensor that is about to be changed in place: of self it saves a clone",
        record_inplace_source,
        "record_inplace",
    ),
    "linearize": Kind(
        "makes a node that joins no graph: forward AD runs its formulas to find tangents",
        linearize_source,
        "linearize",
    ),
    "apply": Kind(
        "runs the node backward: unpacks what was saved, calls the formulas", apply_source, "apply"
    ),
    "apply_complex": Kind(
        "apply of a node whose output is complex, see Note [Complex gradients]", complex_apply_source, "apply"
    ),
    "apply_uncast": Kind(
        "the same where an operand was given complex data after its real node", uncast_apply_source, "apply"
    ),
    "release": Kind("frees what the node saved, once backward has run it", release_source, "release"),
}


def function_name(row: Row, kind: str) -> str:
    """The name of a generated function."""
    return KINDS[kind].name or row.name


def source_of(row: Row, kind: str) -> str:
    """The source of a generated function."""
    return KINDS[kind].source(row)
