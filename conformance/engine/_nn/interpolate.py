"""torch.nn.functional.interpolate and its deprecated variants (torch: nn/functional.py)."""

from __future__ import annotations

from operator import index
from typing import Any

from .._aten.nn.upsample import ANTIALIASED
from .._aten.nn.upsample import ROWS as _ROWS
from .._autograd.tensor import Tensor
from .._c10.dtypes import is_half
from .._c10.errors import need_fitting
from .._c10.operator_facts import composite
from .._c10.warn_once import warn_program
from .pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d

_AREA = {1: adaptive_avg_pool1d, 2: adaptive_avg_pool2d, 3: adaptive_avg_pool3d}


def _sizes(
    input: Tensor, size: Any, scale_factor: Any, recompute: bool | None, mode: str
) -> tuple[list[int], Any]:
    spatial = input.dim() - 2
    inner = list(input.shape[2:])
    need_fitting(
        (size is None) != (scale_factor is None) and not (recompute and size is not None), "interpolate"
    )
    given = scale_factor if size is None else size
    factors = list(given) if isinstance(given, (list, tuple)) else [given] * spatial
    need_fitting(len(factors) == spatial, "interpolate")
    if size is not None:
        return [index(each) for each in factors], [None] * spatial
    found = [n * f for n, f in zip(inner, factors, strict=True)]
    if recompute or mode == "area":
        return [int(each) for each in found], [None] * spatial
    return [int(each) for each in found], [float(f) for f in factors]


@composite(vmap="decompose")
def interpolate(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
    align_corners: bool | None = None, recompute_scale_factor: bool | None = None, antialias: bool = False,
) -> Tensor:  # fmt: skip
    """Resize an image to a size or by a scale factor."""
    aligned = mode not in ("nearest", "area", "nearest-exact")
    need_fitting(aligned or align_corners is None, "interpolate")
    spatial = input.dim() - 2
    out, scales = _sizes(input, size, scale_factor, recompute_scale_factor, mode)
    if spatial in (1, 2, 3) and mode == "area" and not antialias:
        return _AREA[spatial](input, tuple(out))
    rows = ANTIALIASED if antialias else _ROWS
    need_fitting((mode, spatial) in rows and input.is_floating_point(), "interpolate")
    need_fitting(min(*input._array.shape[1:], *out) > 0, "interpolate")
    need_fitting(not (antialias and is_half(input._array.dtype)), "interpolate")
    return rows[mode, spatial](input, tuple(out), *([bool(align_corners)] if aligned else []), *scales)


@composite(vmap="decompose")
def upsample(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """interpolate under its deprecated name."""
    warn_program("`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, mode, align_corners)


@composite(vmap="decompose")
def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """interpolate with mode='nearest', deprecated."""
    warn_program(
        "`nn.functional.upsample_nearest` is deprecated. Use `nn.functional.interpolate` instead.",
    )
    return interpolate(input, size, scale_factor, mode="nearest")


@composite(vmap="decompose")
def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """interpolate with mode='bilinear' and align_corners=True, deprecated."""
    warn_program(
        "`nn.functional.upsample_bilinear` is deprecated. Use `nn.functional.interpolate` instead.",
    )
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)
