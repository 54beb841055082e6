"""Programs divided into the parts that are compiled and the rest.

Note [Regions]: a graph is broken where a leaf is made and where backward is called, so that of a program compiled as it
stands hardly anything is captured. So these statements, definitions and imports run as they are, and what is between
them, a *region*, is one function of the names that it uses, compiled as a whole, which returns those that it binds.
State is compared at the end of each step; graphs, warnings and the state between are not visible. After a step that
raises, only the error and the names of earlier steps are compared.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

from conformance.language.scenario import Scenario

_EAGER = frozenset(
    """
    backward requires_grad_ grad retain_grad step zero_grad manual_seed Parameter Module Sequential saved_tensors_hooks
    print collect refuses weakref deepcopy make_dual dual_level optim nn jacobian hessian gradcheck gradgradcheck
    """.split()  # noqa: SIM905  one line for many words
)
_DEFINING = ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom | ast.Assert | ast.Delete
_OWN_SCOPE = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp | ast.Lambda
_COMPUTING = ast.Call | ast.BinOp | ast.UnaryOp | ast.Subscript | ast.Compare
_ASSIGNING = ast.Assign | ast.AugAssign | ast.AnnAssign


def parts(source: str) -> Iterator[tuple[list[ast.stmt], bool]]:
    """The statements of a program in order, in groups that are compiled or not."""
    group: list[ast.stmt] = []
    compiled = False
    for statement in ast.parse(source, "<string>").body:
        if group and compiled != _is_compiled(statement):
            yield group, compiled
            group = []
        compiled = _is_compiled(statement)
        group.append(statement)
    if group:
        yield group, compiled


def compilations(scenario: Scenario) -> int:
    """How many functions may be compiled: a region may be compiled statement by statement."""
    every = (part for step in scenario.steps for part in parts(step.run))
    return sum(len(statements) for statements, compiled in every if compiled)


def bound(statements: Sequence[ast.stmt]) -> list[str]:
    """The names that statements bind, in the order in which they do."""
    return list(dict.fromkeys(name for each in statements for name in _bound_in(each)))


def always_bound(statements: Sequence[ast.stmt]) -> list[str]:
    """The names that statements bind whatever happens; an `if` may not."""
    return bound([each for each in statements if isinstance(each, _ASSIGNING)])


def used(statements: Sequence[ast.stmt]) -> set[str]:
    """All names in statements."""
    return {node.id for each in statements for node in ast.walk(each) if isinstance(node, ast.Name)}


def function(name: str, statements: Sequence[ast.stmt], given: Collection[str]) -> ast.FunctionDef:
    """The function of a region: its arguments are the names ``given``; it returns those that it binds."""
    returned = bound(statements)
    known = {*given, *always_bound(statements)}
    unset: list[ast.stmt] = [
        ast.Assign([ast.Name(each, ast.Store())], ast.Constant(None))
        for each in returned
        if each not in known
    ]
    names: list[ast.expr] = [ast.Name(each, ast.Load()) for each in returned]
    result = ast.Return(names[0] if len(names) == 1 else ast.Tuple(names, ast.Load()))
    arguments = ast.arguments([], [ast.arg(each) for each in given], None, [], [], None, [])
    body = [*unset, *statements, result]
    return ast.fix_missing_locations(ast.FunctionDef(name, arguments, body, [], lineno=1, col_offset=0))


def compiled_texts(texts: Sequence[str], backend: str) -> list[str]:
    """The steps of a program as a reader would compile them by hand, with a function for each region."""
    known: set[str] = set()
    read: set[str] = set()
    found: list[str] = []
    number = 0
    for text in texts:
        lines: list[str] = []
        for statements, compiled in parts(text):
            alone = compiled and not read.isdisjoint(bound(statements))
            for group in [[each] for each in statements] if alone else [statements]:
                if compiled:
                    number += 1
                    lines += _calling(f"region_{number}", group, sorted(used(group) & known), backend)
                else:
                    lines += map(ast.unparse, group)
                    read |= _read_by_functions(group)
                known |= {*bound([each for each in group if not isinstance(each, _DEFINING)])}
        found.append("\n".join(lines))
    return found


def _calling(name: str, group: Sequence[ast.stmt], given: Sequence[str], backend: str) -> Iterator[str]:
    yield f'@torch.compile(backend="{backend}")'
    yield ast.unparse(function(name, group, given))
    call = f"{name}({', '.join(given)})"
    targets = ", ".join(bound(group))
    yield f"{targets} = {call}" if targets else call


def _read_by_functions(statements: Sequence[ast.stmt]) -> set[str]:
    inside = ast.FunctionDef | ast.ClassDef | ast.Lambda
    return used([node for each in statements for node in ast.walk(each) if isinstance(node, inside)])  # type: ignore[misc]


def _bound_in(node: ast.AST) -> Iterator[str]:
    """The names that a statement binds, without those of comprehensions, which are gone after it."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    children = [*ast.iter_child_nodes(node)]
    if isinstance(node, _ASSIGNING | ast.For):  # what is assigned, or gone through, is computed first
        first = node.iter if isinstance(node, ast.For) else node.value
        children.sort(key=lambda child: child is not first)
    for child in children:
        if not isinstance(child, _OWN_SCOPE):
            yield from _bound_in(child)


def _is_compiled(statement: ast.stmt) -> bool:
    """Whether a statement computes something, and neither makes a leaf nor calls backward."""
    if isinstance(statement, _DEFINING):
        return False
    computes = False
    for node in ast.walk(statement):
        if isinstance(node, ast.keyword) and node.arg == "requires_grad":
            return False
        name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        if name in _EAGER or name.startswith("register_"):  # hooks
            return False
        computes = computes or isinstance(node, _COMPUTING)
    return computes
