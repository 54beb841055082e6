"""torch.testing.make_tensor: random tensors for tests (torch: testing/_creation.py)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

from ..._autograd.tensor import Tensor, make, version_counter
from ..._c10 import dtypes
from ..._c10.device import check_device
from ..._c10.errors import need_fitting
from ..random.random import FUNCTIONS
from .factories import empty


def make_tensor(
    *shape: Any, dtype: dtypes.dtype, device: Any, low: Any = None, high: Any = None, requires_grad: bool = False,
    noncontiguous: bool = False, exclude_zero: bool = False, memory_format: Any = None,
) -> Tensor:  # fmt: skip
    """Uniform numbers in [low, high): by default from -9 (0 for unsigned dtypes) to 9.

    Raises:
        ValueError: the range is empty or outside the dtype's, or arguments exclude each other.
    """
    check_device(device)
    sides = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], Sequence) else shape
    integral = dtype.category <= dtypes.INTEGER
    fits = not (noncontiguous and memory_format is not None) and not (requires_grad and integral)
    need_fitting(fits, "torch.testing.make_tensor")
    noncontiguous = noncontiguous and math.prod(sides) > 1
    if noncontiguous:
        sides = (*sides[:-1], 2 * sides[-1])
    low, high = _range(dtype, low, high)
    if integral:
        result = FUNCTIONS["randint"](math.ceil(low), math.ceil(high), sides, dtype=dtype)
    else:
        result = _uniform(empty(sides, dtype=dtype), low, high)
    if noncontiguous:
        result = result[..., 1::2]
    elif memory_format is not None:
        result = result.clone(memory_format=memory_format)
    if exclude_zero:
        result[result == 0] = 1 if integral else dtypes.finfo(dtype).tiny
    if requires_grad:
        result.requires_grad = True
    return result


def _range(kind: dtypes.dtype, low: Any, high: Any) -> tuple[Any, Any]:
    """The given or default limits, clamped to those of the dtype."""
    if kind is dtypes.bool_:
        least, most, usual = 0, 2, (0, 2)
    elif kind.category == dtypes.INTEGER:
        limits = dtypes.iinfo(kind)
        least, most, usual = limits.min, limits.max + (kind is not dtypes.int64), (-9, 10)
    else:
        real = dtypes.finfo(kind)
        least, most, usual = real.min, real.max, (-9, 9)  # type: ignore[assignment]
    low, high = usual[0] if low is None else low, usual[1] if high is None else high
    if low == high and kind.category >= dtypes.FLOATING:
        warnings.warn(
            "Passing `low==high` to `torch.testing.make_tensor` for floating or complex types is deprecated since 2.1 "
            "and will be removed in 2.3. Use `torch.full(...)` instead.",
            FutureWarning,
            stacklevel=3,
        )
    else:
        need_fitting(low < high and high >= least and low < most, "torch.testing.make_tensor")
    return min(max(low, least), most), min(max(high, least), most)


def _uniform(tensor: Tensor, low: float, high: float) -> Tensor:
    kind = tensor.dtype.to_real()
    parts: Any = make(
        tensor._array.reshape(-1).view(kind.numpy)
    )  # complex numbers are filled as pairs of real ones
    parts._version_counter = version_counter(tensor)
    if high - low >= dtypes.finfo(kind).max:
        parts.uniform_(low / 2, high / 2).mul_(2)
    else:
        parts.uniform_(low, high)
    return tensor
