"""grid_sampler and affine_grid_generator (torch: native/GridSampler.cpp).

Note [Taps]: along each dimension a grid location reads a few neighbouring pixels ("taps"). The weight of each tap is a
polynomial in the location's distance from its base pixel: two taps of degree 1 for bilinear, four of degree 3 for
bicubic. Padding maps a location piecewise linearly; ``slope`` is the derivative of that map times the length of the
grid's unit in pixels. An output is a sum of products of weights over the corners, which are combinations of taps;
derivatives of all orders follow from those of the polynomials.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..._autograd.tensor import Tensor, make
from ..._c10.dtypes import BY_NUMPY
from ..._c10.errors import need_fitting, unimplemented
from ..._c10.operator_facts import composite
from ..blas.blas import product
from ..creation.ranges import linspace
from ..registry import Array, op
from ..shape.cat_stack import stack

BILINEAR, NEAREST, BICUBIC = range(3)
ZEROS, BORDER, REFLECTION = range(3)
PUBLIC = ("affine_grid_generator", "grid_sampler", "grid_sampler_2d", "grid_sampler_3d")
Ints = tuple[int, ...]

_A = -0.75
# The taps' offsets, and the coefficients of their weights, from the constant term upwards.
_TAPS: dict[int, dict[int, tuple[float, ...]]] = {
    BILINEAR: {0: (1, -1), 1: (0, 1)},
    NEAREST: {0: (1,)},
    BICUBIC: {
        -1: (0, _A, -2 * _A, _A),
        0: (1, 0, -(_A + 3), _A + 2),
        1: (0, -_A, 2 * _A + 3, -(_A + 2)),
        2: (0, 0, _A, -_A),
    },
}


class _Tap(NamedTuple):
    place: Array  # the index within the image, 0 outside
    inside: Array  # whether the tap is within the image
    weight: tuple[float, ...]


class _Axis(NamedTuple):
    """The taps of all locations along one dimension, see Note [Taps]."""

    beyond: Array  # the distance from the base pixel
    slope: Array
    taps: list[_Tap]


def _reflected(place: Array, low: float, high: float) -> tuple[Array, Array]:
    """Reflect locations at both bounds until they are within them; also return the slope, 1 or -1."""
    span = high - low
    if not span:
        return np.zeros_like(place), np.zeros_like(place)
    away = place - place.dtype.type(low)
    flips = np.floor(np.abs(away) / span)
    rest = np.abs(away) - flips * span
    odd = flips % 2 == 1
    result = np.where(odd, span - rest, rest) + place.dtype.type(low)
    return result, np.where(odd, -1, 1) * np.where(away < 0, -1, 1)


def _padded(place: Array, size: int, padding: int, align: bool, nan: int) -> tuple[Array, Array]:
    """Apply the padding mode to locations; also return the slope of that map."""
    slope: Array = np.ones_like(place)
    if padding == ZEROS:
        return place, slope
    if padding == REFLECTION:
        place, slope = _reflected(place, *((0, size - 1) if align else (-0.5, size - 0.5)))
    within = (place > 0) & (place < size - 1)
    kept = np.where(np.isnan(place), nan, np.clip(place, 0, size - 1))
    return kept.astype(place.dtype), slope * within


def _axis(component: Array, size: int, mode: int, padding: int, align: bool, nan: int) -> _Axis:
    kind = component.dtype.type
    unit = kind((size - 1) / 2 if align else size / 2)
    place = (component + 1) * unit if align else ((component + 1) * size - 1) / 2
    slope = np.full_like(place, unit)
    if mode != BICUBIC:
        place, moved = _padded(place, size, padding, align, nan)
        slope = (slope * moved).astype(kind)
    first = np.rint(place) if mode == NEAREST else np.floor(place)
    taps = []
    for offset, weight in _TAPS[mode].items():
        each = first + offset
        if mode == BICUBIC:
            each = _padded(each, size, padding, align, nan)[0]
        inside = (each >= 0) & (each < size)
        taps.append(_Tap(np.where(inside, each, 0).astype(np.int64), inside, weight))
    return _Axis(place - first, slope, taps)


def _axes(sizes: Ints, grid: Array, mode: int, padding: int, align: bool) -> list[_Axis]:
    """The taps along each component of the grid, with the locations of each sample flattened.

    The grid's last component belongs to the image's first spatial dimension. At a nan torch reads the first pixel in
    2d and the last one in 3d.
    """
    flat = grid.reshape(len(grid), math.prod(grid.shape[1:-1]), grid.shape[-1])
    return [
        _axis(flat[..., i], n, mode, padding, align, n - 1 if len(sizes) == 5 else 0)
        for i, n in enumerate(sizes[:1:-1])
    ]


def _polynomial(weight: tuple[float, ...], order: int, t: Any) -> Any:
    """A weight's derivative of an order, at ``t``, an array or a Tensor."""
    for _ in range(order):
        weight = tuple(i * each for i, each in enumerate(weight))[1:]
    result: Any = 0
    for each in reversed(weight):
        result = result * t + each
    return result


def _corners(sizes: Ints, axes: list[_Axis]) -> Iterator[tuple[tuple[_Tap, ...], Array, Array]]:
    """Each combination of taps, with its flat indices into the image and whether it is inside."""
    for turned in itertools.product(
        *(each.taps for each in reversed(axes))
    ):  # the image's last dimension varies fastest
        taps = turned[::-1]
        steps = [math.prod(sizes[len(sizes) - i :]) for i in range(len(axes))]
        yield (
            taps,
            sum((tap.place * step for tap, step in zip(taps, steps, strict=True)), np.int64(0)),
            np.logical_and.reduce([tap.inside for tap in taps]),
        )


def _product(axes: list[_Axis], taps: tuple[_Tap, ...], t: Any, *along: int) -> Any:
    """The product of a corner's weights, differentiated once along each axis in ``along``, which may repeat axes."""
    result = None
    for i, tap in enumerate(taps):
        order = along.count(i)
        each = _polynomial(tap.weight, order, t[i])
        for _ in range(order):
            each = each * axes[i].slope
        result = each if result is None else result * each
    return result


def _places(input: Any) -> Any:
    """Flatten the spatial dimensions, of empty tensors as well."""
    return input.reshape(*input.shape[:2], math.prod(input.shape[2:]))


def _lines(sizes: Ints) -> Array:
    """The offset of each channel of each sample in contiguous memory."""
    count, area = math.prod(sizes[:2]), math.prod(sizes[2:])
    return (np.arange(count) * area).reshape(*sizes[:2], 1)


def _read(input: Array, grid: Array, mode: int, padding: int, align: bool) -> Array:
    sizes, flat, lines = input.shape, input.ravel(), _lines(input.shape)
    axes = _axes(sizes, grid, mode, padding, align)
    beyond = [each.beyond for each in axes]
    result = np.zeros((*sizes[:2], axes[0].slope.shape[1]), axes[0].slope.dtype)
    for taps, place, inside in _corners(sizes, axes):
        weight = _product(axes, taps, beyond)
        # outside the image the 3d kernel skips pixels; the 2d one multiplies 0 by the weight, if there is one
        if len(axes) == 3 or mode == NEAREST:
            weight = np.where(inside, weight, 0)
        values = np.where(inside[:, None], flat.take(lines + place[:, None]), 0)
        result += values * weight[:, None]
    return result.astype(input.dtype, copy=False).reshape(*sizes[:2], *grid.shape[1:-1])


def _gradients(
    grad: Array, input: Array, grid: Array, mode: int, padding: int, align: bool, mask: tuple[bool, bool]
) -> tuple[Array, Array]:
    sizes, flat, lines = input.shape, input.ravel(), _lines(input.shape)
    axes = _axes(sizes, grid, mode, padding, align)
    beyond = [each.beyond for each in axes]
    kind = axes[0].slope.dtype
    outer = _places(grad).astype(kind, copy=False)
    to_input = np.zeros(flat.size)
    to_grid = np.zeros((*axes[0].slope.shape, len(axes)), kind)
    for taps, place, inside in _corners(sizes, axes):
        if mask[0]:
            weight = np.where(inside, _product(axes, taps, beyond), 0)[:, None]
            at, each = (lines + place[:, None]).ravel(), (outer * weight).ravel()
            to_input += np.bincount(at, each, flat.size)
        if mask[1] and mode != NEAREST:
            dot = np.where(inside, (outer * flat.take(lines + place[:, None])).sum(1), 0)
            for i in range(len(axes)):
                to_grid[..., i] += dot * np.where(inside, _product(axes, taps, beyond, i), 0)
    return to_input.reshape(sizes).astype(input.dtype), to_grid.reshape(grid.shape).astype(grid.dtype)


def _curvature(
    grad_output: Tensor, input: Tensor, grid: Tensor, gg_grid: Tensor, mode: int, padding: int, align: bool
) -> tuple[Any, Any, Any]:
    """The contributions of ``gg_grid`` to the gradients of grad_output, input and grid, as Tensor operations."""
    sizes = input._array.shape
    axes = _axes(sizes, grid._array, mode, padding, align)
    count = axes[0].slope.shape[1]
    kind = grid._array.dtype
    outer, flat = _places(grad_output), _places(input)
    places, change = (each.reshape(sizes[0], count, each.shape[-1]) for each in (grid, gg_grid))
    t, changes = [], []
    for i, each in enumerate(axes):
        place = places.select(-1, i)
        fixed = each.beyond - place._array * each.slope
        t.append(place * make(each.slope.astype(kind)) + make(fixed.astype(kind)))
        changes.append(change.select(-1, i))
    tensors = [_Axis(each.beyond, make(each.slope.astype(kind)), each.taps) for each in axes]
    to_output: Any = 0
    to_input: Any = 0
    to_places: list[Any] = [0] * len(axes)
    for taps, place, inside in _corners(sizes, axes):
        index = make(place)[:, None].expand(-1, sizes[1], -1)
        mask = make(inside.astype(kind))[:, None]
        values = flat.gather(2, index) * mask
        along = _sum(changes[i] * _product(tensors, taps, t, i) for i in range(len(axes)))
        part = values.reshape(grad_output.shape) * along.reshape(sizes[0], 1, *grid._array.shape[1:-1])
        to_output = part + to_output
        to_input = flat.new_zeros(flat.shape).scatter_add(2, index, outer * mask * along[:, None]) + to_input
        dot = (outer * values).sum(1)
        for j in range(len(axes)):
            terms = [_sloped(tensors, taps, t, i, j) for i in range(len(axes))]
            to_places[j] = dot * _sum(c * term for c, term in zip(changes, terms, strict=True)) + to_places[j]
    shaped = [each.reshape(grid._array.shape[:-1]) for each in to_places]
    return to_output, to_input.reshape(input.shape), stack(shaped, -1)


def _sloped(axes: list[_Axis], taps: tuple[_Tap, ...], t: Any, i: int, j: int) -> Any:
    """A corner weight's second derivative along two axes; 0 where the weight is linear."""
    return 0 if i == j and len(taps[i].weight) < 3 else _product(axes, taps, t, i, j)


def _sum(terms: Any) -> Any:
    result, *rest = (each for each in terms if each is not None)
    for each in rest:
        result = result + each
    return result


def _double(
    grads: Any, grad_output: Tensor, input: Tensor, grid: Tensor, mode: int, padding: int, align: bool, needed: Any
) -> list[Any]:  # fmt: skip
    """The gradients of grad_output, input and grid."""
    gg_input, gg_grid = grads
    result: list[Any] = [None, None, None]
    if gg_input is not None:
        spatial = len(input._array.shape) - 2
        result[0] = _SAMPLERS[spatial](gg_input, grid, mode, padding, align)
        if needed[2]:
            result[2] = _BACKWARDS[spatial](grad_output, gg_input, grid, mode, padding, align, (False, True))[
                1
            ]
    if gg_grid is not None and mode != NEAREST:
        for i, each in enumerate(_curvature(grad_output, input, grid, gg_grid, mode, padding, align)):
            result[i] = each if result[i] is None else result[i] + each
    return result


def _rows(spatial: int, kernel: str) -> tuple[Any, Any]:
    """Register forward and backward for a number of spatial dimensions."""
    name = f"grid_sampler_{spatial}d"

    def backward(
        grad_output: Array, input: Array, grid: Array, interpolation_mode: int, padding_mode: int, align_corners: bool,
        output_mask: tuple[bool, bool],
    ) -> tuple[Array, Array]:  # fmt: skip
        return _gradients(
            grad_output, input, grid, interpolation_mode, padding_mode, align_corners, output_mask
        )

    again = op(
        f"GridSampler{spatial}DBackwardBackward0",
        name=f"{name}_backward",
        outputs="grad_input grad_grid",
        inputs={
            "grad_output input grid": lambda grads, grad_output, input, grid, interpolation_mode, padding_mode,
            align_corners, needed: _double(
                grads, grad_output, input, grid, interpolation_mode, padding_mode, align_corners, needed
            )
        },
    )(backward)  # fmt: skip

    def forward(
        input: Array, grid: Array, interpolation_mode: int, padding_mode: int, align_corners: bool
    ) -> Array:
        if input.dtype.kind not in "fV":
            raise unimplemented(kernel, input.dtype)
        return _read(input, grid, interpolation_mode, padding_mode, align_corners)

    sampler = op(
        f"GridSampler{spatial}DBackward0",
        name=name,
        jvp="not_implemented",
        autocast="fp32",
        inputs={
            "input grid": lambda grad, input, grid, interpolation_mode, padding_mode, align_corners, needed: (
                again(grad, input, grid, interpolation_mode, padding_mode, align_corners, tuple(needed))
            )
        },
    )(forward)
    return sampler, again


_ROWS = {2: _rows(2, "grid_sampler_2d_cpu_kernel_impl"), 3: _rows(3, "grid_sampler3d_cpu")}
_SAMPLERS = {spatial: sampler for spatial, (sampler, _) in _ROWS.items()}
_BACKWARDS = {spatial: backward for spatial, (_, backward) in _ROWS.items()}


def _sampled(
    spatial: int, input: Tensor, grid: Tensor, mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    image, places = input._array.shape, grid._array.shape
    fits = spatial in _SAMPLERS and len(image) == len(places) == spatial + 2 and 0 not in image[2:]
    fits = fits and (places[0], places[-1]) == (image[0], spatial) and (mode != BICUBIC or spatial == 2)
    need_fitting(fits and input.dtype is grid.dtype, "grid_sampler")
    result: Tensor = _SAMPLERS[spatial](input, grid, mode, padding_mode, align_corners)
    return result


@composite(vmap="decompose", autocast="fp32")
def grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """Sample the input at the grid's locations, whose coordinates go from -1 to 1 along each dimension."""
    spatial = input._array.ndim - 2
    return _sampled(spatial, input, grid, interpolation_mode, padding_mode, align_corners)


@composite(vmap="decompose")
def grid_sampler_2d(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """grid_sampler of images."""
    return _sampled(2, input, grid, interpolation_mode, padding_mode, align_corners)


@composite(vmap="decompose")
def grid_sampler_3d(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """grid_sampler of volumes."""
    return _sampled(3, input, grid, interpolation_mode, padding_mode, align_corners)


# Grids of affine maps -----------------------------------------------------------------------------


def _base_grid(size: Ints, align: bool, kind: np.dtype[Any]) -> Array:
    """A row for each pixel: its coordinates and a 1."""
    along = []
    for n in size[2:]:
        steps = linspace(-1, 1, n, dtype=BY_NUMPY[kind])._array if n > 1 else np.zeros(1, kind)
        along.append(steps if align else steps * kind.type(n - 1) / kind.type(n))
    places = np.meshgrid(*along, indexing="ij")
    return np.stack([*reversed(places), np.ones(size[2:], kind)], -1).reshape(-1, len(size) - 1)


@op(
    "AffineGridGeneratorBackward0",
    vmap="fallback",
    theta=lambda grad, size, align_corners: _affine_backward(grad, size, align_corners),
)
def affine_grid_generator(theta: Array, size: Ints, align_corners: bool) -> Array:
    """The grid of locations from which affine maps read the pixels of images of a size."""
    base = _base_grid(size, align_corners, theta.dtype)
    return product(base, theta.swapaxes(1, 2)).reshape(len(theta), *size[2:], len(size) - 2)


def _affine_backward(grad: Tensor, size: Ints, align: bool) -> Tensor:
    n, spatial = grad._array.shape[0], len(size) - 2
    base = make(_base_grid(size, align, grad._array.dtype)).expand(n, -1, -1)
    flat = grad.reshape(n, math.prod(size[2:]), spatial)
    return base.transpose(1, 2).bmm(flat).transpose(1, 2)
