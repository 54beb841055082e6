"""Other names of arguments: those of torch's overloads, and numpy's.

Note [Names of arguments]: an operation has one name for each argument here. Where an overload of torch has another (what
stands for a number is ``self`` where a tensor is ``input``; pieces are cut by ``indices`` or into ``sections``), the
public function takes that one too. torch's own functions take numpy's names, ``axis`` and ``keepdims``, as well (torch:
utils/python_arg_parser.cpp). Operators and the engine itself call what is beneath and pay nothing for it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType
from typing import Any

from .slots import unfilled

Function = Callable[..., Any]
argument_error: Callable[..., TypeError | None] = unfilled  # from overloads, see Note [Slots]

# By overloads --------------------------------------------------------------------------------------

_CUT = dict.fromkeys(("indices", "sections", "tensor_indices_or_sections"), "indices_or_sections")
_BY_NAME = {
    "bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift": {"self": "input"},
    "float_power pow remainder xlogy bucketize": {"self": "input"},
    "special_xlogy special_xlog1py special_zeta": {"self": "input"},
    "dsplit hsplit vsplit tensor_split": _CUT,
    "lu_solve": {"input": "b"},
    "isin": {"element": "elements", "test_element": "test_elements"},
    "unsafe_split": {"input": "tensor"},
}
_OTHER_NAMES = {name: other for names, other in _BY_NAME.items() for name in names.split()}
OF_METHODS = {
    **dict.fromkeys(("dsplit", "hsplit", "vsplit", "tensor_split"), _CUT),
    "split": {"split_size": "split_size_or_sections"},
}


def all_renaming(functions: Mapping[str, Function], prefix: str = "") -> dict[str, Function]:
    """The functions by their names, which take torch's names for arguments."""
    return {
        name: renaming(each, _OTHER_NAMES[prefix + name], prefix + name)
        if prefix + name in _OTHER_NAMES
        else each
        for name, each in functions.items()
    }


def renaming(function: Function, names: dict[str, str], checked: str = "", method: str = "") -> Function:
    """The function, which takes arguments by other names as well; see Note [Names of arguments].

    Args:
        method: the name of the method that it is, which has no ``out``, though numpy gives one.
        checked: a name under which overloads are listed, which say for what the other names stand; see Note [Overloads].
    """

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not kwargs:
            try:
                return function(*args)
            except TypeError:
                raise_refusal(args, kwargs)
                raise
        if checked:
            found = argument_error(checked, args, kwargs)
            if found is not None:
                raise found
        if method and "out" in kwargs:
            found = argument_error(f"Tensor.{method}", args[1:], kwargs)
            raise found or TypeError(f"{method}() got an unexpected keyword argument 'out'")
        try:
            return function(*args, **renamed(kwargs, names))
        except TypeError:
            raise_refusal(args, kwargs)
            raise

    def raise_refusal(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Say of a method what torch says of its arguments, as they were given; see Note [Refused afterwards]."""
        if method:
            found = argument_error(f"Tensor.{method}", args[1:], kwargs)
            if found is not None:
                raise found from None

    return call


def renamed(kwargs: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    """Arguments under the names that the operation has; what is given under both stays."""
    return {
        names[name] if name in names and names[name] not in kwargs else name: value
        for name, value in kwargs.items()
    }


def of_input(method: Function) -> Function:
    """A method as a function, whose tensor may be given as ``input``."""

    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        if "input" in kwargs:
            args = (kwargs.pop("input"), *args)
        return method(*args, **kwargs)

    return call


# By numpy ------------------------------------------------------------------------------------------

NUMPY_NAMES = {"dim": "axis", "keepdim": "keepdims"}  # by torch's
_WRITTEN_IN_PYTHON = ("norm", "split", "unique", "unique_consecutive")  # whose arguments torch does not parse


def numpy_names(parameters: Iterable[str]) -> dict[str, str]:
    """numpy's names for those of a function's parameters that it does not know by them; torch's by numpy's."""
    known = [*parameters]
    return {theirs: own for own, theirs in NUMPY_NAMES.items() if own in known and theirs not in known}


def numpy_keyword_value(row: Any, own: Any, default: Any, theirs: Any, name: str) -> Any:
    """An argument of a row that is given under numpy's name.

    Raises:
        TypeError: it is given under torch's, too.
    """
    if own is not default:
        raise TypeError(f"{row.name}() got an unexpected keyword argument '{name}'")
    return theirs


def _parameters(function: Function) -> Iterable[str]:
    """The names that inspect.signature finds, which takes ten times as long: this is done at import."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    code = function.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def taking_numpy_names(function: Function, name: str) -> Function:
    """torch's function of that name that is composed of rows, which takes numpy's names of its arguments."""
    if not isinstance(function, FunctionType) or hasattr(function, "row") or name in _WRITTEN_IN_PYTHON:
        return function
    names = numpy_names(_parameters(function))
    if not names:
        return function
    taking: Any = renaming(function, names)
    taking.numpy_names = names
    return taking


def as_method(function: Function, name: str) -> Function:
    """torch's function of that name as a method."""
    names = getattr(function, "numpy_names", None)
    return function if names is None else renaming(function.__wrapped__, names, method=name)  # type: ignore[attr-defined]
