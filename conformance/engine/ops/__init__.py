"""The operations, by kind. Importing this package attaches them to Tensor."""

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
    arranging,
    batched_blas,
    binary,
    blas,
    comparison,
    contraction,
    copying,
    cumulative,
    diagonals,
    differences,
    distances,
    einsum,
    extremes,
    gamma,
    gated,
    gather,
    grids,
    hashing,
    histograms,
    index_put,
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
    norms,
    operators,
    ordering,
    overwriting,
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
    strided,  # which fills slots
    transposing,
    truth,
    unary,
    view_copies,
    windows,
)  # fmt: skip
from .attaching import FUNCTIONS, attach, public

PARTS: tuple[ModuleType, ...] = (
    attributes, conversions, copies, creation, dispatch_classes, exchange, from_data, hooks, legacy, overrides, random,
)  # fmt: skip
MODULES: tuple[ModuleType, ...] = (
    activation, arithmetic, arranging, batched_blas, binary, blas, comparison, contraction, copying, cumulative,
    diagonals, differences, distances, einsum, extremes, gamma, gated, gather, grids, hashing, histograms, index_put,
    index_select, indexing, inplace_views, joining, linear_algebra, logic, masking, matmul, memory, moments, norms,
    ordering, overwriting, parts, power, private, reduction, remainders, removed, replacing, rounding, scatter_reduce,
    searching, segments, selection, shape, slicing, smooth, softmax, special, splitting, transposing, truth, unary,
    view_copies, windows, operators,
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
