"""Replace functions of torch that would give a program memory or objects that are not its own."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import wraps
from types import BuiltinFunctionType, FunctionType, SimpleNamespace
from typing import Any

from conformance.runner.normalize import PROGRAM
from conformance.runner.wall import Refused

_OPERATOR = re.compile(r"\w+::\w+(?![\w:])")
"""The names that torch takes for an operator."""


def guard(torch: Any, schedulers: Any) -> None:
    """Put the checked functions in place; ``schedulers`` is the module ``torch.optim.lr_scheduler``."""
    copy_bytes(torch)
    torch._C._dispatch_library = _refusing_other_namespaces(torch._C._dispatch_library)
    guard_operators(torch.library)
    guard_schedulers(schedulers)


def guard_operators(library: Any) -> None:
    """Put the checked functions in place in the module ``torch.library``."""
    registering = (f"register_{name}" for name in ("kernel", "autograd", "fake", "vmap", "autocast"))
    for name in (*registering, "define", "impl", "custom_op"):
        setattr(library, name, _refusing_other_operators(getattr(library, name)))


def guard_libraries(library: Any) -> None:
    """The same for an engine whose libraries are made by their class alone."""
    guard_operators(library)
    library.Library.__new__ = _new_library


def guard_schedulers(schedulers: Any) -> None:
    """Put the checked methods in place in the module ``torch.optim.lr_scheduler``."""
    # Without it, the state of a scheduler holds the attributes of a class that the program passed as lr_lambda.
    schedulers.types = SimpleNamespace(FunctionType=(FunctionType, BuiltinFunctionType, type))
    for cls in (schedulers.LambdaLR, schedulers.MultiplicativeLR):
        cls.load_state_dict = _refusing_functions_of_torch(cls.load_state_dict)


def copy_bytes(torch: Any) -> None:
    """Replace the function that makes a tensor on the memory of constants, in the namespace ``torch``."""
    torch.asarray = _copying_bytes(torch.asarray)


def _copying_bytes(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which copies bytes, since Python shares their memory between equal constants; also read-only."""

    @wraps(function)
    def called(*args: Any, **named: Any) -> Any:
        if args and isinstance(args[0], bytes):
            args = (memoryview(bytearray(args[0])).toreadonly(), *args[1:])
        elif isinstance(given := named.get("obj"), bytes):
            named["obj"] = memoryview(bytearray(given)).toreadonly()
        return function(*args, **named)

    return called


def _refusing_other_namespaces(make: Callable[..., Any]) -> Callable[..., Any]:
    """A library in the namespace ``mylib`` only: kernels for torch's own operators would outlive the scenario.

    ``Library`` calls the function, and looks at the frame of its own caller.
    """

    @wraps(make)
    def made(kind: str, ns: str, *args: Any) -> Any:
        if ns != "mylib" and _is_called_by_a_program(3):
            raise Refused(f"a program may not change the operators of the namespace {ns}")
        return make(kind, ns, *args)

    return made


def _new_library(cls: type, ns: str = "mylib", kind: str = "", *args: Any) -> Any:
    """Instead of ``__init__``, which looks at the frame of its caller; what that refuses itself is left to it."""
    refused = kind not in ("DEF", "FRAGMENT", "IMPL") or (ns == "prim" and kind != "IMPL")
    if ns != "mylib" and not refused and _is_called_by_a_program():
        raise Refused(f"a program may not change the operators of the namespace {ns}")
    return object.__new__(cls)


def _refusing_other_operators(register: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which registers something for operators of the program only."""

    @wraps(register)
    def registered(op: Any, *args: Any, **named: Any) -> Any:
        is_name = isinstance(op, str) and _OPERATOR.match(op)  # torch itself refuses any other text
        if is_name and not op.startswith("mylib::") and _is_called_by_a_program():
            raise Refused(f"a program may not change the operators of the namespace {op.partition('::')[0]}")
        return register(op, *args, **named)

    return registered


def _refusing_functions_of_torch(load: Callable[..., Any]) -> Callable[..., Any]:
    """The method, which loads attributes of the program's own objects only."""

    @wraps(load)
    def loaded(self: Any, state_dict: Any) -> Any:
        for function in getattr(self, "lr_lambdas", ()):
            if str(getattr(function, "__module__", "")).startswith(("torch.", "conformance.engine.")):
                raise Refused("a program may not change a function of torch")
        return load(self, state_dict)

    return loaded


def _is_called_by_a_program(depth: int = 2) -> bool:
    """Whether the call is written in the program: torch itself makes libraries for its own operators on first use."""
    return sys._getframe(depth).f_code.co_filename == PROGRAM
