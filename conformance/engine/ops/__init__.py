"""The operations, by kind. Importing this package registers every row and attaches the Tensor methods.

``FUNCTIONS`` are the names that become ``torch.<name>``; a function whose first argument is a tensor is a
Tensor method as well unless it is listed in ``_NO_METHOD``. In-place methods (``name_``) are made from rows.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from .. import random
from ..inplace import inplace
from ..rows import ROWS
from ..tensor import Tensor
from . import arithmetic, indexing, matmul, reduction, shape

MODULES: tuple[ModuleType, ...] = (arithmetic, indexing, matmul, reduction, shape)

# Tensor operators, by the function that they call.
OPERATORS = {
    "__add__": "add", "__radd__": "add", "__sub__": "sub", "__rsub__": "rsub", "__mul__": "mul", "__rmul__": "mul",
    "__truediv__": "div", "__neg__": "neg", "__eq__": "eq", "__ne__": "ne", "__lt__": "lt", "__le__": "le",
    "__gt__": "gt", "__ge__": "ge", "__matmul__": "matmul", "__rmatmul__": "rmatmul",
}  # fmt: skip


def public(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """A module's own functions with a public name."""
    own = getattr(module, "PUBLIC", None)
    names = own if own is not None else [n for n in vars(module) if not n.startswith("_")]
    found = {}
    for name in names:
        value = getattr(module, name)
        if callable(value) and getattr(value, "__module__", "") in (module.__name__, "torch") and not isinstance(value, type):
            found[name.rstrip("_") if name in ("slice_", "type_") else name] = value
    return found


FUNCTIONS: dict[str, Callable[..., Any]] = {}


def attach() -> None:
    """Make the operations methods of Tensor."""
    for module in MODULES:
        FUNCTIONS.update(public(module))
    for name, function in FUNCTIONS.items():
        if name not in vars(Tensor):
            setattr(Tensor, name, function)
    random.attach()
    for name, row in ROWS.items():
        if row.view is None and not row.lists and next(iter(row.parameters), "") == "self":
            method = inplace(row)
            if name + "_" not in vars(Tensor):
                setattr(Tensor, name + "_", method)
    for name, target in OPERATORS.items():
        setattr(Tensor, name, FUNCTIONS[target])
    indexing.attach()
    shape.attach()
    from .. import creation

    creation.attach()


attach()
