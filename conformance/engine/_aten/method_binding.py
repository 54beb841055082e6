"""How operations become functions of torch and methods of Tensor.

``FUNCTIONS`` are the names that become ``torch.<name>``; a function whose first argument is a tensor is a
Tensor method as well, unless its ``variants`` say otherwise. In-place methods (``name_``) are made from rows that have
the fact ``inplace``; see _c10/operator_facts.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import FunctionType, ModuleType
from typing import Any

from .._arguments.argument_errors import check_all_arguments, check_arguments, has_bool_parameters
from .._arguments.function_names import with_public_names
from .._arguments.torch_api import is_overloaded
from .._autograd.tensor import Tensor
from .._c10.keyword_names import OF_METHODS, all_renaming, as_method, of_input, renaming, taking_numpy_names
from .._c10.operator_facts import NUMBERS_AS_TENSORS, Facts, facts_of
from . import operator_names
from .inplace import inplace
from .registry import ROWS

FUNCTIONS: dict[str, Callable[..., Any]] = {}


def _origin(function: Callable[..., Any]) -> str:
    """The module in which a function, or a row's forward, was written."""
    row = getattr(function, "row", None)
    return getattr(function, "__module__", "") if row is None else row.forward.__module__


def public(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """A module's functions for torch: those it lists as PUBLIC, else its own without an underscore in front."""
    listed = getattr(module, "PUBLIC", None)
    if listed is not None:
        return {name: getattr(module, name) for name in listed}
    result = {}
    for name, value in vars(module).items():
        if name.startswith("_") or name == "attach" or not callable(value) or isinstance(value, type):
            continue
        if _origin(value) == module.__name__:
            result[name.rstrip("_") if name == "slice_" else name] = value
    return result


def variants(name: str, function: Callable[..., Any]) -> str:
    """Whether an operation is a function, a method or both."""
    result = known(function).variants
    return result if result is not None else "method" if name.endswith("_") else "function, method"


def known(function: Callable[..., Any]) -> Facts:
    """The facts of a row or of a composite."""
    row = getattr(function, "row", None)
    return facts_of(function) if row is None else row.facts


def _free(name: str) -> bool:
    """Whether Tensor has no attribute of that name yet."""
    return name not in vars(Tensor)


def attach(modules: Iterable[ModuleType], parts: Iterable[ModuleType]) -> None:
    """Make the operations of modules functions of torch and methods of Tensor.

    Args:
        parts: what has other methods of Tensor, which come before operations of the same names.
    """
    for part in parts:
        part.attach()
    functions: dict[str, Callable[..., Any]] = {}
    for module in modules:
        functions |= {name: taking_numpy_names(each, name) for name, each in public(module).items()}
    for name in operator_names.INTERNAL.split():
        functions.pop(name, None)
    kinds = {name: variants(name, each) for name, each in functions.items()}
    for name, function in functions.items():
        if "method" in kinds[name] and _free(name):
            row = getattr(function, "row", None)
            setattr(Tensor, name, as_method(function, name) if row is None else row.method)
    functions = {name: each for name, each in functions.items() if "function" in kinds[name]}
    _attach_inplace(functions)
    for module in modules:
        if hasattr(module, "attach"):
            module.attach()
    for name in operator_names.LOOKED_AT_BEFORE.split():
        if name in functions:
            functions[name] = renaming(functions[name], {}, name)
    functions = check_all_arguments(all_renaming(functions))
    methods: dict[str, Any] = {
        name: each for name, each in vars(Tensor).items() if isinstance(each, FunctionType)
    }
    changed = _refusing(methods, functions)
    for name, method in (changed | with_public_names(methods | changed, methods=True)).items():
        setattr(Tensor, name, method)
    FUNCTIONS.update(functions | with_public_names(functions))
    for module in modules:
        FUNCTIONS.update(getattr(module, "FUNCTIONS", {}))


def _refusing(
    methods: dict[str, FunctionType], functions: dict[str, Callable[..., Any]]
) -> dict[str, Callable[..., Any]]:
    """Methods that take torch's names for arguments, and refuse what torch refuses."""
    frequent, refuse = operator_names.IN_INNER_LOOPS.split(), operator_names.REFUSING_METHODS.split()
    result: dict[str, Callable[..., Any]] = {}
    for name, method in methods.items():
        taking = renaming(method, OF_METHODS[name]) if name in OF_METHODS else method
        if not name.startswith("_") and name not in frequent:
            listed = name in functions or name in refuse or is_overloaded(f"Tensor.{name}")
            if listed or has_bool_parameters(taking):
                taking = check_arguments(taking, f"Tensor.{name}")
        if taking is not method:
            result[name] = taking
    return result


def _attach_inplace(functions: dict[str, Callable[..., Any]]) -> None:
    """``name_`` of each row named ``name`` or ``name_``, and of what is ``name`` under another name."""
    of_torch = [name for name in functions if name.endswith("_")]  # written out
    for row in ROWS.values():
        if f"{row.name}_" in ROWS:
            continue
        name = f"{row.name.removesuffix('_')}_"
        if row.facts.inplace and _free(name):
            setattr(Tensor, name, inplace(row))
            of_torch += [name] * ("function" in row.facts.inplace)
    for name, function in [*functions.items()]:
        facts, original = known(function), f"{function.__name__}_"
        if facts.numbers_as_tensors:
            NUMBERS_AS_TENSORS.update((name, f"{name}_"))
        if facts.inplace and _free(f"{name}_") and not _free(original):
            setattr(Tensor, f"{name}_", getattr(Tensor, original))
            of_torch += [f"{name}_"] * ("function" in facts.inplace)
    for name, each in vars(Tensor).items():
        own = getattr(each, "__name__", "") == name
        if own and name.endswith("_") and facts_of(each).variants == "function, method":
            of_torch.append(name)
    for name in of_torch:
        functions[name] = of_input(functions.get(name) or getattr(Tensor, name))
