"""What composed functions say of arguments that are no tensors (torch: utils/python_arg_parser.cpp).

Note [Refused afterwards]: torch looks at the arguments of its own functions before anything runs. Rows tell what is no
tensor themselves; a function that is composed of them fails somewhere inside. So when one has failed, its arguments are
looked at, and what torch would have refused is said instead. What succeeds pays for a frame.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

from .keywords import NUMPY_NAMES
from .overloads import is_count, is_overloaded, typename
from .overloads import refusal as of_overloads
from .tensor import Tensor

Function = Callable[..., Any]
Int = Any  # of arguments for which torch takes no bool, but a tensor of one integer
Ints = Any  # one such, or several
_COUNTS = {"Int": "int", "Ints": "tuple of ints"}
# Written in Python in torch: what they call by names refuses.
_KERNELS = {"unique": "_unique2", "unique_consecutive": "unique_consecutive"}
_KINDS = {"int": "int", "bool": "bool", "str": "str"}
_NUMBERS_IN_A_ROW = ("Sequence[int]", "int | Sequence[int]")


def refusing(function: Function, name: str) -> Function:
    """torch's function of that name, which refuses as torch does; see Note [Refused afterwards]."""
    if not isinstance(function, FunctionType) or tells_itself(function, name):
        return function

    flags = _flags(function)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            for place, flag in flags:
                if len(args) > place and args[place].__class__ is not bool:
                    raise _no_flag(name, flag, place, args[place])
            return function(*args, **kwargs)
        except Exception:
            found = (
                of_overloads(name, args, kwargs)
                if is_overloaded(name)
                else refusal(function, name, args, kwargs)
            )
            if found is None:
                raise
            raise found from None

    return call


def _flags(function: Function, first: int = 0) -> list[tuple[int, str]]:
    """Place and name of the arguments that are true or false: Python would take any number for them."""
    kinds = function.__annotations__
    if "bool" not in kinds.values():
        return []
    code = inspect.unwrap(function).__code__  # signatures would take a twentieth of the import
    names = code.co_varnames[first : code.co_argcount]
    return [(place, name) for place, name in enumerate(names) if kinds.get(name) == "bool"]


def has_flags(method: Function) -> bool:
    """Whether some argument of a method is true or false."""
    return bool(_flags(method, 1))


def _no_flag(name: str, flag: str, place: int, value: Any) -> TypeError:
    where = "" if name in _KERNELS else f" (position {place + 1})"
    return TypeError(
        f"{_KERNELS.get(name, name)}(): argument '{flag}'{where} must be bool, not {type(value).__name__}"
    )


def tells_itself(function: Function, name: str) -> bool:
    """Whether it is a row, by its own name or one for which no overloads are listed."""
    row = getattr(function, "row", None)
    return row is not None and (row.name == name.removeprefix("Tensor.") or not is_overloaded(name))


def refusing_method(method: Function, name: str) -> Function:
    """A method of several overloads, or with flags, which refuses as torch does; see Note [Overloads]."""
    flags = _flags(method, 1)

    @functools.wraps(method)
    def call(self: Tensor, /, *args: Any, **kwargs: Any) -> Any:
        try:
            for place, flag in flags:
                if len(args) > place and args[place].__class__ is not bool:
                    raise _no_flag(name, flag, place, args[place])
            return method(self, *args, **kwargs)
        except Exception:
            found = of_overloads(f"Tensor.{name}", args, kwargs)
            if found is None:
                raise
            raise found from None

    return call


def all_refusing(functions: Mapping[str, Function], prefix: str = "") -> dict[str, Function]:
    """The functions that are composed of rows, by their names, as ``refusing`` makes them."""
    return {name: refusing(each, prefix + name) for name, each in functions.items()}


def refusal(function: Function, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> TypeError | None:
    """The TypeError for the first argument that torch would not take, or for those that are not given."""
    parameters = list(inspect.signature(function).parameters.values())
    kinds = {each.kind for each in parameters}
    if inspect.Parameter.VAR_POSITIONAL not in kinds:
        positional = [each for each in parameters if each.kind is not each.KEYWORD_ONLY]
        if len(args) > len(positional):
            return _too_many(name, positional, len(args))
    for position, parameter in enumerate(parameters):
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            return None
        shown = "input" if parameter.name == "self" else parameter.name
        given = position < len(args) and parameter.kind is not parameter.KEYWORD_ONLY
        named = parameter.name if parameter.name in kwargs else NUMPY_NAMES.get(parameter.name, "")
        if not given and named not in kwargs:
            if parameter.default is parameter.empty:
                return _missing(name, parameters[position:], kwargs)
            continue
        value = args[position] if given else kwargs[named]
        wanted = _wanted(parameter.annotation, value)
        if wanted is not None:
            where = f" (position {position + 1})" if given else ""
            return TypeError(
                f"{name}(): argument '{shown}'{where} must be {wanted}, not {type(value).__name__}"
            )
    unknown = [each for each in kwargs if each not in {*NUMPY_NAMES.values(), *(p.name for p in parameters)}]
    return TypeError(f"{name}() got an unexpected keyword argument '{unknown[0]}'") if unknown else None


def check_ints(called: str, argument: str, value: Any, position: int = 0, alone: bool = True) -> None:
    """Refuse what torch does not take for a tuple of ints.

    Args:
        position: where the argument was given, 0 if by its name.
        alone: whether one int stands for a tuple of it.

    Raises:
        TypeError: naming the argument, and its element.
    """
    if alone and value.__class__ is int:
        return
    name = f"{called}(): argument '{argument}'"
    must = f"{name}{f' (position {position})' if position else ''} must be tuple of ints"
    if not isinstance(value, (tuple, list)):
        if alone and is_count(value):
            return
        raise TypeError(f"{must}, not {typename(value)}")
    for number, each in enumerate(value):
        if is_count(each):
            continue
        if number == 0:
            raise TypeError(f"{must}, but found element of type {typename(each)} at pos 0")
        raise TypeError(
            f'{name} failed to unpack the object at pos {number + 1} with error "type must be tuple of ints,but '
            f'got {typename(each)}"'
        )


def _wanted(annotation: str, value: Any) -> str | None:
    """What an argument must be, where it is something else."""
    if annotation in ("Tensor", "Array", "Tensor | None"):
        fits = isinstance(value, Tensor) or hasattr(type(value), "__torch_function__")
        return None if fits or (value is None and "None" in annotation) else "Tensor"
    if annotation in _COUNTS:
        fits = is_count(value) or (annotation == "Ints" and isinstance(value, (tuple, list)))
        return None if fits else _COUNTS[annotation]
    kind = annotation.removesuffix(" | None")
    if kind == "float":
        return "float" if isinstance(value, (str, list, type(None))) else None
    if kind in _NUMBERS_IN_A_ROW and isinstance(value, (str, float, int)):
        return None if isinstance(value, int) and kind.startswith("int") else "tuple of ints"
    if kind in _KINDS and isinstance(value, (str, float, list, bool, type(None))):
        optional = kind != annotation and value is None
        return None if optional or type(value).__name__ == kind else kind
    return None


def _too_many(name: str, positional: list[inspect.Parameter], given: int) -> TypeError:
    most, least = len(positional), sum(each.default is each.empty for each in positional)
    if most != least:
        return TypeError(f"{name}() takes from {least} to {most} positional arguments but {given} were given")
    return TypeError(
        f"{name}() takes {most} positional argument{'s' * (most != 1)} but {given} "
        f"{'was' if given == 1 else 'were'} given"
    )


def _missing(name: str, parameters: list[inspect.Parameter], kwargs: dict[str, Any]) -> TypeError:
    missing = ["input" if p.name == "self" else p.name for p in parameters if p.default is p.empty]
    listed = ", ".join(f'"{each}"' for each in missing if each not in kwargs)
    plural = "s" if len(missing) == 1 else ""  # as torch has it
    return TypeError(f"{name}() missing {len(missing)} required positional argument{plural}: {listed}")
