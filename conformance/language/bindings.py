"""The names that a program binds, collected over all its steps regardless of order."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from conformance.language import vocabulary, words

REGISTERS = frozenset({"register_buffer", "register_parameter", "register_module", "add_module"})
"""Methods of a module that set an attribute under the given name."""


class LocatedFault(NamedTuple):
    """A fault at a node of a program part."""

    piece: int
    node: ast.AST
    message: str
    hint: str


def is_dunder(name: str) -> bool:
    """Whether a name begins with two underscores."""
    return name.startswith("__")


def dotted_name(node: ast.expr, paths: Mapping[str, str]) -> str:
    """The dotted name of an attribute chain that begins with one of ``paths``, or an empty text."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in paths:
        return ""
    return ".".join([paths[node.id], *reversed(parts)])


def stored_names(statement: ast.stmt) -> Iterator[ast.Name]:
    """The names that a statement in a class body assigns."""
    if not isinstance(statement, ast.FunctionDef | ast.ClassDef):
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node


def flat(tree: ast.AST) -> list[ast.AST]:
    """Every node of a tree except contexts and operators, outer nodes before inner ones."""
    nodes = [tree]
    for node in nodes:  # the loop appends to it
        for name in node._fields:
            value = getattr(node, name)
            if isinstance(value, list):
                nodes += [item for item in value if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context | ast.operator):
                nodes.append(value)
    return nodes


@dataclass(slots=True)
class Bindings:
    """The names of a program: those it assigns, those it sets as attributes, and those that mean torch's."""

    names: set[str] = field(default_factory=set)
    stored: set[str] = field(default_factory=set)
    classes: set[str] = field(default_factory=set)
    paths: dict[str, str] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)  # by an import: their uses are not reported again
    all_known: bool = True  # every program was parsed, so a name that none binds is undefined
    class_values: int = 0  # uses of torch classes as values: not called, subclassed or followed by a dot

    @classmethod
    def of_piece(cls, nodes: Sequence[ast.AST]) -> Bindings:
        """The bindings of one program part."""
        bindings = cls()
        for node in nodes:
            add = _ADD.get(type(node))
            if add is not None:
                add(bindings, node)
        return bindings

    @classmethod
    def of(cls, parts: Sequence[Bindings], trees: Sequence[ast.AST]) -> Bindings:
        """The bindings of all program parts of a scenario."""
        bindings = cls(
            set().union(*(part.names for part in parts)),
            set().union(*(part.stored for part in parts)),
            set().union(*(part.classes for part in parts)),
            dict(words.BOUND),
            set().union(*(part.refused for part in parts)),
        )
        for part in parts:
            bindings.paths.update(part.paths)
        for name in words.BOUND:
            if name != "torch" and name in bindings.names and _first_bound(name, trees):
                del bindings.paths[name]  # the program binds the name before it uses it
        return bindings

    def path_of(self, node: ast.expr) -> str:
        """The full dotted name of an expression, ``torch.nn.Linear`` for ``nn.Linear``, or an empty text."""
        return dotted_name(node, self.paths)

    def _name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.names.add(node.id)

    def _attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.ctx, ast.Store):
            self.stored.add(node.attr)

    def _parameter(self, node: ast.arg) -> None:
        self.names.add(node.arg)

    def _function(self, node: ast.FunctionDef) -> None:
        self.names.add(node.name)

    def _class(self, node: ast.ClassDef) -> None:
        self.names.add(node.name)
        self.classes.add(node.name)
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef | ast.ClassDef):
                self.stored.add(statement.name)
            self.stored.update(name.id for name in stored_names(statement))

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            if alias.asname or not alias.name.startswith("torch"):
                self._imported(alias.asname or alias.name, alias.name)

    def _import_from(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            self._imported(alias.asname or alias.name, f"{node.module}.{alias.name}")

    def _imported(self, name: str, path: str) -> None:
        if path in vocabulary.PATHS and words.BOUND.get(name, path) == path:
            self.paths[name] = path
        else:
            self.names.add(name)
            self.refused.add(name)

    def _call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute) and node.func.attr in REGISTERS and node.args:
            name = node.args[0]
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                self.stored.add(name.value)


_ADD: dict[type[ast.AST], Any] = {
    ast.Name: Bindings._name,
    ast.Attribute: Bindings._attribute,
    ast.arg: Bindings._parameter,
    ast.FunctionDef: Bindings._function,
    ast.ClassDef: Bindings._class,
    ast.Import: Bindings._import,
    ast.ImportFrom: Bindings._import_from,
    ast.Call: Bindings._call,
}


def _first_bound(name: str, trees: Sequence[ast.AST]) -> bool:
    """Whether the first statement that mentions ``name`` assigns it, and its value does not mention it."""
    for tree in trees:
        for statement in tree.body if isinstance(tree, ast.Module) else []:
            if _mentions(statement, name):
                return (
                    isinstance(statement, ast.Assign)
                    and any(
                        isinstance(target, ast.Name) and target.id == name for target in statement.targets
                    )
                    and not _mentions(statement.value, name)
                )
    return False


def _mentions(node: ast.AST, name: str) -> bool:
    return any(
        (isinstance(inner, ast.Name) and inner.id == name)
        or (isinstance(inner, ast.arg) and inner.arg == name)
        for inner in ast.walk(node)
    )
