"""Operations as rows: a forward on arrays, a formula for each input's gradient on Tensors.

A row::

    @op("MulBackward0", meet="self other", self=lambda grad, other: grad * other, other=lambda grad, self: grad * self)
    def mul(self, other):
        return np.multiply(self, other)

The formula's argument names are what is saved, under torch's names (``_saved_other``):

* ``grad`` (or ``grads``, a tuple with None where undefined, for several outputs),
* a tensor argument of the operation, saved as it was; ``result`` or the name of an output, saved as output,
* ``<tensor>_sym_sizes`` / ``_sym_strides`` / ``_sym_numel`` / ``_scalar_type`` / ``_dim``, read off a tensor argument
  (with an underscore in front they are this engine's own: no ``_saved_*`` shows them),
* ``metadata``: shape and dtype of each output, for what is undefined in ``grads``,
* ``needed``: which inputs want a gradient, for a formula of several inputs (``key "a b"`` gives a tuple),
* any other argument of the operation, as it was passed.

Note [Only what is needed is saved]: an input that exactly one formula uses is saved only if that formula will be
asked for, as torch's generated code does: with a alone requiring grad, ``(a * b).grad_fn._saved_self`` is None. Operations
that are gradients themselves, or take lists, save all.

Note [Rows are compiled]: each row becomes a few straight-line functions (call, evaluate, record, apply), written as
source and compiled once, as dataclasses does, when they are first called: nothing is looked up at each call. Forward
sees arrays and backward Tensors, so that every order of derivative comes free. No formula reduces a gradient to
its input's shape or dtype: the engine does that on the edge, once. ``conformance engine inhouse --source mul`` prints
what is generated for ``mul``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from .._autograd.node import Node  # fmt: skip
from .._c10.interpreter_stack import dispatching
from .._c10.operator_facts import OPERATORS, Facts, taken_from
from .codegen import compile
from .codegen.compile import SCALARS, compiled, lazy, node_class, public
from .codegen.forward import numbers_among
from .codegen.node import formula_name, names_of
from .complex_gradients import formula_of
from .type_promotion import checked_meeting, meet_arrays, recorded_meeting  # fmt: skip

Array = np.ndarray[Any, Any]
_GIVEN = ("grad", "grads", "needed", "metadata")  # what a formula is given without its being saved

# What torch's derivatives.yaml calls non_differentiable, as a rule.
_CHOOSING = ("condition", "index", "indices", "LU_pivots", "mask", "offsets", "pivots", "target")


@dataclass(eq=False)
class Row:
    """One operation: what op() was told of it, and what follows from that, worked out when it is first asked for."""

    name: str
    forward: Callable[..., Any]
    node_name: str | None
    formulas: dict[str, Callable[..., Any]]  # by input, or inputs separated by blanks
    further: tuple[str, ...]  # arguments that are tensors without derivative
    lists: tuple[str, ...]  # arguments that are sequences of tensors
    meet: tuple[str, ...]  # arguments that are brought to one dtype first
    numbers: tuple[str, ...]  # operands that may be Python numbers
    to_float: bool  # integers become the default dtype
    outputs: tuple[str, ...]
    constants: tuple[str, ...]  # outputs without a gradient
    view: str | None  # how views are made: "default" or "multi_output"
    returns: Callable[..., Any]
    check: Callable[..., None] | None
    meeting: Callable[..., tuple[Any, ...]]
    ufunc: np.ufunc | None  # which writes in place, see Note [Written at once]
    facts: Facts  # see Note [One operator, one place]
    scope: dict[str, Any] = field(default_factory=dict)  # what the compiled functions have for globals

    @cached_property
    def signature(self) -> inspect.Signature:
        """How the forward is called; to ask for it takes longer than a small operation."""
        return inspect.signature(self.forward)

    @cached_property
    def parameters(self) -> dict[str, inspect.Parameter]:
        """What the forward takes."""
        return dict(self.signature.parameters)

    @cached_property
    def defaults(self) -> tuple[Any, ...]:
        """What the forward's parameters stand for where they are not given."""
        return tuple(each.default for each in self.parameters.values())

    @cached_property
    def places(self) -> dict[str, int]:
        """The parameters' positions."""
        return {name: place for place, name in enumerate(self.parameters)}

    @cached_property
    def most(self) -> int:
        """How many arguments may be given in order."""
        return sum(each.kind is not each.KEYWORD_ONLY for each in self.parameters.values())

    @cached_property
    def fewest(self) -> int:
        """How many arguments must be given."""
        return self.defaults.count(inspect.Parameter.empty)

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """The differentiable inputs, in the order of the edges."""
        return tuple(name for key in self.formulas for name in key.split())

    @cached_property
    def tensors(self) -> tuple[str, ...]:
        """The arguments that are tensors (or numbers, where operands meet)."""
        named = (*self.inputs, *self.further, *self.meet)
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
        """The arguments that are flags or counts, and which of both; dimensions are looked at where they are wrapped."""
        kinds = self.forward.__annotations__
        return {
            name: kinds[name]
            for name in self.parameters
            if kinds.get(name) in ("bool", "int") and not name.startswith("dim")
        }

    @cached_property
    def undifferentiated(self) -> tuple[str, ...]:
        """The tensors beside the inputs, which may not require a gradient; what is wrong with indices kernels say."""
        given = (*self.inputs, *self.meet, *self.outputs, *_CHOOSING * (not self.facts.refuses_index_grad))
        return tuple(name for name in self.tensors if name not in given) if self.recorded else ()

    @cached_property
    def saved(self) -> dict[str, str]:
        """What the formulas need, and its kind: tensor, list, output or plain."""
        return _saved_fields(self) if self.recorded else {}

    @property
    def is_ordered(self) -> bool:
        """Whether its results lie in order, however its operands do: those of reductions, and a few more."""
        return "keepdim" in self.parameters or self.facts.contiguous_result

    @property
    def any_layout(self) -> bool:
        """Whether its forward may give what is no array of numpy's, see Note [Sparse arrays]."""
        return "._aten.sparse." in (self.forward.__module__ or "")

    @property
    def single(self) -> bool:
        """Whether there is one result, and not a list of them."""
        return len(self.outputs) == 1 and self.view != "multi_output"

    @property
    def holomorphic(self) -> bool:
        """Whether the formulas want conjugates of complex numbers, see Note [Complex gradients]."""
        return self.facts.complex == "holomorphic"

    @property
    def recorded(self) -> bool:
        """Whether there is a derivative, or a node that says there is none."""
        return self.node_name is not None and bool(self.formulas)

    @cached_property
    def node(self) -> type[Node] | None:
        """The class of its nodes, one for all threads."""
        made: type[Node] | None = None
        if self.recorded:
            assert self.node_name is not None
            made = node_class(self, self.node_name)
            if self.node_name != "NotImplemented":
                made.apply = lazy(self, "apply")  # type: ignore[method-assign]
            made.release = lazy(self, "release")  # type: ignore[method-assign]
        return self.__dict__.setdefault("node", made)

    @cached_property
    def complex_node(self) -> type[Node]:
        """The class of its nodes whose output is complex, see Note [Complex gradients]."""
        return self.__dict__.setdefault("complex_node", self._node_of_complex("apply_complex"))

    @cached_property
    def uncast_node(self) -> type[Node]:
        """The class of those of them that have an operand which was given complex data after its real node."""
        return self.__dict__.setdefault("uncast_node", self._node_of_complex("apply_uncast"))

    def _node_of_complex(self, kind: str) -> type[Node]:
        assert self.node is not None
        made: Any = type(self.node.__name__, (self.node,), {"__slots__": (), "__module__": "builtins"})
        if self.node_name != "NotImplemented":
            made.apply = lazy(self, kind)
            given = {formula_name(key, "complex_"): formula_of(self, key) for key in self.formulas}
            self.scope.update(given)
        found: type[Node] = made
        return found

    @cached_property
    def call(self) -> Callable[..., Any]:
        """The function of torch."""
        return public(self, "call")

    @cached_property
    def method(self) -> Callable[..., Any]:
        """call as a method of Tensor: texts count arguments after self."""
        return public(self, "method")

    @cached_property
    def operator(self) -> Callable[..., Any] | None:
        """call as an operator: NotImplemented for operands that are not for it."""
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
        """The node of a result for the inputs that are wanted, with what it needs as it is; see _transforms/jvp.py."""
        return lazy(self, "linearize")


ROWS: dict[str, Row] = {}  # by their names


def op(
    node: str | None = None,
    *,
    name: str | None = None,
    tensors: str = "",
    lists: str = "",
    meet: str = "",
    numbers: bool | str = True,
    to_float: bool = False,
    outputs: str = "",
    constants: str = "",
    view: str | None = None,
    returns: Callable[..., Any] | None = None,
    check: Callable[..., None] | None = None,
    meeting: Callable[..., tuple[Any, ...]] | None = None,
    ufunc: np.ufunc | None = None,
    **formulas: Any,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare an operation; the decorated function is its forward on arrays.

    Args:
        node: the node's type name; None where the operation has no derivative.
        name: the operation's name, where it differs from the function's.
        tensors: further arguments that are tensors, without derivative.
        lists: arguments that are sequences of tensors.
        meet: what is promoted to one dtype (see Note [Type promotion] and Note [Strides of an elementwise result]).
        numbers: which of the arguments that meet may be Python numbers: all of several, none, or names.
        to_float: integer arguments become the default dtype.
        outputs: names of several outputs, separated by blanks.
        constants: outputs without a gradient, though their dtype could have one.
        view: "default" or "multi_output" where the results share the first argument's memory.
        returns: what to make of several results (a named tuple).
        check: what refuses operands of different dtypes before they meet.
        meeting: how they are brought to one dtype, where there is more to it.
        ufunc: what the forward is for two operands of one floating dtype.
        formulas: a gradient for each differentiable input; ``inputs`` as a mapping for keys of several names. What
            else is known of the operation stands among them, by the names of Facts.
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
            meet=tuple(meet.split()),
            numbers=numbers_among(numbers, tuple(meet.split())),
            to_float=to_float,
            outputs=tuple(outputs.split()) or ("result",),
            constants=tuple(constants.split()),
            view=view,
            returns=returns or tuple,
            check=check,
            meeting=meeting
            or (checked_meeting(check) if check else recorded_meeting if node else meet_arrays),
            ufunc=ufunc,
            facts=facts,
        )
        ROWS[row.name] = row
        if facts.operator is not None:
            OPERATORS[row.name] = facts.operator
        return row.call

    return declare


def bind(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """All arguments of a call by the names of the row's parameters, in their order."""
    given = dict(zip(row.parameters, args, strict=False))
    for name, value in kwargs.items():
        if name != "out":
            given["self" if name == "input" else name] = value
    return {
        name: given.get(name, default) for name, default in zip(row.parameters, row.defaults, strict=True)
    }


def _saved_fields(row: Row) -> dict[str, str]:
    """In the order in which torch packs and unpacks them: inputs by name, then outputs."""
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
