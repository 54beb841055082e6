"""What the names of a program are bound to, over all its steps and without regard to order."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from conformance.spec import vocabulary

REGISTERS = frozenset({"register_buffer", "register_parameter", "register_module", "add_module"})


class Located(NamedTuple):
    """A remark about a node of a piece."""

    piece: int
    node: ast.AST
    message: str
    hint: str


def is_dunder(name: str) -> bool:
    """Whether a name begins with two underscores."""
    return name.startswith("__")


@dataclass(slots=True)
class Bindings:
    """Names of a program: those it gives values, those it stores as attributes, and those of torch."""

    names: set[str] = field(default_factory=set)
    stored: set[str] = field(default_factory=set)
    classes: set[str] = field(default_factory=set)
    functions: set[str] = field(default_factory=set)
    paths: dict[str, str] = field(default_factory=lambda: dict(vocabulary.BOUND))

    @classmethod
    def of(cls, trees: Sequence[tuple[int, ast.AST]]) -> Bindings:
        """The bindings of all the pieces of a scenario together."""
        bindings = cls()
        for _, tree in trees:
            for node in ast.walk(tree):
                bindings._add(node)
        for name in vocabulary.BOUND:
            if name != "torch" and name in bindings.names and _first_bound(name, trees):
                del bindings.paths[name]  # the program's own from its first mention on
        return bindings

    def _add(self, node: ast.AST) -> None:
        kind = type(node)
        if kind is ast.Name:
            if type(node.ctx) is not ast.Load:  # type: ignore[attr-defined]
                self.names.add(node.id)  # type: ignore[attr-defined]
        elif kind is ast.Attribute:
            if type(node.ctx) is ast.Store:  # type: ignore[attr-defined]
                self.stored.add(node.attr)  # type: ignore[attr-defined]
        elif kind is ast.arg:
            self.names.add(node.arg)  # type: ignore[attr-defined]
        elif isinstance(node, ast.FunctionDef):
            self.names.add(node.name)
            self.functions.add(node.name)
        elif isinstance(node, ast.ClassDef):
            self.names.add(node.name)
            self.classes.add(node.name)
            self.stored.update(_members(node.body))
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname:
                    self._import(alias.asname, alias.name)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                self._import(alias.asname or alias.name, f"{node.module}.{alias.name}")
        elif isinstance(node, ast.Call):
            self._register(node)

    def _import(self, name: str, path: str) -> None:
        if path in vocabulary.PATHS:
            self.paths[name] = path
        else:
            self.names.add(name)  # refused where it stands; its uses need no remark of their own

    def _register(self, node: ast.Call) -> None:
        """``self.register_buffer("name", ...)`` stores an attribute, too."""
        if isinstance(node.func, ast.Attribute) and node.func.attr in REGISTERS and node.args:
            first = node.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                self.stored.add(first.value)

    def path_of(self, node: ast.expr) -> str | None:
        """The dotted name of torch that an expression is, ``torch.nn.Linear`` for ``nn.Linear``."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.paths:
            return None
        return ".".join([self.paths[node.id], *reversed(parts)])


def _members(body: Iterable[ast.stmt]) -> set[str]:
    """The names that the statements of a class's body define."""
    members: set[str] = set()
    for statement in body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            members.add(statement.name)
        else:
            for node in ast.walk(statement):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    members.add(node.id)
    return members


def _first_bound(name: str, trees: Sequence[tuple[int, ast.AST]]) -> bool:
    """Whether the first statement that mentions ``name`` is ``name = value``, of a value without it."""
    for _, tree in trees:
        for statement in getattr(tree, "body", []) if isinstance(tree, ast.Module) else []:
            if any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(statement)):
                return (
                    isinstance(statement, ast.Assign)
                    and any(
                        isinstance(target, ast.Name) and target.id == name for target in statement.targets
                    )
                    and not any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(statement.value))
                )
    return False
