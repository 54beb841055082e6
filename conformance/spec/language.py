"""Which Python a program may be: an allow-list of syntax, and of names by the vocabulary.

Three rules keep a stranger's scenario from files, network and processes. A module stands only left of a dot,
with the whole dotted path in the vocabulary. An attribute is read only if the vocabulary has its name, or if the
program stores it and nothing of torch has it. Nothing is stored on torch, its modules and its classes.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from conformance.spec import classes, vocabulary
from conformance.spec.bindings import Bindings, Located, is_dunder
from conformance.spec.suggest import did_you_mean


@dataclass(frozen=True, slots=True)
class Piece:
    """Source text that shares its names with the other pieces of a scenario: a program, or one expression."""

    source: str
    is_expression: bool = False


class Fault(NamedTuple):
    """A mistake in a piece; line and column count from 1, in characters."""

    piece: int
    line: int
    column: int
    message: str
    hint: str


ALLOWED: frozenset[type[ast.AST]] = frozenset(
    {
        # statements
        *(ast.Module, ast.Expression, ast.Expr, ast.Pass, ast.Assert, ast.Raise, ast.Return, ast.Delete),
        *(ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For, ast.If, ast.With, ast.withitem, ast.Break),
        *(ast.Continue, ast.FunctionDef, ast.ClassDef, ast.Nonlocal, ast.Import, ast.ImportFrom),
        # expressions
        *(ast.BoolOp, ast.NamedExpr, ast.BinOp, ast.UnaryOp, ast.Lambda, ast.IfExp, ast.Dict, ast.Set),
        *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension, ast.Yield),
        *(ast.YieldFrom, ast.Compare, ast.Call, ast.keyword, ast.FormattedValue, ast.JoinedStr, ast.Constant),
        *(ast.Attribute, ast.Subscript, ast.Starred, ast.Name, ast.List, ast.Tuple, ast.Slice),
        *(ast.arguments, ast.arg),
    }
)
LEAVES = (ast.Constant, ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)

REFUSED: dict[type[ast.AST], tuple[str, str]] = {
    ast.Try: ("try", "declare the error of a step's last statement with `raises`"),
    ast.TryStar: ("try", "declare the error of a step's last statement with `raises`"),
    ast.While: ("while", "write `for turn in range(n)`"),
    ast.Match: ("match", "write `if`"),
    ast.Global: ("global", "hold what changes in a list"),
    ast.AsyncFunctionDef: ("async", "write a plain function"),
    ast.AsyncFor: ("async", "write a plain loop"),
    ast.AsyncWith: ("async", "write a plain with"),
    ast.Await: ("await", ""),
}
INSTEAD = {
    "getattr": "write the attribute: `x.name`",
    "setattr": "write the assignment: `x.name = value`",
    "delattr": "write `del x.name`",
    "type": "allowed are `type(x).__name__`, a comparison of types and printing one",
    "format": "write an f-string",
    "format_map": "write an f-string",
    "gc": "`collect()` runs the collector of cyclic garbage",
    "weakref": "`weakref(tensor)` is a weak reference",
    "math": "torch has pi, inf, nan and the functions",
    "numpy": "torch.tensor and torch.arange make the same arrays",
    "np": "torch.tensor and torch.arange make the same arrays",
    "warnings": "declare the warning with `warns`",
    "time": "a scenario measures no time",
}

Handler: TypeAlias = Callable[["_Checker", ast.AST], None]


def check_program(pieces: Sequence[Piece]) -> list[Fault]:
    """Everything in the pieces that is not the language, in their order; nothing of them is run."""
    faults: list[Fault] = []
    trees: list[tuple[int, ast.AST]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python's remarks on odd syntax are not the suite's business
        for index, piece in enumerate(pieces):
            mode = "eval" if piece.is_expression else "exec"
            try:
                trees.append((index, compile(piece.source, "<program>", mode, ast.PyCF_ONLY_AST)))
            except SyntaxError as error:
                line, column = error.lineno or 1, max(error.offset or 1, 1)
                faults.append(Fault(index, line, column, f"not Python: {error.msg}", ""))
            except (RecursionError, MemoryError, ValueError):
                faults.append(Fault(index, 1, 1, "nested too deeply", "write it in several statements"))
        try:
            bindings = Bindings.of(trees)
            for index, tree in trees:
                checker = _Checker(index, pieces[index].source, bindings, faults)
                checker.visit(tree)
                if not faults:
                    _compile(index, tree, faults)
            if not faults:
                for found in classes.stores_on_aliases(trees, bindings):
                    faults.append(_fault(found, pieces[found.piece].source))
        except RecursionError:
            faults.append(Fault(0, 1, 1, "nested too deeply", "write it in several statements"))
    return sorted(dict.fromkeys(faults))


def _compile(index: int, tree: ast.AST, faults: list[Fault]) -> None:
    """What Python says only when it compiles: return outside of a function, an argument named twice."""
    try:
        compile(tree, "<program>", "eval" if isinstance(tree, ast.Expression) else "exec")  # type: ignore[call-overload]
    except SyntaxError as error:
        faults.append(
            Fault(index, error.lineno or 1, max(error.offset or 1, 1), f"not Python: {error.msg}", "")
        )


def _fault(found: Located, source: str) -> Fault:
    """Python counts a column in bytes of UTF-8, a person in characters."""
    node = found.node
    line, offset = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
    if isinstance(
        node, ast.Attribute
    ):  # at the name right of the dot, not at the beginning of what is left of it
        line, offset = node.end_lineno or line, (node.end_col_offset or 0) - len(node.attr.encode())
    text = source.split("\n")[line - 1].encode()[:offset].decode(errors="ignore")
    return Fault(found.piece, line, len(text) + 1, found.message, found.hint)


class _Checker:
    """Walks one piece's tree; what it finds goes to ``faults``."""

    def __init__(self, piece: int, source: str, bindings: Bindings, faults: list[Fault]) -> None:
        self.piece, self.source, self.bindings, self.faults = piece, source, bindings, faults
        self.inside: ast.AST | None = None  # an f-string, whose parts have no good positions of their own
        self.in_class = False

    def fault(self, node: ast.AST, message: str, hint: str = "") -> None:
        located = Located(self.piece, self.inside or node, message, hint)
        self.faults.append(_fault(located, self.source))

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

    # ----------------------------------------------------------------------------------------- names

    def bind(self, name: str, node: ast.AST) -> None:
        """A name that the program gives a value."""
        if is_dunder(name):
            self.fault(node, f"`{name}`: names with two underscores are Python's own", "choose another name")
        elif name in self.bindings.paths and vocabulary.PATHS[self.bindings.paths[name]] == "module":
            self.fault(node, f"`{name}` is the module {self.bindings.paths[name]}", "choose another name")
        elif name in FORBIDDEN:
            self.fault(
                node, f"`{name}` is a function of Python that programs may not use", "choose another name"
            )

    def name(self, node: ast.AST) -> None:
        assert isinstance(node, ast.Name)
        name = node.id
        if not isinstance(node.ctx, ast.Load):
            return self.bind(name, node)
        bindings = self.bindings
        if name in bindings.paths and name not in bindings.names:
            if vocabulary.PATHS[bindings.paths[name]] == "module":
                self.fault(
                    node, f"the module `{name}` may stand only left of a dot", f"write `{name}.something`"
                )
        elif is_dunder(name):
            if name != "__name__":
                self.fault(
                    node, f"`{name}` may not be used", "of names with two underscores, only __name__ may"
                )
        elif name not in bindings.names and name not in KNOWN:
            hint = INSTEAD.get(name) or did_you_mean(name, KNOWN | bindings.names | bindings.paths.keys())
            message = "may not be used" if name in FORBIDDEN or name in INSTEAD else "is not defined"
            self.fault(node, f"`{name}` {message}", hint)
        return None

    # ------------------------------------------------------------------------------------ attributes

    def attribute(self, node: ast.AST) -> None:
        assert isinstance(node, ast.Attribute)
        chain: list[ast.Attribute] = []
        base: ast.expr = node
        while isinstance(base, ast.Attribute):
            chain.append(base)
            base = base.value
        chain.reverse()
        if isinstance(base, ast.Name) and base.id in self.bindings.paths:
            chain = self.dotted(base.id, chain)
        elif chain[0].attr == "__name__":
            self.visit_type(base)
        elif chain[0].attr == "__init__" and _is_super(base):
            assert isinstance(base, ast.Call)
            self.visit(base)
            chain = chain[1:]
        else:
            self.visit(base)
        for part in chain:
            self.part(part)

    def dotted(self, root: str, chain: list[ast.Attribute]) -> list[ast.Attribute]:
        """Follow a chain that begins with a name of torch; returns what is right of the vocabulary's path."""
        path, rest, kinds = self.bindings.paths[root], chain, vocabulary.PATHS
        while rest and kinds[path] == "module":
            name, below = rest[0].attr, f"{path}.{rest[0].attr}"
            if below not in kinds:
                self.fault(rest[0], f"`{below}` is not in the vocabulary", _nearest_path(path, name))
                return []
            path, rest = below, rest[1:]
        if not isinstance(chain[-1].ctx, ast.Load):
            if root not in self.bindings.names:
                self.fault(chain[-1], f"a program may not change `{path}`", "store on an object of your own")
                return []
        elif kinds[path] == "module":
            self.fault(
                chain[-1], f"the module `{path}` may stand only left of a dot", f"write `{path}.something`"
            )
        if rest and rest[0].attr == "__init__" and path in vocabulary.BASES:
            return rest[1:]  # nn.Module.__init__(self)
        return rest

    def part(self, node: ast.Attribute) -> None:
        """One attribute right of a value."""
        name = node.attr
        if name in vocabulary.ATTRIBUTES:
            return
        if name.startswith("__"):
            if name != "__name__" or not isinstance(node.ctx, ast.Load):
                hint = "of names with two underscores, __name__ and super().__init__ may be used"
                self.fault(node, f"`.{name}` may not be used", hint)
        elif vocabulary.is_attribute(name):
            return
        elif name in self.bindings.stored:
            if name in vocabulary.reserved():
                self.fault(
                    node,
                    f"`.{name}` belongs to torch or Python and is not in the vocabulary",
                    "choose another name for an attribute of your own",
                )
        else:
            hint = INSTEAD.get(name) or did_you_mean(name, vocabulary.ATTRIBUTES | self.bindings.stored)
            self.fault(node, f"the attribute `.{name}` is not in the vocabulary", hint)

    def subscript(self, node: ast.AST) -> None:
        assert isinstance(node, ast.Subscript)
        base = node.value
        while isinstance(base, (ast.Attribute, ast.Subscript)):
            base = base.value
        if (
            not isinstance(node.ctx, ast.Load)
            and isinstance(base, ast.Name)
            and base.id in self.bindings.paths
            and base.id not in self.bindings.names
        ):
            self.fault(
                node, "a program may not change what belongs to torch", "store on an object of your own"
            )
        self.inner(node)

    # ----------------------------------------------------------------------------------- expressions

    def visit_type(self, node: ast.expr) -> None:
        """Visit where ``type(x)`` is allowed: it is looked at and not kept."""
        if _is_type(node):
            assert isinstance(node, ast.Call)
            self.visit(node.args[0])
        else:
            self.visit(node)

    def call(self, node: ast.AST) -> None:
        assert isinstance(node, ast.Call)
        function = node.func
        if isinstance(function, ast.Name) and function.id == "input":
            self.fault(function, "`input` may not be called")
        self.visit(function)
        shows = isinstance(function, ast.Name) and function.id in {"print", "str", "repr"}
        for argument in node.args:
            (self.visit_type if shows else self.visit)(argument)
        for keyword in node.keywords:
            self.visit(keyword.value)

    def compare(self, node: ast.AST) -> None:
        assert isinstance(node, ast.Compare)
        for operand in (node.left, *node.comparators):
            self.visit_type(operand)

    def joined(self, node: ast.AST) -> None:
        outer, self.inside = self.inside, self.inside or node
        self.inner(node)
        self.inside = outer

    def formatted(self, node: ast.AST) -> None:
        assert isinstance(node, ast.FormattedValue)
        self.visit_type(node.value)
        if node.format_spec:
            self.visit(node.format_spec)

    def comprehension(self, node: ast.AST) -> None:
        assert isinstance(node, ast.comprehension)
        if node.is_async:
            self.fault(node.target, "`async` is not part of the language")
        self.inner(node)

    # ------------------------------------------------------------------------------------ definitions

    def function(self, node: ast.AST) -> None:
        assert isinstance(node, ast.FunctionDef)
        if not (self.in_class and node.name == "__init__"):
            self.bind(node.name, node)
        if self.in_class:
            self.member(node.name, node)
        outer, self.in_class = self.in_class, False
        self.inner(node)
        self.in_class = outer

    def lambda_(self, node: ast.AST) -> None:
        outer, self.in_class = self.in_class, False
        self.inner(node)
        self.in_class = outer

    def class_(self, node: ast.AST) -> None:
        assert isinstance(node, ast.ClassDef)
        self.bind(node.name, node)
        for keyword in node.keywords:
            self.fault(keyword.value, "a class takes no keywords here")
        for base in node.bases:
            self.base(base)
        for decorator in node.decorator_list:
            self.visit(decorator)
        outer, self.in_class = self.in_class, True
        for statement in node.body:
            self.visit(statement)
            for target in _targets(statement):
                self.member(target.id, target)
        self.in_class = outer

    def member(self, name: str, node: ast.AST) -> None:
        if name in vocabulary.reserved() and not vocabulary.is_attribute(name):
            message = f"`{name}` belongs to torch or Python and is not in the vocabulary"
            self.fault(node, message, "choose another name for a member of your own")

    def base(self, node: ast.expr) -> None:
        """A class may derive from the program's own, from modules, optimizers, Function, exceptions and object."""
        path = self.bindings.path_of(node)
        if path is not None:
            if path in vocabulary.PATHS and path not in vocabulary.BASES:
                self.fault(
                    node,
                    f"a class may not derive from `{path}`",
                    "derive from nn.Module or autograd.Function",
                )
                return
            self.visit(node)
        elif not isinstance(node, ast.Name) or not (
            node.id in self.bindings.classes or node.id in vocabulary.EXCEPTIONS or node.id == "object"
        ):
            self.fault(node, "a base class is written as its name", "name a class of torch or of the program")
        else:
            self.visit(node)

    def argument(self, node: ast.AST) -> None:
        assert isinstance(node, ast.arg)
        self.bind(node.arg, node)
        if node.annotation:
            self.visit(node.annotation)

    # --------------------------------------------------------------------------------------- imports

    def import_(self, node: ast.AST) -> None:
        assert isinstance(node, ast.Import)
        for alias in node.names:
            self.imported(alias.name, alias, "module")

    def import_from(self, node: ast.AST) -> None:
        assert isinstance(node, ast.ImportFrom)
        for alias in node.names:
            if node.level or alias.name == "*":
                self.fault(alias, "an import names what it imports", "write `from torch import nn`")
            else:
                self.imported(f"{node.module}.{alias.name}", alias, "any")

    def imported(self, path: str, node: ast.alias, kind: str) -> None:
        root = path.split(".")[0]
        if root != "torch":
            hint = INSTEAD.get(root, "a program imports torch only")
            self.fault(node, f"`{root}` may not be imported", hint)
        elif path not in vocabulary.PATHS or (kind == "module" and vocabulary.PATHS[path] != "module"):
            above, _, name = path.rpartition(".")
            hint = _nearest_path(above, name) if above in vocabulary.PATHS else ""
            self.fault(node, f"`{path}` is not in the vocabulary", hint)
        elif node.asname and (
            is_dunder(node.asname) or node.asname in FORBIDDEN or node.asname in self.bindings.names
        ):
            self.fault(node, f"`{node.asname}` has another meaning in this program", "choose another name")


FORBIDDEN: frozenset[str] = frozenset(
    """aiter anext breakpoint bytearray compile copyright credits delattr dir eval exec exit getattr globals help
    license locals memoryview open quit setattr type vars""".split()
)
"""Builtins that no program may use, hence none may rebind: a name is judged without running the program."""
KNOWN: frozenset[str] = vocabulary.BUILTINS | vocabulary.EXCEPTIONS | vocabulary.LIFETIME.keys()

HANDLERS: dict[type[ast.AST], Handler] = {
    ast.Name: _Checker.name,
    ast.Attribute: _Checker.attribute,
    ast.Subscript: _Checker.subscript,
    ast.Call: _Checker.call,
    ast.Compare: _Checker.compare,
    ast.JoinedStr: _Checker.joined,
    ast.FormattedValue: _Checker.formatted,
    ast.comprehension: _Checker.comprehension,
    ast.FunctionDef: _Checker.function,
    ast.Lambda: _Checker.lambda_,
    ast.ClassDef: _Checker.class_,
    ast.arg: _Checker.argument,
    ast.Import: _Checker.import_,
    ast.ImportFrom: _Checker.import_from,
}


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def _is_type(node: ast.expr) -> bool:
    """``type(x)`` with one argument; with three it makes a class."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "type"
        and len(node.args) == 1
        and not isinstance(node.args[0], ast.Starred)
        and not node.keywords
    )


def _targets(statement: ast.stmt) -> list[ast.Name]:
    """The names that a statement in a class's body makes members."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return []
    return [n for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]


def _nearest_path(above: str, name: str) -> str:
    near = did_you_mean(name, vocabulary.children(above))
    if near:
        return near.replace("`", f"`{above}.", 1)
    elsewhere = sorted(path for path in vocabulary.PATHS if path.endswith(f".{name}"))
    return f"did you mean `{elsewhere[0]}`?" if elsewhere else ""
