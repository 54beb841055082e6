"""Generates the source of the functions that call a row, see Note [Rows are compiled] in _aten/registry.py.

Names in that source: ``<name>_array`` is the array of a tensor argument, ``next_<name>`` the node that its gradient
flows to, ``computed`` the result of the kernel, and ``result`` the tensor that wraps it.
"""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import TYPE_CHECKING

from ..._c10.keyword_names import numpy_names
from ..._c10.operator_facts import NUMBERS_OF
from ..type_promotion import may_be_none
from .node import arguments, differentiable, is_optional, may_be_number, record_lines, tell_number
from .source_lines import either, function, group, indented, spread

if TYPE_CHECKING:
    from ..registry import Row


def _signature(row: Row, variant: str) -> str:
    """The parameter list; required parameters have the default MISSING, so that torch's error can be raised."""
    parts: list[str] = []
    operator = variant == "operator"  # Python calls it with both operands
    keyword_only = False
    for name, parameter in row.parameters.items():
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            parts.append("*rest" if _only_tensors(row) and not operator else "*")
            keyword_only = True
        text = "input" if name == "self" and not operator else name
        if parameter.default is not parameter.empty:
            text += f"={parameter.default!r}"
        elif not operator and not (variant == "method" and not parts):
            text += "=MISSING"
        parts.append(text)
    if not keyword_only and _only_tensors(row) and not operator:
        parts.append("*rest")
        keyword_only = True
    further = [f"{each}=None" for each in numpy_names(row.parameters)]
    further += ["out=None"] if _has_out(row) and variant == "call" else []
    if further:
        parts += further if keyword_only else ["*", *further]
    return ", ".join(parts)


def _required(row: Row) -> list[str]:
    """The required parameters that are not tensors."""
    named = (*row.tensors, *row.lists)
    return [name for name, p in row.parameters.items() if p.default is p.empty and name not in named]


def _only_tensors(row: Row) -> bool:
    """Whether all positional parameters are required tensors; further positional arguments are then in ``rest``."""
    positional = [name for name, p in row.parameters.items() if p.kind is not p.KEYWORD_ONLY]
    return all(
        name in row.tensors and row.parameters[name].default is inspect.Parameter.empty for name in positional
    )


def _has_out(row: Row) -> bool:
    return row.view is None and len(row.outputs) == 1 and row.facts.out not in (None, False)


def numbers_among(which: bool | str, promote: tuple[str, ...]) -> tuple[str, ...]:
    if isinstance(which, str):
        return tuple(which.split())
    return promote if which and len(promote) > 1 else ()


def _unwrap(row: Row, otherwise: str) -> list[str]:
    """Assigns the arrays of the tensor arguments to ``<name>_array``."""
    lines = []
    for name in row.tensors:
        if may_be_number(row, name):
            lines.append(tell_number(name))
            lines.append(f"{name}_array = {name} if {name}_is_number else {name}._array")
        elif is_optional(row, name):
            lines.append(f"{name}_array = None if {name} is None else {name}._array")
        else:
            lines.append(f"{name}_array = {name}._array")
    for name in _required(row) if otherwise in ("call", "method") else ():
        lines.append(f"if {name} is MISSING: raise AttributeError")
    for name in row.lists:
        lines.append(f"{name}_array = [None if t is None else t._array for t in {name}]")
    if _tells_alike(row, otherwise):
        lines += _find_alike(row)
    body = ["# The arrays of the operands.", "try:", *indented(lines), "except AttributeError:"]
    out = ", out" if _has_out(row) and otherwise == "call" else ""
    body.append(f"    return retry(row, row.{otherwise}, ({arguments(row)},){out})")
    return body


def _tells_alike(row: Row, variant: str) -> bool:
    """Whether the code compares its operands' metadata, see Note [Shared metadata]."""
    return row.ufunc is not None and variant != "evaluate"


def _find_alike(row: Row) -> list[str]:
    """Assigns to ``alike`` the metadata that both operands share (a real number fits any), else None or False."""
    a, b = row.promote
    result = [
        f"alike = {a}._shared_metadata",
        f"if alike is None: alike = find_shared_metadata({a})",
        f"if {b}_is_number:",
        f"    if {b}.__class__ is not float and {b}.__class__ not in REAL: alike = None",
        f"elif {b}._shared_metadata is not alike:",
        f"    if {b}._shared_metadata is not None or find_shared_metadata({b}) is not alike: alike = None",
    ]
    return either(f"{a}_is_number", ["alike = None"], result) if may_be_number(row, a) else result


def _promote(row: Row) -> list[str]:
    """The type promotion of the operands."""
    body = []
    met = row.promote
    if len(met) == 1:
        if row.to_float:
            body.append(f"if {met[0]}_array.dtype not in FULL: {met[0]}_array = to_float({met[0]}_array)")
    elif met:
        arrays = ", ".join(f"{name}_array" for name in met)
        if len(met) == 2:
            a, b = met
            as_it_is = f"{a}_array.dtype is {b}_array.dtype" + (
                f" and {a}_array.dtype in FULL" if row.to_float else ""
            )
            together = [f"if not ({as_it_is}):", f"    {arrays} = promote({row.to_float}, {arrays})"]
            if row.numbers:
                numbers = " or ".join(f"{name}_is_number" for name in row.numbers)
                first = f"{a}_is_number or " if may_be_number(row, a) else ""
                body += [
                    f"if not ({numbers}):",
                    *indented(together),
                    f"elif {first}{a}_array.dtype not in FULL or {b}.__class__ is bool:",
                    f"    {arrays} = promote({row.to_float}, {arrays})",
                ]
            else:
                body += together
        else:
            body.append(f"{arrays} = promote({row.to_float}, {arrays})")
    return body


def _forward(row: Row, called: str = "forward_(") -> str:
    arguments = []
    for name, parameter in row.parameters.items():
        value = f"{name}_array" if name in (*row.tensors, *row.lists) else name
        arguments.append(f"{name}={value}" if parameter.kind is parameter.KEYWORD_ONLY else value)
    return f"{called}{', '.join(arguments)})"


_IN_LAYOUT = "unstrided.evaluated(row, "  # calls the row's kernel for another layout, such as sparse


def _run(row: Row, into: str) -> list[str]:
    """Calls the kernel, with operands of one dtype."""
    return [*_promote(row), *_refuse_complex(row), f"{into} {_forward(row)}"]


def _run_alike(row: Row, otherwise: list[str]) -> list[str]:
    """Calls the ufunc directly if the operands share their metadata, as the result then does; else ``otherwise``."""
    usual = [f"{name} is ONE" for name in row.parameters if name not in row.promote]
    arrays = ", ".join(f"{name}_array" for name in row.promote)
    return either(
        " and ".join(["alike", *usual]), [f"computed = ufunc_({arrays})"], ["alike = None", *otherwise]
    )


def _checked(row: Row, run: list[str], otherwise: list[str], variant: str) -> list[str]:
    """Wraps ``run`` in a try block: if the kernel refuses its arguments, checks that torch makes earlier raise first.

    ``otherwise`` runs if an operand has another layout, see Note [Sparse arrays].
    """
    arrays = ", ".join(f"{name}_array" for name in (*row.tensors, *row.lists))
    operands = "".join(f"{name}_array, " for name in row.tensors) if len(row.promote) > 1 else ""
    return [
        *("# The forward.", "try:", *indented(run), "except Exception as error:"),
        "    unstrided = None" if row.any_layout else f"    unstrided = unstrided_among(({arrays},))",
        *("    if unstrided is not None:", *indented(indented(otherwise)), "    else:"),
        f"        raise explained(row, error, {variant!r}, ({arguments(row)},), ({operands})) from None",
    ]


def _refuse_complex(row: Row) -> list[str]:
    """The check of a row that does not support complex tensors."""
    if row.facts.no_complex is None:
        return []
    array = f"{row.tensors[0]}_array"  # of a number, too, once it is promoted
    test = f"{array}.dtype.kind == 'c'"
    numbers = [each for each in row.tensors if may_be_number(row, each)]
    numbers += [each for each in ("self", "other") if each in row.parameters and each not in row.tensors]
    for name in numbers[-1:]:
        test = f"({test} or {name}.__class__ is complex)"
    if row.facts.complex_if:
        test += f" and {array}.size"
    if row.facts.complex_if == "empty or 0-d":
        test += f" and {array}.ndim"
    return [f"if {test}: raise refusal(row, {array})"]


def evaluate_source(row: Row) -> str:
    body = [
        *_unwrap(row, "evaluate"),
        *_checked(row, _run(row, "return"), [f"return {_forward(row, _IN_LAYOUT)}"], "evaluate"),
    ]
    return function("evaluate", arguments(row), body)


def _some_tensor(row: Row, name: str, test: str) -> str:
    """An expression: whether an argument is a tensor that passes ``test``, or a list with such a tensor."""
    if name in row.lists:
        return f"any({test.format('each')} for each in {name})"
    passes = f"({test.format(name)})"
    if may_be_number(row, name):
        return f"not {name}_is_number and {passes}"
    if is_optional(row, name):
        return f"{name} is not None and {passes}"
    return passes


_REQUIRES = "{0}._requires_grad or {0}._view is not None and {0}._view.base._requires_grad"


# The attributes of a new tensor, without its array, inference flag and shared metadata.
_PLAIN = (
    "result._output_nr = 0",
    "result._node = result._view = result._version_counter = None",
    "result._requires_grad = False",
)


def call_source(row: Row, variant: str = "call") -> str:
    if variant != "call":  # the first operand is a tensor: Python looked the method up on it
        row = replace(row, numbers=tuple(name for name in row.numbers if name != next(iter(row.parameters))))
    body = [] if variant == "operator" else _arguments_taken(row, variant)
    body += _unwrap(row, variant)
    if "dtype" in row.parameters:
        body.append(f"if dtype.__class__ is type: dtype = parse_dtype({row.name!r}, dtype)")
    for name in row.undifferentiated:
        body.append(f"if {_some_tensor(row, name, _REQUIRES)}:")
        body.append(f"    if state.recording: raise not_differentiable(row, '{name}')")
    run = _run(row, "computed =")
    elementwise = bool(row.promote) and row.facts.elementwise
    if elementwise:  # see Note [Strides of an elementwise result]
        arrays = [f"{name}_array" for name in row.tensors] + ["0"] * row.facts.wrapped_number
        in_order = [_in_order(row, name) for name in row.tensors]
        run += [
            "shape = computed.shape",
            *f"if len(shape) > 1 and not {group(['(steps := computed.strides)', *in_order], 'and')}:".split(
                "\n"
            ),
            f"    computed = laid_out(computed, {', '.join(arrays)})",
        ]
    if row.single and not row.any_layout:
        run.append("if computed.__class__ is not ndarray: computed = asanyarray(computed)")
    if row.single and row.is_ordered:
        run.append("if len(computed.shape) > 1: computed = ordered(computed)")
    tells = _tells_alike(row, variant)
    otherwise = [f"computed = {_forward(row, _IN_LAYOUT)}"]
    otherwise += ["shape = computed.shape"] * elementwise + ["alike = None"] * tells
    body += _checked(row, _run_alike(row, run) if tells else run, otherwise, variant)
    recorded = row.recorded
    if recorded:
        body += _joins_the_graph(row)
    if row.single:
        if _has_out(row) and variant == "call":
            body += [
                "if out is not None:",
                *[f"    check_out(row.name, out, ({arguments(row)},))"] * bool(row.node),
                f"    return store_out(row.name, out, computed, ({arguments(row)},))",
            ]
        body += _one_output(row, recorded, "shape" if elementwise else "result._array.shape", tells)
    else:
        body += _several_outputs(row, recorded)
    return function(row.name, _signature(row, variant), body)


def _arguments_taken(row: Row, variant: str) -> list[str]:
    """Converts the arguments as given to those that the kernel takes."""
    body = ["self = input"] if "self" in row.parameters else []
    for theirs, own in numpy_names(row.parameters).items():
        default = row.parameters[own].default
        missing = "MISSING" if default is inspect.Parameter.empty else repr(default)
        body.append(
            f"if {theirs} is not None: {own} = numpy_keyword_value(row, {own}, {missing}, {theirs}, '{theirs}')"
        )
    if _only_tensors(row):
        body += _beyond(row, variant)
    for name in row.scalars:
        known = "PLAIN" if may_be_none(row, name) else "NUMBERS"
        body.append(f"if {name}.__class__ not in {known}: {name} = as_scalar(row, '{name}', {name})")
    for name, kind in row.plain.items():
        given = f"'{name}', {name}, ({arguments(row)},), {variant == 'method'}"
        body.append(f"if {name}.__class__ is not {kind}: check_plain(row, {given})")
    return body


def _joins_the_graph(row: Row) -> list[str]:
    """Assigns to ``recorded`` whether the result requires grad.

    The result of inference tensors only does not, even if they require grad. A normal tensor of indices or a mask is
    enough, and so is a Python number, since torch wraps it in a tensor.
    """
    requires = [_some_tensor(row, name, _REQUIRES) for name in row.inputs]
    given = [
        name for name in row.tensors if not name.startswith(("result", "total"))
    ]  # which kernels of torch compute
    outside = [
        f"{name}_is_number or not {name}._inference" if may_be_number(row, name)
        else _some_tensor(row, name, "not {}._inference")
        for name in dict.fromkeys((*row.inputs, *given))
    ]  # fmt: skip
    parts = ["recording", group(requires, "or"), group(outside, "or")]
    return [
        "# Whether the result joins the graph.",
        "recording = state.recording",
        *spread("recorded = ", parts, "and", ""),
    ]


def _one_output(row: Row, recorded: bool, shape: str, alike: bool) -> list[str]:
    """Wraps the computed array in a tensor, and records its node.

    Args:
        shape: the expression for the result's shape.
        alike: whether a variable ``alike`` holds the metadata that the result shares with its operands.
    """
    body = [
        "# The result.",
        "result = new(Tensor)",
        "result._array = computed",
        *_PLAIN,
        f"result._shared_metadata = {'alike' if alike else None}",
        f"result._inference = {False if row.view else _inference(recorded)}",
    ]
    if row.view:
        body.append(f"as_view(result, {row.inputs[0] if row.inputs else 'self'})")
    if recorded:
        body += ["if recorded:", *indented(record_lines(row, shape=shape, alike=alike))]
        body += ["    result._node = node", "    result._requires_grad = True"]
        if "result" in row.saved:
            body.append("    node.saved_result = save_output(result)")
    return [*body, "return result"]


def _beyond(row: Row, variant: str) -> list[str]:
    """Handles surplus positional arguments: an error, or deprecated signatures with numbers first."""
    method = variant == "method"
    if row.name not in NUMBERS_OF:
        return [f"if rest: raise too_many(row, len(rest), {method}, row.name)"]
    tensors = "".join(f"{name}, " for name, p in row.parameters.items() if p.kind is not p.KEYWORD_ONLY)
    named = ", ".join(f"{name!r}: {name}" for name in NUMBERS_OF[row.name])
    return [
        "if rest:",
        f"    given, named = to_keyword_numbers(row, ({tensors}*rest), {{{named}}}, row.name, {method})",
        f"    return row.call(*given, **named{'' if method else ', out=out'})",
    ]


def _in_order(row: Row, name: str) -> str:
    """An expression: whether an operand has the result's shape and strides, so that these need no change."""
    test = f"{name}_array.strides == steps and {name}_array.shape == shape"
    if may_be_number(row, name):
        return f"({name}_is_number or {test})"
    return f"({name} is None or {test})" if is_optional(row, name) else test


def _inference(recorded: bool) -> str:
    """An expression: whether the result is made in inference mode."""
    return "recording is None" if recorded else "state.inference"


def _several_outputs(row: Row, recorded: bool) -> list[str]:
    body = [
        "# The results.",
        "results = []",
        "for each in map(ordered, computed):" if row.is_ordered else "for each in computed:",
        "    result = new(Tensor)",
        "    result._array = each if each.__class__ is ndarray else array_of(each)",
        *indented([*_PLAIN, "result._shared_metadata = None"]),
        f"    result._inference = {False if row.view else _inference(recorded)}",
    ]
    if row.view:
        body.append("    as_view(result, self, 'multi_output')")
    body.append("    results.append(result)")
    if recorded:
        body += [
            "if recorded:",
            f"    node = record({arguments(row)}, results, recording)",
            "    number = 0",
            f"    for result in {differentiable(row, 'results')}:",
            "        if result._array.dtype.kind in 'fcV':",
            "            result._node, result._output_nr, result._requires_grad = node, number, True",
            "            number += 1",
        ]
        for each, kind in row.saved.items():
            if kind == "output":
                number = row.outputs.index(each)
                body += [
                    f"    result = results[{number}]",
                    "    if result._node is None:",
                    f"        node.saved_{each} = save(result, recording)",
                    "    else:",
                    f"        node.saved_{each} = save_output(result, result._output_nr)",
                ]
    body.append("return returns(results)")
    return body
