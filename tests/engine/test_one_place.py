"""No table of another file names an operator, see Note [One operator, one place] in _c10/operator_facts.py."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import median

import conformance.engine
from conformance.engine._aten.registry import ROWS
from conformance.engine._nn import functions  # noqa: F401  which has rows of its own

ENGINE = Path(conformance.engine.__file__).parent
WORD = re.compile(r"[A-Za-z_]\w*")


def _listed(node: ast.expr | None) -> Iterator[str]:
    """The words of a text, or of the texts in a tuple."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield from node.value.split()
    elif isinstance(node, ast.Tuple):
        for each in node.elts:
            yield from _listed(each)


def tables(source: str) -> set[str]:
    """The words in tables of a module: lists in one text, elements of collections, keys and values of dictionaries.

    Decorators are declarations of their functions, and docstrings no tables.
    """
    tree = ast.parse(source)
    declared, found = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            declared |= {inner for each in node.decorator_list for inner in ast.walk(each)}
        if isinstance(node, ast.Expr):
            declared.add(node.value)
    for node in ast.walk(tree):
        if node in declared:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            words = node.value.split()
            if len(words) > 1 and all(WORD.fullmatch(each.strip(",:")) for each in words):
                found |= {each.strip(",:") for each in words}
            elif node.value.count("\n") > 3:
                found |= {*WORD.findall(node.value)}
        elif isinstance(node, (ast.Set, ast.List, ast.Tuple)):
            found |= {word for each in node.elts for word in _listed(each)}
        elif isinstance(node, ast.Dict):
            found |= {word for each in (*node.keys, *node.values) for word in _listed(each)}
    return found | {word.removesuffix("_") for word in found}


@cache
def _tables_of_files() -> dict[str, set[str]]:
    return {
        path.relative_to(ENGINE).as_posix(): tables(path.read_text(encoding="utf-8"))
        for path in sorted(ENGINE.rglob("*.py"))
    }


def _home(name: str) -> str:
    """The file that declares a row."""
    written = (ROWS[name].forward, *ROWS[name].formulas.values())
    modules = (getattr(each, "__module__", None) for each in written)
    module = next((each for each in modules if each), "")
    return module.removeprefix(f"{conformance.engine.__name__}.").replace(".", "/") + ".py"


def _places(name: str) -> list[str]:
    """The other files in whose tables an operator stands."""
    return [file for file, words in _tables_of_files().items() if name in words and file != _home(name)]


def test_no_table_of_another_file_names_an_operator() -> None:
    places = {
        name: _places(name) for name in [*ROWS] if any(ROWS[name].formulas.values()) or ROWS[name].promote
    }
    counts = [len(each) for each in places.values()]
    worst = sorted(places.items(), key=lambda each: -len(each[1]))[:12]
    listed = "\n".join(f"{name}: {', '.join(files)}" for name, files in worst)
    assert len(counts) > 400
    assert median(counts) <= 1, listed
    assert sum(counts) / len(counts) < 1, listed
    for name in ("hypot", "cumsum", "exp", "sigmoid"):
        assert len(places[name]) <= 3, f"{name}: {places[name]}"


def test_a_table_is_found() -> None:
    source = '''
"""Not hypot atan2 in a docstring."""
LINEAR = "add sub mul"
OTHERS = frozenset(["div", "neg_"])
BY_NAME = {"pow": 1, ("exp", "self"): 2}
@rule("sigmoid")
def rule_of(row):
    return row.name == "tanh" or ROWS["erf"].call(row)
'''
    assert tables(source) & {*ROWS} == {"add", "sub", "mul", "div", "neg", "pow", "exp"}
