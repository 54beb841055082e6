"""The operations, by kind. Importing this package registers every row and attaches the Tensor methods.

``FUNCTIONS`` are the names that become ``torch.<name>``; a function whose first argument is a tensor is a
Tensor method as well, but for those in names.py. In-place methods (``name_``) are made from rows.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from types import FunctionType, ModuleType
from typing import Any

from .. import absent, attributes, conversions, copies, dispatch_classes, hooks, overrides, random
from ..inplace import inplace
from ..keywords import OF_METHODS, all_renaming, as_method, of_input, renaming, taking_numpy_names
from ..overloads import is_overloaded
from ..own_names import all_named
from ..refusals import all_refusing, has_flags, refusing
from ..rows import ROWS
from ..tensor import Tensor
from . import (
    activation,
    arithmetic,
    arranging,
    binary,
    comparison,
    complex_formulas,
    contraction,
    copying,
    cumulative,
    diagonals,
    einsum,
    extremes,
    gamma,
    gated,
    gather,
    grids,
    hashing,
    histograms,
    index_select,
    indexing,
    inplace_views,
    joining,
    linear_algebra,
    logic,
    masking,
    matmul,
    memory,
    moments,
    names,
    norms,
    operators,
    ordering,
    parts,
    power,
    private,
    reduction,
    remainders,
    removed,
    replacing,
    rounding,
    scatter_reduce,
    searching,
    segments,
    selection,
    shape,
    slicing,
    smooth,
    softmax,
    special,
    splitting,
    truth,
    unary,
    view_copies,
    windows,
)  # fmt: skip

MODULES: tuple[ModuleType, ...] = (
    activation, arithmetic, arranging, binary, comparison, contraction, copying, cumulative, diagonals,
    einsum, extremes, gamma, gated, gather, grids, hashing, histograms, index_select, indexing, inplace_views, joining, linear_algebra,
    logic, masking, matmul, memory, moments, norms, ordering, parts, power, reduction, remainders, removed, replacing,
    rounding, scatter_reduce, searching, segments, selection, shape, slicing, smooth, softmax, special, splitting, truth,
    unary, view_copies, windows,
)  # fmt: skip


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


FUNCTIONS: dict[str, Callable[..., Any]] = {}


def attach() -> None:
    """Make the operations methods of Tensor."""
    for part in (attributes, conversions, copies, hooks, overrides, dispatch_classes):
        part.attach()
    for module in MODULES:
        FUNCTIONS.update({name: taking_numpy_names(each, name) for name, each in public(module).items()})
    for name in names.INTERNAL.split():
        FUNCTIONS.pop(name, None)
    for name, function in FUNCTIONS.items():
        if name not in vars(Tensor):
            row = getattr(function, "row", None)
            setattr(Tensor, name, as_method(function, name) if row is None else row.method)
    random.attach()
    _attach_inplace()
    indexing.attach()
    selection.attach()
    parts.attach()
    shape.attach()
    copying.attach()
    gamma.attach()
    operators.attach()
    linear_algebra.attach()
    private.attach()
    for name in names.FUNCTIONS_ALONE.split():
        if name in vars(Tensor):
            delattr(Tensor, name)
    for name in names.METHODS_ALONE.split():
        FUNCTIONS.pop(name, None)
    from .. import creation, exchange, from_data, legacy

    creation.attach()
    exchange.attach()
    from_data.attach()
    legacy.attach()
    absent.attach(Tensor)
    for name in names.LOOKED_AT_BEFORE.split():
        FUNCTIONS[name] = renaming(FUNCTIONS[name], {}, name)
    FUNCTIONS.update(all_refusing(all_renaming(FUNCTIONS)))
    for name, other in OF_METHODS.items():
        setattr(Tensor, name, renaming(getattr(Tensor, name), other))
    frequent = names.IN_INNER_LOOPS.split()
    refuse = names.REFUSING_METHODS.split()
    for name, method in [*vars(Tensor).items()]:
        if not isinstance(method, FunctionType) or name.startswith("_") or name in frequent:
            continue
        listed = name in FUNCTIONS or name in refuse or is_overloaded(f"Tensor.{name}")
        if listed or has_flags(method):
            setattr(Tensor, name, refusing(method, f"Tensor.{name}"))
    FUNCTIONS.update(all_named(FUNCTIONS))
    for name, method in all_named(vars(Tensor), methods=True).items():
        setattr(Tensor, name, method)


def _attach_inplace() -> None:
    """``name_`` of each row named ``name``, or of a row named ``name_``, and of what is ``name`` under another name."""
    inplace_names = names.INPLACE.split()
    for name in inplace_names:
        row = ROWS.get(f"{name}_") or ROWS.get(name)
        if f"{name}_" not in vars(Tensor) and row is not None and row.view is None:
            setattr(Tensor, f"{name}_", inplace(row))
    for name in inplace_names:
        original = f"{getattr(FUNCTIONS.get(name), '__name__', name)}_"
        if f"{name}_" not in vars(Tensor) and hasattr(Tensor, original):
            setattr(Tensor, f"{name}_", getattr(Tensor, original))
    for name in [*FUNCTIONS]:  # in-place forms that were written out
        if name.endswith("_") and name not in names.INPLACE_FUNCTIONS.split():
            del FUNCTIONS[name]
    for name in names.INPLACE_FUNCTIONS.split():
        if hasattr(Tensor, name):
            FUNCTIONS[name] = of_input(FUNCTIONS.get(name, getattr(Tensor, name)))


def __getattr__(name: str) -> Any:
    if name == "aten":  # torch.ops.aten
        from ..dispatch import aten

        return aten
    if name.startswith("__") or find_spec(f"{__name__}.{name}") is not None:
        raise AttributeError(f"module 'torch.ops' has no attribute '{name}'")
    from .._library.operators import namespace

    found = globals()[name] = namespace(name)
    return found


attach()
