"""Write Python's `defaultdict` as a plain dict: reading a key becomes `setdefault`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from conformance.scaffold.replaced import Replacement, end, start

_MADE = {"list": "[]", "dict": "{}", "int": "0", "float": "0.0", "set": "set()", "str": "''"}
"""What the usual factories make."""


def default_dicts(tree: ast.Module, paths: Mapping[str, str]) -> Iterator[Replacement]:
    """The replacements; the dict itself is replaced last, once no key of it is read without a default."""
    made = dict(_assigned(tree, paths))
    if not made:
        return
    reads = list(_reads(tree, made))
    yield from reads
    if not reads:
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and _factory(node.value, paths):
                yield start(node.value), end(node.value), "{}"


def _assigned(tree: ast.Module, paths: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The names that are bound to a `defaultdict`, and the text of each default."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if default := _factory(value, paths):
                yield name, default


def _factory(node: ast.expr, paths: Mapping[str, str]) -> str:
    """The default of a `defaultdict(...)`, empty for any other expression."""
    match node:
        case ast.Call(func=ast.Name() | ast.Attribute() as function, args=[factory], keywords=[]):
            root, dot, rest = ast.unparse(function).partition(".")
            if f"{paths.get(root, '')}{dot}{rest}" == "collections.defaultdict":
                if isinstance(factory, ast.Lambda):
                    return ast.unparse(factory.body)
                text = ast.unparse(factory)
                return _MADE.get(text, f"{text}()")
    return ""


def _reads(tree: ast.Module, made: Mapping[str, str]) -> Iterator[Replacement]:
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=key, ctx=ast.Load()) if name in made:
                yield start(node), end(node), f"{name}.setdefault({ast.unparse(key)}, {made[name]})"
            case ast.AugAssign(
                target=ast.Subscript(value=ast.Name(id=name), slice=key), op=op, value=value
            ) if name in made:
                old = ast.parse(f"{name}.setdefault({ast.unparse(key)}, {made[name]})", mode="eval").body
                yield (
                    start(node),
                    end(node),
                    f"{name}[{ast.unparse(key)}] = {ast.unparse(ast.BinOp(old, op, value))}",
                )
