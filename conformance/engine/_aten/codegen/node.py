"""Generates the source that makes a row's node, applies it in backward, and releases its saved variables.

See Note [Rows are compiled] in _aten/registry.py, and _aten/codegen/forward.py for the names in the source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ..._c10 import errors
from ..complex_gradients import formula_of
from .source_lines import either, function, group, indented, spread

if TYPE_CHECKING:
    from ..registry import Row

_ARGSIZE = "_sym_argsize_"
_SIZES, _STRIDES, _NUMEL, _TYPE, _DIM = "_sym_sizes", "_sym_strides", "_sym_numel", "_scalar_type", "_dim"


def names_of(formula: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a formula's arguments."""
    code = formula.__code__
    return code.co_varnames[: code.co_argcount]


def formula_name(key: str, prefix: str = "") -> str:
    """The name, in the source, of the formula for an input or for several inputs."""
    return f"{prefix}formula_{key.replace(' ', '_')}"


def may_be_number(row: Row, name: str) -> bool:
    return name in row.numbers


def is_optional(row: Row, name: str) -> bool:
    parameter = row.parameters[name]
    return parameter.default is None or parameter.annotation == "OptionalArray"


def arguments(row: Row) -> str:
    return ", ".join(row.parameters)


def tell_number(name: str) -> str:
    """Tests whether an operand is a number: most are tensors, and comparing the class is faster than a set look-up."""
    return f"{name}_is_number = {name}.__class__ is not Tensor and {name}.__class__ in NUMBERS"


def differentiable(row: Row, results: str) -> str:
    """The differentiable outputs."""
    if not row.constants:
        return results
    kept = [f"{results}[{i}]" for i, name in enumerate(row.outputs) if name not in row.constants]
    return f"({', '.join(kept)},)"


# Making the node ----------------------------------------------------------------------------------


def record_source(row: Row) -> str:
    numbers = [tell_number(name) for name in row.tensors if may_be_number(row, name)]
    body = [*numbers, *record_lines(row), "return node"]
    return function("record", f"{arguments(row)}, result, recording", body)


def record_inplace_source(row: Row) -> str:
    """The record function of an in-place operation; see Note [In place saves a clone]."""
    numbers = [tell_number(name) for name in row.tensors if may_be_number(row, name)]
    body = [*numbers, *record_lines(row, in_place=True), "return node"]
    return function("record_inplace", f"{arguments(row)}, result, recording", body)


def linearize_source(row: Row) -> str:
    body = [*record_lines(row, linear=True), "return node"]
    return function("linearize", f"{arguments(row)}, result, wanted", body)


def record_lines(
    row: Row, linear: bool = False, shape: str = "result._array.shape", alike: bool = False,
    in_place: bool = False,
) -> list[str]:  # fmt: skip
    """Makes the node of a result, with its edges and saved variables; if ``linear``, a node outside the graph.

    ``alike``: a variable of this name holds the metadata that the result shares with its operands.
    """
    body = ["# The node.", "node = Node_()"]
    if linear:
        body += [tell_number(name) for name in row.tensors if may_be_number(row, name)]
        body += ["node.hooks = None", "save = save_unchecked", "recording = None"]
    else:
        body += [
            "node.hooks = None",
            f"node.sequence_nr = {'MAX_SEQUENCE_NR' if row.node_name == 'NotImplemented' else 'next(recording.sequence_nrs)'}",
            "if recording.anomaly: store_traceback(node)",
        ]
    body += ["# Its edges.", *_edges(row, linear)]
    body += ["# Shape and dtype of its outputs.", *_described(row, linear, shape, alike, in_place)]
    for name, kind in row.saved.items():
        if kind == "tensor":
            body += _saved_tensor(row, name, linear, in_place)
        else:
            body.append(f"node.saved_{name} = {_saved_value(row, name, kind)}")
    return body


def _edges(row: Row, linear: bool) -> list[str]:
    """Assigns the next edges of a node; those of a linear one lead nowhere."""
    body, nodes, numbers = [], [], []
    for name in row.inputs:
        if name in row.lists:
            body.append(f"edges_{name} = [gradient_edge(t) for t in {name}]")
            nodes.append(f"*[edge[0] for edge in edges_{name}]")
            numbers.append(f"*[edge[1] for edge in edges_{name}]")
            continue
        nodes.append(f"next_{name}")
        if linear:
            body.append(f"next_{name} = SINK if wanted[{name!r}] else None")
            numbers.append("0")
            continue
        body += _find_edge(row, name)
        numbers.append(f"input_nr_{name}")
    body.append(f"node.next_nodes = ({', '.join(nodes)},)")
    zeros = f"({'0, ' * len(numbers)})"  # a constant, which takes no memory
    plain = not row.lists and not linear
    most = f"{zeros} if not ({' or '.join(numbers)}) else " if plain else ""
    body.append(f"node.input_nrs = {most}({', '.join(numbers)},)")
    if row.node_name == "NotImplemented":
        body.append("node.next_edges = [edge for edge in node.next_edges if edge[0] is not None]")
        body.append(f"node.operation = {formula_name(next(iter(row.formulas)))}(None)")
    return body


def _described(row: Row, linear: bool, shape: str, alike: bool, in_place: bool) -> list[str]:
    """Assigns a node's input_metadata: the shape and dtype of its outputs."""
    listed = (f"*{name}, " if name in row.lists else f"{name}, " for name in row.inputs)
    operands = "()" if linear else f"({''.join(listed)})"
    if not row.single:
        return [
            f"described = tuple((r._array.shape, r._array.dtype) for r in {differentiable(row, 'result')}"
            " if r._array.dtype.kind in 'fcV')",
            "node.input_metadata = described",
            "for each in described:",
            f"    if each[1].kind == 'c': as_complex(row, node, described, {operands})",
        ]
    described = [
        f"described = ({shape}, result._array.dtype)",
        "try: node.input_metadata = known_metadata[described]",
        f"except ComplexOutputError: as_complex(row, node, (described,), {operands}, {in_place})",
    ]
    if in_place:  # torch checks the dtype of new tensors only
        described.append("except RuntimeError: node.input_metadata = (described,)")
    return either("alike", ["node.input_metadata = alike"], described) if alike else described


def _find_edge(row: Row, name: str) -> list[str]:
    """Assigns the gradient edge of an input to ``next_<name>`` and ``nr_<name>``; see gradient_edge."""
    lines = [
        f"if {name}._view is not None: next_{name}, input_nr_{name} = gradient_edge({name})",
        f"elif {name}._node is not None: next_{name}, input_nr_{name} = {name}._node, {name}._output_nr",
        f"elif {name}._requires_grad: next_{name}, input_nr_{name} = grad_accumulator({name}), 0",
        f"else: next_{name}, input_nr_{name} = None, 0",
    ]
    absent = (
        f"{name}_is_number"
        if may_be_number(row, name)
        else f"{name} is None"
        if is_optional(row, name)
        else ""
    )
    if absent:
        lines[0] = f"el{lines[0]}"
        lines.insert(0, f"if {absent}: next_{name}, input_nr_{name} = None, 0")
    return lines


def _saved_value(row: Row, name: str, kind: str) -> str:
    if kind == "output":
        return "None"  # set once the output exists; see _several_outputs
    if kind == "list":
        return f"tuple(None if t is None else save(t, recording) for t in {name})"
    for suffix, text in ((_SIZES, ".shape"), (_NUMEL, ".size"), (_DIM, ".ndim")):
        if name.endswith(suffix) and name not in row.parameters:
            base = name.removesuffix(suffix).removeprefix("_")
            if base in row.lists:
                return f"tuple(t._array{text} for t in {base})"
            return f"{base}._array{text}"
    if name.endswith(_STRIDES):
        base = name.removesuffix(_STRIDES)
        return f"strides({base}._array) if next_{base} is not None else ()"
    if _ARGSIZE in name:
        base, _, place = name.partition(_ARGSIZE)
        place = place.replace("minus_", "-")
        if base in row.outputs:
            return f"result[{row.outputs.index(base)}]._array.shape[{place}]"
        return f"{base}._array.shape[{place}]"
    if name.endswith(_TYPE):
        return f"BY_NUMPY[{name.removesuffix(_TYPE).removeprefix('_')}._array.dtype]"
    return name


def _saved_tensor(row: Row, name: str, linear: bool, in_place: bool) -> list[str]:
    as_given = []  # arguments that the node saves as they are
    held: list[str] = []
    if may_be_number(row, name):
        as_given.append(f"{name}_is_number")
    elif is_optional(row, name):
        as_given.append(f"{name} is None")
    if not linear:  # see Note [Inputs saved as tensors]
        held += [
            f"{name}.__class__ is Tensor",
            f"{name}._version_counter is None",
            f"not ({name}._inference or recording.saved_hooks)",
        ]
    lines = [f"node.saved_{name} = save({name}, recording)"]
    if in_place and name == "self":
        lines = ["node.saved_self = save(self.clone(), recording)"]
    elif as_given or held:
        either_way = [*as_given, group(held, "and")] if held else as_given
        lines = [
            *spread("if ", either_way, "or"),
            f"    node.saved_{name} = {name}",
            "else:",
            *indented(lines),
        ]
    user = " ".join(key for key, rule in row.formulas.items() if name in names_of(rule))
    # See Note [Only what is needed is saved].
    guarded = not row.lists and "backward" not in row.name
    if guarded and user.isidentifier() and len(row.formulas) > 1:
        lines = either(f"next_{user} is None", [f"node.saved_{name} = None"], lines)
    return lines


# Applying and releasing the node ------------------------------------------------------------------


def complex_apply_source(row: Row) -> str:
    """The apply function of a node whose output is complex, see Note [Complex gradients]."""
    return apply_source(row, "complex_", "real_part" if row.facts.handle_r_to_c else "uncast")


def uncast_apply_source(row: Row) -> str:
    """The apply function where a real operand's ``data`` became complex after its node was recorded."""
    return apply_source(row, "complex_", "uncast")


def apply_source(row: Row, prefix: str = "", fit: str = "") -> str:
    body = []
    count = f"({'None,' * len(row.inputs)})" if not row.lists else "(None,) * len(node.next_nodes)"
    body += ["grad = grads[0]", "following = node.next_nodes"]
    if any("metadata" in names_of(rule) for rule in row.formulas.values()):
        body.append("metadata = node.input_metadata")
    body += _unpacked(row)
    # Saved variables are unpacked, which checks their versions, even if the incoming gradient is undefined.
    body.append(f"if {'grad is None' if row.single else 'all(g is None for g in grads)'}: return {count}")
    if row.facts.undefined_argument:  # a pack hook refused the result of a change in place
        text = errors.UNDEFINED_ARGUMENT.format(*row.facts.undefined_argument)
        body.append(f"if result is None: raise RuntimeError({text!r})")
    returned = []
    position = 0
    computed: dict[str, list[str]] = {}
    for key in row.formulas:
        names = key.split()
        formula = f"{formula_name(key, prefix)}({', '.join(_given(row, key, prefix))})"
        if key in row.lists:  # it is the only input
            computed[key] = [
                "wanted = any(each is not None for each in following)",
                f"listed = {formula} if wanted else (None,) * len(following)",
            ]
            if fit:
                computed[key].append(f"listed = map({fit}, listed, node.next_edges)")
            returned.append("*listed")
        elif len(names) == 1:
            gradient = f"grad_for_{key}"
            computed[key] = [f"{gradient} = {formula} if following[{position}] is not None else None"]
            if fit:  # right away: later operations record younger nodes
                computed[key].append(f"{gradient} = {fit}({gradient}, node.next_edges[{position}])")
            returned.append(gradient)
            position += 1
        else:
            computed[key] = [
                f"needed = [each is not None for each in following[{position}:{position + len(names)}]]",
                f"several = [each if wanted else None for each, wanted in zip({formula}, needed, strict=True)]",
            ]
            if fit:
                edges = f"node.next_edges[{position}:{position + len(names)}]"
                computed[key].append(f"several = map({fit}, several, {edges})")
            returned.append("*several")
            position += len(names)
    # Torch's generated code sorts the formulas by name: other comes before self, and is the older node.
    body += ["# The formulas.", *(line for key in sorted(computed) for line in computed[key])]
    body.append(f"return [{', '.join(returned)}]")
    return function("apply", "node, grads", body)


def _unpacked(row: Row) -> list[str]:
    """Unpacks the saved variables of a node."""
    body = []
    for name, kind in row.saved.items():
        body.append(f"{name} = node.saved_{name}")
        if kind in ("tensor", "output"):
            unpacked = f"if {name}.__class__ is SavedTensor: {name} = {name}.unpack(node)"
            if kind == "tensor":
                checked = f"    if {name}._version_counter is not None: saved_on_access({name}).unpack(node)"
                body += [f"if {name}.__class__ is Tensor:", checked, f"el{unpacked}"]
            else:
                body.append(unpacked)
        elif kind == "list":
            body.append(f"{name} = [t.unpack(node) if t.__class__ is SavedTensor else t for t in {name}]")
    return body


def _given(row: Row, key: str, prefix: str) -> Iterator[str]:
    """The arguments of a formula; conjugated, if the formula is for real numbers and the output is complex."""
    formula = formula_of(row, key) if prefix else row.formulas[key]
    conjugated = prefix and row.holomorphic and formula is row.formulas[key]
    for name in names_of(formula):
        if not conjugated or name not in row.saved:
            yield name
        else:
            yield f"conjugate_operand({name})" if may_be_number(row, name) else f"conjugate({name})"


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
    return function("release", "node", body or ["pass"])
