"""The operator registry: each operator is a row, with a forward on arrays and a formula per input for its gradient.

A row::

    @op(
        "MulBackward0",
        promote="self other",
        self=lambda grad, other: grad * other,
        other=lambda grad, self: grad * self,
    )
    def mul(self, other):
        return np.multiply(self, other)

The names of a formula's arguments say what the node saves, under torch's names (``_saved_other``):

* ``grad`` (or ``grads``, a tuple with None where undefined, for several outputs),
* a tensor argument of the operator, saved as an input; ``result`` or the name of an output, saved as an output,
* ``<tensor>_sym_sizes`` / ``_sym_strides`` / ``_sym_numel`` / ``_scalar_type`` / ``_dim``, a property of a tensor
  argument (with a leading underscore it is internal: no ``_saved_*`` attribute shows it),
* ``metadata``: shape and dtype of each output, for undefined ``grads``,
* ``needed``: which inputs need a gradient, for a formula of several inputs (the key "a b"; it returns a tuple),
* any other argument of the operator, as it was passed.

Note [Only what is needed is saved]: an input that exactly one formula uses is saved only if that formula will be
needed, as in torch's generated code: if only a requires grad, ``(a * b).grad_fn._saved_self`` is None. Operators that
compute gradients, or take lists, save all.

Note [Rows are compiled]: from each row a few straight-line functions are generated (call, evaluate, record, apply):
written as source and compiled on their first call, as dataclasses does, so that a call looks nothing up. The forward
gets arrays and formulas get Tensors, so a formula has derivatives of every order. No formula reduces a gradient to its
input's shape or dtype: the engine does that once per edge. ``conformance engine inhouse --source mul`` prints what is
generated for ``mul``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from .._autograd.node import Node
from .._c10.interpreter_stack import dispatching
from .._c10.operator_facts import NUMBERS_OF, OPERATORS, Facts, declare_out, taken_from
from .codegen import compile
from .codegen.compile import SCALARS, compiled, lazy, node_class, public
from .codegen.forward import numbers_among
from .codegen.node import formula_name, names_of
from .complex_gradients import formula_of
from .type_promotion import promote_arrays, promote_checked, promote_operands  # fmt: skip

Array = np.ndarray[Any, Any]
OptionalArray = Any  # annotates an argument of a forward that is a tensor or None, and has no default
_GIVEN = ("grad", "grads", "needed", "metadata")  # arguments of a formula that are not saved

# What torch's derivatives.yaml calls non_differentiable, as a rule.
_CHOOSING = ("condition", "index", "indices", "LU_pivots", "mask", "offsets", "pivots", "target")


@dataclass(eq=False)
class Row:
    """One operator: the arguments of its op(), and what is derived from them on first use."""

    name: str
    forward: Callable[..., Any]
    node_name: str | None
    formulas: dict[str, Callable[..., Any]]  # by input, or inputs separated by blanks
    further: tuple[str, ...]  # arguments that are tensors without derivative
    lists: tuple[str, ...]  # arguments that are sequences of tensors
    promote: tuple[str, ...]  # arguments that are brought to one dtype first
    numbers: tuple[str, ...]  # operands that may be Python numbers
    to_float: bool  # integers become the default dtype
    outputs: tuple[str, ...]
    constants: tuple[str, ...]  # outputs without a gradient
    view: str | None  # how views are made: "default" or "multi_output"
    returns: Callable[..., Any]
    check: Callable[..., None] | None
    promotion: Callable[..., tuple[Any, ...]]
    ufunc: np.ufunc | None  # used for in-place writes, see Note [Written at once]
    facts: Facts  # see Note [One operator, one place]
    scope: dict[str, Any] = field(default_factory=dict)  # the globals of the compiled functions

    @cached_property
    def signature(self) -> inspect.Signature:
        """The signature of the forward; computing it takes longer than a small operation."""
        return inspect.signature(self.forward)

    @cached_property
    def parameters(self) -> dict[str, inspect.Parameter]:
        """The parameters of the forward."""
        return dict(self.signature.parameters)

    @cached_property
    def defaults(self) -> tuple[Any, ...]:
        """The defaults of the forward's parameters."""
        return tuple(each.default for each in self.parameters.values())

    @cached_property
    def places(self) -> dict[str, int]:
        """The parameters' positions."""
        return {name: place for place, name in enumerate(self.parameters)}

    @cached_property
    def most(self) -> int:
        """The largest number of positional arguments."""
        return sum(each.kind is not each.KEYWORD_ONLY for each in self.parameters.values())

    @cached_property
    def fewest(self) -> int:
        """The number of required arguments."""
        return self.defaults.count(inspect.Parameter.empty)

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """The differentiable inputs, in the order of the edges."""
        return tuple(name for key in self.formulas for name in key.split())

    @cached_property
    def tensors(self) -> tuple[str, ...]:
        """The arguments that are tensors (or numbers, among promoted operands)."""
        named = (*self.inputs, *self.further, *self.promote)
        return tuple(each for each in self.parameters if each in named and each not in self.lists)

    @cached_property
    def scalars(self) -> tuple[str, ...]:
        """The arguments that are numbers, see as_scalar."""
        return tuple(
            name
            for name, p in self.parameters.items()
            if name not in (*self.tensors, *self.lists)
            and (name in (*SCALARS.split(), "eps", "momentum") or isinstance(p.default, float))
        )

    @cached_property
    def plain(self) -> dict[str, str]:
        """The arguments annotated as bool or int, and which; dimensions are checked where they are wrapped."""
        kinds = self.forward.__annotations__
        return {
            name: kinds[name]
            for name in self.parameters
            if kinds.get(name) in ("bool", "int") and not name.startswith("dim")
        }

    @cached_property
    def undifferentiated(self) -> tuple[str, ...]:
        """The tensor arguments that may not require grad; kernels check indices themselves."""
        given = (*self.inputs, *self.promote, *self.outputs, *_CHOOSING * (not self.facts.refuses_index_grad))
        return tuple(name for name in self.tensors if name not in given) if self.recorded else ()

    @cached_property
    def saved(self) -> dict[str, str]:
        """What the formulas need, and its kind: tensor, list, output or plain."""
        return _saved_fields(self) if self.recorded else {}

    @property
    def is_ordered(self) -> bool:
        """Whether its results are contiguous whatever the strides of its operands: those of reductions, and a few
        more.
        """
        return "keepdim" in self.parameters or self.facts.contiguous_result

    @property
    def any_layout(self) -> bool:
        """Whether its forward may return something other than a NumPy array, see Note [Sparse arrays]."""
        return "._aten.sparse." in (self.forward.__module__ or "")

    @property
    def single(self) -> bool:
        """Whether there is one result rather than a list."""
        return len(self.outputs) == 1 and self.view != "multi_output"

    @property
    def holomorphic(self) -> bool:
        """Whether the formulas get conjugates of complex values, see Note [Complex gradients]."""
        return self.facts.complex == "holomorphic"

    @property
    def recorded(self) -> bool:
        """Whether calls are recorded: there is a derivative, or a node that raises because there is none."""
        return self.node_name is not None and bool(self.formulas)

    @cached_property
    def node(self) -> type[Node] | None:
        """The class of its nodes, one for all threads."""
        node_type: type[Node] | None = None
        if self.recorded:
            assert self.node_name is not None
            node_type = node_class(self, self.node_name)
            if self.node_name != "NotImplemented":
                node_type._apply = lazy(self, "apply")  # type: ignore[method-assign]
            node_type.release = lazy(self, "release")  # type: ignore[method-assign]
        return self.__dict__.setdefault("node", node_type)

    @cached_property
    def complex_node(self) -> type[Node]:
        """The class of its nodes whose output is complex, see Note [Complex gradients]."""
        return self.__dict__.setdefault("complex_node", self._node_of_complex("apply_complex"))

    @cached_property
    def uncast_node(self) -> type[Node]:
        """The class of such nodes with an operand that was given complex data after its real node was made."""
        return self.__dict__.setdefault("uncast_node", self._node_of_complex("apply_uncast"))

    def _node_of_complex(self, kind: str) -> type[Node]:
        assert self.node is not None
        node_type: Any = type(self.node.__name__, (self.node,), {"__slots__": (), "__module__": "builtins"})
        node_type._apply = lazy(self, kind)
        self.scope.update({formula_name(key, "complex_"): formula_of(self, key) for key in self.formulas})
        result: type[Node] = node_type
        return result

    @cached_property
    def call(self) -> Callable[..., Any]:
        """The function of torch."""
        return public(self, "call")

    @cached_property
    def method(self) -> Callable[..., Any]:
        """``call`` as a method of Tensor: error messages count arguments after self."""
        return public(self, "method")

    @cached_property
    def operator(self) -> Callable[..., Any] | None:
        """``call`` as a Python operator: NotImplemented for operands that it does not take."""
        if not self.numbers or len(self.tensors) != 2:
            return None
        return dispatching(self, self.name, lambda: compiled(self, "operator"))

    @cached_property
    def evaluate(self) -> Callable[..., Any]:
        """The forward on the tensors' arrays."""
        return lazy(self, "evaluate")

    @cached_property
    def record(self) -> Callable[..., Any]:
        """The node of a result."""
        return lazy(self, "record")

    @cached_property
    def record_inplace(self) -> Callable[..., Any]:
        """The node of a tensor that is about to be changed in place."""
        return lazy(self, "record_inplace")

    @cached_property
    def linearize(self) -> Callable[..., Any]:
        """The node of a result for some of the inputs, whose saved values are unchecked; see _transforms/jvp.py."""
        return lazy(self, "linearize")


ROWS: dict[str, Row] = {}  # by their names


def op(
    node: str | None = None, *, name: str | None = None, tensors: str = "", lists: str = "", promote: str = "",
    numbers: bool | str = True, to_float: bool = False, outputs: str = "", constants: str = "",
    view: str | None = None, returns: Callable[..., Any] | None = None, check: Callable[..., None] | None = None,
    promotion: Callable[..., tuple[Any, ...]] | None = None, ufunc: np.ufunc | None = None, **formulas: Any,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:  # fmt: skip
    """Declare an operator; the decorated function is its forward on arrays.

    Args:
        node: the type name of its node; None if it has no derivative.
        name: the operator's name, if it differs from the function's.
        tensors: further arguments that are tensors, without derivative.
        lists: arguments that are sequences of tensors.
        promote: the operands that are promoted to one dtype (see Note [Type promotion] and Note [Strides of an
            elementwise result]).
        numbers: which of these operands may be Python numbers: True (all, if there are several), False, or their
            names.
        to_float: integer arguments become the default dtype.
        outputs: the names of several outputs, separated by blanks.
        constants: outputs without a gradient, though their dtype could have one.
        view: "default" or "multi_output" if the results are views of the first argument.
        returns: the type in which several results are returned (a named tuple).
        check: called with the operands before promotion, to raise torch's error for dtypes.
        promotion: used instead of the usual type promotion.
        ufunc: the forward for two operands of the same floating dtype.
        formulas: the gradient formula of each differentiable input; ``inputs``, a mapping, for formulas of several
            inputs. Facts about the operator are given among them, see ``Facts``.
    """

    facts = taken_from(formulas)
    several: Any = formulas.pop("inputs", None) or {}

    def declare(forward: Callable[..., Any]) -> Callable[..., Any]:
        row = Row(
            name=name or forward.__name__.rstrip("_"),
            forward=forward,
            node_name=node,
            formulas={**formulas, **several},
            further=tuple(tensors.split()),
            lists=tuple(lists.split()),
            promote=tuple(promote.split()),
            numbers=numbers_among(numbers, tuple(promote.split())),
            to_float=to_float,
            outputs=tuple(outputs.split()) or ("result",),
            constants=tuple(constants.split()),
            view=view,
            returns=returns or tuple,
            check=check,
            promotion=promotion
            or (promote_checked(check) if check else promote_operands if node else promote_arrays),
            ufunc=ufunc,
            facts=facts,
        )
        _register(row)
        return row.call

    return declare


def _register(row: Row) -> None:
    """Add a row to the registry, and its facts to the tables that lower layers look names up in."""
    ROWS[row.name] = row
    declare_out(row.name, row.facts.out)
    if row.facts.operator is not None:
        OPERATORS[row.name] = row.facts.operator
    if row.facts.deprecated_numbers:
        NUMBERS_OF[row.name] = tuple(row.facts.deprecated_numbers.split())


def bind(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """All arguments of a call by the names of the row's parameters, in their order."""
    given = dict(zip(row.parameters, args, strict=False))
    for name, value in kwargs.items():
        given["self" if name == "input" else name] = value
    return {
        name: given.get(name, default) for name, default in zip(row.parameters, row.defaults, strict=True)
    }


def _saved_fields(row: Row) -> dict[str, str]:
    """What is saved, in the order in which torch packs and unpacks it: inputs by name, then outputs."""
    fields: dict[str, str] = {}
    for formula in row.formulas.values():
        for argument in names_of(formula):
            if argument in _GIVEN:
                continue
            if argument in row.tensors:
                fields[argument] = "tensor"
            elif argument in row.lists:
                fields[argument] = "list"
            elif argument in row.outputs:
                fields[argument] = "output"
            else:
                fields[argument] = "plain"
    return dict(
        sorted(fields.items(), key=lambda field: (field[0] in row.outputs or "result" in field[0], field[0]))
    )


compile.operator_of = lambda name: ROWS[name].operator
