"""The signatures of torch's functions, and the errors for arguments that match none (torch: utils/python_arg_parser.cpp).

Note [Overloads]: torch's parser tries one signature after the other. The engine's functions accept all arguments that some
signature accepts; signatures are checked after a function has raised, or before, if the function would accept more than
torch. If no signature matches, and the number of arguments leaves only one candidate, the error is about that one;
otherwise it lists all signatures (torch: utils/invalid_arguments.cpp). As in torch, this message counts ``*`` and
``name = default`` as arguments, so that arguments are only marked in signatures without either.

The signatures are in torch_api.txt, see Note [torch_api.txt]; parameters ``out`` are handled here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from .._autograd.tensor import Tensor
from .._c10 import device, dtypes, generator, keyword_names, layout, shapes
from .._c10.errors import missing_arguments, typename, wrong_element, wrong_type
from .._c10.keyword_names import NUMPY_NAMES
from .._c10.operator_facts import NUMBERS_AS_TENSORS, NUMBERS_OF, OPERATORS
from .._c10.size import Size
from . import positional
from .invalid_arguments import Keywords, no_signature_matches, signature_mismatch
from .torch_api import NO_ARGUMENTS, signature_texts


class Parameter(NamedTuple):
    """A parameter of a signature (torch: FunctionParameter)."""

    kind: str
    name: str
    default: str | None
    keyword_only: bool
    optional: bool  # whether it may be None
    several: bool = False  # a tuple type for which a single value is not accepted

    def given(self, kwargs: Keywords) -> str | None:
        """The name under which it is among the keyword arguments: torch's or numpy's; None if it is not."""
        names = (self.name, NUMPY_NAMES.get(self.name, self.name))
        return next((name for name in names if name in kwargs), None)

    @property
    def usual(self) -> Classes:
        """The classes of most values that it accepts, None for any class; see Note [Arguments are checked on failure]."""
        classes = TENSORS if self.kind == "Tensor" else _USUAL.get(self.kind)
        if classes is None or self.name == "out":
            return None
        if self.several:
            classes -= {int}
        return classes | {type(None)} if self.optional else classes

    def takes(self, value: Any) -> bool:
        if value is None:
            return self.optional or self.kind == "object"
        if self.several and not isinstance(value, (tuple, list)):
            return False
        return _TAKES[self.kind](value)


class Signature(NamedTuple):
    """One overload: its text and its parameters (torch: FunctionSignature)."""

    text: str
    parameters: tuple[Parameter, ...]

    @property
    def positional(self) -> int:
        return sum(not each.keyword_only for each in self.parameters)

    @property
    def required(self) -> list[str]:
        return [each.name for each in self.parameters if each.default is None]


# Parameter types ----------------------------------------------------------------------------------


def _is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor) or hasattr(type(value), "__torch_function__")


def _is_scalar_tensor(value: Any, kinds: str) -> bool:
    if not isinstance(value, Tensor):
        return False
    return not value._array.ndim and not value.requires_grad and value._array.dtype.kind in kinds


def is_count(value: Any) -> bool:
    """Whether torch accepts a value as an int (torch: THPUtils_checkLong, or a 0-dimensional integer tensor)."""
    return (isinstance(value, (int, np.integer)) and not isinstance(value, bool)) or _is_scalar_tensor(
        value, "iu"
    )


def _is_float(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) or _is_scalar_tensor(value, "fciubV")


def _is_number(value: Any) -> bool:
    return isinstance(value, (complex, np.number, np.bool_)) or _is_float(value)


def _is_index(value: Any) -> bool:
    """Whether torch accepts a value in a tuple of ints: also an integer tensor with one element."""
    if isinstance(value, Tensor):
        return value._array.size == 1 and value._array.dtype.kind in "iu"
    return hasattr(value, "__index__")


def _are_ints(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return not value or (not isinstance(value[0], bool) and _is_index(value[0]))
    return is_count(value)  # a single int


def _are(kinds: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, (tuple, list)) and all(map(kinds, value))


_TAKES: dict[str, Callable[[Any], bool]] = {
    "Tensor": _is_tensor,
    "Number": _is_number,
    "float": _is_float,
    "int": is_count,
    "bool": lambda value: isinstance(value, bool),
    "str": lambda value: isinstance(value, str),
    "object": lambda value: True,
    "tuple of floats": _are(_is_float),
    "tuple of ints": _are_ints,
    "tuple of Tensors": lambda value: isinstance(value, (tuple, list)),  # see _wrong_element_error
    "tuple of Scalars": _are(lambda each: isinstance(each, (int, float, complex))),
    "torch.dtype": lambda value: (
        isinstance(value, dtypes.dtype) or any(value is each for each in (float, int, bool, complex))
    ),
    "torch.device": lambda value: isinstance(value, (device.device, str)) or is_count(value),
    "torch.layout": lambda value: isinstance(value, layout.layout),
    "torch.memory_format": lambda value: isinstance(value, layout.memory_format),
    "torch.Generator": lambda value: isinstance(value, generator.Generator),
    "torch.Storage": lambda value: "Storage" in type(value).__name__,
}
_MAY_BE_NONE = (
    "pin_memory",
    "requires_grad",
    "rounding_mode",
)  # in all signatures, although their texts do not say so


# Signatures ---------------------------------------------------------------------------------------


@cache
def _signatures(name: str) -> tuple[Signature, ...]:
    texts = signature_texts(name)
    if texts == [NO_ARGUMENTS]:
        return (Signature(NO_ARGUMENTS, ()),)
    optional = "tuple of ints dim" if len(texts) > 1 and "squeeze" not in name else ""
    return tuple(signature_of(text, optional) for text in texts)


def signature_of(text: str, optional: str = "") -> Signature:
    """Parse the text of a signature.

    Args:
        optional: a parameter ("type name") that accepts None although the text does not say so.
    """
    parameters, keyword_only = [], False
    for part in text[1:-1].split(", "):
        if part in ("*", ""):
            keyword_only = keyword_only or part == "*"
            continue
        declared, _, default = part.partition(" = ")
        kind, name = declared.rsplit(" ", 1)
        none = (
            kind.endswith("?")
            or default in ("None", "[]")
            or f"{kind} {name}" == optional
            or name in _MAY_BE_NONE
        )
        whole = kind.removesuffix("?")
        plain = whole.removesuffix("[]")
        parameters.append(Parameter(plain, name, default or None, keyword_only, none, plain != whole))
    return Signature(text, tuple(parameters))


def parameters(name: str) -> set[str]:
    """The parameter names of all signatures of a function; empty if it is not listed."""
    return {each.name for signature in _signatures(name) for each in signature.parameters}


@cache
def keyword_only_names(name: str) -> set[str]:
    """The names of the parameters that are keyword-only in all signatures."""
    every = [each for signature in _signatures(name) for each in signature.parameters]
    return {each.name for each in every} - {each.name for each in every if not each.keyword_only}


def is_listed(name: str) -> bool:
    """Whether a function has signatures here; a method is called ``Tensor.name``."""
    return bool(_signatures(name))


def argument_error(name: str, args: Sequence[Any], kwargs: Keywords) -> TypeError | None:
    """The error for arguments that match no signature of a function; None if one matches, or none is listed."""
    signatures = _signatures(name)
    if not signatures:
        return None
    called = name.rpartition(".")[2]
    if signatures[0].text == NO_ARGUMENTS:
        return no_arguments_error(called, len(args), kwargs)
    if len(signatures) == 1:
        out = called == name and not called.endswith("_")  # which is not in its text
        if _has_deprecated_overloads(called) and not _may_fit(signatures[0], len(args) + len(kwargs), out):
            text = signatures[0].text
            text = f"{text[:-1]}, Tensor out = None)" if out else text
            return TypeError(signature_mismatch(called, text, args, kwargs))
        rest = {keyword: value for keyword, value in kwargs.items() if keyword != "out"}
        try:
            return mismatch_error(called, signatures[0], args, rest)
        except TypeError as error:
            return error
    try:
        if not all(mismatch_error(called, each, args, kwargs) for each in signatures):
            return None
    except TypeError as error:
        return error
    count = len(args) + len(kwargs)  # as in torch, f(2, 3) is not converted to f((2, 3)) here
    plausible = [each for each in signatures if _may_fit(each, count)]
    if len(plausible) == 1:
        return mismatch_error(called, plausible[0], args, kwargs)
    return TypeError(no_signature_matches(called, [each.text for each in signatures], args, kwargs))


def no_arguments_error(called: str, count: int, kwargs: Keywords) -> TypeError | None:
    """Python's error for arguments of a C method without parameters; None without arguments."""
    if kwargs:
        return TypeError(f"TensorBase.{called}() takes no keyword arguments")
    return TypeError(f"TensorBase.{called}() takes no arguments ({count} given)") if count else None


def _may_fit(signature: Signature, count: int, out: bool = False) -> bool:
    """Whether a signature accepts this number of arguments, with one more for ``out``."""
    return len(signature.required) <= count <= len(signature.parameters) + out


def _has_deprecated_overloads(called: str) -> bool:
    """Whether a function has deprecated signatures, which error messages do not list."""
    return called == "copy_" or called.removesuffix("_") in NUMBERS_OF


def mismatch_error(
    name: str, signature: Signature, args: Sequence[Any], kwargs: Keywords
) -> TypeError | None:
    """The error for arguments that do not match one signature; None if they match (torch: FunctionSignature::parse)."""
    parameters, most = signature.parameters, signature.positional
    if (
        most == 1
        and parameters[0].kind == "tuple of ints"
        and args
        and not isinstance(args[0], (tuple, list))
    ):
        args = (tuple(args),) if _are_ints(tuple(args)) else args  # f(2, 3) for f((2, 3))
    if len(args) > most:
        return TypeError(_too_many(name, signature, len(args)))
    used = set()
    for position, each in enumerate(parameters):
        where = 0
        if position < len(args):
            value, where = args[position], position + 1
        else:
            keyword = each.given(kwargs)
            if keyword is None:
                if each.default is None:
                    return _missing(name, signature, position)
                continue
            used.add(keyword)
            value = kwargs[keyword]
        if each.takes(value) or (each.kind == "Tensor" and _is_number(value) and name in NUMBERS_AS_TENSORS):
            odd = _wrong_element_error(name, each, position, value)
            if odd is not None:
                raise odd
            continue
        if where and each.kind == "tuple of ints" and isinstance(value, (tuple, list)):
            return wrong_element(name, each.name, 0, value[0], where)
        return wrong_type(name, each.name, each.kind, value, where)
    if all(keyword in used for keyword in kwargs):
        return None
    places = {each.name: place for place, each in enumerate(parameters)}
    for keyword in kwargs:  # torch does not consider numpy's names here
        if places.get(keyword, -1) < len(args):
            known = keyword in places
            text = "got multiple values for argument" if known else "got an unexpected keyword argument"
            return TypeError(f"{name}() {text} '{keyword}'")
    return TypeError(f"invalid keyword arguments to {name}()")


def _wrong_element_error(name: str, parameter: Parameter, position: int, value: Any) -> TypeError | None:
    """The error for an element of a sequence after the first: the parser checks only the first, later code the others."""
    if not isinstance(value, (tuple, list)):
        return None
    if parameter.kind == "tuple of Tensors":
        for number, each in enumerate(value):
            if not _is_tensor(each) and (each is not None or parameter.name == "out"):
                wrong = f"element {number} in argument {position}, but got {typename(each)}"
                return TypeError(f"expected Tensor as {wrong}")
    if parameter.kind == "tuple of ints":
        for number, each in enumerate(value):
            if not is_count(each) and not isinstance(each, bool) and not _is_index(each):
                return wrong_element(name, parameter.name, number, each)
    return None


def _too_many(name: str, signature: Signature, given: int) -> str:
    most = signature.positional
    least = sum(each.default is None for each in signature.parameters[:most])
    were = "was" if given == 1 else "were"
    if most != least:
        return f"{name}() takes from {least} to {most} positional arguments but {given} {were} given"
    return f"{name}() takes {most} positional argument{'s' * (most != 1)} but {given} {were} given"


def _missing(name: str, signature: Signature, first: int) -> TypeError:
    wanted = [each.name for each in signature.parameters[first:] if each.default is None]
    return missing_arguments(name, wanted)  # those given by keyword too, as in torch


# Names of operations --------------------------------------------------------------------------------


def opname(row: str) -> str:
    """torch's operator name without overload name and without the underscore of an in-place operation."""
    return OPERATORS.get(row) or row.removesuffix("_")


# Usual classes ------------------------------------------------------------------------------------


class _Ints:
    """A placeholder among classes for tuples of ints."""


Classes = Set[type] | None  # None: any
_USUAL: dict[
    str, Classes
] = {  # of most values; arguments of other classes are checked against the signatures
    "Number": frozenset([int, float, bool, complex]),
    "float": frozenset([int, float, bool]),
    "int": frozenset([int]),
    "bool": frozenset([bool]),
    "str": frozenset([str]),
    "tuple of floats": frozenset([tuple, list]),
    "tuple of ints": frozenset([int, _Ints]),
    "tuple of Tensors": frozenset([tuple, list]),
    "tuple of Scalars": frozenset([tuple, list]),
    "torch.dtype": frozenset([dtypes.dtype, type]),
    "torch.device": frozenset([device.device, str, int]),
    "torch.layout": frozenset([layout.layout]),
    "torch.memory_format": frozenset([layout.memory_format]),
    "torch.Generator": frozenset([generator.Generator]),
}
TENSORS: set[type] = {Tensor}  # the usual classes of tensors; torch.nn adds Parameter
_MOST_DIMENSIONS = 64


def fast_path_classes(name: str) -> tuple[tuple[Classes, ...], dict[str, Classes]] | None:
    """The usual classes of a function's arguments, by position and by name; None if it is not listed."""
    signatures = _signatures(name)
    if not signatures or name.rpartition(".")[2].removesuffix("_") in NUMBERS_OF:
        return None  # deprecated signatures may have numbers before tensors
    of_self = name.startswith("Tensor.")
    places: dict[int, Classes] = {0: None} if of_self else {}
    named: dict[str, Classes] = {}
    for signature in signatures:
        for place, each in enumerate(signature.parameters, of_self):
            classes = each.usual
            if not each.keyword_only:
                places[place] = _either(places.get(place, frozenset()), classes)
            for key in (each.name, NUMPY_NAMES.get(each.name, each.name)):
                named[key] = _either(named.get(key, frozenset()), classes)
        if signature.positional == 1 and signature.parameters[0].kind == "tuple of ints":  # may be spread
            for place in range(of_self, _MOST_DIMENSIONS):
                places[place] = _either(places.get(place, frozenset()), _USUAL["int"])
    return tuple(places[place] for place in sorted(places)), named


def _either(one: Classes, other: Classes) -> Classes:
    return None if one is None or other is None else one | other


def are_ints(value: Any, classes: frozenset[type]) -> bool:
    """Whether a value is a tuple of ints, and ``classes`` allows one."""
    return _Ints in classes and are_all_ints(value)


def are_all_ints(value: Any) -> bool:
    """Whether a value is a tuple or a list of ints."""
    return value.__class__ in (tuple, list, Size) and all(each.__class__ is int for each in value)


keyword_names.argument_error = positional.argument_error = argument_error
positional.no_arguments_error = no_arguments_error
shapes.is_count = is_count
