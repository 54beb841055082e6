"""histogram and histogramdd (torch: native/Histogram.cpp).

A bin includes its left edge, and the last bin its right edge too. Elements outside of all bins, and nan, are ignored.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor
from ..._autograd.undefined_gradient import unsupported
from ..._c10 import dtypes, structseq
from ..._c10.errors import unimplemented
from ..._c10.operator_facts import Out, composite
from ..creation.ranges import linspace
from ..out import check_count, check_out, store_together
from ..registry import Array, Row, op

PUBLIC = ("histogram", "histogramdd")

Numbers = Sequence[float] | None


def _check_counts(points: Array, bins: Sequence[int]) -> None:
    if points.ndim < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions")
    if len(bins) != points.shape[-1]:
        raise RuntimeError(
            "histogramdd: The size of bins must be equal to the innermost dimension of the input."
        )
    for dim, count in enumerate(bins):
        if count <= 0:
            raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {count} for dimension {dim}")


def _spaced(points: Array, bins: Sequence[int], range: Numbers) -> list[Array]:
    """The edges of equally wide bins, over the range or from the smallest to the largest element.

    Raises:
        RuntimeError: the range is invalid.
    """
    n = points.shape[-1]
    if range is not None:
        if len(range) != 2 * n:
            raise RuntimeError(
                f"torch.histogramdd: for a {n}-dimensional histogram range should have {2 * n} elements, but got "
                f"{len(range)}"
            )
        outer = [(float(range[2 * dim]), float(range[2 * dim + 1])) for dim in _dims(n)]
    elif points.size:
        if points.dtype.char not in "fd":
            raise unimplemented("histogramdd", points.dtype)
        flat = points.reshape(-1, n)
        outer = [(float(flat[:, dim].min()), float(flat[:, dim].max())) for dim in _dims(n)]
    else:
        outer = [(0.0, 1.0)] * n
    edges = []
    for dim, (low, high) in enumerate(outer):
        if not (math.isfinite(low) and math.isfinite(high)):
            raise RuntimeError(
                f"torch.histogramdd: dimension {dim}'s range [{low:g}, {high:g}] is not finite"
            )
        if low > high:
            raise RuntimeError(
                f"torch.histogramdd: min should not exceed max, but got min {low:g} max {high:g} for dimension {dim}"
            )
        if low == high:
            low, high = low - 0.5, high + 0.5
        dtypes.number_within(points.dtype, high)
        edges.append(linspace(low, high, bins[dim] + 1, dtype=dtypes.BY_NUMPY[points.dtype])._array)
    return edges


def _dims(n: int) -> Any:
    return np.arange(n).tolist()


def _check(points: Array, edges: Sequence[Array], weight: Array | None) -> None:
    """Check edges and weights.

    Raises:
        RuntimeError: they do not match the input in shape or dtype.
    """
    if points.ndim < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions")
    n = points.shape[-1]
    if len(edges) != n:
        raise RuntimeError(
            f"torch.histogramdd: expected {n} sequences of bin edges for a {n}-dimensional histogram but got {len(edges)}"
        )
    kind = dtypes.c_name(points.dtype)
    for dim, each in enumerate(edges):
        of = f"in the bins tensor for dimension {dim}"
        if each.dtype != points.dtype:
            raise RuntimeError(
                "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input with dtype "
                f"{kind} and bins for dimension {dim} with dtype {dtypes.c_name(each.dtype)}"
            )
        if each.ndim != 1:
            raise RuntimeError(
                f"torch.histogramdd: bins tensor should have one dimension, but got {each.ndim} dimensions {of}"
            )
        if not each.size:
            raise RuntimeError(
                f"torch.histogramdd: bins tensor should have at least 1 element, but got 0 elements {of}"
            )
    if weight is None:
        return
    if weight.dtype != points.dtype:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should have the same dtype, "
            f"but got input({kind}), and weight({dtypes.c_name(weight.dtype)})"
        )
    if weight.shape != points.shape[:-1]:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor excluding "
            f"its innermost dimension, but got input with shape {list(points.shape)} and weight with shape "
            f"{list(weight.shape)}"
        )


def _counted(points: Array, edges: Sequence[Array], weight: Array | None, density: bool) -> Array:
    """The total weight of the points in each bin; with ``density``, divided by the sum and by the bin's volume."""
    _check(points, edges, weight)
    _check_counts(points, [each.size - 1 for each in edges])
    kind = points.dtype
    if kind.kind not in "fV":
        raise unimplemented("histogram_cpu", kind)
    flat = points.reshape(math.prod(points.shape[:-1]), len(edges))
    weights = np.ones(len(flat), kind) if weight is None else weight.reshape(-1)
    inside = np.ones(len(flat), bool)
    places = []
    for dim, each in enumerate(edges):
        column = flat[:, dim]
        inside &= (column >= each[0]) & (column <= each[-1])
        places.append(np.searchsorted(each, column, "right") - 1 - (column == each[-1]))
    result = np.zeros(tuple(each.size - 1 for each in edges), kind)
    if points.size:
        np.add.at(result, tuple(place[inside] for place in places), weights[inside])
    if density:
        result /= result.sum(dtype=kind)
        for dim, each in enumerate(edges):
            result /= np.diff(each).reshape([-1 if k == dim else 1 for k in _dims(len(edges))])
    return result


# Of elements --------------------------------------------------------------------------------------

_NO_GRADIENT = unsupported("histogram")


@op(
    "NotImplemented",
    name="histogram",
    outputs="hist bin_edges",
    returns=structseq.histogram,
    overload="bin_ct",
    vmap="fallback",
    out=Out(operator="aten::histogram"),
    self=_NO_GRADIENT,
    weight=_NO_GRADIENT,
)
def _histogram(
    self: Array, bins: int = 100, *, range: Any = None, weight: Any = None, density: bool = False
) -> tuple[Array, Array]:
    points = self.reshape(-1, 1)
    _check_counts(points, [bins])
    (edges,) = _spaced(points, [bins], range)
    return _counted(points, [edges], None if weight is None else weight.reshape(-1), density), edges


@op(
    "NotImplemented",
    name="histogram_between",
    outputs="hist bin_edges",
    returns=structseq.histogram,
    overload="bins_tensor",
    vmap="fallback",
    operator="histogram",
    self=_NO_GRADIENT,
    bins=_NO_GRADIENT,
    weight=_NO_GRADIENT,
)
def _histogram_between(
    self: Array, bins: Array, *, weight: Any = None, density: bool = False
) -> tuple[Array, Array]:
    points = self.reshape(-1, 1)
    return _counted(points, [bins], None if weight is None else weight.reshape(-1), density), bins.copy()


def _overload(input: Any, bins: Any, *others: Any, **named: Any) -> str:
    return "bins_tensor" if isinstance(bins, Tensor) else "bin_ct"


@composite(vmap="fallback", overload=_overload)
def histogram(
    input: Tensor,
    bins: Any = 100,
    *,
    range: Any = None,
    weight: Tensor | None = None,
    density: bool = False,
    out: Any = None,
) -> Any:
    """torch.histogram: the counts of the elements in each bin, (bins,), and the bins' edges, (bins + 1,).

    Args:
        bins: the number of equally wide bins, or their edges.
        range: the first and the last edge, for equally wide bins.
        weight: the weight of each element.
        density: whether to divide the counts by their sum and by the bins' widths.

    Raises:
        RuntimeError: there are no bins, the range is invalid, or edges or weights do not match the input.
        NotImplementedError: the input has an integer dtype.
    """
    if isinstance(bins, Tensor):
        if range is not None:
            raise TypeError("histogram() takes either edges or a range")
        row, options = _histogram_between.row, {"weight": weight, "density": density}  # type: ignore[attr-defined]
    else:
        _check_settings(bins.__class__ is int, range)
        row, options = _histogram.row, {"range": range, "weight": weight, "density": density}  # type: ignore[attr-defined]
    return row.call(input, bins, **options) if out is None else _written(row, out, input, bins, options)


def _check_settings(fitting: bool, range: Any) -> None:
    """Raise an error for arguments that match no overload; _arguments/overloads.py replaces it by torch's message."""
    if not fitting or not (range is None or isinstance(range, (list, tuple))):
        raise TypeError("histogram() takes no such bins or range")


def _written(row: Row, out: Any, input: Tensor, bins: Any, options: dict[str, Any]) -> Any:
    """Write counts and edges into the tensors of ``out``."""
    check_count(out, 2)
    for each, text in zip(out, (_OF_COUNTS, _OF_EDGES), strict=True):
        check_out("histogram", each, ())
        if each.dtype is not input.dtype:
            kinds = (dtypes.c_name(tensor._array.dtype) for tensor in (input, each))
            raise RuntimeError(text.format(*kinds))
    arguments = [input, bins, options["weight"]]
    values = row.evaluate(input, bins, **options)
    store_together("histogram", out[::-1], values[::-1], arguments)
    return vars(structseq)["histogram_out"](out)


_OF_COUNTS = (
    "torch.histogram: input tensor and hist tensor should have the same dtype, but got input {} and hist {}"
)
_OF_EDGES = (
    "torch.histogram: input tensor and bin_edges tensor should have the same dtype, but got input {} and bin_edges {} "
    "for dimension 0"
)

# Of points ----------------------------------------------------------------------------------------


def _without_gradient(name: str) -> dict[str, Any]:
    return dict.fromkeys(("self", "weight"), unsupported(name))


@op(
    "NotImplemented",
    name="_histogramdd_bin_edges",
    outputs="first others",
    inputs=_without_gradient("_histogramdd_bin_edges"),
)
def _edges_of(
    self: Array, bins: Any, range: Any = None, weight: Any = None, density: bool = False
) -> list[Array]:
    _check_counts(self, bins)
    edges = _spaced(self, bins, range)
    _check(self, edges, weight)
    return edges


@op(
    "NotImplemented",
    name="_histogramdd_from_bin_cts",
    inputs=_without_gradient("_histogramdd_from_bin_cts"),
)
def _counts_of(self: Array, bins: Any, range: Any = None, weight: Any = None, density: bool = False) -> Array:
    return _counted(self, _spaced(self, bins, range), weight, density)


@op(
    "NotImplemented",
    name="_histogramdd_from_bin_tensors",
    lists="bins",
    operator="_histogramdd_from_bin_tensors",
    inputs=dict.fromkeys(("self", "bins", "weight"), unsupported("_histogramdd_from_bin_tensors")),
)
def _counts_between(self: Array, bins: Any, weight: Any = None, density: bool = False) -> Array:
    return _counted(self, bins, weight, density)


@composite(variants="function", vmap="no_fallback")
def histogramdd(
    input: Tensor, bins: Any, range: Any = None, weight: Tensor | None = None, density: bool = False
) -> Any:
    """torch.histogramdd: the counts of points (*, n) in each n-dimensional bin, and the edges in each dimension.

    Args:
        bins: the number of equally wide bins, for all dimensions or for each, or the edges in each dimension.
        range: the first and the last edge of each dimension as one flat sequence, for equally wide bins.
        weight: the weight of each point, (*).
        density: whether to divide the counts by their sum and by the bins' volumes.

    Raises:
        RuntimeError: there are no bins, the range is invalid, or edges or weights do not match the input.
        NotImplementedError: the input has an integer dtype.
    """
    whole = bins.__class__ is int
    _check_settings(whole or isinstance(bins, (list, tuple)), range)
    if whole:
        bins = [bins] * (input._array.shape[-1] if input._array.ndim else 1)
    if bins and all(isinstance(each, Tensor) for each in bins):
        result = _counts_between(input, bins, weight, density)
        return structseq.histogramdd((result, tuple(bins)))
    _check_settings(all(isinstance(each, int) for each in bins), None)
    edges = _edges_of(input, bins, range, weight, density)
    return structseq.histogramdd((_counts_of(input, bins, range, weight, density), tuple(edges)))
