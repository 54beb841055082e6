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
asked for, as torch's generated code does: with a alone requiring grad, ``(a * b).grad_fn._saved_self`` is None.

Note [Rows are compiled]: each row becomes a few straight-line functions (call, evaluate, record, apply), written as
source and compiled once, as dataclasses does, when they are first called: nothing is looked up at each call. Forward
sees arrays and backward Tensors, so that every order of derivative comes free. No formula reduces a gradient to
its input's shape or dtype: the engine does that on the edge, once.
"""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

import numpy as np

from . import dtypes
from .dtypes import FULL_PRECISION, NUMBERS
from .modes import state
from .node import NO_EDGE, Node, NotImplementedNode, gradient_edge, new_node
from .saved import FREED, NOTHING, SavedTensor, release, save, save_output
from .shapes import broadcast_shapes, strides
from .tensor import Size, Tensor
from .views import as_view

Array = np.ndarray[Any, Any]
_GIVEN = ("grad", "grads", "needed", "metadata")  # what a formula is given without its being saved
# Arguments that torch holds as a Scalar; any other integer is a dimension, an index or a size.
_SCALARS = frozenset(
    [
        "alpha",
        "beta",
        "correction",
        "exponent",
        "lambd",
        "max",
        "max_val",
        "maxnorm",
        "min",
        "min_val",
        "negative_slope",
        "ord",
        "other",
        "p",
        "scale",
        "self",
        "threshold",
        "value",
        "weight",
    ]
)
_ARGSIZE = "_sym_argsize_"
_SIZES, _STRIDES, _NUMEL, _TYPE, _DIM = "_sym_sizes", "_sym_strides", "_sym_numel", "_scalar_type", "_dim"


@dataclass(eq=False)
class Row:
    """One operation, resolved: what op() was told and what was compiled from it."""

    name: str
    forward: Callable[..., Any]
    parameters: dict[str, inspect.Parameter]
    tensors: tuple[str, ...]  # arguments that are tensors (or numbers, where operands meet)
    lists: tuple[str, ...]  # arguments that are sequences of tensors
    meet: tuple[str, ...]  # arguments that are brought to one dtype first
    numbers: tuple[str, ...]  # operands that may be Python numbers
    to_float: bool  # integers become the default dtype
    formulas: dict[str, Callable[..., Any]]  # by input, or inputs separated by blanks
    outputs: tuple[str, ...]
    constants: tuple[str, ...]  # outputs without a gradient
    view: str | None  # how views are made: "default" or "multi_output"
    node: type[Node] | None = None
    saved: dict[str, str] = field(default_factory=dict)  # field -> kind: tensor, list, output or plain
    evaluate: Callable[..., Any] = lambda: None
    record: Callable[..., Any] = lambda: None
    call: Callable[..., Any] = lambda: None
    method: Callable[..., Any] = lambda: None  # call, but texts count arguments after self
    operator: Callable[..., Any] | None = None  # call, but NotImplemented for operands that are not for it

    @property
    def inputs(self) -> tuple[str, ...]:
        """The differentiable inputs, in the order of the edges."""
        return tuple(name for key in self.formulas for name in key.split())


ROWS: dict[str, Row] = {}


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
    **formulas: Callable[..., Any],
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare an operation; the decorated function is its forward on arrays.

    Args:
        node: the node's type name; None where the operation has no derivative.
        name: the operation's name, where it differs from the function's.
        tensors: further arguments that are tensors, without derivative.
        lists: arguments that are sequences of tensors.
        meet: arguments that are promoted to one dtype (see Note [Type promotion]).
        numbers: which of the arguments that meet may be Python numbers: all of several, none, or names.
        to_float: integer arguments become the default dtype.
        outputs: names of several outputs, separated by blanks.
        constants: outputs without a gradient, though their dtype could have one.
        view: "default" or "multi_output" where the results share the first argument's memory.
        returns: what to make of several results (a named tuple).
        check: what refuses operands of different dtypes before they meet.
        formulas: a gradient for each differentiable input; ``inputs`` as a mapping for keys of several names.
    """

    def declare(forward: Callable[..., Any]) -> Callable[..., Any]:
        parameters = dict(inspect.signature(forward).parameters)
        several: Any = formulas.pop("inputs", None) or {}
        rules = {**formulas, **several}
        inputs = [each for key in rules for each in key.split()]
        listed = tuple(lists.split())
        named = [*inputs, *tensors.split(), *meet.split()]
        row = Row(
            name=name or forward.__name__.rstrip("_"),
            forward=forward,
            parameters=parameters,
            tensors=tuple(p for p in parameters if p in named and p not in listed),
            lists=listed,
            meet=tuple(meet.split()),
            numbers=_numbers(numbers, tuple(meet.split())),
            to_float=to_float,
            formulas=rules,
            outputs=tuple(outputs.split()) or ("result",),
            constants=tuple(constants.split()),
            view=view,
        )
        compile_row(row, node, returns, check)
        ROWS[row.name] = row
        return row.call

    return declare


# Nodes that torch writes by hand: name() has their namespace.
_NAMESPACED = frozenset({"CopyBackwards", "CopySlices"})


# Compilation, see Note [Rows are compiled] --------------------------------------------------------


def compile_row(
    row: Row, node_name: str | None, returns: Callable[..., Any] | None, check: Callable[..., None] | None
) -> None:
    """Write the row's functions and its node class."""
    scope: dict[str, Any] = {
        "forward": row.forward, "state": state, "Tensor": Tensor, "ndarray": np.ndarray, "asarray": np.asarray,
        "new": object.__new__, "NUMBERS": NUMBERS, "FULL": FULL_PRECISION,
        "meet": meet_arrays if check is None else _checked_meeting(check),
        "to_float": array_to_float, "as_view": as_view, "save": save, "save_output": save_output,
        "SavedTensor": SavedTensor, "gradient_edge": gradient_edge, "NO_EDGE": NO_EDGE, "new_node": new_node,
        "returns": returns or tuple, "release": release, "Size": Size, "retry": retry,
        "check_out": check_out, "store_out": store_out, "row": row, "BY_NUMPY": dtypes.BY_NUMPY, "strides": strides,
        "mismatch": mismatch, "MISSING": MISSING, "too_many": too_many,
    }  # fmt: skip
    for number, formula in enumerate(row.formulas.values()):
        scope[f"formula{number}"] = formula
    if node_name is not None and row.formulas:
        row.saved = _saved_fields(row)
        row.node = _node_class(row, node_name)
        scope["Node_"] = row.node
        if node_name != "NotImplemented":
            row.node.apply = _lazy(row, "apply", _apply_source, scope)  # type: ignore[method-assign]
        row.node.release = _lazy(row, "release", _release_source, scope)  # type: ignore[method-assign]
        row.record = _lazy(row, "record", _record_source, scope)
        scope["record"] = row.record
    row.evaluate = _lazy(row, "evaluate", _evaluate_source, scope)
    row.call = _lazy(row, row.name, _call_source, scope)
    row.method = _lazy(row, row.name, lambda row: _call_source(row, "method"), scope)
    if row.numbers and len(row.tensors) == 2:
        row.operator = _lazy(row, row.name, lambda row: _call_source(row, "operator"), scope)
    for function in (row.call, row.method):
        function.__doc__ = row.forward.__doc__
        function.__module__ = "torch"
        function.row = row  # type: ignore[attr-defined]


def _stub(*args: Any, materialize: Callable[..., Any], **kwargs: Any) -> Any:
    return materialize(args, kwargs)


def _lazy(row: Row, name: str, source: Callable[[Row], str], scope: dict[str, Any]) -> Callable[..., Any]:
    """A function that is compiled when it is first called, and then has its real code: most rows stay unused.

    Its default arguments are set before its code, which suits both codes: another thread may call in between.
    """
    function = FunctionType(_stub.__code__, scope, name)
    function.__qualname__ = name

    def materialize(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        made = _compile(row, name, source(row), scope)
        function.__kwdefaults__ = {"materialize": materialize, **(made.__kwdefaults__ or {})}
        function.__defaults__ = made.__defaults__
        function.__code__ = made.__code__
        return function(*args, **kwargs)

    function.__kwdefaults__ = {"materialize": materialize}
    return function


def _compile(row: Row, name: str, source: str, scope: dict[str, Any]) -> FunctionType:
    filename = f"<row {row.name}.{name}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    local: dict[str, Any] = {}
    exec(compile(source, filename, "exec"), scope, local)
    made: FunctionType = local[name]
    return made


def _names(formula: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a formula's arguments."""
    row: Row | None = getattr(formula, "row", None)
    if row is not None:
        return tuple(row.parameters)
    code = formula.__code__
    return code.co_varnames[: code.co_argcount]


def _saved_fields(row: Row) -> dict[str, str]:
    fields: dict[str, str] = {}
    for formula in row.formulas.values():
        for argument in _names(formula):
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
    return fields


def _node_class(row: Row, name: str) -> type[Node]:
    body: dict[str, Any] = {
        "__slots__": tuple(f"saved_{each}" for each in row.saved),
        "__module__": "builtins",
    }
    for each, kind in row.saved.items():
        if each.startswith("_"):  # this engine's own, torch shows no such attribute
            continue
        body[f"_saved_{each}"] = _saved_property(each, kind)
        if kind != "plain":
            body[f"_raw_saved_{each}"] = _raw_saved_property(each)
    if name in _NAMESPACED:
        body["name"] = lambda node: f"torch::autograd::{name}"
    if name == "NotImplemented":  # see ops/undefined.py
        return type(name, (NotImplementedNode,), body)
    made: type[Node] = type(name, (Node,), body)
    return made


def _saved_property(name: str, kind: str) -> property:
    slot = f"saved_{name}"

    def read(node: Any) -> Any:
        return shown(getattr(node, slot), node, "number" if kind == "plain" and name in _SCALARS else kind)

    return property(read)


def _raw_saved_property(name: str) -> property:
    slot = f"saved_{name}"

    def read(node: Any) -> Any:
        value = getattr(node, slot)
        return NOTHING if value is None else value

    return property(read)


def shown(value: Any, node: Node, kind: str) -> Any:
    """What ``_saved_*`` shows: tensors unpacked, numbers that stood for tensors as tensors, plain as plain.

    torch packs plain integers, though not scalars, as unsigned: a negative dim shows as 2**64 - dim.
    """
    if isinstance(value, SavedTensor):
        return value.unpack(node)
    if value is FREED:
        return FREED.unpack(node)
    if kind == "tensor" and value.__class__ in NUMBERS:
        from .creation import scalar_tensor

        return scalar_tensor(
            value, dtype=dtypes.float64 if value.__class__ is float else dtypes.of_number(value)
        )
    if isinstance(value, (tuple, list)):
        return tuple(shown(each, node, kind) for each in value)
    if kind == "plain" and value.__class__ is int and value < 0:
        return value + 2**64
    return value


def _signature(row: Row, variant: str) -> str:
    """The parameters; tensors that must be given have MISSING as default, so that torch's text is raised."""
    required = [name for name, p in row.parameters.items() if p.default is p.empty]
    all_tensors = all(name in row.tensors for name in required)
    parts: list[str] = []
    keyword_only = False
    for name, parameter in row.parameters.items():
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            parts.append("*rest" if _only_tensors(row) else "*")
            keyword_only = True
        text = "input" if name == "self" else name
        if parameter.default is not parameter.empty:
            text += f"={parameter.default!r}"
        elif all_tensors and not (variant == "method" and not parts):
            text += "=MISSING"
        parts.append(text)
    if not keyword_only and _only_tensors(row):
        parts.append("*rest")
        keyword_only = True
    if _has_out(row) and variant != "method":
        parts += ["out=None"] if keyword_only else ["*", "out=None"]
    return ", ".join(parts)


def _only_tensors(row: Row) -> bool:
    """Whether all positional arguments are tensors that must be given; what is given beyond them is ``rest``."""
    positional = [name for name, p in row.parameters.items() if p.kind is not p.KEYWORD_ONLY]
    return all(
        name in row.tensors and row.parameters[name].default is inspect.Parameter.empty for name in positional
    )


def _has_out(row: Row) -> bool:
    return row.view is None and len(row.outputs) == 1


def _arguments(row: Row) -> str:
    return ", ".join(row.parameters)


def _numbers(which: bool | str, meet: tuple[str, ...]) -> tuple[str, ...]:
    if isinstance(which, str):
        return tuple(which.split())
    return meet if which and len(meet) > 1 else ()


def _numeric(row: Row, name: str) -> bool:
    return name in row.numbers


def _optional(row: Row, name: str) -> bool:
    return row.parameters[name].default is None


def _unwrap(row: Row, otherwise: str) -> list[str]:
    """Tensor arguments as arrays ``<name>_a``, promoted where operands meet."""
    lines = []
    for name in row.tensors:
        if _numeric(row, name):
            lines.append(f"{name}_a = {name} if {name}.__class__ in NUMBERS else {name}._array")
        elif _optional(row, name):
            lines.append(f"{name}_a = None if {name} is None else {name}._array")
        else:
            lines.append(f"{name}_a = {name}._array")
    for name in row.lists:
        lines.append(f"{name}_a = [None if t is None else t._array for t in {name}]")
    body = ["try:", *(f"    {line}" for line in lines), "except AttributeError:"]
    out = ", out" if _has_out(row) and otherwise in ("call", "operator") else ""
    body.append(f"    return retry(row, row.{otherwise}, ({_arguments(row)},){out})")
    met = [name for name in row.meet if name not in row.lists]
    if len(met) == 1 and row.to_float:
        body.append(f"if {met[0]}_a.dtype not in FULL: {met[0]}_a = to_float({met[0]}_a)")
    elif met:
        arrays = ", ".join(f"{name}_a" for name in met)
        if len(met) == 2:
            a, b = met
            as_it_is = f"{a}_a.dtype is {b}_a.dtype" + (f" and {a}_a.dtype in FULL" if row.to_float else "")
            together = f"if not ({as_it_is}): {arrays} = meet({row.to_float}, {arrays})"
            if row.numbers:
                body += [
                    f"if {b}_a.__class__ is ndarray and {a}_a.__class__ is ndarray:",
                    f"    {together}",
                    f"elif {b}_a.__class__ is ndarray or {a}_a.dtype not in FULL or {b}_a.__class__ is bool:",
                    f"    {arrays} = meet({row.to_float}, {arrays})",
                ]
            else:
                body.append(together)
        else:
            body.append(f"{arrays} = meet({row.to_float}, {arrays})")
    return body


def _forward(row: Row) -> str:
    arguments = []
    for name, parameter in row.parameters.items():
        value = f"{name}_a" if name in (*row.tensors, *row.lists) else name
        arguments.append(f"{name}={value}" if parameter.kind is parameter.KEYWORD_ONLY else value)
    return f"forward({', '.join(arguments)})"


def _run(row: Row, into: str) -> list[str]:
    met = [name for name in row.meet if name not in row.lists]
    if len(met) < 2:
        return [f"{into} {_forward(row)}"]
    arrays = ", ".join(f"{name}_a" for name in met)
    return [
        "try:",
        f"    {into} {_forward(row)}",
        "except (ValueError, NotImplementedError) as error:",
        f"    raise mismatch(error, {arrays}) from None",
    ]


def _evaluate_source(row: Row) -> str:
    body = [*_unwrap(row, "evaluate"), *_run(row, "return")]
    return _function("evaluate", _arguments(row), body)


def _requires(name: str, row: Row) -> str:
    if name in row.lists:
        return f"any(t.requires_grad for t in {name})"
    test = f"{name}._requires_grad or {name}._view is not None and {name}._view.base._requires_grad"
    if _numeric(row, name):
        return f"{name}.__class__ not in NUMBERS and ({test})"
    if _optional(row, name):
        return f"{name} is not None and ({test})"
    return test


def _call_source(row: Row, variant: str = "call") -> str:
    body = ["self = input"] if "self" in row.parameters else []
    if _only_tensors(row):
        body.append(f"if rest: raise too_many(row, len(rest), {variant == 'method'})")
    body += _unwrap(row, variant)
    body += _run(row, "out_ =")
    recorded = row.node is not None
    if recorded:
        requires = " or ".join(_requires(name, row) for name in row.inputs)
        if row.view:  # a view of an inference tensor is one, too, and stays outside the graph
            requires = f"({requires}) and not {row.inputs[0]}._inference"
        body += ["recording = state.recording", f"recorded = recording and ({requires})"]
    single = len(row.outputs) == 1 and row.view != "multi_output"
    if single:
        if row.view is None and variant != "method":
            body += [
                "if out is not None:",
                f"    check_out(row, out, ({_arguments(row)},))",
                "    return store_out(row, out, out_)",
            ]
        body += [
            "if out_.__class__ is not ndarray: out_ = asarray(out_)",
            "result = new(Tensor)",
            "result._array = out_",
            "result._output_nr = 0",
            "result._grad_fn = None",
            "result._requires_grad = False",
        ]
        if row.view:
            body.append(f"as_view(result, {row.inputs[0] if row.inputs else 'self'})")
        if recorded:
            body += [
                "if recorded:",
                f"    result._grad_fn = node = record({_arguments(row)}, result)",
                "    result._requires_grad = True",
            ]
            if "result" in row.saved:
                body.append("    node.saved_result = save_output(result)")
            body.append("elif recording is None: result._inference = True" if not row.view else "")
        elif not row.view:
            body.append("if state.inference: result._inference = True")
        body.append("return result")
    else:
        body += _several_outputs(row, recorded)
    return _function(row.name, _signature(row, variant), [line for line in body if line])


def _several_outputs(row: Row, recorded: bool) -> list[str]:
    body = [
        "results = []",
        "for each in out_:",
        "    result = new(Tensor)",
        "    result._array = each if each.__class__ is ndarray else asarray(each)",
        "    result._output_nr = 0",
        "    result._grad_fn = None",
        "    result._requires_grad = False",
    ]
    if row.view:
        body.append("    as_view(result, self, 'multi_output')")
    else:
        body.append("    if state.inference: result._inference = True")
    body.append("    results.append(result)")
    if recorded:
        body += [
            "if recorded:",
            f"    node = record({_arguments(row)}, results)",
            "    number = 0",
            f"    for result in {_differentiable(row, 'results')}:",
            "        if result._array.dtype.kind in 'fc':",
            "            result._grad_fn, result._output_nr, result._requires_grad = node, number, True",
            "            number += 1",
        ]
        for each, kind in row.saved.items():
            if kind == "output":
                number = row.outputs.index(each)
                body += [
                    f"    result = results[{number}]",
                    f"    node.saved_{each} = save(result) if result._grad_fn is None else save_output(result, result._output_nr)",
                ]
    body.append("return returns(results)")
    return body


def _differentiable(row: Row, results: str) -> str:
    """The outputs that may have a gradient."""
    if not row.constants:
        return results
    kept = [f"{results}[{i}]" for i, name in enumerate(row.outputs) if name not in row.constants]
    return f"({', '.join(kept)},)"


def _record_source(row: Row) -> str:
    body = ["node = new_node(Node_)"]
    edges = []
    for name in row.inputs:
        if name in row.lists:
            body.append(f"edges_{name} = [gradient_edge(t) for t in {name}]")
            edges.append(f"*edges_{name}")
            continue
        value = f"gradient_edge({name})"
        fast = f"(({name}._grad_fn, {name}._output_nr) if {name}._grad_fn is not None and {name}._view is None else {value})"
        if _numeric(row, name):
            fast = f"NO_EDGE if {name}.__class__ in NUMBERS else {fast}"
        elif _optional(row, name):
            fast = f"NO_EDGE if {name} is None else {fast}"
        body.append(f"edge_{name} = {fast}")
        edges.append(f"edge_{name}")
    body.append(f"node.next_edges = ({', '.join(edges)},)")
    if row.node is not None and row.node.__name__ == "NotImplemented":
        body.append("node.next_edges = tuple(edge for edge in node.next_edges if edge[0] is not None)")
        body.append("node.operation = formula0(None)")
    if len(row.outputs) == 1 and row.view != "multi_output":
        body += ["array = result._array", "node.input_metadata = ((array.shape, array.dtype),)"]
    else:
        body.append(
            f"node.input_metadata = tuple((r._array.shape, r._array.dtype) for r in {_differentiable(row, 'result')}"
            " if r._array.dtype.kind in 'fc')"
        )
    for name, kind in row.saved.items():
        body.append(f"node.saved_{name} = {_saved_value(row, name, kind)}")
    body.append("return node")
    return _function("record", f"{_arguments(row)}, result", body)


def _saved_value(row: Row, name: str, kind: str) -> str:
    if kind == "output":
        return "None"
    if kind == "list":
        return f"tuple(None if t is None else save(t) for t in {name})"
    if kind == "plain":
        for suffix, text in ((_SIZES, ".shape"), (_NUMEL, ".size"), (_DIM, ".ndim")):
            if name.endswith(suffix) and name not in row.parameters:
                base = name.removesuffix(suffix).removeprefix("_")
                if base in row.lists:
                    return f"tuple(t._array{text} for t in {base})"
                return f"{base}._array{text}"
        if name.endswith(_STRIDES):
            base = name.removesuffix(_STRIDES)
            return f"strides({base}._array) if edge_{base}[0] is not None else ()"
        if _ARGSIZE in name:
            base, _, place = name.partition(_ARGSIZE)
            place = place.replace("minus_", "-")
            if base in row.outputs:
                return f"result[{row.outputs.index(base)}]._array.shape[{place}]"
            return f"{base}._array.shape[{place}]"
        if name.endswith(_TYPE):
            return f"BY_NUMPY[{name.removesuffix(_TYPE).removeprefix('_')}._array.dtype]"
        return name
    value = f"save({name})"
    if _numeric(row, name):
        value = f"({name} if {name}.__class__ in NUMBERS else {value})"
    elif _optional(row, name):
        value = f"(None if {name} is None else {value})"
    users = [key for key, rule in row.formulas.items() if name in _names(rule)]
    # See Note [Only what is needed is saved].
    if len(users) == 1 and len(row.formulas) > 1 and " " not in users[0]:
        test = (
            f"any(e[0] is not None for e in edges_{users[0]})"
            if users[0] in row.lists
            else f"edge_{users[0]}[0] is not None"
        )
        value = f"{value} if {test} else None"
    return value


def _apply_source(row: Row) -> str:
    body = []
    single = len(row.outputs) == 1 and row.view != "multi_output"
    count = f"({'None,' * len(row.inputs)})" if not row.lists else "(None,) * len(node.next_edges)"
    if single:
        body += ["grad = grads[0]", f"if grad is None: return {count}"]
    else:
        body += [f"if all(g is None for g in grads): return {count}", "grad = grads[0]"]
    body.append("edges = node.next_edges")
    if any("metadata" in _names(rule) for rule in row.formulas.values()):
        body.append("metadata = node.input_metadata")
    for name, kind in row.saved.items():
        body.append(f"{name} = node.saved_{name}")
        if kind in ("tensor", "output"):
            body.append(f"if {name}.__class__ is SavedTensor: {name} = {name}.unpack(node)")
        elif kind == "list":
            body.append(f"{name} = [t.unpack(node) if t.__class__ is SavedTensor else t for t in {name}]")
    returned = []
    position = "0"
    for number, (key, rule) in enumerate(row.formulas.items()):
        names = key.split()
        arguments = ", ".join(_names(rule))
        if names[0] in row.lists:
            rest = sum(1 for other in row.inputs if other not in row.lists)
            body += [
                f"length = len(edges) - {rest}",
                f"listed = formula{number}({arguments}) if any(e[0] is not None for e in edges[{position}:{position} + length]) else (None,) * length",
            ]
            returned.append("*listed")
            position = f"{position} + length"
        elif len(names) == 1:
            body.append(
                f"g{number} = formula{number}({arguments}) if edges[{position}][0] is not None else None"
            )
            returned.append(f"g{number}")
            position = f"{position} + 1" if not position.isdigit() else str(int(position) + 1)
        else:
            body.append(f"needed = [e[0] is not None for e in edges[{position}:{position} + {len(names)}]]")
            body.append(f"several = formula{number}({arguments})")
            returned.append("*several")
            position = f"{position} + {len(names)}"
    body.append(f"return [{', '.join(returned)}]")
    return _function("apply", "node, grads", body)


def _release_source(row: Row) -> str:
    body = []
    for name, kind in row.saved.items():
        if kind == "list":
            body.append(f"node.saved_{name} = tuple(release(t) for t in node.saved_{name})")
        elif kind != "plain":
            body.append(f"node.saved_{name} = release(node.saved_{name})")
    return _function("release", "node", body or ["pass"])


def _function(name: str, parameters: str, body: list[str]) -> str:
    return f"def {name}({parameters}):\n" + "".join(f"    {line}\n" for line in body)


# What compiled rows call --------------------------------------------------------------------------


def array_to_float(array: Array) -> Array:
    """Integers and bools as the default dtype; floats as they are."""
    return array if array.dtype.kind in "fc" else array.astype(dtypes.default.numpy)


def meet_arrays(to_float: bool, *operands: Any) -> tuple[Any, ...]:
    """Operands (arrays, numbers) as arrays of the dtype in which they meet; None stays None."""
    present = [each for each in operands if each is not None]
    kind = dtypes.result_dtype(*present)
    if to_float and kind.kind not in "fc":
        kind = dtypes.default.numpy
    return tuple(None if each is None else np.asarray(each).astype(kind, copy=False) for each in operands)


def _checked_meeting(check: Callable[..., None]) -> Callable[..., tuple[Any, ...]]:
    def meet(to_float: bool, *operands: Any) -> tuple[Any, ...]:
        check(*operands)
        return meet_arrays(to_float, *operands)

    return meet


def mismatch(error: Exception, *operands: Any) -> Exception:
    """The error for operands that do not broadcast."""
    try:
        broadcast_shapes(*(np.shape(each) for each in operands if each is not None))
    except RuntimeError as found:
        return found
    return error


def retry(row: Row, function: Callable[..., Any], arguments: tuple[Any, ...], out: Any = None) -> Any:
    """Call again with numpy's scalars as Python numbers; or refuse what is no tensor."""
    plain = [
        plain_number(each) if _numeric(row, name) else each
        for name, each in zip(row.parameters, arguments, strict=True)
    ]
    if all(a is b for a, b in zip(plain, arguments, strict=True)):
        if function is row.operator:
            return NotImplemented
        name = row.name + "_" * (function is row.evaluate)  # which in-place forms call
        raise refuse_operand(row, arguments, name, function is not row.call) from None
    given = dict(zip(row.parameters, plain, strict=True))
    positional = [given.pop(name) for name, p in row.parameters.items() if p.kind is not p.KEYWORD_ONLY]
    return function(*positional, **given, **({} if out is None else {"out": out}))


class _Missing:
    """Stands for a tensor that was not given."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = _Missing()


def too_many(row: Row, more: int, method: bool) -> Exception:
    """The TypeError for positional arguments beyond those that there are."""
    count = sum(p.kind is not p.KEYWORD_ONLY for p in row.parameters.values()) - method
    if not count:
        return TypeError(f"TensorBase.{row.name}() takes no arguments ({more} given)")
    plural = "s" if count > 1 else ""
    return TypeError(f"{row.name}() takes {count} positional argument{plural} but {count + more} were given")


def plain_number(value: Any) -> Any:
    """numpy's scalars, and subclasses of Python's numbers, as Python's own; np.bool_ counts as a float, as in torch."""
    if value.__class__ in NUMBERS or not isinstance(value, (int, float, np.number, np.bool_)):
        return value
    return int(value) if isinstance(value, (int, np.integer)) else float(value)


def refuse_operand(row: Row, arguments: tuple[Any, ...], called: str, method: bool) -> Exception:
    """The TypeError for the first argument that is no tensor where one must be."""
    shown_name = called.replace("_tensors", "").replace("_tensor", "")
    for position, (name, value) in enumerate(zip(row.parameters, arguments, strict=True), 0 if method else 1):
        text = "input" if name == "self" else name
        if value is MISSING:
            missing = [
                "input" if n == "self" else n
                for n, v in zip(row.parameters, arguments, strict=True)
                if v is MISSING
            ]
            listed = ", ".join(f'"{each}"' for each in missing)
            return TypeError(f"{shown_name}() missing {len(missing)} required positional arguments: {listed}")
        if name in row.lists:
            if not isinstance(value, (tuple, list)):
                return TypeError(
                    f"{row.name}(): argument '{text}' (position {position}) must be tuple of Tensors, not {_type(value)}"
                )
            for index, each in enumerate(value):
                if not isinstance(each, Tensor):
                    return TypeError(
                        f"expected Tensor as element {index} in argument {position - 1}, but got {_type(each)}"
                    )
        if (
            name in row.tensors
            and not isinstance(value, Tensor)
            and not (value is None and _optional(row, name))
        ):
            if _numeric(row, name) and value.__class__ in NUMBERS:
                continue
            return TypeError(
                f"{shown_name}(): argument '{text}' (position {position}) must be Tensor, not {_type(value)}"
            )
    return AttributeError(f"{row.name}: a tensor lacks its array")


def _type(value: Any) -> str:
    return type(value).__name__


def check_out(row: Row, out: Tensor, arguments: tuple[Any, ...]) -> None:
    """Refuse out= together with autograd."""
    if state.recording and any(isinstance(each, Tensor) and each.requires_grad for each in (out, *arguments)):
        raise RuntimeError(
            f"{row.name}(): functions with out=... arguments don't support automatic differentiation, but one "
            "of the arguments requires grad."
        )


def store_out(row: Row, out: Tensor, value: Any) -> Tensor:
    """Write a result into the tensor given as out=, resized where needed."""
    from .inplace import check_castable, write
    from .views import increment_version

    array = np.asarray(value)
    check_castable(array, out._array)
    if out._array.shape == array.shape:
        write(out, array)
    else:
        out._array = array.astype(out._array.dtype)
        increment_version(out)
    return out
