"""The operations, by kind. Importing this package attaches those of most programs to Tensor; see late.py for the others."""

from __future__ import annotations

from importlib.util import find_spec
from types import ModuleType
from typing import Any

from .. import (
    absent,
    attributes,
    conversions,
    copies,
    creation,
    dispatch_classes,
    exchange,
    from_data,
    hooks,
    legacy,
    overrides,
    random,
)
from ..slots import provided
from ..tensor import Tensor
from . import (
    activation,
    arithmetic,
    batched_blas,
    binary,
    blas,
    comparison,
    copying,
    extremes,
    index_put,
    indexing,
    inplace_views,
    joining,
    logic,
    matmul,
    memory,
    operators,
    overwriting,
    parts,
    power,
    reduction,
    remainders,
    rounding,
    selection,
    shape,
    slicing,
    softmax,
    strided,  # which fills slots
    transposing,
    truth,
    unary,
)  # fmt: skip
from .attaching import FUNCTIONS, attach, public
from .late import everything, stand_in

PARTS: tuple[ModuleType, ...] = (
    attributes, conversions, copies, creation, dispatch_classes, exchange, from_data, hooks, legacy, overrides, random,
)  # fmt: skip
MODULES: tuple[ModuleType, ...] = (
    activation, arithmetic, batched_blas, binary, blas, comparison, copying, extremes, index_put, indexing, inplace_views, joining,
    logic, matmul, memory, overwriting, parts, power, reduction, remainders, rounding, selection, shape, slicing, softmax,
    transposing, truth, unary, operators,
)  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "aten":  # torch.ops.aten
        return provided("aten")
    if name.startswith("__") or find_spec(f"{__name__}.{name}") is not None:
        raise AttributeError(f"module 'torch.ops' has no attribute '{name}'")
    found = globals()[name] = provided("namespace_of_operators")(name)
    return found


attach(MODULES, PARTS)
absent.attach(Tensor)
stand_in()
