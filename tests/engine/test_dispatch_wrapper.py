"""Functions that run their own code or a stub's; see Note [Transforms cost nothing until one is in force]."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import conformance.engine as torch
from conformance.engine._c10.dispatch_wrapper import install_stubs, not_compiled, restore_code
from conformance.engine._c10.interpreter_stack import CompositeWrappers

ENGINE = Path(torch.__file__).parent


def _assigned(tree: ast.AST) -> int:
    """How many statements of a module assign ``__code__``."""
    return sum(
        isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and node.attr == "__code__"
        for node in ast.walk(tree)
    )


def test_code_is_exchanged_in_two_places() -> None:
    found = {path.name: _assigned(ast.parse(path.read_text())) for path in ENGINE.rglob("*.py")}
    assert {name: count for name, count in found.items() if count} == {"dispatch_wrapper.py": 2}


def test_a_function_gets_its_code_when_it_is_there() -> None:
    wrapper = not_compiled("twice", {})
    calls = []

    def enter(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        calls.append((args, kwargs))
        wrapper.own_code = (lambda number: 2 * number).__code__
        restore_code([wrapper])
        return wrapper.function(*args, **kwargs)

    wrapper.enter_by(enter)
    assert [wrapper.function(3), wrapper.function(4), wrapper.function(number=5)] == [6, 8, 10]
    assert calls == [((3,), {})]
    install_stubs([wrapper])
    assert wrapper.function(number=5) == 10
    assert calls == [((3,), {}), ((), {"number": 5})]


def _named(name: str, seen: list[str]) -> Callable[..., Any]:
    def intercept(own: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        seen.append(name)
        return own(*args, **kwargs)

    return intercept


def test_several_intercepts_of_one_function() -> None:
    """While any of them is installed a call passes all, the outer ones first; then the function has its own code."""
    seen: list[str] = []

    def outside(summand: int) -> Any:
        def inner(number: int, *, factor: int = 2) -> int:
            return number * factor + summand

        return inner

    function = outside(1)
    code = function.__code__
    one, other = CompositeWrappers(), CompositeWrappers()
    one.wrap(function, _named("one", seen))
    other.wrap(function, _named("other", seen), outer=True)
    assert (function(3), seen) == (7, [])
    one.install()
    assert (function(3, factor=5), seen) == (16, ["other", "one"])
    other.install()
    one.remove()
    seen.clear()
    assert (function(3), seen) == (7, ["other", "one"])
    other.remove()
    assert function.__code__ is code
    seen.clear()
    assert (function(3), seen) == (7, [])


def _python_calls(run: Callable[[], Any]) -> list[str]:
    """The functions written in Python that something calls, without itself."""
    found: list[str] = []

    def note(frame: Any, event: str, argument: object) -> None:
        if event == "call":
            found.append(frame.f_code.co_qualname)

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return found[1:]


def test_what_runs_without_a_transform() -> None:
    """One function where it was called before; and again one when a transform has ended."""
    # In a process of its own: a subclass that overrides functions, made by another test, wraps the operators for good.
    program = "from tests.engine.test_dispatch_wrapper import check_what_runs; check_what_runs()"
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def check_what_runs() -> None:
    """The check of the test above."""
    a = torch.ones(3)
    b = torch.ones(3)

    def multiply() -> Any:
        return a * b

    multiply()
    assert _python_calls(multiply) == ["mul"]
    torch.vmap(lambda x: x * x)(a)
    assert _python_calls(multiply) == ["mul"]
