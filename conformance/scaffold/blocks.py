"""Rewrite blocks that the language does not allow: `while`, `try`, loops with errors."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

TURNS = 10_000  # limit of turns of a `while`
MOST_ROUNDS = 100  # turns of a loop that is unrolled

_SETTINGS = frozenset(
    """
    torch.no_grad torch.enable_grad torch.inference_mode torch.set_grad_enabled torch.autocast torch.amp.autocast
    torch.autograd.no_grad torch.autograd.enable_grad torch.autograd.set_grad_enabled torch.autograd.detect_anomaly
    torch.autograd.set_detect_anomaly torch.autograd.graph.saved_tensors_hooks
    torch.autograd.graph.disable_saved_tensors_hooks
    """.split()  # noqa: SIM905  as in grammar
)
"""Contexts that may be left and entered again without effect."""


Origin = tuple[int, int]  # a line of the snippet, and how many of its leading characters were removed


@dataclass(slots=True)
class Blocks:
    """Lines with the origin of each in the snippet."""

    lines: list[str]
    origins: list[Origin]
    notes: list[tuple[int, str]] = field(default_factory=list)


def written_out(lines: Sequence[str]) -> Blocks:
    """The program with `for` instead of `while`, and with each `try` moved to the top level, if possible."""
    blocks = Blocks(list(lines), [(number, 0) for number in range(1, len(lines) + 1)])
    while _is_changed(blocks):
        pass
    return blocks


def only_prints(statement: ast.stmt) -> bool:
    """Whether a statement of a handler only prints, or does nothing."""
    return isinstance(statement, ast.Pass | ast.Continue) or (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and ast.unparse(statement.value.func) in ("print", "traceback.print_exc", "warnings.warn")
    )


def _prints_errors(statement: ast.stmt) -> bool:
    """Whether it is a `try` whose handlers only print errors."""
    return (
        isinstance(statement, ast.Try)
        and not statement.finalbody
        and all(only_prints(each) for handler in statement.handlers for each in handler.body)
    )


def _is_changed(blocks: Blocks) -> bool:
    """Rewrite one block; returns False if there is none."""
    try:
        tree = ast.parse("\n".join(blocks.lines))
    except SyntaxError:
        return False
    for node in ast.walk(tree):
        if isinstance(node, ast.While) and not node.orelse:
            _count(blocks, node)
            return True
    bodies = [tree.body]
    for statement in tree.body:
        match statement:
            case ast.If(body=body, orelse=[]):
                bodies.append(body)
            case ast.FunctionDef(args=arguments, body=body) if not ast.unparse(arguments):
                bodies.append(body)
    for statement in (each for body in bodies for each in body):
        if isinstance(statement, ast.For) and any(isinstance(each, ast.Try) for each in _within(statement)):
            rounds = _rounds(statement)
            if rounds:
                _unroll(blocks, statement, rounds)
                return True
        elif (
            isinstance(statement, ast.With)
            and any(map(_prints_errors, statement.body))
            and _split(blocks, statement)
        ):
            return True
    return False


def _within(loop: ast.For) -> Iterator[ast.stmt]:
    """The statements of a loop, including those in its `with`."""
    for each in loop.body:
        yield each
        if isinstance(each, ast.With | ast.For):
            yield from each.body


def _count(blocks: Blocks, loop: ast.While) -> None:
    """`for turn in range(n)` and `break` instead of `while`."""
    first, body = loop.lineno, loop.body[0]
    header = blocks.lines[first - 1][: loop.col_offset]
    inside = " " * body.col_offset if body.lineno > (loop.test.end_lineno or 0) else f"{header}    "
    origin = blocks.origins[first - 1]
    new = [f"{header}for turn in range({TURNS}):"]
    if not (isinstance(loop.test, ast.Constant) and loop.test.value):
        new += [f"{inside}if not ({ast.unparse(loop.test)}):", f"{inside}    break"]
    last = loop.test.end_lineno or first
    if body.lineno == last:  # on the line of the header
        rest = blocks.lines[last - 1].encode()[body.col_offset :].decode()
        new.append(f"{inside}{rest}")
    _put(blocks, first, last, new, [origin] * len(new))
    blocks.notes.append((origin[0], f"`while` becomes `for turn in range({TURNS})`, with a `break`"))


def _rounds(loop: ast.For) -> list[ast.expr]:
    """The value of a loop's variable in each turn; empty if it cannot be determined."""
    match loop.iter:
        case ast.Tuple(elts=items) | ast.List(elts=items):
            pass
        case ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=int(count))]):
            items = [ast.Constant(number) for number in range(count)]
        case ast.Call(func=ast.Name(id="enumerate"), args=[ast.Tuple(elts=each) | ast.List(elts=each)]):
            items = [ast.Tuple([ast.Constant(number), item], ast.Load()) for number, item in enumerate(each)]
        case _:
            return []
    leaves = any(isinstance(node, ast.Break | ast.Continue) for each in loop.body for node in _of_it(each))
    short = len(items) <= MOST_ROUNDS and not any(isinstance(item, ast.Starred) for item in items)
    return items if short and not leaves and not loop.orelse else []


def _of_it(node: ast.AST) -> Iterator[ast.AST]:
    """The node and its descendants, except exception handlers and inner loops."""
    yield node
    if not isinstance(node, ast.For | ast.While):
        for child in ast.iter_child_nodes(node):
            if not (isinstance(child, ast.ExceptHandler) and all(map(only_prints, child.body))):
                yield from _of_it(child)


def _unroll(blocks: Blocks, loop: ast.For, rounds: Sequence[ast.expr]) -> None:
    """Unroll a loop, so that each error ends a step."""
    indent = blocks.lines[loop.lineno - 1][: loop.col_offset]
    target = ast.unparse(loop.target)
    if isinstance(loop.target, ast.Tuple):
        target = target[1:-1]
    first, last = loop.body[0].lineno, loop.end_lineno or 0
    new: list[str] = []
    origins: list[Origin] = []
    header = blocks.origins[loop.lineno - 1]
    for item in rounds:
        new.append(f"{indent}{target} = {ast.unparse(item)}")
        origins.append(blocks.origins[item.lineno - 1] if hasattr(item, "lineno") else header)
        body, of = _body(blocks, loop.body, first, last, indent)
        new += body
        origins += of
    _put(blocks, loop.lineno, last, new, origins)
    blocks.notes.append((header[0], "`for` is unrolled, since an error ends a step"))


def _split(blocks: Blocks, block: ast.With) -> bool:
    """Split a `with` so that each part ends with a `try`; unchanged if that has an effect."""
    which = next(number for number, each in enumerate(block.body) if _prints_errors(each))
    attempt = block.body[which]
    assert isinstance(attempt, ast.Try)
    rest = block.body[which + 1 :]
    again = all(
        isinstance(item.context_expr, ast.Call)
        and ast.unparse(item.context_expr.func) in _SETTINGS
        and item.optional_vars is None
        for item in block.items
    )
    if attempt.orelse or (rest and not again):
        return False
    first, last = block.lineno, block.end_lineno or 0
    end = block.items[-1].context_expr.end_lineno or first
    if block.body[0].lineno == end:
        return False  # on the line of the header
    header, of_header = blocks.lines[first - 1 : end], blocks.origins[first - 1 : end]
    indent = " " * block.body[0].col_offset
    inner, of_inner = _body(
        blocks, attempt.body, attempt.body[0].lineno, attempt.body[-1].end_lineno or 0, indent
    )
    before = slice(end, attempt.lineno - 1)
    outer = blocks.lines[first - 1][: block.col_offset]
    deeper = [f"{outer}try:", *(f"    {line}" for line in [*header, *blocks.lines[before], *inner])]
    new = [*deeper, f"{outer}except Exception:", f"{outer}    pass"]
    origin = blocks.origins[attempt.lineno - 1]
    deep = [(line, cut - 4) for line, cut in [*of_header, *blocks.origins[before], *of_inner]]
    origins = [origin, *deep, origin, origin]
    if rest:
        after = slice((attempt.end_lineno or 0), last)
        new += [*header, *blocks.lines[after]]
        origins += [*of_header, *blocks.origins[after]]
    _put(blocks, first, last, new, origins)
    return True


def _body(
    blocks: Blocks, body: Sequence[ast.stmt], first: int, last: int, indent: str
) -> tuple[list[str], list[Origin]]:
    """The lines of a block, indented by ``indent``."""
    found = blocks.lines[first - 1 : last]
    cut = body[0].col_offset
    if found[0][:cut].strip():  # on the line of the header
        found[0] = " " * cut + found[0].encode()[cut:].decode()
    gone = [min(cut, len(line) - len(line.lstrip())) for line in found]
    origins = [
        (line, before + less - len(indent))
        for (line, before), less in zip(blocks.origins[first - 1 : last], gone, strict=True)
    ]
    return [indent + line[less:] for line, less in zip(found, gone, strict=True)], origins


def _put(blocks: Blocks, first: int, last: int, lines: list[str], origins: list[Origin]) -> None:
    blocks.lines[first - 1 : last] = lines
    blocks.origins[first - 1 : last] = origins
