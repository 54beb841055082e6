"""Find the expressions that a statement only prints, as `print` or the last line of a notebook cell does."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from conformance.language import vocabulary


def shows(statement: ast.stmt) -> Iterator[ast.expr]:
    """The expressions that a statement shows, if it does nothing else."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=arguments, keywords=keywords)):
            if not any(keyword.arg == "file" for keyword in keywords):
                for argument in arguments:
                    yield from _values(argument)
        case ast.Expr(value=ast.Tuple(elts=items)):
            yield from items
        case ast.Expr(
            value=ast.Name() | ast.Attribute() | ast.Subscript() | ast.Compare() | ast.Call() as value
        ):
            yield value


def _values(argument: ast.expr) -> Iterator[ast.expr]:
    """The expressions within an argument of print, without the text around them."""
    match argument:
        case ast.Constant():
            return
        case ast.JoinedStr(values=parts):
            yield from (part.value for part in parts if isinstance(part, ast.FormattedValue))
        case ast.BinOp(left=ast.Constant(value=str()), op=ast.Mod(), right=right):
            yield from right.elts if isinstance(right, ast.Tuple) else [right]
        case ast.Call(
            func=ast.Attribute(value=ast.Constant(value=str()), attr="format"), args=args, keywords=keywords
        ):
            yield from (*args, *(keyword.value for keyword in keywords))
        case ast.BinOp(left=left, op=ast.Add(), right=right) if _is_text(left) or _is_text(right):
            yield from (*_values(left), *_values(right))
        case ast.Call(func=ast.Name(id="str" | "repr"), args=[inner]):
            yield inner
        case _:
            yield argument


def _is_text(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _is_text(node.left) or _is_text(node.right)
    is_str = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "str"
    return (
        is_str
        or isinstance(node, ast.JoinedStr)
        or (isinstance(node, ast.Constant) and isinstance(node.value, str))
    )


_CHANGES = re.compile(
    r".*[^_]_|backward|step|zero_grad|pop|append|extend|insert|remove|clear|update|add|register_.*|retain_grad|grad"
    r"|requires_grad_|next|print|id|data_ptr|.*rand.*|normal|bernoulli|multinomial|dropout\w*|.*seed.*|apply|load_.*"
    r"|train|eval|send|throw|close|input|open|collect"
)
_PURE = vocabulary.BUILTINS | {"type"}


def is_pure(node: ast.expr) -> bool:
    """Whether evaluating an expression again later has the same value and no effect."""
    for part in ast.walk(node):
        if isinstance(part, ast.NamedExpr | ast.Lambda | ast.Await | ast.Yield | ast.YieldFrom | ast.Starred):
            return False
        if isinstance(part, ast.Call):
            function = part.func
            name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            known = name in _PURE if isinstance(function, ast.Name) else name in vocabulary.ATTRIBUTES
            torch = ast.unparse(function) in vocabulary.PATHS
            if _CHANGES.fullmatch(name) or not (known or torch):
                return False
    return True
