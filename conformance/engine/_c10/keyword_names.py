"""Alternative names of arguments: those of torch's overloads, and numpy's.

Note [Alternative argument names]: an operation of the engine has one name for each argument. If an overload of torch has
another one (``self`` for a number instead of ``input``; ``indices`` or ``sections`` of split functions), the public function
accepts both. Functions that torch parses in C++ also accept numpy's names ``axis`` and ``keepdims`` (torch:
utils/python_arg_parser.cpp). The wrappers are only around public functions: operators and the engine itself do not pay for them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType
from typing import Any

from .slots import unfilled

Function = Callable[..., Any]
argument_error: Callable[..., TypeError | None] = unfilled  # from overloads, see Note [Slots]

# Names of overloads --------------------------------------------------------------------------------

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
    """The functions by name, with wrappers for those with alternative argument names."""
    return {
        name: renaming(each, _OTHER_NAMES[prefix + name], prefix + name)
        if prefix + name in _OTHER_NAMES
        else each
        for name, each in functions.items()
    }


def renaming(function: Function, names: dict[str, str], checked: str = "", method: str = "") -> Function:
    """Wrap a function so that it accepts alternative argument names; see Note [Alternative argument names].

    Args:
        names: the function's own names by the alternative ones.
        checked: a name in the list of overloads, by which arguments are checked first; see Note [Overloads].
        method: the name of the method if it is one; methods reject ``out``.
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
        """Raise torch's error for the arguments of a method; see Note [Arguments are checked on failure]."""
        if method:
            found = argument_error(f"Tensor.{method}", args[1:], kwargs)
            if found is not None:
                raise found from None

    return call


def renamed(kwargs: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    """Keyword arguments with the function's own names; an argument given under both names is not renamed."""
    return {
        names[name] if name in names and names[name] not in kwargs else name: value
        for name, value in kwargs.items()
    }


def of_input(method: Function) -> Function:
    """A method as a function, which accepts the tensor as keyword ``input``."""

    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        if "input" in kwargs:
            args = (kwargs.pop("input"), *args)
        return method(*args, **kwargs)

    return call


# numpy's names -------------------------------------------------------------------------------------

NUMPY_NAMES = {"dim": "axis", "keepdim": "keepdims"}  # by torch's
_WRITTEN_IN_PYTHON = ("norm", "split", "unique", "unique_consecutive")  # whose arguments torch does not parse


def numpy_names(parameters: Iterable[str]) -> dict[str, str]:
    """torch's names by numpy's, for those parameters that the function does not accept under numpy's name."""
    known = [*parameters]
    return {theirs: own for own, theirs in NUMPY_NAMES.items() if own in known and theirs not in known}


def numpy_keyword_value(row: Any, own: Any, default: Any, theirs: Any, name: str) -> Any:
    """The value of an argument that was passed under numpy's name.

    Raises:
        TypeError: it was passed under torch's name as well.
    """
    if own is not default:
        raise TypeError(f"{row.name}() got an unexpected keyword argument '{name}'")
    return theirs


def _parameters(function: Function) -> Iterable[str]:
    """The names of a function's parameters; ten times faster than inspect.signature, since it runs at import."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    code = function.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def taking_numpy_names(function: Function, name: str) -> Function:
    """Wrap a composite function of torch so that it accepts numpy's names."""
    if not isinstance(function, FunctionType) or hasattr(function, "row") or name in _WRITTEN_IN_PYTHON:
        return function
    names = numpy_names(_parameters(function))
    if not names:
        return function
    taking: Any = renaming(function, names)
    taking.numpy_names = names
    return taking


def as_method(function: Function, name: str) -> Function:
    """A function of torch as a method."""
    names = getattr(function, "numpy_names", None)
    return function if names is None else renaming(function.__wrapped__, names, method=name)  # type: ignore[attr-defined]
