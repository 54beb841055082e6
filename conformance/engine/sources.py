"""The source of a row's functions, see Note [Rows are compiled] in rows.py.

In it ``<name>_a`` is the array of a tensor argument, ``edge_<name>`` where its gradient flows, ``out_`` what the
forward gave and ``result`` the tensor around it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .complex_numbers import FORMULAS, NOT_CAST, formula_of
from .complex_refusals import REFUSALS, UNLESS_EMPTY, UNLESS_SINGLE
from .keywords import numpy_names
from .out import WITHIN
from .positional import NUMBERS_OF

if TYPE_CHECKING:
    from .rows import Row

_NOT_ELEMENTWISE = ("isin", "linalg_cross", "dist")
_ARGSIZE = "_sym_argsize_"
_SIZES, _STRIDES, _NUMEL, _TYPE, _DIM = "_sym_sizes", "_sym_strides", "_sym_numel", "_scalar_type", "_dim"


def names_of(formula: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a formula's arguments."""
    code = formula.__code__
    return code.co_varnames[: code.co_argcount]


def _signature(row: Row, variant: str) -> str:
    """The parameters; what must be given has MISSING as default, so that torch's text is raised."""
    parts: list[str] = []
    operator = variant == "operator"  # Python gives it its two operands
    keyword_only = False
    for name, parameter in row.parameters.items():
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            parts.append("*rest" if _only_tensors(row) and not operator else "*")
            keyword_only = True
        text = "input" if name == "self" else name
        if parameter.default is not parameter.empty:
            text += f"={parameter.default!r}"
        elif not operator and not (variant == "method" and not parts):
            text += "=MISSING"
        parts.append(text)
    if not keyword_only and _only_tensors(row) and not operator:
        parts.append("*rest")
        keyword_only = True
    further = [] if operator else [f"{each}=None" for each in numpy_names(row.parameters)]
    further += ["out=None"] if _has_out(row) and variant == "call" else []
    if further:
        parts += further if keyword_only else ["*", *further]
    return ", ".join(parts)


def _required(row: Row) -> list[str]:
    """What must be given and is no tensor."""
    named = (*row.tensors, *row.lists)
    return [name for name, p in row.parameters.items() if p.default is p.empty and name not in named]


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


def numbers_among(which: bool | str, meet: tuple[str, ...]) -> tuple[str, ...]:
    if isinstance(which, str):
        return tuple(which.split())
    return meet if which and len(meet) > 1 else ()


def may_be_number(row: Row, name: str) -> bool:
    return name in row.numbers


def is_optional(row: Row, name: str) -> bool:
    return row.parameters[name].default is None


def _unwrap(row: Row, otherwise: str) -> list[str]:
    """Tensor arguments as arrays ``<name>_a``, promoted where operands meet."""
    lines = []
    for name in row.tensors:
        if may_be_number(row, name):
            lines.append(_tell_number(name))
            lines.append(f"{name}_a = {name} if {name}_n else {name}._array")
        elif is_optional(row, name):
            lines.append(f"{name}_a = None if {name} is None else {name}._array")
        else:
            lines.append(f"{name}_a = {name}._array")
    for name in _required(row) if otherwise in ("call", "method") else ():
        lines.append(f"if {name} is MISSING: raise AttributeError")
    for name in row.lists:
        lines.append(f"{name}_a = [None if t is None else t._array for t in {name}]")
    body = ["try:", *(f"    {line}" for line in lines), "except AttributeError:"]
    out = ", out" if _has_out(row) and otherwise == "call" else ""
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
                numbers = " or ".join(f"{name}_n" for name in row.numbers)
                first = f"{a}_n or " if may_be_number(row, a) else ""
                body += [
                    f"if not ({numbers}):",
                    f"    {together}",
                    f"elif {first}{a}_a.dtype not in FULL or {b}.__class__ is bool:",
                    f"    {arrays} = meet({row.to_float}, {arrays})",
                ]
            else:
                body.append(together)
        else:
            body.append(f"{arrays} = meet({row.to_float}, {arrays})")
    return body


def _tell_number(name: str) -> str:
    return f"{name}_n = {name}.__class__ in NUMBERS"


def _forward(row: Row) -> str:
    arguments = []
    for name, parameter in row.parameters.items():
        value = f"{name}_a" if name in (*row.tensors, *row.lists) else name
        arguments.append(f"{name}={value}" if parameter.kind is parameter.KEYWORD_ONLY else value)
    return f"forward_({', '.join(arguments)})"


def _run(row: Row, into: str) -> list[str]:
    """The forward; where it refuses its arguments, what torch finds before comes first."""
    met = [name for name in row.meet if name not in row.lists]
    run = [*_refuse_complex(row), f"{into} {_forward(row)}"]
    if len(met) < 2 and not row.recorded:
        return run
    handler = ["try:", *(f"    {line}" for line in run), "except Exception as error:"]
    if row.recorded:
        handler.append(f"    check_recorded(row, ({_arguments(row)},))")
    if len(met) > 1:
        arrays = ", ".join(f"{name}_a" for name in row.tensors)
        handler.append(f"    raise mismatch(error, {arrays}) from None")
    else:
        handler.append("    raise")
    return handler


def _refuse_complex(row: Row) -> list[str]:
    """The check of a row that has no kernel for complex numbers."""
    if row.name not in REFUSALS:
        return []
    first, *others = row.tensors
    array = f"{first}_a"
    if may_be_number(row, first):
        array = f"({others[0]}_a if {first}_n else {array})"
    test = f"{array}.dtype.kind == 'c'"
    if row.name in UNLESS_EMPTY:
        test += f" and {array}.size"
    if row.name in UNLESS_SINGLE:
        test += f" and {array}.ndim"
    return [f"if {test}: raise refusal(row, {array})"]


def evaluate_source(row: Row) -> str:
    body = [*_unwrap(row, "evaluate"), *_run(row, "return")]
    return _function("evaluate", _arguments(row), body)


def _some_tensor(row: Row, name: str, test: str) -> str:
    """Whether an argument is a tensor that passes a test, or a list in which one does."""
    if name in row.lists:
        return f"any({test.format('each')} for each in {name})"
    passes = f"({test.format(name)})"
    if may_be_number(row, name):
        return f"not {name}_n and {passes}"
    if is_optional(row, name):
        return f"{name} is not None and {passes}"
    return passes


_REQUIRES = "{0}._requires_grad or {0}._view is not None and {0}._view.base._requires_grad"


# What a new tensor is, but for its array and whether it was made in inference mode.
_PLAIN = (
    "result._output_nr = 0",
    "result._node = result._view = result._version_counter = None",
    "result._requires_grad = False",
)


def call_source(row: Row, variant: str = "call") -> str:
    body = ["self = input"] if "self" in row.parameters else []
    if variant != "operator":
        for theirs, own in numpy_names(row.parameters).items():
            default = row.parameters[own].default
            body.append(
                f"if {theirs} is not None: "
                f"{own} = taken(row, {own}, {'MISSING' if default is inspect.Parameter.empty else repr(default)}, {theirs}, '{theirs}')"
            )
    if variant != "call":  # the first operand is a tensor, or Python would not have come here
        row = replace(row, numbers=tuple(name for name in row.numbers if name != next(iter(row.parameters))))
    if _only_tensors(row) and variant != "operator":
        body += _beyond(row, variant)
    for name in row.scalars if variant != "operator" else ():
        body.append(f"if {name}.__class__ not in PLAIN: {name} = as_scalar(row, '{name}', {name})")
    body += _unwrap(row, variant)
    if "dtype" in row.parameters:
        body.append(f"if dtype.__class__ is type: dtype = asked({row.name!r}, dtype)")
    if variant == "call" and row.name in WITHIN:
        body.append("if dtype is None and out is not None: dtype = getattr(out, 'dtype', None)")
    for name in row.undifferentiated:
        body.append(f"if {_some_tensor(row, name, _REQUIRES)}:")
        body.append(f"    if state.recording: check_constant(row, '{name}', {name})")
    body += _run(row, "out_ =")
    recorded = row.recorded
    if recorded:
        requires = " or ".join(_some_tensor(row, name, _REQUIRES) for name in row.inputs)
        # What inference tensors alone give stays outside the graph, whatever they require.
        seen = row.inputs[:1] if row.view else row.inputs
        outside = " or ".join(_some_tensor(row, name, "not {}._inference") for name in seen)
        body += ["recording = state.recording", f"recorded = recording and ({requires}) and ({outside})"]
    met = [name for name in row.meet if name not in row.lists]
    elementwise = len(met) > 1 and row.name not in _NOT_ELEMENTWISE
    if elementwise:  # see Note [Order of an elementwise result]
        arrays = [f"{name}_a" for name in row.tensors]
        in_order = " and ".join(_in_order(row, name) for name in row.tensors)
        body += [
            "shape = out_.shape",
            f"if len(shape) > 1 and not ((steps := out_.strides) and {in_order}): "
            f"out_ = laid_out(out_, {', '.join(arrays)})",
        ]
    single = len(row.outputs) == 1 and row.view != "multi_output"
    if single:
        if row.view is None and variant == "call":
            body += [
                "if out is not None:",
                f"    check_out(row.name, out, ({_arguments(row)},))" if row.node else "",
                "    check_asked(out, dtype)" if "dtype" in row.parameters else "",
                f"    return store_out(row.name, out, out_, ({_arguments(row)},))",
            ]
        body += [
            "if out_.__class__ is not ndarray: out_ = asanyarray(out_)",
            "result = new(Tensor)",
            "result._array = out_",
            *_PLAIN,
            f"result._inference = {False if row.view else _inference(recorded)}",
        ]
        if row.view:
            body.append(f"as_view(result, {row.inputs[0] if row.inputs else 'self'})")
        if recorded:
            body += [
                "if recorded:",
                *(f"    {line}" for line in (_record(row, shape="shape") if elementwise else _record(row))),
                "    result._node = node",
                "    result._requires_grad = True",
            ]
            if "result" in row.saved:
                body.append("    node.saved_result = save_output(result)")
        body.append("return result")
    else:
        body += _several_outputs(row, recorded)
    return _function(row.name, _signature(row, variant), [line for line in body if line])


def _beyond(row: Row, variant: str) -> list[str]:
    """What is done with positional arguments beyond those that there are."""
    method = variant == "method"
    if row.name not in NUMBERS_OF:
        return [f"if rest: raise too_many(row, len(rest), {method}, row.name)"]
    tensors = "".join(f"{name}, " for name, p in row.parameters.items() if p.kind is not p.KEYWORD_ONLY)
    named = ", ".join(f"{name!r}: {name}" for name in NUMBERS_OF[row.name])
    return [
        "if rest:",
        f"    given, named = by_name(row, ({tensors}*rest), {{{named}}}, row.name, {method})",
        f"    return row.call(*given, **named{'' if method else ', out=out'})",
    ]


def _in_order(row: Row, name: str) -> str:
    """Whether an operand has the result's shape and steps, so that nothing is to be laid out."""
    test = f"{name}_a.strides == steps and {name}_a.shape == shape"
    if may_be_number(row, name):
        return f"({name}_n or {test})"
    return f"({name} is None or {test})" if is_optional(row, name) else test


def _inference(recorded: bool) -> str:
    """Whether the result is made in inference mode."""
    return "recording is None" if recorded else "state.inference"


def _several_outputs(row: Row, recorded: bool) -> list[str]:
    body = [
        "results = []",
        "for each in out_:",
        "    result = new(Tensor)",
        "    result._array = each if each.__class__ is ndarray else asanyarray(each)",
        *(f"    {line}" for line in _PLAIN),
        f"    result._inference = {False if row.view else _inference(recorded)}",
    ]
    if row.view:
        body.append("    as_view(result, self, 'multi_output')")
    body.append("    results.append(result)")
    if recorded:
        body += [
            "if recorded:",
            f"    node = record({_arguments(row)}, results, recording)",
            "    number = 0",
            f"    for result in {_differentiable(row, 'results')}:",
            "        if result._array.dtype.kind in 'fc':",
            "            result._node, result._output_nr, result._requires_grad = node, number, True",
            "            number += 1",
        ]
        for each, kind in row.saved.items():
            if kind == "output":
                number = row.outputs.index(each)
                body += [
                    f"    result = results[{number}]",
                    f"    node.saved_{each} = save(result, recording) if result._node is None else "
                    "save_output(result, result._output_nr)",
                ]
    body.append("return returns(results)")
    return body


def _differentiable(row: Row, results: str) -> str:
    """The outputs that may have a gradient."""
    if not row.constants:
        return results
    kept = [f"{results}[{i}]" for i, name in enumerate(row.outputs) if name not in row.constants]
    return f"({', '.join(kept)},)"


def record_source(row: Row) -> str:
    numbers = [_tell_number(name) for name in row.tensors if may_be_number(row, name)]
    body = [*numbers, *_record(row), "return node"]
    return _function("record", f"{_arguments(row)}, result, recording", body)


def linearize_source(row: Row) -> str:
    body = [*_record(row, linear=True), "return node"]
    return _function("linearize", f"{_arguments(row)}, result, wanted", body)


def _record(row: Row, linear: bool = False, shape: str = "result._array.shape") -> list[str]:
    """The node of a result, with its edges and what it saves; or, linear, of a node that never joins the graph."""
    body = ["node = Node_()"]
    if linear:
        body += [_tell_number(name) for name in row.tensors if may_be_number(row, name)]
        body += ["node.hooks = None", "save = lambda value, _: value", "recording = None"]
    else:
        body += [
            "node.hooks = None",
            "node.sequence_nr = next(recording.sequence_nrs)",
            "if recording.anomaly: note_traceback(node)",
        ]
    edges = []
    for name in row.inputs:
        if name in row.lists:
            edge = f"[gradient_edge(t) for t in {name}]"
            if linear:
                edge = f"[SINK if each else NO_EDGE for each in wanted[{name!r}]]"
            body.append(f"edges_{name} = {edge}")
            edges.append(f"*edges_{name}")
            continue
        if linear:
            body.append(f"edge_{name} = SINK if wanted[{name!r}] else NO_EDGE")
            edges.append(f"edge_{name}")
            continue
        fast = (
            f"gradient_edge({name}) if {name}._view is not None else ({name}._node, {name}._output_nr) "
            f"if {name}._node is not None else (grad_accumulator({name}), 0) if {name}._requires_grad else NO_EDGE"
        )
        if may_be_number(row, name):
            fast = f"NO_EDGE if {name}_n else {fast}"
        elif is_optional(row, name):
            fast = f"NO_EDGE if {name} is None else {fast}"
        body.append(f"edge_{name} = {fast}")
        edges.append(f"edge_{name}")
    body.append(f"node.next_edges = ({', '.join(edges)},)")
    if row.node_name == "NotImplemented":
        body.append("node.next_edges = tuple(edge for edge in node.next_edges if edge[0] is not None)")
        body.append("node.operation = formula0(None)")
    if len(row.outputs) == 1 and row.view != "multi_output":
        body.append(f"alike = ({shape}, result._array.dtype)")
        body += [
            "try: node.input_metadata = known_metadata(alike)",
            "except ComplexOutputError: as_complex(row, node, (alike,))",
        ]
    else:
        body += [
            f"alike = tuple((r._array.shape, r._array.dtype) for r in {_differentiable(row, 'result')}"
            " if r._array.dtype.kind in 'fc')",
            "node.input_metadata = alike",
            "for each in alike:",
            "    if each[1].kind == 'c': as_complex(row, node, alike)",
        ]
    for name, kind in row.saved.items():
        body.append(f"node.saved_{name} = {_saved_value(row, name, kind)}")
    return body


def _saved_value(row: Row, name: str, kind: str) -> str:
    if kind == "output":
        return "None"  # set when the output is there; see _several_outputs
    if kind == "list":
        return f"tuple(None if t is None else save(t, recording) for t in {name})"
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
    value = f"save({name}, recording)"
    if may_be_number(row, name):
        value = f"({name} if {name}_n else {value})"
    elif is_optional(row, name):
        value = f"(None if {name} is None else {value})"
    users = [key for key, rule in row.formulas.items() if name in names_of(rule)]
    # See Note [Only what is needed is saved].
    if len(users) == 1 and len(row.formulas) > 1 and " " not in users[0]:
        test = f"edge_{users[0]}[0] is not None"
        if users[0] in row.lists:
            test = f"any(e[0] is not None for e in edges_{users[0]})"
        value = f"{value} if {test} else None"
    return value


def complex_apply_source(row: Row) -> str:
    """apply of a node whose output is complex, see Note [Complex gradients]."""
    return apply_source(row, "complex_")


def apply_source(row: Row, prefix: str = "") -> str:
    body = []
    single = len(row.outputs) == 1 and row.view != "multi_output"
    count = f"({'None,' * len(row.inputs)})" if not row.lists else "(None,) * len(node.next_edges)"
    body += ["grad = grads[0]", "edges = node.next_edges"]
    if any("metadata" in names_of(rule) for rule in row.formulas.values()):
        body.append("metadata = node.input_metadata")
    for name, kind in row.saved.items():
        body.append(f"{name} = node.saved_{name}")
        if kind in ("tensor", "output"):
            body.append(f"if {name}.__class__ is SavedTensor: {name} = {name}.unpack(node)")
        elif kind == "list":
            body.append(f"{name} = [t.unpack(node) if t.__class__ is SavedTensor else t for t in {name}]")
    # What is saved is unpacked, and found changed or freed, even where there is nothing to multiply it with.
    body.append(f"if {'grad is None' if single else 'all(g is None for g in grads)'}: return {count}")
    returned = []
    position = "0"
    for number, key in enumerate(row.formulas):
        names = key.split()
        formula = f"{prefix}formula{number}({', '.join(_given(row, key, prefix))})"
        if names[0] in row.lists:
            rest = sum(1 for other in row.inputs if other not in row.lists)
            body += [
                f"length = len(edges) - {rest}",
                f"wanted = any(e[0] is not None for e in edges[{position}:{position} + length])",
                f"listed = {formula} if wanted else (None,) * length",
            ]
            returned.append("*listed")
            position = f"{position} + length"
        elif len(names) == 1:
            body.append(f"g{number} = {formula} if edges[{position}][0] is not None else None")
            returned.append(f"g{number}")
            position = f"{position} + 1" if not position.isdigit() else str(int(position) + 1)
        else:
            body.append(f"needed = [e[0] is not None for e in edges[{position}:{position} + {len(names)}]]")
            body.append(f"several = {formula}")
            returned.append("*several")
            position = f"{position} + {len(names)}"
    found = f"[{', '.join(returned)}]"
    cast = prefix and row.name not in NOT_CAST
    body.append(f"return [*map(real_part, {found}, edges)]" if cast else f"return {found}")
    return _function("apply", "node, grads", body)


def _given(row: Row, key: str, prefix: str) -> Iterator[str]:
    """What a formula is given: where it is one of real numbers and the node's output complex, conjugates."""
    conjugated = prefix and row.holomorphic and (row.name, key) not in FORMULAS
    for name in names_of(formula_of(row, key) if prefix else row.formulas[key]):
        yield f"conjugate({name})" if conjugated and name in row.saved else name


def release_source(row: Row) -> str:
    body = []
    for name, kind in row.saved.items():
        if kind == "list":
            body.append(f"node.saved_{name} = tuple(release(t) for t in node.saved_{name})")
        elif kind != "plain":
            body += [
                f"saved = node.saved_{name}",
                "if saved.__class__ is SavedTensor: saved.release()",
                f"elif saved is not None: node.saved_{name} = FREED",
            ]
    return _function("release", "node", body or ["pass"])


def _function(name: str, parameters: str, body: list[str]) -> str:
    return f"def {name}({parameters}):\n" + "".join(f"    {line}\n" for line in body)
