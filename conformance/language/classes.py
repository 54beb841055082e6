"""Track classes of torch through the names of a program, so that no program assigns attributes to them.

``act = nn.Tanh`` is common and harmless; ``T = torch.Tensor`` followed by ``T.add = f`` would change every later
scenario. So the check follows classes through names, attributes and parameters, regardless of the order of statements.
A class may not be passed to code that cannot be followed, and no function may return one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from conformance.language import vocabulary
from conformance.language.bindings import Bindings, LocatedFault

LOOKS = frozenset(
    {"isinstance", "issubclass", "print", "str", "repr", "id", "hash", "len", "callable", "bool", "hasattr"}
)
GATHERS = frozenset(
    {"list", "tuple", "set", "frozenset", "dict", "zip", "enumerate", "iter", "next", "reversed"}
)
"""``LOOKS``: builtins that only read their arguments. ``GATHERS``: builtins that return them, or hold them."""
RETURNED = ("a function may not return a class of torch", "return an object of it")
PASSED = ("a class of torch may not be passed here", "pass an object of it")
DERIVED = ("a class may not derive from a class of torch by another name", "write the name that torch has")
PUT = (
    "a class of torch may not be stored in an existing list or dict",
    "write it where the list or dict is created",
)

Definition = ast.FunctionDef | ast.ClassDef


def misuses(nodes: Sequence[tuple[int, ast.AST]], bindings: Bindings) -> Iterator[LocatedFault]:
    """Assignments to attributes of what may be a class of torch, and classes that escape the tracking."""
    flow = _Flow(bindings, [node for _, node in nodes])
    for piece, node in nodes:
        match node:
            case ast.Attribute(ctx=ast.Store() | ast.Del()) if flow.holds(node.value):
                message = f"`.{node.attr}` is assigned on what may be a class of torch"
                yield LocatedFault(piece, node, message, "assign to an object of your own")
            case ast.Return() | ast.Yield() | ast.YieldFrom() if flow.holds(node.value):
                yield LocatedFault(piece, node, *RETURNED)
            case ast.Lambda() if flow.holds(node.body):
                yield LocatedFault(piece, node, *RETURNED)
            case ast.Call():
                yield from (LocatedFault(piece, argument, *PASSED) for argument in flow.escaping(node))
            case ast.ClassDef():
                bases = [each for each in node.bases if flow.holds(each) and not bindings.path_of(each)]
                yield from (LocatedFault(piece, base, *DERIVED) for base in bases)
        for target, value in flow.assigned(node):
            if flow.holds(value) and (isinstance(node, ast.AugAssign) or _is_item(target)):
                yield LocatedFault(piece, target, *PUT)


class _Flow:
    """The names and attributes of a program that may be, or contain, a class of torch."""

    def __init__(self, bindings: Bindings, nodes: Sequence[ast.AST]) -> None:
        self.bindings = bindings
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.definitions: dict[str, list[Definition]] = {}
        self.members: set[str] = set()  # names in class bodies, which are attributes too
        variables = {
            node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
        }
        variables |= {node.arg for node in nodes if isinstance(node, ast.arg)}
        for node in nodes:
            if isinstance(node, Definition):
                self.definitions.setdefault(node.name, []).append(node)
            if isinstance(node, ast.ClassDef):
                self.members |= {n.id for s in node.body for n in ast.walk(s) if isinstance(n, ast.Name)}
        self.initializers = [
            f for f in self.definitions.get("__init__", ()) if isinstance(f, ast.FunctionDef)
        ]
        self.known = {  # names whose calls certainly run these definitions
            name
            for name, found in self.definitions.items()
            if name not in variables and not any(map(self._is_wrapped, found))
        }
        self.builtins = (LOOKS | GATHERS) - bindings.names
        size = -1
        while size < len(self.names) + len(self.attributes):
            size = len(self.names) + len(self.attributes)
            for node in nodes:
                for target, value in self.assigned(node):
                    if self.holds(value):
                        self._mark(target)

    def holds(self, node: ast.AST | None) -> bool:
        """Whether an expression may be, or contain, a class of torch."""
        match node:
            case ast.Name() | ast.Attribute():
                marked = node.id in self.names if isinstance(node, ast.Name) else node.attr in self.attributes
                return marked or self._is_class(node)
            case _:
                return any(map(self.holds, self._given(node)))

    def _given(self, node: ast.AST | None) -> list[ast.AST]:
        """The subexpressions that the value of an expression may be, or may contain."""
        given: list[ast.AST] = []
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in GATHERS & self.builtins:
                given = [*_arguments(node)]
            case ast.Call(func=ast.Attribute(value=owner)) if not self.bindings.path_of(node.func):
                given = [owner]  # a method of a container: d.get("act")
            case ast.Subscript(value=part) | ast.Starred(value=part) | ast.NamedExpr(value=part):
                given = [part]
            case ast.IfExp(body=one, orelse=other) | ast.DictComp(key=one, value=other):
                given = [one, other]
            case ast.ListComp(elt=part) | ast.SetComp(elt=part) | ast.GeneratorExp(elt=part):
                given = [part]
            case ast.List() | ast.Tuple() | ast.Set() | ast.Dict() | ast.BoolOp() | ast.BinOp():
                given = list(ast.iter_child_nodes(node))
        return given

    def escaping(self, call: ast.Call) -> list[ast.expr]:
        """The arguments of a call that pass a class to code that cannot be followed."""
        match call.func:
            case ast.Name(id=name) if name in self.builtins or name in self.known:
                return []
        path = self.bindings.path_of(call.func)
        if path in vocabulary.PATHS and not path.startswith("torch.utils."):
            return []  # torch returns no class; only checkpoint passes its arguments on
        return [argument for argument in _arguments(call) if self.holds(argument)]

    def _is_class(self, node: ast.expr) -> bool:
        return vocabulary.PATHS.get(self.bindings.path_of(node)) == "class"

    def assigned(self, node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST | None]]:
        """The assignments that a node makes: target and value."""
        match node:
            case ast.Assign():
                for target in node.targets:
                    yield target, node.value
            case ast.AnnAssign() | ast.AugAssign() | ast.NamedExpr():
                yield node.target, node.value
            case ast.For() | ast.comprehension():
                yield node.target, node.iter
            case ast.withitem(optional_vars=ast.AST() as target):
                yield target, node.context_expr
            case ast.arguments():
                yield from _defaults(node)
            case ast.Call(func=ast.Name(id=name)) if name in self.known:
                for definition in self.definitions[name]:
                    for parameters in self._parameters(definition):
                        yield from _passed(node, parameters)

    def _is_wrapped(self, definition: Definition) -> bool:
        """Whether a decorator of the program may replace the definition."""
        return any(
            not self.bindings.path_of(decorator.func if isinstance(decorator, ast.Call) else decorator)
            for decorator in definition.decorator_list
        )

    def _parameters(self, definition: Definition) -> list[list[ast.arg]]:
        """The parameters of a call, without self; for a class, those of every possible ``__init__``."""
        if isinstance(definition, ast.FunctionDef):
            return [_all_parameters(definition.args)]
        own = [f for f in self.initializers if f in definition.body]
        return [_all_parameters(function.args)[1:] for function in own or self.initializers]

    def _mark(self, target: ast.AST) -> None:
        match target:
            case ast.Name(id=name) | ast.arg(arg=name):
                self.names.add(name)
                if name in self.members:
                    self.attributes.add(name)
            case ast.Attribute(attr=name):
                self.attributes.add(name)
            case ast.Starred():
                self._mark(target.value)
            case ast.Tuple() | ast.List():
                for item in target.elts:
                    self._mark(item)


def _is_item(target: ast.AST) -> bool:
    """Whether the target is an item of a list or dict."""
    return any(
        isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load) for node in ast.walk(target)
    )


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _all_parameters(arguments: ast.arguments) -> list[ast.arg]:
    rest = [arg for arg in (arguments.vararg, arguments.kwarg) if arg is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *rest]


def _defaults(arguments: ast.arguments) -> Iterator[tuple[ast.AST, ast.AST | None]]:
    positional = [*arguments.posonlyargs, *arguments.args]
    yield from zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True)
    yield from zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)


def _passed(call: ast.Call, parameters: list[ast.arg]) -> Iterator[tuple[ast.AST, ast.AST | None]]:
    """Each argument with its parameter; with every parameter if the call does not say which."""
    names = {parameter.arg: parameter for parameter in parameters}
    for keyword in call.keywords:
        if keyword.arg in names:
            yield names[keyword.arg], keyword.value
        else:
            yield from ((parameter, keyword.value) for parameter in parameters)
    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    for index, argument in enumerate(call.args):
        if starred or index >= len(parameters):
            yield from ((parameter, argument) for parameter in parameters)
        else:
            yield parameters[index], argument
