"""`conformance engine inhouse --source mul` prints all the code that runs for an operator, in one text.

The listing has the forward and the formulas as they are written, the class of the nodes, and the functions that are
generated from them, in the form in which they are compiled; see Note [Rows are compiled] in _aten/registry.py.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

from .._aten.codegen.generated import KINDS, source_of
from .._aten.codegen.node import formula_name, names_of
from .._aten.complex_gradients import formula_of
from .._aten.registry import ROWS, Row
from .._c10.location import PACKAGE

_ROOT = Path(__file__).parents[3]  # the folder that contains the package conformance
_DECLARING = (
    "nn.functional",
    "linalg",
    "sparse",
    "random",
    "distributions",
)  # namespaces that declare operators when they are imported
_SAVED = {
    "tensor": "an input, as it was given",
    "list": "inputs, as they were given",
    "output": "an output",
    "plain": "not a tensor",
}


def operators() -> list[str]:
    """The names of all operators that have generated functions."""
    for name in _DECLARING:
        import_module(f"{PACKAGE}.{name}")
    return sorted(ROWS)


def composed_in(name: str) -> str | None:
    """The file and line of a composite function of torch (or method of Tensor), which is not an operator but calls some."""
    torch = import_module(PACKAGE)
    if name.removesuffix("_") in ROWS:  # the in-place form of an operator
        return None
    found: Any = torch
    for part in name.removeprefix("torch.").split("."):
        found = getattr(found, part, None)
    if found is None:
        found = getattr(torch.Tensor, name, None)
    function = inspect.unwrap(found) if callable(found) else None
    return _location(function) if isinstance(function, FunctionType) and not hasattr(found, "row") else None


def listing(name: str) -> str:
    """All the code that runs for an operator.

    Raises:
        KeyError: there is no operator of that name.
    """
    row = ROWS[name]
    node = f"its node is {row.node_name}" if row.recorded else "it has no node: no gradient flows through it"
    sections = [f"{name}: {node}\n", _section("forward", "computes arrays of arrays", row.forward)]
    for key, formula in row.formulas.items() if row.recorded else ():
        sections.append(_section(f"gradient of {_listed(key)}", f"called {formula_name(key)} below", formula))
        other = formula_of(row, key)
        if other is not formula:
            called = f"called {formula_name(key, 'complex_')} below"
            sections.append(
                _section(f"gradient of {_listed(key)} where the output is complex", called, other)
            )
    if row.recorded:
        sections.append(_node_class(row))
    for kind in _generated_kinds(row):
        sections.append(f"{_heading(kind, KINDS[kind].does)}\n{source_of(row, kind)}")
    return "\n".join([*sections, ""])


def _generated_kinds(row: Row) -> Iterator[str]:
    """The functions that are generated for a row."""
    recorded = row.recorded
    declared = row.facts.complex is not None
    runs = row.node_name != "NotImplemented"  # the node of an operator without a derivative, which raises
    possible = {
        "operator": row.operator is not None,
        **dict.fromkeys(("record", "record_inplace", "linearize", "release"), recorded),
        "apply": recorded and runs,
        **dict.fromkeys(("apply_complex", "apply_uncast"), recorded and runs and declared),
    }
    seen = set()
    for kind in KINDS:
        if possible.get(kind, True):
            source = source_of(row, kind)
            if source not in seen:
                yield kind
            seen.add(source)


def _heading(kind: str, text: str) -> str:
    return f"=== {kind}: {text}"


def _section(kind: str, text: str, function: Callable[..., Any]) -> str:
    return f"{_heading(kind, text)} ({_location(function)})\n{_source(function)}"


def _listed(key: str) -> str:
    return ", ".join(key.split())


def _node_class(row: Row) -> str:
    """The class of a row's nodes: where its edges lead, and what it saves."""
    lines = [
        _heading("node class", "where its edges lead, and what it saves"),
        f"class {row.node_name}(Node):",
    ]
    lines.append(
        f"    next_nodes: {', '.join(f'*{each}' if each in row.lists else each for each in row.inputs)}"
    )
    for name, kind in row.saved.items():
        users = [_listed(key) for key, formula in row.formulas.items() if name in names_of(formula)]
        shown = "" if name.startswith("_") else f"; shown as _saved_{name}"
        lines.append(f"    saved_{name}: {_SAVED[kind]}, for the gradient of {' and of '.join(users)}{shown}")
    return "\n".join([*lines, ""])


# The source of functions in files -----------------------------------------------------------------


def _location(function: Callable[..., Any]) -> str:
    """The file and line of a function, with a path that is the same on every machine."""
    code = _function_in_file(function).__code__
    path = Path(code.co_filename)
    known = path.relative_to(_ROOT) if path.is_relative_to(_ROOT) else Path(path.name)
    return f"{known.as_posix()}:{code.co_firstlineno}"


def _function_in_file(function: Callable[..., Any]) -> FunctionType:
    """The function in a file: for one that ``eval`` made, the function that it calls."""
    found = inspect.unwrap(function)
    while found.__code__.co_filename.startswith("<"):
        named = [found.__globals__.get(name) for name in found.__code__.co_names]
        functions = [each for each in named if isinstance(each, FunctionType)]
        if not functions:
            break
        found = functions[0]
    return found


def _source(function: Callable[..., Any]) -> str:
    """The source of a function, followed by the values of its closure variables."""
    if function.__code__.co_filename.startswith("<"):
        return f"# A lambda with these arguments: {', '.join(names_of(function))}\n{_source(_function_in_file(function))}"
    is_lambda = function.__name__ == "<lambda>"
    text = f"{_lambda(function)}\n" if is_lambda else textwrap.dedent(inspect.getsource(function))
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return text + "".join(f"# {name} is {_value(cell.cell_contents)}\n" for name, cell in cells)


def _value(value: Any) -> str:
    """The repr of a closure variable's value, without addresses."""
    if value is None or isinstance(value, bool | int | float | complex | str):
        return repr(value)
    if isinstance(value, FunctionType):
        return f"{value.__qualname__} ({_location(value)})"
    return getattr(value, "__name__", f"of the class {type(value).__name__}")


@cache
def _tree(file: str) -> tuple[str, ast.Module]:
    text = Path(file).read_text(encoding="utf-8")
    return text, ast.parse(text)


def _lambda(function: Callable[..., Any]) -> str:
    """The source of a lambda: among those that begin in its line, the one at its code's positions."""
    code = function.__code__
    text, tree = _tree(code.co_filename)
    places = [place for place in code.co_positions() if None not in place and place[3]]
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno:
            body = node.body
            spans = ((line, column) for line, _, column, _ in places)
            inside = all(
                (body.lineno, body.col_offset) <= each <= (body.end_lineno, body.end_col_offset)
                for each in spans
            )
            if inside and [each.arg for each in node.args.args] == [*names_of(function)]:
                first = text.splitlines()[node.lineno - 1]
                margin = first[: len(first) - len(first.lstrip())]
                return (ast.get_source_segment(text, node) or "").replace(f"\n{margin}", "\n")
    return "lambda: its source was not found"
