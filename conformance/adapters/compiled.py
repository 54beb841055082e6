"""Torch under `torch.compile`, compared with torch as it is.

Note [Regions]: a graph is broken where a leaf is made and where backward is called, so that of a program compiled as it
stands hardly anything is captured. So these statements, definitions and imports run as they are, and what is between
them is one function of the names that it uses, compiled as a whole, which returns those that it binds. State is
compared at the end of each step; graphs, warnings and the state between are not visible. After a step that raises, only
the error and the names of earlier steps are compared.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import logging
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import CodeType, FunctionType
from typing import Any

from conformance.adapters.module import TellingZeros
from conformance.adapters.registry import EngineNotFoundError
from conformance.adapters.torch import engine as reference
from conformance.language.scenario import Scenario
from conformance.runner.engine import Terms
from conformance.runner.normalize import PROGRAM
from conformance.runner.program import rewritten
from conformance.runner.trace import Trace

_torch: Any = reference.torch
CAPTURED = "operations captured"


class CompiledEngine(TellingZeros):
    """Torch whose forward computations are compiled by a backend: see Note [Regions]."""

    unbounded = True  # compilers map files and reserve addresses

    def __init__(self, backend: str) -> None:
        super().__init__(
            f"torch-compile-{backend}",
            _torch,
            version=reference.version,
            claims=("values", "dtypes", "flags", "errors"),
            may=("files", "processes", "ctypes"),
        )
        self.backend = backend
        self.terms = Terms(counted=CAPTURED, by_step=True)
        self.spoilt = False
        self._counts: dict[str, int] = {}
        self._compile = _working(backend)

    @contextmanager
    def state(self, _: Scenario) -> Iterator[None]:
        """A compiler that remembers nothing."""
        _forget()
        self._counts = {"statements": 0, "statements compiled": 0}
        try:
            yield
        finally:
            self._counts |= _counted()
            _torch._dynamo.reset()

    def execute(self, source: str, namespace: dict[str, Any]) -> None:
        """Run a step: its regions compiled, everything else as it is."""
        for statements, compiled in _parts(source):
            self._counts["statements"] += len(statements)
            if compiled:
                self._counts["statements compiled"] += len(statements)
                self._region(statements, namespace)
            else:
                exec(compile(rewritten(ast.Module(statements, [])), PROGRAM, "exec"), namespace)

    def _region(self, statements: list[ast.stmt], namespace: dict[str, Any]) -> None:
        names = [node for each in statements for node in ast.walk(each) if isinstance(node, ast.Name)]
        bound = sorted({name for each in statements for name in _bound_in(each)})
        if len(statements) > 1 and not _read_by_functions(namespace).isdisjoint(bound):
            for statement in statements:  # a function of the program reads what the region binds
                self._region([statement], namespace)
            return
        given = sorted({node.id for node in names if node.id in namespace})
        unset = [
            ast.Assign([ast.Name(name, ast.Store())], ast.Constant(None))
            for name in bound
            if name not in given
        ]
        result = ast.Return(ast.Tuple([ast.Name(name, ast.Load()) for name in bound], ast.Load()))
        arguments = ast.arguments([], [ast.arg(name) for name in given], None, [], [], None, [])
        function = ast.FunctionDef(
            "region", arguments, [*unset, *statements, result], [], lineno=1, col_offset=0
        )
        tree = ast.fix_missing_locations(ast.Module([function], []))
        own: dict[str, Any] = {}
        with _real_builtins(namespace):
            exec(compile(tree, PROGRAM, "exec"), namespace, own)
            found = self._compile(own["region"])(*(namespace[name] for name in given))
        always = {name for each in statements if isinstance(each, _BINDING) for name in _bound_in(each)}
        values = zip(bound, found, strict=True)
        namespace |= {name: value for name, value in values if value is not None or name in always}

    def finish(self, trace: Trace) -> Trace:
        """The trace with what was counted; a compiler that failed may leave its thread in a state of its own."""
        errors = [moment.raised.type for moment in trace.moments if moment.raised]
        self.spoilt = "BackendCompilerFailed" in errors
        return replace(trace, counts=dict(self._counts))


@contextmanager
def _real_builtins(namespace: dict[str, Any]) -> Iterator[None]:
    """Inside, Python's own builtins, as compilers need them; the words of the language are global."""
    words = namespace["__builtins__"]
    namespace |= {name: words[name] for name in words if name.isidentifier() and not hasattr(builtins, name)}
    namespace["__builtins__"] = builtins
    try:
        yield
    finally:
        namespace["__builtins__"] = words


_BINDING = ast.Assign | ast.AugAssign | ast.AnnAssign
"""Statements that bind their names whatever happens; an `if` may not."""


_OWN_SCOPE = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp | ast.Lambda


def _bound_in(node: ast.AST) -> Iterator[str]:
    """The names that a statement binds, without those of comprehensions, which are gone after it."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, _OWN_SCOPE):
            yield from _bound_in(child)


def _read_by_functions(namespace: dict[str, Any]) -> set[str]:
    """The names that the program's own functions read when they are called."""
    found: set[str] = set()
    todo = [value.__code__ for value in namespace.values() if isinstance(value, FunctionType)]
    while todo:
        code = todo.pop()
        found |= {*code.co_names}
        todo += [each for each in code.co_consts if isinstance(each, CodeType)]
    return found


def _parts(source: str) -> Iterator[tuple[list[ast.stmt], bool]]:
    """The statements of a program in order, in groups that are compiled or not."""
    group: list[ast.stmt] = []
    compiled = False
    for statement in ast.parse(source, PROGRAM).body:
        if group and compiled != _is_compiled(statement):
            yield group, compiled
            group = []
        compiled = _is_compiled(statement)
        group.append(statement)
    if group:
        yield group, compiled


_EAGER = frozenset(
    """
    backward requires_grad_ grad retain_grad step zero_grad register_hook manual_seed Parameter Module Sequential
    register_post_accumulate_grad_hook register_forward_hook register_full_backward_hook saved_tensors_hooks print
    collect weakref deepcopy make_dual dual_level optim nn jacobian hessian gradcheck gradgradcheck
    """.split()  # noqa: SIM905  one line for many words
)
_DEFINING = ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom | ast.Assert | ast.Delete


def _is_compiled(statement: ast.stmt) -> bool:
    """Whether a statement computes something, and neither makes a leaf nor calls backward."""
    if isinstance(statement, _DEFINING):
        return False
    computes = False
    for node in ast.walk(statement):
        if isinstance(node, ast.keyword) and node.arg == "requires_grad":
            return False
        name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        if name in _EAGER:
            return False
        computes = computes or isinstance(
            node, ast.Call | ast.BinOp | ast.UnaryOp | ast.Subscript | ast.Compare
        )
    return computes


def _forget() -> None:
    _torch._dynamo.reset()
    _torch._dynamo.utils.counters.clear()
    _torch._dynamo.utils.clear_compilation_metrics()


def _counted() -> dict[str, int]:
    utils = _torch._dynamo.utils
    again = sum(bool(each.recompile_reason) for each in utils.get_compilation_metrics())
    return {
        CAPTURED: utils.counters["stats"]["calls_captured"],
        "graph breaks": sum(utils.counters["graph_break"].values()),
        "recompilations": again,
    }


def _working(backend: str) -> Any:
    """Compile with a backend; raises `EngineNotFoundError` if it is unknown, or cannot compile here."""
    importlib.import_module(
        "torch._dynamo.variables.streams"
    )  # defines operators that the backends' modules name
    known = _torch._dynamo.list_backends(exclude_tags=())
    if backend not in known:
        raise EngineNotFoundError(
            f"torch has no backend {backend!r} for compile: there are {', '.join(known)}"
        )
    if backend == "inductor":
        compilers = _torch._inductor.config.cpp.cxx
        if not any(
            each and shutil.which(each)
            for each in (compilers if isinstance(compilers, tuple) else (compilers,))
        ):
            raise EngineNotFoundError(
                "inductor needs a C++ compiler, and finds none: install g++, or set CXX"
            )
        _torch._inductor.config.compile_threads = 1  # no processes that outlive a scenario

    # When a function is freed, its names may be gone from the namespace of a scenario that has ended.
    _torch._dynamo.utils.CleanupHook.__call__ = lambda self, *_: self.scope.pop(self.name, None)

    def compiled(function: Any) -> Any:
        return _torch.compile(function, backend=backend)

    logging.getLogger("torch").setLevel(logging.ERROR)
    try:  # also imports what the compiler needs, before there is a wall
        x = _torch.ones(2, requires_grad=True)
        compiled(lambda x: (x * x).sin())(x).sum().backward()
    except Exception as error:
        reason = str(error).strip().partition("\n")[0]
        raise EngineNotFoundError(f"the backend {backend} does not work here: {reason}") from None
    return compiled


def make(argument: str) -> CompiledEngine:
    """The engine ``torch-compile:BACKEND``."""
    return CompiledEngine(argument)
