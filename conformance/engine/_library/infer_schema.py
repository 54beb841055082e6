"""The schema of a function, from its annotations (torch: _library/infer_schema.py)."""

from __future__ import annotations

import collections.abc
import inspect
import typing
from collections.abc import Callable, Iterable
from types import GenericAlias
from typing import Any, List, NewType, NoReturn, Sequence, Union  # noqa: UP035  torch takes these, and lists them

from .._autograd.tensor import Tensor
from .._c10.device import device
from .._c10.dtypes import dtype
from ..types import Number

GroupName = NewType("GroupName", str)  # torch.distributed's types, which error messages list
GroupName.__module__ = "torch.distributed.distributed_c10d"


def _optional(kind: Any) -> Any:
    return Union[kind, None]  # noqa: UP007  | would make another object of a union


def _sequences(kind: Any) -> tuple[Any, ...]:
    return (
        Sequence[kind],
        List[kind],  # noqa: UP006  as above
        GenericAlias(collections.abc.Sequence, (kind,)),
        GenericAlias(list, (kind,)),
    )


def _parameter_types() -> dict[Any, str]:
    found: dict[Any, str] = {}
    for kind, name, listed, of_optional, optional in (
        (Tensor, "Tensor", True, True, False),
        (int, "SymInt", True, False, True),
        (float, "float", True, False, True),
        (bool, "bool", True, False, True),
        (str, "str", False, False, False),
        (Number, "Scalar", True, False, False),
        (dtype, "ScalarType", False, False, False),
        (device, "Device", False, False, False),
        (GroupName, "str", False, False, False),
    ):
        found |= {kind: name, _optional(kind): f"{name}?"}
        if listed:
            found |= dict.fromkeys(_sequences(kind), f"{name}[]")
        if of_optional:
            found |= dict.fromkeys(_sequences(_optional(kind)), f"{name}?[]")
        if optional:
            found |= {_optional(each): f"{name}[]?" for each in _sequences(kind)}
    return found


SUPPORTED_PARAM_TYPES = _parameter_types()
SUPPORTED_RETURN_TYPES: dict[Any, str] = {
    Tensor: "Tensor",
    List[Tensor]: "Tensor[]",  # noqa: UP006
    list[Tensor]: "Tensor[]",
    int: "SymInt",
    float: "float",
    bool: "bool",
    Number: "Scalar",
}


def infer_schema(
    prototype_function: Callable[..., Any],
    /,
    *,
    mutates_args: str | Iterable[str],
    op_name: str | None = None,
) -> str:
    """The schema that follows from a function's annotations; without ``op_name`` it has no name.

    Raises:
        ValueError: an annotation is missing or not supported, or ``mutates_args`` names an unknown argument.
    """
    signature = inspect.signature(prototype_function, eval_str=True)
    unknown = mutates_args == "unknown"
    mutated = mutates_args if isinstance(mutates_args, str) else tuple(mutates_args)

    def refuse(what: str) -> NoReturn:
        raise ValueError(
            f"infer_schema(func): {what} Got func with signature {inspect.signature(prototype_function)})"
        )

    found: list[str] = []
    for number, (name, each) in enumerate(signature.parameters.items()):
        if each.kind not in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY):
            refuse("We do not support positional-only args, varargs, or varkwargs.")
        if each.kind is each.KEYWORD_ONLY and "*" not in found:
            found.append("*")
        text = _parameter_type(name, each.annotation, refuse)
        if isinstance(mutated, str) and not unknown:
            raise ValueError(
                "mutates_args must either be a sequence of the names of the arguments that are mutated or the string "
                "'unknown'. "
            )
        if not unknown and name in mutated and not text.startswith("Tensor"):
            refuse(
                f"Parameter {name} is in mutable_args but only Tensors or collections of Tensors can be mutated"
            )
        if text.startswith("Tensor") and (unknown or name in mutated):
            text = f"Tensor(a{number}!){text[len('Tensor') :]}"
        default = "" if each.default is each.empty else f"={_default(name, each.default, refuse)}"
        found.append(f"{text} {name}{default}")
    if not unknown and (missing := set(mutated) - signature.parameters.keys()):
        refuse(
            f"{missing} in mutates_args were not found in the custom op's signature. mutates_args should contain the names "
            "of all args that the custom op mutates, or just the string 'unknown' if you don't know."
        )
    return f"{op_name or ''}({', '.join(found)}) -> {_return_type(signature.return_annotation, refuse)}"


def _parameter_type(name: str, annotation: Any, refuse: Callable[[str], NoReturn]) -> str:
    if annotation is inspect.Parameter.empty:
        refuse(f"Parameter {name} must have a type annotation.")
    if annotation in SUPPORTED_PARAM_TYPES:
        return SUPPORTED_PARAM_TYPES[annotation]
    what = f"Parameter {name} has unsupported type {annotation}. "
    if typing.get_origin(annotation) is tuple:
        instead = _as_list(annotation)
        example = f"For example, {instead}.\n\n" if instead in SUPPORTED_PARAM_TYPES else "\n\n"
        what += (
            "We do not support Tuple inputs in schema. As a workaround, please try to use List instead. "
            f"{example}"
        )
    return refuse(f"{what}The valid types are: {SUPPORTED_PARAM_TYPES.keys()}.")


def _as_list(annotation: Any) -> Any:
    """The list type that the error message suggests in place of a tuple."""
    kinds = [each for each in typing.get_args(annotation) if each is not Ellipsis]
    return list[typing.Union[tuple(kinds)]] if kinds else list  # type: ignore[misc] # noqa: UP007


def _default(name: str, value: Any, refuse: Callable[[str], NoReturn]) -> str:
    if value is None or isinstance(value, (int, float, bool)):
        return str(value)
    if isinstance(value, (str, device)):
        return f'"{value}"'
    if isinstance(value, dtype):
        return str(value).removeprefix("torch.")
    return refuse(
        f"Parameter {name} has an unsupported default value type {type(value)}. Please file an issue on GitHub so we can "
        "prioritize this."
    )


def _return_type(annotation: Any, refuse: Callable[[str], NoReturn]) -> str:
    if annotation is None:
        return "()"
    if annotation is inspect.Parameter.empty:
        refuse("No return type annotation was provided. Please add one.")
    several = typing.get_origin(annotation) is tuple
    kinds = typing.get_args(annotation) if several else (annotation,)
    if not all(each in SUPPORTED_RETURN_TYPES for each in kinds):
        refuse(f"Return has unsupported type {annotation}. The valid types are: {SUPPORTED_RETURN_TYPES}.")
    names = ", ".join(SUPPORTED_RETURN_TYPES[each] for each in kinds)
    if not several:
        return names
    return f"(({names}))" if len(kinds) == 1 else f"({names})"
