"""sort, argsort, topk, kthvalue, median, mode and quantile.

Note [nan ranks last]: torch treats nan as greater than every number, so it comes last in ascending order and first in
descending order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor, make
from ..._c10 import dtypes, structseq
from ..._c10.errors import need_fitting
from ..._c10.operator_facts import Out, composite
from ..._c10.shapes import like_steps, wrap_dim
from ..creation.factories import full_like
from ..indexing.gather_scatter import read_along
from ..kernels import need_reals, refuse_bools
from ..registry import ROWS, Array, op
from ..scalar_operands import minus, times
from ..shape.broadcast_meshgrid import broadcast_tensors
from ..type_promotion import invalid_combination
from .introsort import unstable_along
from .min_max import evenly_distribute, nonzero_size, taken, value_selecting_backward
from .partial_sort import kth_index, top_indices
from .stable_sort import order_along

# sort ---------------------------------------------------------------------------------------------


def _sorted(self: Array, dim: Any, descending: bool, stable: bool) -> tuple[Array, Array]:
    axis = wrap_dim(dim, self.ndim)
    if self.ndim == 0:
        return self.copy(), np.zeros((), np.int64)
    where = order_along(self, axis, bool(descending))
    if (
        not stable and self.strides[axis]
    ):  # torch skips the sort of expanded dimensions; see Note [Unstable order]
        unstable_along(self, where, axis)
    return like_steps(read_along(self, axis, where), self), like_steps(where, self)


def _gather_back(grad: Tensor, dim: Any, indices: Tensor, shape: tuple[int, ...]) -> Tensor:
    return value_selecting_backward(grad, dim, indices, shape, True)


@op(
    "SortBackward0",
    name="sort",
    outputs="values indices",
    returns=structseq.sort,
    no_complex=RuntimeError(" Sort does not support complex dtypes on CPU"),
    vmap="along_dim",
    kernel_writes=1,
    self=lambda grad, self_sym_sizes, dim, indices: _gather_back(grad, dim, indices, self_sym_sizes),
)
def _sort(self: Array, dim: Any = -1, descending: bool = False) -> tuple[Array, Array]:
    return _sorted(self, dim, descending, False)


@op(
    "SortBackward1",
    name="sort_stable",
    outputs="values indices",
    returns=structseq.sort,
    overload="stable",
    no_complex=RuntimeError(" Sort does not support complex dtypes on CPU"),
    vmap="along_dim",
    kernel_writes=1,
    operator="sort",
    self=lambda grad, self_sym_sizes, dim, indices: _gather_back(grad, dim, indices, self_sym_sizes),
)
def _sort_stable(self: Array, stable: Any, dim: Any = -1, descending: bool = False) -> tuple[Array, Array]:
    return _sorted(self, dim, descending, bool(stable))


_ABSENT: Any = object()  # not passed; an explicit None selects the overload with stable


@composite(vmap="decompose", out=None)
def sort(input: Tensor, *places: Any, dim: Any = -1, descending: bool = False, stable: Any = _ABSENT) -> Any:
    """The sorted elements along a dimension, and their original indices.

    Raises:
        TypeError: dim or descending is positional together with stable.
    """
    given: list[Any] = [*places, *[dim, descending][len(places) :]]
    dim, descending = given
    if places and stable is not _ABSENT:
        raise invalid_combination("sort", (input, dim, descending))
    if stable is _ABSENT:
        return ROWS["sort"].call(input, dim, descending)
    return ROWS["sort_stable"].call(input, stable, dim, descending)


@composite(vmap="decompose", out=True)
def argsort(
    input: Tensor, *places: Any, dim: Any = -1, descending: bool = False, stable: Any = _ABSENT
) -> Tensor:
    """The indices that sort the elements along a dimension."""
    return sort(input.detach(), *places, dim=dim, descending=descending, stable=stable)[1]


@composite(vmap="decompose", out=Out(operator="sort"))
def msort(input: Tensor) -> Tensor:
    """The sorted elements along the first dimension."""
    return sort(input, 0)[0]


# topk, kthvalue -----------------------------------------------------------------------------------


@op(
    "TopkBackward0",
    name="topk",
    outputs="values indices",
    returns=structseq.topk,
    vmap="along_dim",
    contiguous_result=True,
    self=lambda grad, self_sym_sizes, dim, indices: _gather_back(grad, dim, indices, self_sym_sizes),
)
def _topk(
    self: Array, k: int, dim: Any = -1, largest: bool = True, sorted: bool = True
) -> tuple[Array, Array]:
    axis = wrap_dim(dim, self.ndim)
    if not 0 <= k <= (self.shape[axis] if self.ndim else 1):
        raise RuntimeError("selected index k out of range")
    if self.dtype.kind in "bc":
        kind = "bool" if self.dtype.kind == "b" else "complex"
        raise RuntimeError(f"{' ' * (kind == 'complex')}topk does not support {kind} dtypes on CPU")
    if self.ndim == 0:
        return self.copy(), np.zeros((), np.int64)
    where = top_indices(self, k, axis, largest, sorted)  # see Note [Ties in selection]
    return np.take_along_axis(self, where, axis), where


@composite(vmap="decompose", out=None)
def topk(input: Tensor, k: Any, dim: Any = -1, largest: bool = True, sorted: bool = True) -> Any:
    """The k largest (or smallest) elements along a dimension, and their indices."""
    return ROWS["topk"].call(input, k.__index__(), dim, largest, sorted)


@op(
    "KthvalueBackward0",
    name="kthvalue",
    outputs="values indices",
    returns=structseq.kthvalue,
    vmap="reduction_dim",
    kernel_writes=1,
    self=lambda grad, self_sym_sizes, dim, indices, keepdim: value_selecting_backward(
        grad, dim, indices, self_sym_sizes, keepdim
    ),
)
def _kthvalue(self: Array, k: int, dim: Any = -1, keepdim: bool = False) -> tuple[Array, Array]:
    axis = wrap_dim(dim, self.ndim)
    nonzero_size("kthvalue", self, axis)
    if not 1 <= k <= (self.shape[axis] if self.ndim else 1):
        raise RuntimeError("kthvalue(): selected number k out of range for dimension " + str(axis))
    if self.ndim:
        need_reals("kthvalue_cpu", self)
    return taken(self, kth_index(self, k - 1, axis) if self.ndim else np.zeros((), np.int64), axis, keepdim)


@composite(vmap="decompose", out=None)
def kthvalue(input: Tensor, k: Any, dim: Any = -1, keepdim: bool = False) -> Any:
    """The k-th smallest element along a dimension, and its index."""
    return _kthvalue(input, k.__index__(), dim, keepdim)


# median and mode ----------------------------------------------------------------------------------


def _median_index(array: Array, axis: int, ignore_nan: bool) -> Array:
    """The index of the lower median, or of the first nan unless nan is ignored."""
    n = array.shape[axis]
    order = order_along(array, axis, False)
    nans = np.isnan(array).sum(axis, keepdims=True)
    of_numbers = np.maximum((n - nans - 1) // 2, 0)
    place = of_numbers if ignore_nan else np.where(nans > 0, n - nans, of_numbers)
    return np.squeeze(np.take_along_axis(order, place, axis), axis)


def _median_all(name: str, node: str, ignore_nan: bool) -> Any:
    def forward(self: Array) -> Array:
        if not self.size:
            nothing = (
                np.nan if self.dtype.kind in "fcbV" else np.iinfo(np.promote_types(self.dtype, np.int32)).min
            )
            return np.asarray(nothing).astype(self.dtype)
        refuse_bools("median_cpu", self)
        flat = self.reshape(-1)
        return flat[_median_index(flat, 0, ignore_nan)].copy()

    forward.__name__ = name
    return op(
        node,
        no_complex="median_cpu",
        complex_if="empty",
        vmap="full_reduction",
        self=lambda grad, self, result: evenly_distribute(grad, self, result),
    )(forward)


def _median_dim(name: str, node: str, ignore_nan: bool) -> Any:
    def forward(self: Array, dim: Any, keepdim: bool = False) -> tuple[Array, Array]:
        axis = wrap_dim(dim, self.ndim)
        nonzero_size("median", self, axis)
        refuse_bools("median_out", self)
        where = _median_index(self, axis, ignore_nan) if self.ndim else np.zeros((), np.int64)
        return taken(self, where, axis, keepdim)

    forward.__name__ = f"{name}_dim"
    formula = {"self": lambda grad, self_sym_sizes, dim, indices, keepdim: value_selecting_backward(
        grad, dim, indices, self_sym_sizes, keepdim
    )}  # fmt: skip
    return op(
        node,
        outputs="values indices",
        returns=getattr(structseq, name),
        overload="dim",
        no_complex="median_out",
        operator=name,
        vmap="reduction_dim",
        **formula,
    )(forward)


def _median(name: str, ignore_nan: bool, text: str) -> Any:
    node = name.capitalize()
    every = _median_all(name, f"{node}Backward0", ignore_nan)
    _median_dim(name, f"{node}Backward1", ignore_nan)

    @composite(vmap="decompose", out=None)
    def reduce(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
        if dim is None:
            return every(input)
        return ROWS[f"{name}_dim"].call(input, dim, keepdim)

    reduce.__name__, reduce.__doc__ = name, text
    return reduce


median = _median("median", False, "The lower median; nan where there is a nan.")
nanmedian = _median("nanmedian", True, "The lower median of what is not nan.")


def _mode_index(array: Array, axis: int) -> Array:
    """The index of the most frequent element along an axis: the end of the first longest run in sorted order."""
    lines = np.moveaxis(array, axis, -1)
    where = order_along(lines, -1, False)
    unstable_along(lines, where, lines.ndim - 1)
    need_fitting(not np.isnan(lines).any(), "torch.mode")  # torch sorts them as if nan were equal to all
    values, number = np.take_along_axis(lines, where, -1), np.arange(lines.shape[-1])
    begins = np.zeros(values.shape, np.int64)  # the start of each element's run
    np.multiply(values[..., 1:] != values[..., :-1], number[1:], out=begins[..., 1:])
    np.maximum.accumulate(begins, -1, out=begins)
    longest = (number - begins).argmax(-1)
    return np.take_along_axis(where, longest[..., None], -1)[..., 0]


@op(
    "ModeBackward0",
    name="mode",
    outputs="values indices",
    returns=structseq.mode,
    no_complex="mode_cpu",
    complex_if="empty or 0-d",
    vmap="reduction_dim",
    self=lambda grad, self_sym_sizes, dim, indices, keepdim: value_selecting_backward(
        grad, dim, indices, self_sym_sizes, keepdim
    ),
)
def _mode(self: Array, dim: Any = -1, keepdim: bool = False) -> tuple[Array, Array]:
    axis = wrap_dim(dim, self.ndim)
    nonzero_size("mode", self, axis)
    if self.ndim == 0:
        return taken(self, np.zeros((), np.int64), axis, keepdim)
    return taken(self, _mode_index(self, axis), axis, keepdim)


@composite(vmap="decompose", out=None)
def mode(input: Tensor, dim: Any = -1, keepdim: bool = False) -> Any:
    """The most frequent element along a dimension (the smallest if several are), and an index of it."""
    return ROWS["mode"].call(input, dim, keepdim)


# Quantiles ----------------------------------------------------------------------------------------

_WAYS = ("linear", "lower", "higher", "midpoint", "nearest")


def _quantile(self: Tensor, q: Any, dim: Any, keepdim: bool, interpolation: str, ignore_nan: bool) -> Tensor:
    fits = self._array.size and self._array.dtype in (np.float32, np.float64) and interpolation in _WAYS
    if not isinstance(q, Tensor):
        q = make(np.array(q, self._array.dtype))
    fits = fits and q._array.ndim <= 1 and q._array.dtype == self._array.dtype
    need_fitting(fits and np.all((q._array >= 0) & (q._array <= 1)), "torch.quantile")
    ndim = self._array.ndim
    axis = wrap_dim(0 if dim is None else dim, ndim)
    shape = [1 if dim is None or i == axis else n for i, n in enumerate(self._array.shape)]
    if not keepdim:
        shape = [] if dim is None else [n for i, n in enumerate(self._array.shape) if i != axis]
    if dim is None:
        ranked = sort(self.flatten())[0]
    elif axis == ndim - 1:
        ranked = sort(self)[0]
    else:
        ranked = sort(self.unsqueeze(-1).transpose(axis, -1))[0]
    result = _interpolated(ranked.view([*shape, ranked._array.shape[-1]]), q, interpolation, ignore_nan)
    if q._array.ndim == 0:
        return result.squeeze_(-1)
    return result.unsqueeze_(0).transpose_(0, -1).squeeze_(-1)


def _interpolated(ranked: Tensor, q: Tensor, interpolation: str, ignore_nan: bool) -> Tensor:
    """The quantiles q of sorted elements along the last dimension."""
    nan = ranked.isnan()
    if ignore_nan:
        ranks = q * minus(nan.logical_not().sum(-1, True), 1)
        ranks.masked_fill_(ranks < 0, 0)
    else:
        last = ranked._array.shape[-1] - 1
        ranks, spoiled = broadcast_tensors(times(q, last), nan.any(-1, True))
        ranks = ranks.masked_fill(spoiled, last)
    if interpolation in ("lower", "higher", "nearest"):
        ranks = {"lower": ranks.floor, "higher": ranks.ceil, "nearest": ranks.round}[interpolation]()
    below = ranks.to(dtypes.int64)
    result = ranked.gather(-1, below)
    if interpolation in ("linear", "midpoint"):
        weight = full_like(ranks, 0.5) if interpolation == "midpoint" else ranks - below
        result = result.lerp_(ranked.gather(-1, ranks.ceil().to(dtypes.int64)), weight)
    return result


def _quantiles(name: str, ignore_nan: bool, text: str) -> Any:
    @composite(
        vmap="fallback",
        autocast="fp32",
        overload="default scalar",
        name=name,
        out=Out(copied=True),
    )
    def reduce(
        input: Tensor, q: Any, dim: Any = None, keepdim: bool = False, *, interpolation: str = "linear") -> Tensor:  # fmt: skip
        return _quantile(input, q, dim, keepdim, interpolation, ignore_nan)

    reduce.__name__, reduce.__doc__ = name, text
    return reduce


quantile = _quantiles("quantile", False, "The q-th quantiles; nan where there is a nan.")
nanquantile = _quantiles("nanquantile", True, "The q-th quantiles of what is not nan.")


PUBLIC = (
    "argsort", "kthvalue", "median", "mode", "msort", "nanmedian", "nanquantile", "quantile", "sort", "topk",
)  # fmt: skip
