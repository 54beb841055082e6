"""Torch under `torch.compile`, compared with torch as it is: see Note [Regions].

Note [Operations run]: how much of a program was compiled shows in two counts, the operations captured, which are the
calls in graphs, and the operations run, which are the calls that the program makes. What runs between graphs cannot be
counted without disturbing the compiler, so the program is run once more at the end, as it is, and they are counted.
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
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

from conformance.adapters.module import ZeroTensorEngine
from conformance.adapters.registry import EngineNotFoundError
from conformance.adapters.torch import engine as reference
from conformance.language.scenario import Scenario
from conformance.runner.engine import Terms
from conformance.runner.limit import start_again
from conformance.runner.normalize import PROGRAM
from conformance.runner.program import rewritten
from conformance.runner.regions import always_bound, bound, function, parts, used
from conformance.runner.trace import Trace

_torch: Any = reference.torch
CAPTURED = "operations captured"
TOO_LONG = "compilation within the time limit"
_GLOBAL = ModuleType | type | FunctionType | BuiltinFunctionType
"""What a region finds in its module rather than among its arguments."""


class CompiledEngine(ZeroTensorEngine):
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
        self.terms = Terms(counted=CAPTURED, compiled=backend)
        self.spoilt = False
        self._in_region = False
        self._counts: dict[str, int] = {}
        self._again: list[tuple[str, dict[str, Any]]] = []
        self._compile = _working(backend)

    @contextmanager
    def state(self, _: Scenario) -> Iterator[None]:
        """A compiler that remembers nothing."""
        _forget()
        self._counts = {"statements": 0, "statements compiled": 0}
        self._again = []
        self._in_region = False
        try:
            yield
        finally:
            self._counts |= _counted()
            _torch._dynamo.reset()
        self._counts["operations run"] = _run_as_they_are(self._again)

    def execute(self, source: str, namespace: dict[str, Any]) -> None:
        """Run a step: its regions compiled, everything else as it is."""
        if not self._again:
            words = namespace["__builtins__"]
            words |= {name: _torch._dynamo.disable(words[name]) for name in ("print", "collect")}
        self._again.append((source, self._again[0][1] if self._again else dict(namespace)))
        for statements, compiled in parts(source):
            self._counts["statements"] += len(statements)
            if compiled:
                self._counts["statements compiled"] += len(statements)
                self._region(statements, namespace)
            else:
                for statement in statements:
                    exec(_as_it_is(statement), namespace)

    def _region(self, statements: list[ast.stmt], namespace: dict[str, Any]) -> None:
        names = bound(statements)
        if len(statements) > 1 and not _read_by_functions(namespace).isdisjoint(names):
            for statement in statements:  # a function of the program reads what the region binds
                self._region([statement], namespace)
            return
        given = [
            name
            for name in sorted(used(statements))
            if name in namespace and (name in names or not isinstance(namespace[name], _GLOBAL))
        ]
        tree = ast.Module([function("region", statements, given)], [])
        own: dict[str, Any] = {}
        self._in_region = True
        start_again()  # the time limit is one of each compilation
        with _real_builtins(namespace):
            exec(compile(tree, PROGRAM, "exec"), namespace, own)
            found = self._compile(own["region"])(*(namespace[name] for name in given))
        self._in_region = False
        always = always_bound(statements)
        values = zip(names, (found,) if len(names) == 1 else found, strict=True)
        namespace |= {name: value for name, value in values if value is not None or name in always}

    def finish(self, trace: Trace) -> Trace:
        """The trace with what was counted; a compiler that failed may leave its thread in a state of its own."""
        errors = {moment.raised.type for moment in trace.moments if moment.raised}
        self.spoilt = not errors.isdisjoint({"BackendCompilerFailed", "TimeLimit"})
        moments = trace.moments
        if self._in_region and moments and (raised := moments[-1].raised) and raised.type == "TimeLimit":
            # a compiler that is slow may be right
            moments = (*moments[:-1], replace(moments[-1], raised=replace(raised, missing=TOO_LONG)))
        return replace(trace, moments=moments, counts=dict(self._counts))


def _as_it_is(statement: ast.stmt) -> CodeType:
    """A statement that is not compiled; a compiler would follow the body of a function into the recorder."""
    tree = ast.Module([statement], [])
    if not isinstance(statement, ast.FunctionDef | ast.ClassDef):
        tree = rewritten(tree)
    return compile(tree, PROGRAM, "exec")


class _Calls(_torch.overrides.TorchFunctionMode):  # type: ignore[misc]
    """Counts the calls of torch's functions; reading an attribute is none."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.count += getattr(func, "__name__", "") != "__get__"
        return func(*args, **(kwargs or {}))


def _run_as_they_are(steps: list[tuple[str, dict[str, Any]]]) -> int:
    """The calls of torch's functions in the steps of a program: see Note [Operations run]."""
    calls = _Calls()
    for source, namespace in steps:
        try:
            program = compile(rewritten(ast.parse(source, PROGRAM)), PROGRAM, "exec")
            with calls:
                exec(program, namespace)
        except BaseException:  # compared when it ran compiled
            continue
    return calls.count


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


def _read_by_functions(namespace: dict[str, Any]) -> set[str]:
    """The names that the program's own functions read when they are called."""
    found: set[str] = set()
    todo = [value.__code__ for value in namespace.values() if isinstance(value, FunctionType)]
    while todo:
        code = todo.pop()
        found |= {*code.co_names}
        todo += [each for each in code.co_consts if isinstance(each, CodeType)]
    return found


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
    # It defines operators that the backends' modules name.
    importlib.import_module("torch._dynamo.variables.streams")
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

    logging.getLogger("torch").setLevel(logging.CRITICAL)
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
