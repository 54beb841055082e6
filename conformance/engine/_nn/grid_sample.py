"""torch.nn.functional.grid_sample and affine_grid (torch: nn/functional.py)."""

from __future__ import annotations

from typing import Any

from .._aten.nn import grid_sampler
from .._autograd.tensor import Tensor
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
    """Sample a batch of images or volumes at the points of a grid, whose coordinates range from -1 to 1.

    Raises:
        ValueError: there is no such mode.
        RuntimeError: the sizes do not match.
    """
    for what, given, known in (("mode", mode, _MODES), ("padding_mode", padding_mode, _PADDINGS)):
        if given not in known:
            raise ValueError(
                f"nn.functional.grid_sample(): expected {what} to be one of {known}, but got: '{given}'"
            )
    align = _alignment(align_corners)
    return grid_sampler.grid_sampler(input, grid, _MODES.index(mode), _PADDINGS.index(padding_mode), align)


@composite(vmap="decompose")
def affine_grid(theta: Tensor, size: Any, align_corners: bool | None = None) -> Tensor:
    """The sampling grid of affine maps, one matrix for each sample, for images of a given size.

    Raises:
        ValueError, RuntimeError: the matrices or the size have a wrong shape.
        NotImplementedError: the size is neither that of images nor of volumes.
    """
    align = _alignment(align_corners)
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    spatial = len(size) - 2
    if spatial not in (2, 3):
        raise NotImplementedError(f"affine_grid only supports 4D and 5D sizes. Got size {size}.")
    if theta.shape != (size[0], spatial, spatial + 1):
        error = RuntimeError if theta.shape[1:] == (spatial, spatial + 1) else ValueError
        raise error(f"Expected {size[0]} matrices of shape {spatial}x{spatial + 1}. Got {theta.shape}.")
    if align and min(size[2:]) == 1:
        warn_program(
            "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. "
            "This is not an intended use case of affine_grid. See the documentation of affine_grid for details.",
        )
    elif min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    return grid_sampler.affine_grid_generator(theta, tuple(size), align)
