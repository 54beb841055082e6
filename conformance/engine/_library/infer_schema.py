"""The schema of a function, from its annotations (torch: _library/infer_schema.py)."""

from __future__ import annotations

import collections.abc
import inspect
import typing
from collections.abc import Callable, Iterable
from types import GenericAlias
from typing import Any, List, Sequence, Union  # noqa: UP035  torch takes these

from .._autograd.tensor import Tensor
from .._c10.device import device
from .._c10.dtypes import dtype
from .._c10.errors import need_fitting
from ..types import Number


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
    ):
        found |= {kind: name, _optional(kind): f"{name}?"}
        if listed:
            found |= dict.fromkeys(_sequences(kind), f"{name}[]")
        if of_optional:
            found |= dict.fromkeys(_sequences(_optional(kind)), f"{name}?[]")
        if optional:
            found |= {_optional(each): f"{name}[]?" for each in _sequences(kind)}
    return found


_PARAMETER_TYPES = _parameter_types()
_RETURN_TYPES: dict[Any, str] = {
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
        MisfitError: an annotation is missing or not supported, or ``mutates_args`` names an unknown argument.
    """
    signature = inspect.signature(prototype_function, eval_str=True)
    unknown = mutates_args == "unknown"
    mutated = mutates_args if isinstance(mutates_args, str) else tuple(mutates_args)

    found: list[str] = []
    for number, (name, each) in enumerate(signature.parameters.items()):
        need_fitting(each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY), "infer_schema")
        if each.kind is each.KEYWORD_ONLY and "*" not in found:
            found.append("*")
        text = _supported(_PARAMETER_TYPES, each.annotation)
        if unknown or name in mutated:
            need_fitting(unknown or text.startswith("Tensor"), "infer_schema")
            if text.startswith("Tensor"):
                text = f"Tensor(a{number}!){text[len('Tensor') :]}"
        default = "" if each.default is each.empty else f"={_default(each.default)}"
        found.append(f"{text} {name}{default}")
    need_fitting(unknown or signature.parameters.keys() >= set(mutated), "infer_schema")
    return f"{op_name or ''}({', '.join(found)}) -> {_return_type(signature.return_annotation)}"


def _supported(types: dict[Any, str], annotation: Any) -> str:
    need_fitting(annotation in types, "infer_schema")
    return types[annotation]


def _default(value: Any) -> str:
    if value is None or isinstance(value, (int, float, bool)):
        return str(value)
    if isinstance(value, (str, device)):
        return f'"{value}"'
    need_fitting(isinstance(value, dtype), "infer_schema")
    return str(value).removeprefix("torch.")


def _return_type(annotation: Any) -> str:
    if annotation is None:
        return "()"
    several = typing.get_origin(annotation) is tuple
    kinds = typing.get_args(annotation) if several else (annotation,)
    names = ", ".join(_supported(_RETURN_TYPES, each) for each in kinds)
    return f"({names})" if several else names
