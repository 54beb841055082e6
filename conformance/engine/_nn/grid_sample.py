"""torch.nn.functional.grid_sample and affine_grid (torch: nn/functional.py)."""

from __future__ import annotations

from typing import Any

from .._aten.nn import grid_sampler
from .._autograd.tensor import Tensor
from .._c10.errors import need_fitting
from .._c10.operator_facts import composite
from .._c10.warn_once import warn_program

_MODES = ("bilinear", "nearest", "bicubic")
_PADDINGS = ("zeros", "border", "reflection")


def _alignment(align_corners: bool | None) -> bool:
    if align_corners is not None:
        return align_corners
    warn_program(
        "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify "
        "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details.",
    )
    return False


@composite(vmap="decompose")
def grid_sample(
    input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:  # fmt: skip
    """Sample a batch of images or volumes at the points of a grid, whose coordinates range from -1 to 1."""
    align = _alignment(align_corners)
    return grid_sampler.grid_sampler(input, grid, _MODES.index(mode), _PADDINGS.index(padding_mode), align)


@composite(vmap="decompose")
def affine_grid(theta: Tensor, size: Any, align_corners: bool | None = None) -> Tensor:
    """The sampling grid of affine maps, one matrix for each sample, for images of a given size."""
    align = _alignment(align_corners)
    spatial = len(size) - 2
    fits = spatial in (2, 3) and theta.shape == (size[0], spatial, spatial + 1) and min(size) > 0
    need_fitting(fits and theta.is_floating_point(), "affine_grid")
    if align and min(size[2:]) == 1:
        warn_program(
            "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. "
            "This is not an intended use case of affine_grid. See the documentation of affine_grid for details.",
        )
    return grid_sampler.affine_grid_generator(theta, tuple(size), align)
