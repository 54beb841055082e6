"""Check that a program uses only the allowed syntax and the names of the vocabulary.

Three rules keep a stranger's scenario away from files, network and processes. A module may be used only before a dot,
and the whole dotted path must be in the vocabulary. An attribute may be read only if the vocabulary has its name, or if
the program sets it and no object of torch has it. Attributes of torch, its modules and its classes may not be set.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeGuard

from conformance.language import classes, vocabulary, words
from conformance.language.bindings import Bindings, LocatedFault, is_dunder, stored_names
from conformance.language.grammar import (
    ALLOWED,
    FORBIDDEN,
    INSTEAD,
    KNOWN,
    LEAVES,
    REFUSED,
    TENSOR_TYPES,
    TOUCHES_FILES,
)
from conformance.language.program_parts import TOO_DEEP, ProgramFault, ProgramPiece, fault_at, parse
from conformance.language.suggest import did_you_mean

_DUNDER = re.compile(r"__[a-zA-Z]\w*__")
OWN_NAME = "choose another name"
LISTED = "specs/README.md lists what a program may use"
UNBOUND = "assign it first: scenarios share no variables"


def check_program(pieces: Sequence[ProgramPiece]) -> list[ProgramFault]:
    """Everything in the program parts that the language does not allow, in order; nothing is run."""
    parsed = [parse(piece) for piece in pieces]
    faults: list[ProgramFault] = []
    bindings = Bindings.of([part.bindings for part in parsed], [part.tree for part in parsed if part.tree])
    bindings.all_known = all(
        part.tree or piece.is_expression for part, piece in zip(parsed, pieces, strict=True)
    )
    try:
        for index, part in enumerate(parsed):
            if part.tree is not None:
                checker = _Checker(index, pieces[index].source, bindings, faults)
                checker.visit(part.tree)
                if "__" in pieces[index].source:
                    checker.texts(part.nodes)
            if part.fault is not None and not any(fault.piece == index for fault in faults):
                faults.append(part.fault._replace(piece=index))
        if not faults and bindings.class_values:
            nodes = [(index, node) for index, part in enumerate(parsed) for node in part.nodes]
            faults += [
                fault_at(found, pieces[found.piece].source) for found in classes.misuses(nodes, bindings)
            ]
    except RecursionError:
        faults.append(ProgramFault(0, 1, 1, *TOO_DEEP))
    return sorted(dict.fromkeys(faults))


class _Checker:
    """Walks the tree of one program part and appends to ``faults``."""

    def __init__(self, piece: int, source: str, bindings: Bindings, faults: list[ProgramFault]) -> None:
        self.piece, self.source, self.bindings, self.faults = piece, source, bindings, faults
        self.inside: ast.AST | None = None  # an f-string, whose parts have no usable positions
        self.in_class = False

    def fault(self, node: ast.AST, message: str, hint: str = "") -> None:
        self.faults.append(
            fault_at(LocatedFault(self.piece, self.inside or node, message, hint), self.source)
        )

    def visit(self, node: ast.AST) -> None:
        kind = type(node)
        handler = HANDLERS.get(kind)
        if handler is not None:
            handler(self, node)
        elif kind in ALLOWED:
            self.inner(node)
        elif not isinstance(node, LEAVES):
            word, hint = REFUSED.get(kind, (kind.__name__.lower(), ""))
            self.fault(node, f"`{word}` is not part of the language", hint)

    def inner(self, node: ast.AST) -> None:
        for name in node._fields:
            value = getattr(node, name)
            if isinstance(value, list):
                for item in value:
                    if isinstance(item, ast.AST):
                        self.visit(item)
            elif isinstance(value, ast.AST) and not isinstance(value, LEAVES):
                self.visit(value)

    def texts(self, nodes: Sequence[ast.AST]) -> None:
        """Texts that functions of torch could use as the name of an attribute."""
        for node in nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and _DUNDER.search(node.value):
                hint = "functions of torch that take names as text would reach what a program may not"
                self.fault(node, f"the text {node.value!r} holds a name with two underscores", hint)

    # --- names

    def bind(self, name: str, node: ast.AST) -> None:
        """A name that the program binds."""
        path = self.bindings.paths.get(name, "")
        if is_dunder(name):
            self.fault(node, f"`{name}`: names with two underscores are Python's own", OWN_NAME)
        elif vocabulary.PATHS.get(path) in ("module", "class"):
            self.fault(node, f"`{name}` means {path} in this program", OWN_NAME)
        elif name in FORBIDDEN:
            self.fault(node, f"`{name}` is a function of Python that programs may not use", OWN_NAME)

    def name(self, node: ast.Name) -> None:
        name, bindings = node.id, self.bindings
        if not isinstance(node.ctx, ast.Load):
            self.bind(name, node)
        elif name in bindings.paths:
            kind = vocabulary.PATHS[bindings.paths[name]]
            bindings.class_values += kind == "class"
            if kind == "module":
                self.bare_module(node, name)
        elif is_dunder(name):
            if name != "__name__":
                self.fault(
                    node,
                    f"`{name}` may not be used",
                    "of the names with two underscores, only __name__ is allowed",
                )
        elif name in FORBIDDEN or (bindings.all_known and name not in bindings.names and name not in KNOWN):
            near = did_you_mean(name, KNOWN | bindings.names | bindings.paths.keys())
            hint = INSTEAD.get(name) or did_you_mean(name, bindings.names) or _whole_path(name) or near
            hint = hint or ("" if name in FORBIDDEN else UNBOUND)
            message = "may not be used" if name in FORBIDDEN or name in INSTEAD else "is not defined"
            self.fault(node, f"`{name}` {message}", hint)

    def bare_module(self, node: ast.AST, name: str) -> None:
        self.fault(node, f"the module `{name}` may be used only before a dot", f"write `{name}.something`")

    # --- attributes

    def attribute(self, node: ast.Attribute) -> None:
        chain: list[ast.Attribute] = []
        base: ast.expr = node
        while isinstance(base, ast.Attribute):
            chain.append(base)
            base = base.value
        chain.reverse()
        if isinstance(base, ast.Name) and base.id in self.bindings.refused - self.bindings.paths.keys():
            return
        if isinstance(base, ast.Name) and base.id in self.bindings.paths:
            chain = self.dotted(self.bindings.paths[base.id], chain)
        elif chain[0].attr == "__init__" and _calls(base, "super"):
            self.visit(base)
            chain = chain[1:]
        elif chain[0].attr == "__name__":
            self.visit_type(base)
        else:
            known = len(self.faults)
            self.visit(base)
            if isinstance(base, ast.Name) and len(self.faults) > known:
                return  # one fault is enough: the attributes of an unknown name are not checked
        for part in chain:
            self.part(part)

    def dotted(self, path: str, chain: list[ast.Attribute]) -> list[ast.Attribute]:
        """Follow an attribute chain from a name of torch; returns the attributes after the vocabulary's path."""
        rest, kinds = chain, vocabulary.PATHS
        while rest and kinds[path] == "module":
            below = f"{path}.{rest[0].attr}"
            own = path == vocabulary.OPERATORS and not rest[0].attr.startswith("_")
            if own and isinstance(rest[0].ctx, ast.Load):
                return rest[1:]
            if below not in kinds:
                self.fault(rest[0], f"`{below}` is not in the vocabulary", _nearest_path(path, rest[0].attr))
                return []
            path, rest = below, rest[1:]
        if not isinstance(chain[-1].ctx, ast.Load):
            self.fault(chain[-1], f"a program may not change `{path}`", "assign to an object of your own")
            return []
        if not rest and kinds[path] == "module":
            self.bare_module(chain[-1], path)
        elif not rest:
            self.bindings.class_values += kinds[path] == "class"
        elif rest[0].attr == "__init__" and path in vocabulary.BASES:
            return rest[1:]  # nn.Module.__init__(self)
        return rest

    def part(self, node: ast.Attribute) -> None:
        """One attribute of a value."""
        name = node.attr
        if is_dunder(name):
            if name != "__name__" or not isinstance(node.ctx, ast.Load):
                hint = "of the names with two underscores, only __name__ and super().__init__ are allowed"
                self.fault(node, f"`.{name}` may not be used", hint)
        elif vocabulary.is_attribute(name):
            return
        elif name in self.bindings.stored:
            self.own(name, node)
        else:
            near = did_you_mean(name, vocabulary.ATTRIBUTES | self.bindings.stored)
            hint = INSTEAD.get(name) or near or LISTED
            self.fault(node, f"the attribute `.{name}` is not in the vocabulary", hint)

    def own(self, name: str, node: ast.AST) -> None:
        """An attribute that the program itself sets."""
        if not vocabulary.is_attribute(name) and name in vocabulary.reserved():
            self.fault(node, f"`{name}` is an attribute of torch or Python outside the vocabulary", OWN_NAME)

    def subscript(self, node: ast.Subscript) -> None:
        base: ast.expr = node
        while isinstance(base, ast.Attribute | ast.Subscript):
            base = base.value
        if (
            not isinstance(node.ctx, ast.Load)
            and isinstance(base, ast.Name)
            and base.id in self.bindings.paths
        ):
            self.fault(
                node, "a program may not change what belongs to torch", "assign to an object of your own"
            )
        self.inner(node)

    # --- expressions

    def visit_type(self, node: ast.expr) -> None:
        """Visit an expression that may be ``type(x)``, since the type is only read here."""
        if _calls(node, "type") and len(node.args) == 1 and not node.keywords:
            self.visit(node.args[0])
        else:
            self.visit(node)

    def call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Name) and function.id == "input" and function.id in self.bindings.names:
            self.fault(function, "`input` may not be called", INSTEAD["input"])
        self.visit(function)
        self.bindings.class_values -= self.is_class(function)
        shows = isinstance(function, ast.Name) and function.id in {"print", "str", "repr"}
        for argument in node.args:
            (self.visit_type if shows else self.visit)(argument)
        for keyword in node.keywords:
            self.visit(keyword.value)

    def is_class(self, node: ast.expr) -> bool:
        return vocabulary.PATHS.get(self.bindings.path_of(node)) == "class"

    def compare(self, node: ast.Compare) -> None:
        for operand in (node.left, *node.comparators):
            self.visit_type(operand)

    def joined(self, node: ast.JoinedStr) -> None:
        outer, self.inside = self.inside, self.inside or node
        self.inner(node)
        self.inside = outer

    def formatted(self, node: ast.FormattedValue) -> None:
        self.visit_type(node.value)
        if node.format_spec:
            self.visit(node.format_spec)

    def comprehension(self, node: ast.comprehension) -> None:
        if node.is_async:
            self.fault(node.target, "`async` is not part of the language")
        self.inner(node)

    # --- definitions

    def function(self, node: ast.FunctionDef) -> None:
        if node.returns:
            self.annotation(node.returns)
        if self.in_class:
            self.own(node.name, node)
        if not (self.in_class and (node.name == "__init__" or node.name in FORBIDDEN)):
            self.bind(node.name, node)
        self.outside_class(node)

    def outside_class(self, node: ast.AST) -> None:
        outer, self.in_class = self.in_class, False
        self.inner(node)
        self.in_class = outer

    def class_(self, node: ast.ClassDef) -> None:
        self.bind(node.name, node)
        for keyword in node.keywords:
            self.fault(keyword.value, "a class definition may not have keywords")
        for base in node.bases:
            self.base(base)
            if self.bindings.path_of(base) == "torch.Tensor" and not all(
                isinstance(n, ast.Pass) for n in node.body
            ):
                self.fault(node, "a subclass of Tensor may not define anything", "write `pass` as its body")
        for decorator in node.decorator_list:
            self.visit(decorator)
        outer, self.in_class = self.in_class, True
        for statement in node.body:
            self.visit(statement)
            for name in stored_names(statement):
                self.own(name.id, name)
        self.in_class = outer

    def base(self, node: ast.expr) -> None:
        """A class may derive from classes of Python and of the program, and from torch's base classes."""
        self.visit(node)
        if self.is_class(node):
            self.bindings.class_values -= 1
            if self.bindings.path_of(node) not in vocabulary.BASES:
                hint = "derive from nn.Module or autograd.Function"
                self.fault(node, "a class may not derive from this one", hint)

    def parameter(self, node: ast.arg) -> None:
        self.bind(node.arg, node)
        if node.annotation:
            self.annotation(node.annotation)
            self.visit(node.annotation)

    def annotation(self, node: ast.expr) -> None:
        """The annotation of a parameter or function; strings are refused, since torch.library evaluates them."""
        match node:
            case ast.Constant(value=value) if value is None or value is ...:
                pass
            case ast.Name(id=name) if name in vocabulary.BUILTINS - self.bindings.names:
                pass
            case ast.Subscript(value=outer, slice=inner):
                self.annotation(outer)
                self.annotation(inner)
            case ast.Tuple(elts=parts):
                for part in parts:
                    self.annotation(part)
            case ast.BinOp(left=one, op=ast.BitOr(), right=other):
                self.annotation(one)
                self.annotation(other)
            case _ if self.bindings.path_of(node) not in vocabulary.PATHS:
                self.fault(node, "an annotation may use only types of torch and of Python", "leave it out")

    # --- imports

    def import_(self, node: ast.Import) -> None:
        for alias in node.names:
            self.imported(alias.name, alias, modules_only=True)

    def import_from(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if node.level or alias.name == "*":
                self.fault(alias, "an import must name what it imports", "write `from torch import nn`")
            else:
                self.imported(f"{node.module}.{alias.name}", alias)

    def imported(self, path: str, node: ast.alias, modules_only: bool = False) -> None:
        root = path.partition(".")[0]
        above, _, name = path.rpartition(".")
        kind = vocabulary.PATHS.get(path)
        if root != "torch":
            self.fault(
                node,
                f"`{root}` may not be imported",
                INSTEAD.get(name) or INSTEAD.get(root, "a program may import only torch"),
            )
        elif kind is None or (modules_only and kind != "module"):
            hint = _nearest_path(above, name) if above in vocabulary.PATHS else INSTEAD.get(name, LISTED)
            if kind is not None:
                hint = f"write `from {above} import {name}`"
            self.fault(node, f"`{path}` is not {'a module' if kind else 'in the vocabulary'}", hint)
        elif node.asname and (is_dunder(node.asname) or node.asname in FORBIDDEN):
            self.fault(node, f"`{node.asname}` is Python's own", OWN_NAME)
        elif node.asname in words.BOUND and words.BOUND[node.asname] != path:
            self.fault(node, f"`{node.asname}` means {words.BOUND[node.asname]} in this program", OWN_NAME)


HANDLERS: dict[type[ast.AST], Callable[[_Checker, Any], None]] = {
    ast.Name: _Checker.name,
    ast.Attribute: _Checker.attribute,
    ast.Subscript: _Checker.subscript,
    ast.Call: _Checker.call,
    ast.Compare: _Checker.compare,
    ast.JoinedStr: _Checker.joined,
    ast.FormattedValue: _Checker.formatted,
    ast.comprehension: _Checker.comprehension,
    ast.FunctionDef: _Checker.function,
    ast.Lambda: _Checker.outside_class,
    ast.ClassDef: _Checker.class_,
    ast.arg: _Checker.parameter,
    ast.Import: _Checker.import_,
    ast.ImportFrom: _Checker.import_from,
}


def _calls(node: ast.expr, name: str) -> TypeGuard[ast.Call]:
    """Whether the expression is a call of a bare name."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _whole_path(name: str) -> str:
    """A hint with the full path of a function or class of torch that was not imported."""
    paths = [path for path in vocabulary.PATHS if path.endswith(f".{name}")]
    return f"write `{min(paths, key=len)}`" if paths and name not in FORBIDDEN else ""


def _nearest_path(above: str, name: str) -> str:
    """A hint: the closest name in a module, the same name in another module, or the list of all names."""
    if name in TOUCHES_FILES:
        return "a scenario reads and writes no files"
    if name in TENSOR_TYPES:
        return f"write `torch.tensor(values, dtype=torch.{TENSOR_TYPES[name]})`"
    if name in INSTEAD:
        return INSTEAD[name]
    near = did_you_mean(name, vocabulary.children(above))
    if near:
        return near.replace("`", f"`{above}.", 1)
    elsewhere = sorted(path for path in vocabulary.PATHS if path.endswith(f".{name}"))
    return f"did you mean `{elsewhere[0]}`?" if elsewhere else LISTED
