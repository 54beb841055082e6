"""Small faults made from source: every change of these kinds that fits a file.

Nobody chooses them, so they also show what no scenario looks at. A change replaces one stretch of the file; nothing
else of it moves, so that a change can be shown as a diff.
"""

from __future__ import annotations

import ast
import copy
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate

from conformance.mutation.template_changes import template_changes

_TURNED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_OPPOSITE: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_FOR_TYPES = {"cast", "TypeVar", "NewType", "TypeAlias"}  # calls that only a type checker reads
_SYMMETRIC = {
    "broadcast_shapes", "fmax", "fmin", "hypot", "logaddexp", "logaddexp2", "max", "maximum", "may_share_memory", "min",
    "minimum", "promote_types", "result_dtype", "result_type", "same_memory", "shares_memory",
}  # fmt: skip
"""Functions that do the same when their arguments are exchanged."""
_NOT_CHANGED = {*_FOR_TYPES, "isinstance", "issubclass", "getattr", "range"}  # it would just fail
_STATEMENTS = (ast.Expr, ast.AugAssign, ast.Raise, ast.Delete, ast.Assign)


@dataclass(frozen=True, slots=True)
class SourceChange:
    """A fault of one file: ``becomes`` replaces ``was``, which begins at byte ``start``.

    ``lines`` are those of the changed expression or statement, ``around`` those of the statement that it is in, or of
    the definition if it runs when the module is imported. Both count from 1 and include their ends.
    """

    file: str
    kind: str
    start: int
    was: str
    becomes: str
    lines: tuple[int, int]
    around: tuple[int, int]
    within: str  # the qualified name of that definition; "" in the module itself
    runs_at_import: bool  # rather than in a call of the definition
    line: str = ""  # the text of the first of these lines

    def applied_to(self, source: bytes) -> bytes:
        """The file with the fault."""
        end = self.start + len(self.was.encode())
        assert source[self.start : end] == self.was.encode()
        return source[: self.start] + self.becomes.encode() + source[end:]


def changes_of(source: bytes, file: str, *, templates: bool = False) -> list[SourceChange]:
    """All changes of a file, in its order. With ``templates``, its texts are code that the engine compiles."""
    tree = ast.parse(source)
    starts = [0, *accumulate(map(len, source.splitlines(keepends=True)))]
    found: list[SourceChange] = []

    def add(kind: str, start: int, end: int, becomes: str, scope: _Scope) -> None:
        was = source[start:end].decode()
        if " ".join(was.split()) != " ".join(becomes.split()):
            lines = (bisect_right(starts, start), bisect_right(starts, end - 1))
            found.append(
                SourceChange(
                    file,
                    kind,
                    start,
                    was,
                    becomes,
                    lines,
                    scope.lines,
                    scope.name,
                    scope.at_import,
                    source[starts[lines[0] - 1] : starts[lines[0]]].decode().strip(),
                )
            )

    def span(node: ast.expr | ast.stmt | ast.keyword) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset

    scopes = dict(_scopes(tree, _Scope("", (1, len(starts) - 1), at_import=True)))
    for node, kind, becomes in _proposals(tree, scopes):
        if node in scopes:  # otherwise only type checkers read it
            add(kind, *span(node), becomes, scopes[node])
    for node, scope in scopes.items():
        if isinstance(node, ast.Call) and not _is_for_types(node):
            for kind, start, end, becomes in _of_call(node, source, span):
                add(kind, start, end, becomes, scope)
    if templates:
        texts = {span(each)[0]: each for each in scopes if _is_text(each)}
        for start, end, becomes in template_changes(source, starts):
            around = [each for at, each in texts.items() if at <= start]
            if around:
                add("template", start, end, becomes, scopes[around[-1]])
    return sorted(found, key=lambda change: (change.start, change.was, change.becomes))


@dataclass(frozen=True, slots=True)
class _Scope:
    name: str
    lines: tuple[int, int]
    at_import: bool


_Node = ast.expr | ast.stmt


def _scopes(node: ast.AST, scope: _Scope) -> Iterator[tuple[_Node, _Scope]]:
    """Each expression and statement with the definition that it is in; those that no run evaluates are left out."""
    for field, value in ast.iter_fields(node):
        if (
            field in ("annotation", "returns", "type_comment")
            or _is_for_types(node)
            or isinstance(node, ast.JoinedStr)
        ):
            continue  # the places of what is in a formatted text are wrong before Python 3.12
        inner = _inner(node, scope, at_import=field in ("decorator_list", "args", "bases", "keywords"))
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, ast.AST):
                if isinstance(each, ast.stmt) and not inner.at_import:
                    yield each, replace(inner, lines=_lines(each))
                elif isinstance(each, ast.expr | ast.stmt):
                    yield each, inner
                yield from _scopes(each, inner)


def _inner(node: ast.AST, scope: _Scope, *, at_import: bool) -> _Scope:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
        name = f"{scope.name}.{node.name}".lstrip(".")
        at_import = scope.at_import and (at_import or isinstance(node, ast.ClassDef))
        return _Scope(name, (first, node.end_lineno or first), at_import)
    if isinstance(node, ast.Lambda) and not at_import:
        return _Scope(scope.name, _lines(node), at_import=False)
    if isinstance(node, ast.stmt) and not scope.at_import:
        return replace(scope, lines=_lines(node))
    return scope


def _lines(node: ast.expr | ast.stmt) -> tuple[int, int]:
    """The lines of a node, of a compound statement those before its body."""
    body = getattr(node, "body", None)
    if isinstance(body, list):
        return node.lineno, max(node.lineno, body[0].lineno - 1)
    return node.lineno, node.end_lineno or node.lineno


def _is_text(node: _Node) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _is_unseen(call: ast.Call, argument: ast.keyword) -> bool:
    """Whether no program sees another value: a copy of NumPy's, an assertion of zip, the line that a warning names."""
    match argument.arg, ast.unparse(argument.value):
        case ("stacklevel", _) | ("strict", "True"):
            return True
        case "copy", "False":
            return _name(call) == "astype"
    return False


def _name(call: ast.Call) -> str:
    return ast.unparse(call.func).rpartition(".")[2]


def _is_for_types(node: ast.AST) -> bool:
    if isinstance(node, ast.If):
        return "TYPE_CHECKING" in ast.unparse(node.test)
    if isinstance(node, ast.Call):
        return _name(node) in _FOR_TYPES
    return isinstance(node, ast.Import | ast.ImportFrom)


def _proposals(tree: ast.Module, scopes: Iterable[_Node]) -> Iterator[tuple[_Node, str, str]]:
    """What is replaced, the kind of change, and the new text."""
    docstrings = _texts_alone(tree)
    unseen = {
        each.value
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        for each in call.keywords
        if _is_unseen(call, each)
    }
    for node in scopes:
        if node in unseen:
            continue
        if isinstance(node, ast.expr):
            for kind, changed in _of_expression(node):
                yield node, kind, changed if isinstance(changed, str) else f"({ast.unparse(changed)})"
        elif isinstance(node, _STATEMENTS) and node not in docstrings and _may_go(node):
            yield node, "statement left out", "pass"
        elif isinstance(node, ast.If | ast.While | ast.Assert):
            yield from _of_condition(node.test, fixed=isinstance(node, ast.If))
        if isinstance(node, ast.IfExp):
            yield from _of_condition(node.test, fixed=True)
        for comprehension in getattr(node, "generators", ()):
            for test in comprehension.ifs:
                yield from _of_condition(test, fixed=True)


def _of_condition(test: ast.expr, *, fixed: bool) -> Iterator[tuple[_Node, str, str]]:
    """A comparison is negated by turning it."""
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1):
        yield test, "condition negated", f"(not ({ast.unparse(test)}))"
    if fixed:
        yield from ((test, "condition fixed", value) for value in ("True", "False"))


def _of_expression(node: ast.expr) -> Iterator[tuple[str, ast.expr | str]]:
    match node:
        case ast.Compare():
            for place, operator in enumerate(node.ops):
                for turned in _TURNED[type(operator)]:
                    changed = copy.deepcopy(node)
                    changed.ops[place] = turned()
                    yield "comparison", changed
        case ast.BoolOp():
            yield "and/or", ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
        case ast.Constant(value=bool(value)):
            yield "constant", str(not value)
        case ast.Constant(value=int(value)):
            yield from (
                ("constant", str(value + 1)),
                ("constant", f"({value - 1})" if value < 1 else str(value - 1)),
            )
        case ast.Constant(value=float(value)):
            yield "constant", repr(value + 1)
        case ast.UnaryOp(op=ast.USub()):
            yield "sign", node.operand
        case ast.BinOp() if type(node.op) in _OPPOSITE and not _formats(node):
            yield "sign", ast.BinOp(node.left, _OPPOSITE[type(node.op)](), node.right)
        case ast.Subscript(slice=ast.Slice(lower=lower, upper=upper, step=step)):
            for bounds in {(lower, None), (None, upper)} - {(lower, upper)}:
                yield "index", ast.Subscript(node.value, ast.Slice(*bounds, step), ast.Load())


_Argument = ast.expr | ast.keyword


def _of_call(
    node: ast.Call, source: bytes, span: Callable[[_Argument], tuple[int, int]]
) -> Iterator[tuple[str, int, int, str]]:
    """The kind of change, start, end and new text."""
    name = _name(node)
    if name in _NOT_CHANGED:
        return
    arguments: list[_Argument] = sorted([*node.args, *node.keywords], key=span)
    for place, each in enumerate(arguments):
        start, end = span(each)
        if place:
            before = span(arguments[place - 1])
            if isinstance(each, ast.keyword) and (
                _is_unseen(node, each) or ast.unparse(each) == "strict=False"  # which is the default
            ):
                continue
            if isinstance(each, ast.keyword) or place == len(arguments) - 1:
                yield "argument left out", before[1], end, ""
            kinds = {type(each), type(arguments[place - 1])}
            if name not in _SYMMETRIC and not kinds & {ast.keyword, ast.Starred}:
                texts = (source[slice(*pair)].decode() for pair in ((start, end), (before[1], start), before))
                yield "arguments exchanged", before[0], end, "".join(texts)
        elif isinstance(each, ast.keyword):
            yield "argument left out", start, span(arguments[1])[0] if len(arguments) > 1 else end, ""


def _formats(node: ast.BinOp) -> bool:
    """Whether it joins texts or lists that are written there, or types."""
    return any(isinstance(each, ast.JoinedStr | ast.List | ast.Tuple | ast.Constant) and not _is_number(each)
               for each in (node.left, node.right))  # fmt: skip


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def _may_go(node: ast.stmt) -> bool:
    """Without a variable's assignment a function just fails, and a module cannot be imported."""
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets)
    return not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield | ast.YieldFrom | ast.Await))


def _texts_alone(tree: ast.Module) -> set[ast.stmt]:
    """Docstrings, texts below attributes, and `...`."""
    return {
        each for each in ast.walk(tree) if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
    }
