"""Functions that run one of two codes; no other module assigns ``__code__``.

Note [Transforms cost nothing until one is in force]: an operation does not check whether forward AD, vmap, autocast, a
mode below autograd is active, since every call would pay for the check. Instead a ``DispatchWrapper``
knows two codes for one function: its own, and that of ``stub``, which passes all arguments to ``enter``, and ``enter``
calls the transform. ``install_stubs`` puts the stub's code into functions when the first transform begins, and
``restore_code`` puts their own code back when the last one ends. The function object stays the same, so whoever holds
it (a module, the class Tensor, a program) sees the change, and without a transform a call costs nothing extra.

What to know of it:

* All threads share a function's code. While one thread runs a transform the others pass through the stub as well:
  they are slower then, but their results do not change.
* A call that has begun goes on with the code with which it began.
* Default arguments belong to the function, not to its code, and another thread may call at any time: they have to suit
  both codes. So ``enter`` is the default of a keyword-only argument, which a function's own code does not have.
* An operation that is compiled by its first call starts with the stub's code and has no other yet: ``enter`` compiles it.
* Python only exchanges codes with the same number of free variables, see ``_stub_code``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from types import CodeType, FunctionType
from typing import Any

Enter = Callable[[tuple[Any, ...], dict[str, Any]], Any]  # what the stub calls with the arguments of a call


def stub(*args: Any, enter: Enter, **kwargs: Any) -> Any:
    """What a function runs in place of its own code."""
    return enter(args, kwargs)


class DispatchWrapper:
    """A function, its own code and its stub's; see Note [Transforms cost nothing until one is in force]."""

    __slots__ = ("function", "own_code", "stub_code")

    def __init__(self, function: FunctionType) -> None:
        self.function = function
        self.own_code = function.__code__
        self.stub_code = _stub_code(function.__code__.co_freevars)

    def enter_by(self, enter: Enter, own: FunctionType | None = None) -> None:
        """Let the stub call ``enter``, and the function have the default arguments of ``own``."""
        if own is not None:
            self.function.__defaults__ = own.__defaults__
        defaults = (own or self.function).__kwdefaults__
        self.function.__kwdefaults__ = {**(defaults or {}), "enter": enter}


def not_compiled(name: str, scope: dict[str, Any]) -> DispatchWrapper:
    """A function without code of its own: only its stub runs until ``own_code`` is set and restored."""
    function = FunctionType(stub.__code__, scope, name)
    function.__qualname__ = name
    return DispatchWrapper(function)


def install_stubs(wrappers: Iterable[DispatchWrapper]) -> None:
    """Let calls of these functions pass through their stubs."""
    for wrapper in wrappers:
        wrapper.function.__code__ = wrapper.stub_code


def restore_code(wrappers: Iterable[DispatchWrapper]) -> None:
    """Let these functions run their own code."""
    for wrapper in wrappers:
        wrapper.function.__code__ = wrapper.own_code


@cache
def _stub_code(free: tuple[str, ...]) -> CodeType:
    """The code of ``stub`` for a function with these free variables.

    It names them, in a line that is never reached: Python crashes where somebody (pytest, for a failure) reads the
    variables of a frame whose code has free variables that the frame did not set up.
    """
    if not free:
        return stub.__code__
    names = ", ".join(free)
    scope: dict[str, Any] = {}
    exec(
        f"def outside({names}):\n def stub(*args, enter, **kwargs):\n  return enter(args, kwargs)\n"
        f"  {names}\n return stub",
        scope,
    )
    result: CodeType = scope["outside"](*free).__code__
    return result
