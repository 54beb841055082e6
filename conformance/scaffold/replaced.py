"""Find the full names of what a program uses, and replace spans of its text; every line keeps its number."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

Place = tuple[int, int]  # line (from 1) and offset in UTF-8 bytes
Replacement = tuple[Place, Place, str]  # start, end and replacement


def start(node: ast.expr | ast.stmt | ast.arg) -> Place:
    """Where a node begins."""
    return node.lineno, node.col_offset


def end(node: ast.expr | ast.stmt | ast.arg) -> Place:
    """Where a node ends."""
    return node.end_lineno or 0, node.end_col_offset or 0


def inner_first(written: Iterable[Replacement]) -> list[Replacement]:
    """The replacements in order, without those that contain others."""
    every = sorted(set(written))
    return [one for one in every if not any(_holds(one, other) for other in every)]


def replace(lines: list[str], first: Place, last: Place, new: str) -> None:
    """Replace a span: the text goes on its first line, and the lines between become empty."""
    before = lines[first[0] - 1].encode()[: first[1]].decode()
    after = lines[last[0] - 1].encode()[last[1] :].decode()
    lines[first[0] - 1 : last[0]] = [f"{before}{new}{after}", *[""] * (last[0] - first[0])]


def imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The names that imports bind, each with its full dotted name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name.partition(".")[0]
                yield (alias.asname, alias.name) if alias.asname else (root, root)
        elif isinstance(node, ast.ImportFrom):
            yield from ((alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names)


def path_of(node: ast.expr, paths: Mapping[str, str]) -> str:
    """The full dotted name of an expression: ``numpy.pi`` for ``np.pi``; empty if its root is not in ``paths``."""
    if not isinstance(node, ast.Name | ast.Attribute):
        return ""
    root, dot, rest = ast.unparse(node).partition(".")
    return f"{paths[root]}{dot}{rest}" if root in paths else ""


def operand(node: ast.expr) -> str:
    """The text of an operand, in parentheses if necessary."""
    text = ast.unparse(node)
    return text if isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript) else f"({text})"


def _holds(one: Replacement, other: Replacement) -> bool:
    return one != other and one[0] <= other[0] and other[1] <= one[1]
