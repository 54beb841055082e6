"""How operations become functions of torch and methods of Tensor.

``FUNCTIONS`` are the names that become ``torch.<name>``; a function whose first argument is a tensor is a
Tensor method as well, but for those in _aten/operator_names.py. In-place methods (``name_``) are made from rows.
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
    found = {}
    for name, value in vars(module).items():
        if name.startswith("_") or name == "attach" or not callable(value) or isinstance(value, type):
            continue
        if _origin(value) == module.__name__:
            found[name.rstrip("_") if name == "slice_" else name] = value
    return found


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
    for name, function in functions.items():
        if _free(name):
            row = getattr(function, "row", None)
            setattr(Tensor, name, as_method(function, name) if row is None else row.method)
    _attach_inplace(functions)
    for module in modules:
        if hasattr(module, "attach"):
            module.attach()
    for name in operator_names.FUNCTIONS_ALONE.split():
        if name in vars(Tensor):
            delattr(Tensor, name)
    for name in operator_names.METHODS_ALONE.split():
        functions.pop(name, None)
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
    found: dict[str, Callable[..., Any]] = {}
    for name, method in methods.items():
        taking = renaming(method, OF_METHODS[name]) if name in OF_METHODS else method
        if not name.startswith("_") and name not in frequent:
            listed = name in functions or name in refuse or is_overloaded(f"Tensor.{name}")
            if listed or has_bool_parameters(taking):
                taking = check_arguments(taking, f"Tensor.{name}")
        if taking is not method:
            found[name] = taking
    return found


def _attach_inplace(functions: dict[str, Callable[..., Any]]) -> None:
    """``name_`` of each row named ``name``, or of a row named ``name_``, and of what is ``name`` under another name."""
    inplace_names = operator_names.INPLACE.split()
    for name in inplace_names:
        row = ROWS.get(f"{name}_") or ROWS.get(name)
        if _free(f"{name}_") and row is not None and row.view is None:
            setattr(Tensor, f"{name}_", inplace(row))
    for name in functions.keys() & {*inplace_names}:
        original = f"{functions[name].__name__}_"
        if _free(f"{name}_") and not _free(original):
            setattr(Tensor, f"{name}_", getattr(Tensor, original))
    of_torch = operator_names.INPLACE_FUNCTIONS.split()
    for name in [*functions]:  # in-place forms that were written out
        if name.endswith("_") and name not in of_torch:
            del functions[name]
    for name in of_torch:
        if name in functions or not _free(name):
            functions[name] = of_input(functions.get(name, getattr(Tensor, name)))
