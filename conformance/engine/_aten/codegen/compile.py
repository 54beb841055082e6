"""Compiles a row's generated source to functions and a node class; see Note [Rows are compiled] in registry.py."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._arguments.positional import to_keyword_numbers, too_many
from ..._autograd.node import (
    MAX_SEQUENCE_NR,
    Identity,
    Node,
    NotImplementedNode,
    grad_accumulator,
    gradient_edge,
    store_traceback,
)  # fmt: skip
from ..._autograd.saved_variable import (
    FREED,
    SavedTensor,
    raw_saved_property,
    release,
    save,
    save_output,
    save_unchecked,
    saved_on_access,
    saved_property,
)  # fmt: skip
from ..._autograd.tensor import Tensor
from ..._autograd.views import as_view
from ..._c10 import dtypes
from ..._c10.dispatch_wrapper import not_compiled, restore_code
from ..._c10.dtypes import FULL_PRECISION, NUMBERS
from ..._c10.interpreter_stack import dispatching
from ..._c10.keyword_names import numpy_keyword_value
from ..._c10.layout import array_of, unstrided_among
from ..._c10.modes import state
from ..._c10.shapes import laid_out, ordered, strides
from ..._c10.size import Size
from ..._c10.slots import unfilled
from ..._c10.tensor_metadata import ComplexOutputError, find_shared_metadata, known_metadata
from ..complex_gradients import as_complex, conjugate, conjugate_operand, real_part, uncast
from ..complex_support import refusal
from ..out import check_out, store_out
from ..type_promotion import (
    MISSING,
    PLAIN,
    array_to_float,
    as_scalar,
    check_plain,
    explained,
    not_differentiable,
    retry,
)  # fmt: skip
from .generated import function_name, source_of
from .node import formula_name

if TYPE_CHECKING:
    from ..registry import Row

operator_of: Callable[[str], Callable[..., Any] | None] = unfilled  # from rows, see Note [Slots]

# Arguments of type Scalar in torch; any other integer is a dimension, an index or a size.
SCALARS = """
alpha beta correction exponent lambd max max_val maxnorm min min_val negative_slope ord other p scale self threshold
value weight
"""

# Nodes that torch defines in C++ by hand: name() includes their namespace.
_NAMESPACED = frozenset({"CopyBackwards", "CopySlices"})


SHARED: dict[str, Any] = {  # the globals of all rows' functions
    "state": state, "Tensor": Tensor, "ndarray": np.ndarray, "unstrided_among": unstrided_among, "array_of": array_of, "asanyarray": np.asanyarray, "new": object.__new__,
    "NUMBERS": NUMBERS, "ONE": 1, "REAL": frozenset((int, float)), "find_shared_metadata": find_shared_metadata, "FULL": FULL_PRECISION, "to_float": array_to_float, "as_view": as_view, "save": save, "save_unchecked": save_unchecked, "saved_on_access": saved_on_access,
    "save_output": save_output, "SavedTensor": SavedTensor, "gradient_edge": gradient_edge,
    "grad_accumulator": grad_accumulator, "MAX_SEQUENCE_NR": MAX_SEQUENCE_NR, "SINK": Identity(),
    "store_traceback": store_traceback, "known_metadata": known_metadata, "ComplexOutputError": ComplexOutputError,
    "as_complex": as_complex, "refusal": refusal, "parse_dtype": dtypes.parse_dtype, "conjugate": conjugate, "conjugate_operand": conjugate_operand, "real_part": real_part, "uncast": uncast, "FREED": FREED,
    "release": release, "Size": Size, "retry": retry, "check_out": check_out, "store_out": store_out,
    "BY_NUMPY": dtypes.BY_NUMPY, "strides": strides, "MISSING": MISSING, "too_many": too_many,
    "to_keyword_numbers": to_keyword_numbers, "PLAIN": PLAIN, "as_scalar": as_scalar, "check_plain": check_plain,
    "laid_out": laid_out, "ordered": ordered, "numpy_keyword_value": numpy_keyword_value, "not_differentiable": not_differentiable, "explained": explained,
}  # fmt: skip


def scope_of(row: Row) -> dict[str, Any]:
    """The globals of a row's generated functions."""
    scope = {
        **SHARED,
        "row": row,
        "forward_": row.forward,  # since an argument may be called forward
        "ufunc_": row.ufunc,
        "promote": row.promotion,
        "returns": row.returns,
        **{formula_name(key): _called(formula) for key, formula in row.formulas.items()},
    }
    return {**scope, "Node_": row.node, "record": row.record} if row.recorded else scope


_PRODUCT = (lambda grad, other: grad * other).__code__.co_code


def _called(formula: Callable[..., Any]) -> Callable[..., Any]:
    """The formula that apply calls; a formula that only multiplies its two arguments is replaced by ``mul`` itself."""
    code = formula.__code__
    is_product = code.co_code == _PRODUCT and code.co_argcount == 2
    return operator_of("mul") or formula if is_product else formula


def public(row: Row, variant: str) -> Callable[..., Any]:
    """A public function of a row, with the row's name."""
    function: Callable[..., Any] = dispatching(row, row.name, lambda: compiled(row, variant))
    function.__doc__ = row.forward.__doc__
    function.__module__ = "torch"
    function.row = row  # type: ignore[attr-defined]
    return function


def lazy(row: Row, kind: str) -> Callable[..., Any]:
    """A stub that compiles the function at its first call and then has its code: most rows are never used."""
    wrapper = not_compiled(function_name(row, kind), row.scope)

    def enter(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        wrapper.own_code = compiled(row, kind).__code__
        restore_code([wrapper])
        return wrapper.function(*args, **kwargs)

    wrapper.enter_by(enter)
    return wrapper.function


def compiled(row: Row, kind: str) -> FunctionType:
    """Compile one of a row's generated functions, with the row's globals."""
    name, source = function_name(row, kind), source_of(row, kind)
    if "row" not in row.scope:
        row.scope.update(scope_of(row))  # in one step: other threads may read the scope
    filename = f"<row {row.name}.{kind}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    local: dict[str, Any] = {}
    exec(compile(source, filename, "exec"), row.scope, local)
    result: FunctionType = local[name]
    return result


def node_class(row: Row, name: str) -> type[Node]:
    """The node class of a row, with torch's name and the ``_saved_*`` attributes that torch has."""
    body: dict[str, Any] = {
        "__slots__": (*(f"saved_{each}" for each in row.saved), "__weakref__"),  # see Note [Saved outputs]
        "__module__": "builtins",
    }
    for each, kind in row.saved.items():
        if each.startswith("_"):  # private to this engine: torch has no such attribute
            continue
        number = kind == "plain" and each in SCALARS.split()
        body[f"_saved_{each}"] = saved_property(each, "number" if number else kind)
        if kind != "plain":
            body[f"_raw_saved_{each}"] = raw_saved_property(each)
    if name in _NAMESPACED:
        body["name"] = lambda node: f"torch::autograd::{name}"
    if name == "NotImplemented":  # see _autograd/undefined_gradient.py
        return type(name, (NotImplementedNode,), body)
    result: type[Node] = type(name, (Node,), body)
    return result
