"""The names that torch's overloads give to arguments.

Note [Names of arguments]: an operation has one name for each argument here. Where an overload of torch has another (what
stands for a number is ``self`` where a tensor is ``input``; pieces are cut by ``indices`` or into ``sections``), the
public function takes that one too. Operators and the engine itself call what is beneath and pay nothing for it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

Function = Callable[..., Any]

_CUT = dict.fromkeys(("indices", "sections", "tensor_indices_or_sections"), "indices_or_sections")
_BY_NAME = {
    "bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift": {"self": "input"},
    "float_power pow remainder xlogy bucketize": {"self": "input"},
    "special_xlogy special_xlog1py special_zeta": {"self": "input"},
    "dsplit hsplit vsplit tensor_split": _CUT,
    "lu_solve": {"input": "b"},
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
        name: renaming(each, _OTHER_NAMES[prefix + name]) if prefix + name in _OTHER_NAMES else each
        for name, each in functions.items()
    }


def renaming(function: Function, names: dict[str, str]) -> Function:
    """The function, which takes arguments by other names as well; see Note [Names of arguments]."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        for other in kwargs.keys() & names.keys():
            kwargs[names[other]] = kwargs.pop(other)
        return function(*args, **kwargs)

    return call


def of_input(method: Function) -> Function:
    """A method as a function, whose tensor may be given as ``input``."""

    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        if "input" in kwargs:
            args = (kwargs.pop("input"), *args)
        return method(*args, **kwargs)

    return call
