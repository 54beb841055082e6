"""torch.nn.functional.interpolate and its deprecated variants (torch: nn/functional.py)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._aten.nn.upsample import ANTIALIASED, CUBIC, LINEAR, NEAREST, NEAREST_EXACT
from .._autograd.tensor import Tensor
from .._c10.dtypes import float32, float64, uint8
from .._c10.errors import unimplemented
from .._c10.operator_facts import composite
from .._c10.warn_once import warn_program
from .pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d

_AREA = {1: adaptive_avg_pool1d, 2: adaptive_avg_pool2d, 3: adaptive_avg_pool3d}
_SPATIAL = {"linear": 1, "bilinear": 2, "trilinear": 3}
_DIMENSIONS = "Input and output must have the same number of spatial dimensions, but got"


def _sizes(
    input: Tensor, size: Any, scale_factor: Any, recompute: bool | None, mode: str
) -> tuple[list[int], Any]:
    spatial = input.dim() - 2
    inner = list(input.shape[2:])
    if (size is None) == (scale_factor is None):
        raise ValueError(
            f"{'either' if size is None else 'only one of'} size or scale_factor should be defined"
        )
    if size is not None:
        if recompute:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        if not isinstance(size, (list, tuple)):
            return [size] * spatial, [None] * spatial
        if len(size) != spatial:
            raise ValueError(f"{_DIMENSIONS} {inner} and output size of {size}.")
        if not all(isinstance(each, (int, np.integer)) for each in size):
            raise TypeError(f"expected size to be ints, but got {[type(each) for each in size]}")
        return [int(each) for each in size], [None] * spatial
    several = isinstance(scale_factor, (list, tuple))
    factors = list(scale_factor) if several else [scale_factor] * spatial
    if several and len(factors) != spatial:
        raise ValueError(f"{_DIMENSIONS} {inner} and scale_factor of shape {scale_factor}.")
    found = [n * f for n, f in zip(inner, factors, strict=True)]
    if recompute or mode == "area":
        return [int(each) for each in found], [None] * spatial
    if not all(abs(each) < 2**63 for each in found):
        raise RuntimeError("value cannot be converted to type int64_t without overflow")
    return [int(each) for each in found], [float(f) for f in factors]


@composite(vmap="decompose")
def interpolate(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
    align_corners: bool | None = None, recompute_scale_factor: bool | None = None, antialias: bool = False,
) -> Tensor:  # fmt: skip
    """Resize an image to a size or by a scale factor."""
    if mode in ("nearest", "area", "nearest-exact") and align_corners is not None:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )
    ndim = input.dim()
    out, scales = _sizes(input, size, scale_factor, recompute_scale_factor, mode)
    if antialias:
        if mode not in ("bilinear", "bicubic", "lanczos") or ndim != 4:
            raise ValueError(
                "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D "
                "tensor as input"
            )
        if mode == "lanczos" and align_corners:
            raise ValueError("Lanczos mode does not support align_corners=True")
        _check(input, out, mode, "compute_index_ranges_weights")
        return ANTIALIASED[mode](input, tuple(out), bool(align_corners), *scales)
    if mode == "lanczos" and ndim == 4:
        raise ValueError("Lanczos mode requires antialias=True")
    spatial = ndim - 2
    if spatial in (1, 2, 3) and mode == "area":
        return _AREA[spatial](input, tuple(out))
    if (
        spatial not in (1, 2, 3)
        or mode not in ("nearest", "nearest-exact", "bicubic", *_SPATIAL)
        or (mode == "bicubic" and spatial != 2)
    ):
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {ndim}D) for the modes: nearest | linear | "
            f"bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got {mode})"
        )
    needs = _SPATIAL.get(mode, spatial)
    if needs != spatial:
        raise NotImplementedError(f"Got {ndim}D input, but {mode} mode needs {needs + 2}D input")
    _check(input, out, mode)
    if mode in ("nearest", "nearest-exact"):
        rows = NEAREST if mode == "nearest" else NEAREST_EXACT
        return rows[spatial](input, tuple(out), *scales)
    row = CUBIC if mode == "bicubic" else LINEAR[spatial]
    return row(input, tuple(out), bool(align_corners), *scales)


def _check(input: Tensor, out: list[int], mode: str, kernel: str | None = None) -> None:
    inner = input._array.shape[2:]
    if any(n < 1 for n in (*inner, *out)):
        raise RuntimeError(
            f"Input and output sizes should be greater than 0, but got {list(inner)} and {out}"
        )
    if 0 in input._array.shape[1:]:
        raise RuntimeError(f"Non-empty tensor expected but got sizes {list(input._array.shape)}")
    if input.dtype in (float32, float64) or (kernel is None and input.is_floating_point()):
        return
    if input.dtype is uint8 and (mode.startswith("nearest") or mode in ("bilinear", "bicubic", "lanczos")):
        return
    if kernel is not None:
        raise unimplemented(kernel, input._array.dtype)
    kind = "nearest" if mode.startswith("nearest") else "cubic" if mode == "bicubic" else "linear"
    kernel = f"compute_indices_weights_{kind}"
    if len(out) == 2 and sum(out) <= 128 and kind != "cubic":  # so small that it is not worth another
        kernel = f"upsample_{mode.removesuffix('-exact')}2d_channels_last"
    raise unimplemented(kernel, input._array.dtype)


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
