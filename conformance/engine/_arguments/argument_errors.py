"""Argument checks of functions that are composed of several operations (torch: utils/python_arg_parser.cpp).

Note [Arguments are checked on failure]: torch parses the arguments of a function before anything runs. Here signatures are
checked only after a function has raised; if torch's parser rejects the arguments, its error is raised instead, see
Note [Overloads]. Before a function runs, only the classes of the arguments are compared with those that the parameter
usually has, since Python would compute something with many others. So a call that succeeds pays for one frame and for
this comparison.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

from .._autograd.tensor import Tensor
from .._autograd.torch_function import flat_values, overrides_without_tensor
from .._c10.errors import wrong_element, wrong_type
from .._c10.location import FOLDER
from .._c10.slots import on_first_use
from .overloads import (
    Classes,
    Signature,
    are_ints,
    argument_error,
    fast_path_classes,
    is_count,
    is_listed,
    mismatch_error,
    signature_of,
)
from .torch_api import is_overloaded

Function = Callable[..., Any]
dispatch_after_failure: Callable[..., Any] = on_first_use("dispatch_after_failure")  # see Note [Slots]
into_out: Callable[..., Any] = on_first_use("into_out")
# Written in Python in torch: the C++ function that they call raises the error.
_KERNELS = {"unique": "_unique2", "unique_consecutive": "unique_consecutive"}


def check_arguments(function: Function, name: str) -> Function:
    """Wrap a function so that it raises torch's errors for its arguments.

    Args:
        name: torch's name of the function; ``Tensor.name`` for a method.
    """
    if not isinstance(function, FunctionType) or checks_its_own_arguments(function, name):
        return function

    places: tuple[Classes, ...] = ()
    named: dict[str, Classes] | None = None

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal places, named
        try:
            if named is None:
                places, named = fast_path_classes(name) or _bool_classes(function)
            for value, classes in zip(args, places):  # noqa: B905  of those there are
                if classes is not None and value.__class__ not in classes and not are_ints(value, classes):
                    _raise_argument_error(function, name, args, kwargs)
            for key, value in kwargs.items():
                classes = named.get(key)
                if classes is not None and value.__class__ not in classes and not are_ints(value, classes):
                    _raise_argument_error(function, name, args, kwargs)
            return function(*args, **kwargs)
        except Exception:
            return handle_failed_call(call, name, args, kwargs)

    return call


def handle_failed_call(call: Function, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Handle an exception of a call: dispatch to an argument with ``__torch_function__``, or raise.

    Errors are not assigned to variables that stay: they would keep their frames, and so tensors, alive.

    Raises:
        TypeError: torch's parser rejects the arguments.
        Exception: otherwise, the exception itself.
    """
    method = name.startswith("Tensor.")
    if any(map(overrides_without_tensor, flat_values((*args, *kwargs.values())))):
        return dispatch_after_failure(
            vars(Tensor)[name.removeprefix("Tensor.")] if method else call, args, kwargs
        )
    found = argument_error(name, args[method:], kwargs)
    if found is None:
        if "out" in kwargs and not method and getattr(call, "lacks_out", False):
            return into_out(call, args, kwargs)
        raise  # noqa: PLE0704 (of the handler that called)
    try:
        raise found from None
    finally:
        del found


def inside_argument_check() -> bool:
    """Whether a caller is a function that was wrapped by ``check_arguments``."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith((FOLDER, "<row ")):
        if frame.f_globals is globals():
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False


def _raise_argument_error(
    function: Function, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Check the signatures of a function, one of whose arguments has an unusual class."""
    method = name.startswith("Tensor.")
    found = argument_error(name, args[method:], kwargs)
    if found is not None:
        try:
            raise found
        finally:
            del found
    if is_listed(name):
        return
    for place, flag in _bool_parameters(function):
        if len(args) > place:
            if args[place].__class__ is not bool:
                raise _wrong_bool_error(name, flag, args[place], place + 1 - method)
        elif flag in kwargs and kwargs[flag].__class__ is not bool:
            raise _wrong_bool_error(name, flag, kwargs[flag])


def _bool_classes(function: Function) -> tuple[tuple[Classes, ...], dict[str, Classes]]:
    """The usual classes, by position and by name, for a function without listed signatures: those of its bool parameters."""
    flags = dict(_bool_parameters(function))
    only: Classes = frozenset([bool])
    places = tuple(only if place in flags else None for place in range(max(flags, default=-1) + 1))
    return places, dict.fromkeys(flags.values(), only)


def _bool_parameters(function: Function) -> list[tuple[int, str]]:
    """Position and name of the bool parameters."""
    kinds = function.__annotations__
    if "bool" not in kinds.values():
        return []
    code = inspect.unwrap(function).__code__  # inspect.signature would take a twentieth of the import
    count = code.co_argcount + (0 if code.co_flags & inspect.CO_VARARGS else code.co_kwonlyargcount)
    return [(place, name) for place, name in enumerate(code.co_varnames[:count]) if kinds.get(name) == "bool"]


def has_bool_parameters(function: Function) -> bool:
    """Whether a function has bool parameters."""
    return bool(_bool_parameters(function))


def _wrong_bool_error(name: str, flag: str, value: Any, position: int = 0) -> TypeError:
    called = name.removeprefix("Tensor.")
    return wrong_type(
        _KERNELS.get(called, called), flag, "bool", value, 0 if called in _KERNELS else position
    )


def checks_its_own_arguments(function: Function, name: str) -> bool:
    """Whether a function needs no wrapper: operations check their own arguments, under their own name or without overloads."""
    if name == "Tensor.new":
        return True
    row = getattr(function, "row", None)
    return row is not None and (row.name == name.removeprefix("Tensor.") or not is_overloaded(name))


def check_all_arguments(functions: Mapping[str, Function], prefix: str = "") -> dict[str, Function]:
    """``check_arguments`` for several functions, by name."""
    return {name: check_arguments(each, prefix + name) for name, each in functions.items()}


def check_all_kernel_arguments(functions: Mapping[str, Any], kernels: str) -> dict[str, Function]:
    """``check_kernel_arguments`` for several functions, by name.

    Args:
        kernels: lines ``name: kernel(signature)``; behind an @ the function's own name of an argument, if it differs.
    """
    found = {}
    for line in kernels.strip().splitlines():
        name, _, text = line.partition(": ")
        called, _, arguments = text.partition("(")
        found[name] = check_kernel_arguments(functions[name], called, f"({arguments}")
    return found


def check_kernel_arguments(function: Function, kernel: str, arguments: str) -> Function:
    """Wrap a function that torch implements in Python: its errors are those of the C++ function (kernel) that it calls."""
    places: tuple[Classes, ...] = ()
    named: dict[str, Classes] | None = None
    code = function.__code__  # stored now: an installed stub replaces it

    def itself() -> Function:
        own = FunctionType(code, function.__globals__, None, function.__defaults__, function.__closure__)
        own.__kwdefaults__ = {**(function.__kwdefaults__ or {})}
        return own

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal places, named
        try:
            if named is None:
                own, signature = _parsed(arguments)
                named = {name: each.usual for name, each in zip(own, signature.parameters, strict=True)}
                places = tuple(named.get(name) for name in code.co_varnames[: code.co_argcount])
            for value, classes in zip(args, places):  # noqa: B905  of those there are
                if classes is not None and value.__class__ not in classes and not are_ints(value, classes):
                    _raise_kernel_argument_error(itself(), kernel, arguments, args, kwargs)
            for key, value in kwargs.items():
                classes = named.get(key)
                if classes is not None and value.__class__ not in classes and not are_ints(value, classes):
                    _raise_kernel_argument_error(itself(), kernel, arguments, args, kwargs)
            return function(*args, **kwargs)
        except Exception:
            _raise_kernel_argument_error(itself(), kernel, arguments, args, kwargs)
            raise

    return call


def _parsed(arguments: str) -> tuple[list[str], Signature]:
    """The function's own argument names in the order of the kernel, and the signature of the kernel."""
    parts = [each.rpartition(" ")[2] for each in arguments[1:-1].split(", ") if each != "*"]
    theirs = [each.partition("@")[0] for each in parts]
    for each, name in zip(parts, theirs, strict=True):
        arguments = arguments.replace(each, name)
    return [each.rpartition("@")[2] for each in parts], signature_of(arguments)


def _raise_kernel_argument_error(
    function: Function, kernel: str, arguments: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Check the arguments against the signature of the kernel."""
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except TypeError:
        return  # the function itself raises
    bound.apply_defaults()
    if bound.arguments.get("inplace"):
        kernel += "_"
    own, signature = _parsed(arguments)
    by_name = {each.name: bound.arguments[name] for name, each in zip(own, signature.parameters, strict=True)}
    in_order = [by_name.pop(each.name) for each in signature.parameters if not each.keyword_only]
    found = mismatch_error(kernel, signature, in_order, by_name)
    if found is not None:
        raise found from None


def check_tensors(called: str, /, **given: Any) -> None:
    """Check that these arguments are tensors; called after a failure.

    Raises:
        TypeError: names the first argument that is not.
    """
    for position, (argument, value) in enumerate(given.items(), 1):
        if not isinstance(value, Tensor):
            raise wrong_type(called, argument, "Tensor", value, position) from None


def check_ints(called: str, argument: str, value: Any, position: int = 0, alone: bool = True) -> None:
    """Check that an argument is a tuple of ints.

    Args:
        position: of a positional argument, from 1; 0 for a keyword argument.
        alone: whether one int is accepted as well.

    Raises:
        TypeError: names the argument and the element.
    """
    if alone and value.__class__ is int:
        return
    if not isinstance(value, (tuple, list)):
        if alone and is_count(value):
            return
        raise wrong_type(called, argument, "tuple of ints", value, position)
    for number, each in enumerate(value):
        if is_count(each) or (number and isinstance(each, bool)):
            continue
        raise wrong_element(called, argument, number, each, position)
