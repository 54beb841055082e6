"""Replace spans of a program's text; every line keeps its number."""

from __future__ import annotations

import ast
from collections.abc import Iterable

Place = tuple[int, int]  # line (from 1) and offset in UTF-8 bytes
Written = tuple[Place, Place, str]  # start, end and replacement


def start(node: ast.expr | ast.stmt | ast.arg) -> Place:
    """Where a node begins."""
    return node.lineno, node.col_offset


def end(node: ast.expr | ast.stmt | ast.arg) -> Place:
    """Where a node ends."""
    return node.end_lineno or 0, node.end_col_offset or 0


def inner_first(written: Iterable[Written]) -> list[Written]:
    """The replacements in order, without those that contain others."""
    every = sorted(set(written))
    return [one for one in every if not any(_holds(one, other) for other in every)]


def replace(lines: list[str], first: Place, last: Place, new: str) -> None:
    """Replace a span: the text goes on its first line, and the lines between become empty."""
    before = lines[first[0] - 1].encode()[: first[1]].decode()
    after = lines[last[0] - 1].encode()[last[1] :].decode()
    lines[first[0] - 1 : last[0]] = [f"{before}{new}{after}", *[""] * (last[0] - first[0])]


def _holds(one: Written, other: Written) -> bool:
    return one != other and one[0] <= other[0] and other[1] <= one[1]
