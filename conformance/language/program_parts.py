"""The parts of a scenario's program, each parsed by itself, and the positions of mistakes in them."""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from conformance.language.bindings import Bindings, LocatedFault, flat

TOO_DEEP = ("nested too deeply", "write it in several statements")


@dataclass(frozen=True, slots=True)
class ProgramPiece:
    """A program or one expression; all parts of a scenario share their names."""

    source: str
    is_expression: bool = False

    @property
    def mode(self) -> str:
        """The mode that Python compiles it in."""
        return "eval" if self.is_expression else "exec"


class ProgramFault(NamedTuple):
    """A mistake in a program part; line and column count from 1, in characters."""

    piece: int
    line: int
    column: int
    message: str
    hint: str


class Parsed(NamedTuple):
    """One program part, parsed."""

    tree: ast.AST | None
    nodes: list[ast.AST]
    bindings: Bindings
    fault: ProgramFault | None  # numbered as part 0


@lru_cache(maxsize=512)  # the cases of a matrix share most of their parts
def parse(piece: ProgramPiece) -> Parsed:
    """Parse one program part and collect what it binds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings about odd syntax are not of interest here
        tree: Any = None
        nodes: list[ast.AST] = []
        fault = None
        try:
            tree = compile(piece.source, "<program>", piece.mode, ast.PyCF_ONLY_AST)
            nodes = flat(tree)
            compile(tree, "<program>", piece.mode)  # only this reports a return outside of a function
        except SyntaxError as error:
            fault = _not_python(piece, error)
        except (RecursionError, MemoryError, ValueError):
            fault = ProgramFault(0, 1, 1, *TOO_DEEP)
        return Parsed(tree, nodes, Bindings.of_piece(nodes), fault)


def _not_python(piece: ProgramPiece, error: SyntaxError) -> ProgramFault:
    line = error.lineno or 1
    written = piece.source.split("\n")[min(line, piece.source.count("\n") + 1) - 1].lstrip()
    hint = "a key of expect is an expression" if piece.is_expression else ""
    if isinstance(error, IndentationError):
        hint = "indent the lines of a block alike"
    if written.startswith(">>>"):
        hint = "remove the prompts >>> and what was printed"
    elif "$" in written:
        hint = "a value of the matrix is written `${name}`"
    return ProgramFault(0, line, max(error.offset or 1, 1), f"not Python: {error.msg}", hint)


def fault_at(found: LocatedFault, source: str) -> ProgramFault:
    """The fault at a node, with the column in characters; Python counts bytes of UTF-8."""
    node: Any = found.node
    line, offset = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
    if isinstance(node, ast.Attribute):  # the position of its name, not of the expression before the dot
        line, offset = node.end_lineno, (node.end_col_offset or 0) - len(node.attr.encode())
    text = source.split("\n")[line - 1].encode()[:offset].decode(errors="ignore")
    return ProgramFault(found.piece, line, len(text) + 1, found.message, found.hint)
