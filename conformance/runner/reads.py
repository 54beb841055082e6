"""What an expression or a name of a program reads: the group of facets that its value belongs to.

A number, text or node has no facets that tell its group. ``n = b.grad_fn.name()`` is about the graph, though, and
``seen.append(t.is_leaf)`` about flags. So the group of such a value is that of the attribute read last.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator
from functools import lru_cache

_GRAPH = (
    "grad_fn next_functions output_nr _version _base _is_view data_ptr untyped_storage storage storage_offset stride "
    "is_contiguous name variable metadata saved_tensors _sequence_nr is_set_to"
)
_FLAGS = "requires_grad is_leaf retains_grad is_inference"
_DTYPES = (
    "dtype is_floating_point is_complex element_size itemsize nbytes type result_type promote_types can_cast "
    "get_default_dtype finfo iinfo"
)
_GROUPS = {
    **dict.fromkeys(_GRAPH.split(), "graph"),
    **dict.fromkeys(_FLAGS.split(), "flags"),
    **dict.fromkeys(_DTYPES.split(), "dtypes"),
}
_PASSING = {str, repr, len, type, id, bool, int, list, tuple, dict, set, sorted, isinstance, hasattr, getattr}
"""Builtins whose result is about what their arguments are about."""
_ADDING = ("append", "extend", "insert", "add", "update", "setdefault")

Flows = dict[str, tuple[ast.expr, ...]]


@lru_cache(maxsize=512)
def group_of(expression: str, programs: tuple[str, ...] = ()) -> str:
    """The group of facets that an expression reads, of names that programs bind by what these bind to them."""
    return _only(_groups(_parsed(expression), _flows(programs), ()))


@lru_cache(maxsize=512)
def group_of_name(path: str, programs: tuple[str, ...]) -> str:
    """The group of the values that programs bind to the name with which a path such as ``seen[0]`` begins."""
    name, flows = path.partition(".")[0].partition("[")[0], _flows(programs)
    return _only(group for one in flows.get(name, ()) for group in _groups(one, flows, (name,)))


@lru_cache(maxsize=64)
def _flows(programs: tuple[str, ...]) -> Flows:
    """What programs bind to each name."""
    flows: Flows = {}
    for program in programs:
        for target, expression in _bound(ast.parse(program)):
            flows[target] = (*flows.get(target, ()), expression)
    return flows


def _parsed(expression: str) -> ast.expr:
    return ast.parse(expression, mode="eval").body


def _only(groups: Iterable[str]) -> str:
    """The group that all of them are, otherwise values."""
    found = set(groups)
    return found.pop() if len(found) == 1 else "values"


def _bound(program: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """The names that statements bind, or add something to, with the expressions."""
    for node in ast.walk(program):
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    yield from _pairs(target, value)
            case (
                ast.NamedExpr(target=target, value=value)
                | ast.AugAssign(target=target, value=value)
                | ast.For(target=target, iter=value)
            ):
                yield from _pairs(target, value)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method), args=[*_, value]):
                if method in _ADDING:
                    yield name, value


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    match target, value:
        case ((ast.Tuple() | ast.List()), (ast.Tuple() | ast.List())) if len(target.elts) == len(value.elts):
            for one, its in zip(target.elts, value.elts, strict=True):
                yield from _pairs(one, its)
        case ((ast.Tuple() | ast.List()), _):
            for one in target.elts:
                yield from _pairs(one, value)
        case ast.Name(id=name), _:
            yield name, value
        case ((ast.Subscript(value=ast.Name(id=name)) | ast.Starred(value=ast.Name(id=name))), _):
            yield name, value


def _groups(node: ast.expr, flows: Flows, seen: tuple[str, ...]) -> Iterator[str]:
    """The groups of what a value is made of; nothing for constants."""
    match node:
        case ast.Constant():
            return
        case ast.Attribute(attr=attr) if attr in _GROUPS:
            yield _GROUPS[attr]
        case (
            ast.Attribute(value=inner, attr="__name__")
            | ast.Subscript(value=inner)
            | ast.Starred(value=inner)
        ):
            yield from _groups(inner, flows, seen)
        case ast.Call(func=ast.Attribute() as func) if func.attr in _GROUPS:
            yield _GROUPS[func.attr]
        case ast.Call(func=ast.Name(id="repr" | "str"), args=[shown]):
            yield from {*_groups(shown, flows, seen)} - {"values"} or {"messages"}  # a text for people
        case ast.Call(func=ast.Name(id=name), args=args) if getattr(builtins, name, None) in _PASSING:
            for each in args[:1]:
                yield from _groups(each, flows, seen)
        case ast.Compare(ops=ops) if any(isinstance(each, ast.Is | ast.IsNot) for each in ops):
            found = set(_of_parts(node, flows, seen)) - {"values"}
            yield from found or {"flags"}  # which names are the same object
        case ast.Name(id=name):
            if name in flows and name not in seen:
                for each in flows[name]:
                    yield from _groups(each, flows, (*seen, name))
            else:
                yield "values"
        case (
            ast.Tuple()
            | ast.List()
            | ast.Set()
            | ast.Dict()
            | ast.BoolOp()
            | ast.UnaryOp()
            | ast.Compare()
            | ast.IfExp()
        ):
            yield from _of_parts(node, flows, seen)
        case ast.BinOp():
            yield from _of_parts(node, flows, seen)
        case ast.ListComp(elt=elt) | ast.SetComp(elt=elt) | ast.GeneratorExp(elt=elt):
            pairs = [pair for each in node.generators for pair in _pairs(each.target, each.iter)]
            yield from _groups(elt, flows | {target: (value,) for target, value in pairs}, seen)
        case ast.Lambda(body=body):
            yield from _groups(body, flows, seen)
        case _:
            yield "values"


def _of_parts(node: ast.expr, flows: Flows, seen: tuple[str, ...]) -> Iterator[str]:
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.expr):
            yield from _groups(part, flows, seen)
