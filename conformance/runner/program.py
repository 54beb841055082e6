"""A step's program, compiled once so that the recorder is called after each statement.

The statements of the program itself and those in the bodies of its `with`, `if` and `for` are observed, but not those
in functions and classes. The recorder's functions are bound to names that no program can write, such as ``<done>``:

- ``<done>(k)`` after statement k; ``<loop>(n)`` before loop n; ``<turn>(n)`` as a turn of it begins;
- ``<assert>(condition, text)`` for an assertion, which does not end the program;
- ``<store>(x)`` for ``x.name = ...``: refuses the engine's own classes and modules;
- ``<import>(path, name)`` for imports, since ``torch`` is the engine under test.
"""

from __future__ import annotations

import ast
import marshal
import warnings
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import Any

from conformance.runner.normalize import PROGRAM


@dataclass(frozen=True, slots=True)
class StatementSpan:
    """The position of a statement: start and end (line, column), and the loops around it."""

    start: tuple[int, int]
    end: tuple[int, int]
    loops: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CompiledProgram:
    """A compiled program; ``places`` in the order of the text, an outer statement before its inner ones."""

    code: CodeType
    places: tuple[StatementSpan, ...]
    loops: int
    last: int  # the last statement of the program itself
    asserts: bool
    generators: bool  # an unfinished generator keeps its `with` open
    collects: bool  # runs the collector of cyclic garbage

    def statement_at(self, line: int, column: int) -> int:
        """The innermost observed statement around a position."""
        after = bisect_right([place.start for place in self.places], (line, column))
        around = (k for k in range(after - 1, -1, -1) if (line, column) <= self.places[k].end)
        return next(around, max(after - 1, 0))


MARSHALLED: dict[str, bytes] = {}
"""Cached programs by their text; see bytecode.py."""


@lru_cache(maxsize=4096)
def compile_step(source: str) -> CompiledProgram:
    """The program of one step. Raises SyntaxError."""
    form = MARSHALLED.get(source)
    return _compile(source) if form is None else unmarshalled(form)


def marshalled(program: CompiledProgram) -> bytes:
    """A program in marshal format, like bytecode."""
    places = [(each.start, each.end, each.loops) for each in program.places]
    rest = program.loops, program.last, program.asserts, program.generators, program.collects
    return marshal.dumps((program.code, places, *rest))


def unmarshalled(form: bytes) -> CompiledProgram:
    """The program that `marshalled` wrote."""
    code, places, *rest = marshal.loads(form)
    return CompiledProgram(code, tuple(StatementSpan(*each) for each in places), *rest)


def _compile(source: str) -> CompiledProgram:
    tree = ast.parse(source, PROGRAM)
    nodes = list(ast.walk(tree))
    if any(map(_is_rewritten, nodes)):  # few need it, and it takes as long as everything else
        tree = ast.fix_missing_locations(_Rewritten().visit(tree))
    observed = _Observed()
    body: list[ast.stmt] = []
    last = 0
    for statement in tree.body:
        last = len(observed.places)
        body += observed.statement(statement, ())
    tree.body = body
    return CompiledProgram(
        code=_compiled(tree, "exec"),
        places=tuple(observed.places),
        loops=observed.loops,
        last=last,
        asserts=any(isinstance(node, ast.Assert) for node in nodes),
        generators=any(isinstance(node, ast.Yield | ast.YieldFrom) for node in nodes),
        collects=any(isinstance(node, ast.Name) and node.id == "collect" for node in nodes),
    )


@lru_cache(maxsize=4096)
def compile_expression(source: str) -> CodeType:
    """An expectation's expression. Raises SyntaxError."""
    return _compiled(ast.parse(source.strip(), PROGRAM, "eval"), "eval")


def _compiled(tree: ast.Module | ast.Expression, mode: str) -> CodeType:
    with warnings.catch_warnings():  # such as "is" with a literal, which the engine does not cause
        warnings.simplefilter("ignore")
        code: CodeType = compile(tree, PROGRAM, mode, dont_inherit=True)
    return code


def _call(name: str, *arguments: ast.expr | str | int, **place: Any) -> ast.Call:
    values = [a if isinstance(a, ast.expr) else ast.Constant(a, **place) for a in arguments]
    return ast.Call(ast.Name(name, ast.Load(), **place), values, [], **place)


def rewritten(tree: ast.Module) -> ast.Module:
    """A program whose imports, assertions and stores of attributes call the recorder."""
    found: ast.Module = ast.fix_missing_locations(_Rewritten().visit(tree))
    return found


def _is_rewritten(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return not isinstance(node.ctx, ast.Load)
    return isinstance(node, ast.Import | ast.ImportFrom | ast.Assert)


class _Rewritten(ast.NodeTransformer):
    """Rewrites imports, assertions and assignments to attributes, in the whole program."""

    def visit_Import(self, node: ast.Import) -> ast.AST:
        if any(not _of_torch(alias.name) for alias in node.names):
            return node
        bound = [
            (alias.asname, _call("<import>", alias.name, ""))
            if alias.asname
            else ("torch", _call("<import>", alias.name, "torch"))
            for alias in node.names
        ]
        return _assignment(node, bound)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        module = node.module or ""
        if node.level or not _of_torch(module) or node.names[0].name == "*":
            return node
        bound = [(a.asname or a.name, _call("<import>", f"{module}.{a.name}", "")) for a in node.names]
        return _assignment(node, bound)

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        self.generic_visit(node)
        return ast.copy_location(ast.Expr(_call("<assert>", node.test, ast.unparse(node.test))), node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            node.value = ast.copy_location(_call("<store>", node.value), node.value)
        return node


def _of_torch(module: str) -> bool:
    return module == "torch" or module.startswith("torch.")


def _assignment(node: ast.stmt, bound: list[tuple[str, ast.Call]]) -> ast.AST:
    names: list[ast.expr] = [ast.Name(name, ast.Store()) for name, _ in bound]
    values: list[ast.expr] = [call for _, call in bound]
    one = len(bound) == 1
    target = names[0] if one else ast.Tuple(names, ast.Store())
    value = values[0] if one else ast.Tuple(values, ast.Load())
    return ast.copy_location(ast.Assign([target], value), node)


class _Observed:
    """Inserts the recorder's calls after statements, and numbers statements and loops."""

    def __init__(self) -> None:
        self.places: list[StatementSpan] = []
        self.loops = 0

    def body(self, statements: list[ast.stmt], loops: tuple[int, ...]) -> list[ast.stmt]:
        return [new for statement in statements for new in self.statement(statement, loops)]

    def statement(self, node: ast.stmt, loops: tuple[int, ...]) -> list[ast.stmt]:
        k = len(self.places)
        start = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
        end = (node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)
        self.places.append(StatementSpan((start, node.col_offset), end, loops))
        before: list[ast.stmt] = []
        if isinstance(node, ast.With):
            node.body = self.body(node.body, loops)
        elif isinstance(node, ast.If):
            node.body = self.body(node.body, loops)
            node.orelse = self.body(node.orelse, loops)
        elif isinstance(node, ast.For):
            n, self.loops = self.loops, self.loops + 1
            before.append(self._recorder(node, "<loop>", n))
            node.body = [self._recorder(node, "<turn>", n), *self.body(node.body, (*loops, n))]
            node.orelse = self.body(node.orelse, loops)
        return [*before, node, self._recorder(node, "<done>", k)]

    def _recorder(self, node: ast.stmt, name: str, number: int) -> ast.stmt:
        place = {each: getattr(node, each) for each in node._attributes}
        return ast.Expr(_call(name, number, **place), **place)
