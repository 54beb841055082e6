"""Split PyTorch code as people post it into statements, with the expressions that each only shows.

Every line keeps its number, so that mistakes are reported at the right place.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from conformance.language.load_result import Problem
from conformance.language.program_check import check_program
from conformance.language.program_parts import ProgramFault, ProgramPiece
from conformance.language.scenario import Position
from conformance.scaffold.attempts import BODY, ELSE, EXCEPT, FINALLY, Handler, Part, Within, caught_types
from conformance.scaffold.blocks import Blocks, Origin, only_prints, written_out
from conformance.scaffold.idioms import is_bound
from conformance.scaffold.pasted import clean
from conformance.scaffold.shown import is_pure, shows


@dataclass(frozen=True, slots=True)
class Read:
    """A snippet's statements, notes on omitted ones, and the faults that the language finds."""

    parts: tuple[Part, ...]
    notes: tuple[str, ...]
    faults: tuple[str, ...]
    attempts: tuple[tuple[Handler, ...], ...] = ()


def read(text: str, file: str, *, unwraps: bool = True) -> Read:
    """The statements of a snippet; ``file`` is its name in faults and notes.

    By default the body of a function that only wraps the program counts as the program.
    """
    pasted = clean(text)
    blocks = written_out(pasted.lines)
    source = "\n".join(blocks.lines)

    def shown(fault: ProgramFault) -> str:
        line, cut = _origin(fault.line, blocks)
        return _shown(fault._replace(line=line, column=fault.column + cut), file, pasted.shifts)

    try:
        tree = ast.parse(source)
    except SyntaxError:
        faults = check_program([ProgramPiece(source)])
        return Read((), (), tuple(map(shown, faults)))
    reading = _SnippetReader(source, tree, dict(_mains(tree)) if unwraps else {})
    reading.body(tree.body)
    reading.end()
    noted = [
        *pasted.notes,
        *blocks.notes,
        *((_origin(line, blocks)[0], note) for line, note in reading.notes),
    ]
    notes = tuple(f"{file}:{line}: {note}" for line, note in dict.fromkeys(sorted(noted)))
    parts = tuple(_placed(reading.parts, blocks))
    attempts = tuple(
        tuple(replace(each, parts=tuple(_placed(each.parts, blocks))) for each in handlers)
        for handlers in reading.attempts
    )
    faults = check_program(
        [ProgramPiece("\n".join(reading.masked)), *(ProgramPiece(show.text, True) for show in reading.shown)]
    )
    places = [(1, 1), *((show.line, show.column) for show in reading.shown)]
    moved = sorted((_moved(fault, *places[fault.piece]) for fault in faults), key=lambda fault: fault[1:3])
    return Read(parts, notes, tuple(dict.fromkeys(map(shown, moved))), attempts)


def _placed(parts: Sequence[Part], blocks: Blocks) -> Iterator[Part]:
    """The parts with the lines of the snippet."""
    return (replace(part, line=_origin(part.line, blocks)[0]) for part in parts)


def _origin(line: int, blocks: Blocks) -> Origin:
    """The position in the snippet."""
    return blocks.origins[line - 1] if line <= len(blocks.origins) else (line, 0)


def _moved(fault: ProgramFault, line: int, column: int) -> ProgramFault:
    """The fault with its position in the snippet."""
    right = column - 1 if fault.line == 1 else 0
    return fault._replace(line=fault.line + line - 1, column=fault.column + right)


def _shown(fault: ProgramFault, file: str, shifts: Sequence[int]) -> str:
    shift = shifts[fault.line - 1] if fault.line <= len(shifts) else 0
    return str(Problem(Position(file, fault.line, fault.column + shift), fault.message, fault.hint))


@dataclass(frozen=True, slots=True)
class _ShownExpression:
    text: str
    line: int
    column: int


@dataclass(slots=True)
class _SnippetReader:
    """Splits one snippet into parts."""

    source: str
    tree: ast.Module
    mains: dict[str, ast.FunctionDef]  # the functions that are replaced by their bodies
    parts: list[Part] = field(default_factory=list)
    notes: list[tuple[int, str]] = field(default_factory=list)
    shown: list[_ShownExpression] = field(default_factory=list)
    attempts: list[tuple[Handler, ...]] = field(default_factory=list)
    masked: list[str] = field(default_factory=list)  # the program that the language check reads
    _lines: list[str] = field(default_factory=list)
    _next: int = 1  # the first line that belongs to no part yet
    _comments: str = ""  # above an omitted statement
    _within: Within = ()
    _used: set[str] = field(default_factory=set)
    _foreign: set[str] = field(default_factory=set)  # names of other packages

    def __post_init__(self) -> None:
        self._lines = self.source.split("\n")
        self.masked = list(self._lines)
        self._foreign = set(_foreign(self.tree))
        hidden = {id(name) for node in ast.walk(self.tree) for name in self._omitted(node)}
        names = [
            node for node in ast.walk(self.tree) if isinstance(node, ast.Name) and id(node) not in hidden
        ]
        self._used = {node.id for node in names}

    def _omitted(self, node: ast.AST) -> Iterator[ast.AST]:
        """The omitted nodes of a statement: calls of other packages, and contexts that expect an error."""
        if isinstance(node, ast.With) and _expecting(node):
            yield from ast.walk(node.items[0])
        elif self._is_irrelevant(node) or _prints_the_version(node):
            yield from ast.walk(node)

    def _is_irrelevant(self, node: ast.AST) -> bool:
        """Whether a statement does not use torch and its result is unused: ``plt.show()``, ``np.random.seed(0)``."""
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
            return False
        root: ast.expr = node.value.func
        while isinstance(root, ast.Attribute | ast.Call):
            root = root.value if isinstance(root, ast.Attribute) else root.func
        return isinstance(root, ast.Name) and root.id in self._foreign

    def body(self, statements: Sequence[ast.stmt], indent: int = 0) -> None:
        """The top-level statements, and those of blocks that are replaced by their content."""
        for statement in statements:
            main = self._only_called(statement)
            if main is not None:
                self._comments += self._above(statement, indent)
                after = (statement.end_lineno or 0) + 1
                self._next = _start(main.body[0])
                self.body(main.body, main.body[0].col_offset)
                self._next = after
                continue
            inner = self._unwrapped(statement)
            if isinstance(statement, ast.Try):
                self._comments += self._above(statement, indent)
                self._attempt(statement)
            elif inner is not None:
                self._comments += self._above(statement, indent)
                self._next = _header_end(statement) + 1
                self.body(inner, inner[0].col_offset)
                self._next = (statement.end_lineno or 0) + 1
            elif self._superfluous(statement):
                self._comments += self._above(statement, indent)
                if not isinstance(statement, ast.FunctionDef):  # its body is part of the program
                    self._mask(statement)
                self._next = (statement.end_lineno or 0) + 1
            else:
                self._part(statement, indent)

    def end(self) -> None:
        """Comments below the last statement belong to it."""
        below = "\n".join(self._lines[self._next - 1 :]).rstrip()
        if self.parts and below.strip():
            self.parts[-1] = replace(self.parts[-1], text=f"{self.parts[-1].text}\n{below}")

    def _part(self, statement: ast.stmt, indent: int) -> None:
        start = _start(statement)
        end = statement.end_lineno or start
        lines = self._lines[start - 1 : end]
        tail = lines[-1].encode()[statement.end_col_offset or 0 :].decode().strip()
        alone = not lines[0][: statement.col_offset].strip() and (not tail or tail.startswith("#"))
        text = (
            "\n".join(_dedented(lines, indent)) if alone else ast.get_source_segment(self.source, statement)
        )
        if text and '"""' not in text and "'''" not in text:
            text = re.sub(r"\n(?: *\n){2,}", "\n\n", text)  # where lines are left out
        above = re.sub(
            r"\n{3,}", "\n\n", re.sub(r"^\n+", "\n", self._comments + self._above(statement, indent))
        )
        self._comments = ""
        self._next = end + 1
        found = list(shows(statement))
        shown = tuple(self._show(each) for each in found) if all(map(is_pure, found)) else ()
        if shown:
            self._mask(statement)
        self.parts.append(Part(above + (text or ""), start, shown, self._within))

    def _show(self, node: ast.expr) -> str:
        text = ast.get_source_segment(self.source, node) or ""
        if "\n" in text or isinstance(node, ast.Tuple):
            text = ast.unparse(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "type":
            text = f"{text}.__name__"
        self.shown.append(_ShownExpression(text, node.lineno, node.col_offset + 1))
        return text

    def _above(self, statement: ast.stmt, indent: int) -> str:
        """Comments and blank lines between the statement before and this one."""
        lines = _dedented(self._lines[self._next - 1 : _start(statement) - 1], indent)
        return "".join(f"{line}\n" for line in lines)

    def _mask(self, statement: ast.stmt) -> None:
        """Hide a statement from the language check; the lines keep their numbers."""
        first, last = statement.lineno - 1, (statement.end_lineno or 0) - 1
        start, end = statement.col_offset, statement.end_col_offset or 0
        before = self.masked[first].encode()[:start].decode()
        tail = self.masked[last].encode()[end:].decode()
        room = end - start if first == last else 4
        self.masked[first : last + 1] = ["", *[""] * (last - first)]
        self.masked[first] = before + ("pass" if room >= 4 else "0").ljust(room)
        self.masked[last] += tail

    def _unwrapped(self, statement: ast.stmt) -> list[ast.stmt] | None:
        """The body of a block that is replaced by its content; None for any other statement."""
        match statement:
            case ast.If(test=ast.Compare(left=ast.Name(id="__name__")), body=body, orelse=[]):
                pass
            case ast.With(body=body) if expecting := _expecting(statement):
                self.notes.append((statement.lineno, f"`{expecting}` becomes an expectation of its step"))
            case _:
                return None
        self._mask_header(statement, _header_end(statement), body[0])
        return body

    def _mask_header(self, block: ast.stmt | ast.ExceptHandler, end: int, body: ast.stmt) -> None:
        """Let the language check read a block as one that always runs; its header ends on the line ``end``."""
        self._mask_lines(block.lineno, end, block.col_offset, body)

    def _mask_lines(self, first: int, end: int, start: int, body: ast.stmt) -> None:
        header = self._lines[first - 1][:start] + "if 1:"
        self._hide(first + 1, end)
        if body.lineno == end:  # on the line of the header
            there = self._lines[end - 1].encode()[body.col_offset :].decode()
            header = header.ljust(body.col_offset * (end == first)) + there
        self.masked[first - 1] = header

    def _attempt(self, block: ast.Try) -> None:
        """The statements of a `try`: see Note [An attempt is decided by running it]."""
        self.notes.append((block.lineno, "`try` is left out: an error becomes `raises` of its step"))
        number, outer = len(self.attempts), self._within
        self.attempts.append(())
        self._mask_header(block, block.lineno, block.body[0])
        self._block(block.body, (*outer, (number, BODY)), block.lineno)
        before, handlers = self.parts, []
        for each in block.handlers:
            self.parts = []
            working = [statement for statement in each.body if not only_prints(statement)]
            if working:
                self._mask_header(each, (each.type or each).lineno, each.body[0])
                for printing in (statement for statement in each.body if only_prints(statement)):
                    self._mask(printing)
                    self._lines[printing.lineno - 1 : printing.end_lineno] = [""] * (
                        (printing.end_lineno or 0) - printing.lineno + 1
                    )
                self._block(working, (*outer, (number, EXCEPT)), (each.type or each).lineno)
            else:
                self._hide(each.lineno, each.end_lineno or 0)
            handlers.append(Handler(caught_types(each), tuple(self.parts)))
        self.parts = before
        self.attempts[number] = tuple(handlers)
        last = (block.handlers[-1] if block.handlers else block.body[-1]).end_lineno or 0
        for name, body in ((ELSE, block.orelse), (FINALLY, block.finalbody)):
            if body:
                lines = range(last + 1, body[0].lineno + 1)
                line = next(n for n in lines if self._lines[n - 1].lstrip().startswith(name))
                self._mask_lines(line, line, block.col_offset, body[0])
                self._block(body, (*outer, (number, name)), line)
                last = body[-1].end_lineno or 0
        self._within = outer
        self._next = (block.end_lineno or 0) + 1

    def _block(self, body: Sequence[ast.stmt], within: Within, header: int) -> None:
        """The statements of a block of a `try`, whose header ends on a line."""
        self._within, self._next = within, header + 1
        self.body(body, body[0].col_offset)

    def _hide(self, first: int, last: int) -> None:
        self.masked[first - 1 : last] = [""] * (last - first + 1)

    def _only_called(self, statement: ast.stmt) -> ast.FunctionDef | None:
        """The function whose only call the statement is: ``main()``."""
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Name(id=name), args=[], keywords=[])):
                return self.mains.get(name)
        return None

    def _superfluous(self, statement: ast.stmt) -> bool:
        """Whether a statement is omitted: needless imports, lone texts, an unwrapped ``main``."""
        if isinstance(statement, ast.FunctionDef):
            return statement in self.mains.values()
        if self._is_irrelevant(statement):
            self.notes.append(
                (statement.lineno, f"`{ast.unparse(statement)}` is left out: it does not use torch")
            )
            return True
        if _prints_the_version(statement):
            self.notes.append(
                (statement.lineno, "torch's version is left out: it does not belong in a scenario")
            )
            return True
        if isinstance(statement, ast.Import | ast.ImportFrom):
            bound = list(_bound(statement))
            needless = [name for name, path in bound if not is_bound(name, path)]
            if not needless:
                return True
            unused = all(name not in self._used for name in needless)
            if unused:
                self.notes.append(
                    (statement.lineno, f"`{ast.unparse(statement)}` is left out: nothing uses it")
                )
            return unused
        return isinstance(statement, ast.Pass) or (
            isinstance(statement, ast.Expr)
            and isinstance(statement.value, ast.Constant)
            and isinstance(statement.value.value, str)
        )


def _prints_the_version(node: ast.AST) -> bool:
    """Whether it is ``print(torch.__version__)``, possibly with more text."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=args)):
            return {ast.unparse(each) for each in args if not isinstance(each, ast.Constant)} == {
                "torch.__version__"
            }
    return False


def _foreign(tree: ast.Module) -> Iterator[str]:
    """The names that imports of other packages than torch bind."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (name for name, path in _bound(node) if path.partition(".")[0] != "torch")


_EXPECT = ("pytest.raises", "pytest.warns", "self.assertRaises", "self.assertRaisesRegex")


def _expecting(statement: ast.With) -> str:
    """``pytest.raises`` for ``with pytest.raises(...):`` and similar blocks; empty for others."""
    match statement.items:
        case [ast.withitem(context_expr=ast.Call(func=function))] if ast.unparse(function) in _EXPECT:
            return ast.unparse(function)
    return ""


def _mains(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Functions that only wrap the program: no arguments, no result, called once."""
    names = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
    for statement in tree.body:
        match statement:
            case ast.FunctionDef(name=name, decorator_list=[]) if names.count(name) == 1:
                inner = [node for each in statement.body for node in ast.walk(each)]
                returns = any(isinstance(node, ast.Return | ast.Yield | ast.YieldFrom) for node in inner)
                if not ast.unparse(statement.args) and not returns:
                    yield name, statement


def _start(statement: ast.stmt) -> int:
    """The first line of a statement: that of its first decorator."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(each.lineno for each in decorators)])


def _header_end(statement: ast.stmt) -> int:
    """The last line of ``if ...:``, ``with ...:`` or ``try:``."""
    match statement:
        case ast.If(test=test):
            return test.end_lineno or statement.lineno
        case ast.With(items=items):
            return items[-1].context_expr.end_lineno or statement.lineno
    return statement.lineno


def _dedented(lines: Sequence[str], indent: int) -> list[str]:
    return [line[min(indent, len(line) - len(line.lstrip())) :] for line in lines]


def _bound(statement: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    """The names that an import binds, each with its full dotted name."""
    for alias in statement.names:
        if isinstance(statement, ast.ImportFrom):
            yield alias.asname or alias.name, f"{statement.module}.{alias.name}"
        elif alias.asname:
            yield alias.asname, alias.name
        else:
            root = alias.name.partition(".")[0]
            yield root, root
