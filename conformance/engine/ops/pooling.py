"""Pooling: the largest or the mean of each window of the last dimensions (torch: native/Pooling.cpp)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..creation import zeros_written
from ..dtypes import BY_NUMPY, dtype, is_half
from ..formats import channels_last, contiguous_format, following, following_image, suggest_memory_format
from ..rows import Array, op
from ..tensor import Tensor
from .kernels import half_up, need_floats
from .resampling import named

PUBLIC = ()
Ints = tuple[int, ...]


def complete(spatial: int, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints = (1,)) -> list[Ints]:
    """The settings for each dimension, also where one was given for all; windows side by side without a stride."""
    return [
        each * spatial if len(each) == 1 else each for each in (kernel, stride or kernel, padding, dilation)
    ]


def places(n: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool) -> int:
    """How many windows there are along a dimension; none starts in the padding behind."""
    reach = n + 2 * padding - dilation * (kernel - 1) - 1
    found = (reach + (stride - 1 if ceil_mode else 0)) // stride + 1
    if ceil_mode and (found - 1) * stride >= n + padding:
        found -= 1
    return found


def output_sizes(sizes: Ints, settings: list[Ints], ceil_mode: bool) -> Ints:
    """How many windows there are along each dimension."""
    along = zip(sizes, *settings, strict=True)
    return tuple(places(n, k, s, p, d, ceil_mode) for n, k, s, p, d in along)


def _framed(
    array: Array, out: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, fill: Any
) -> Array:
    """The array in a frame wide enough for every window."""
    sizes = array.shape[-len(kernel) :]
    lead = array.shape[: -len(kernel)]
    along = list(zip(sizes, out, kernel, stride, padding, dilation, strict=True))
    if all(p == 0 and (o - 1) * s + d * (k - 1) + 1 <= n for n, o, k, s, p, d in along):
        return array
    frame = [max(n + 2 * p, (o - 1) * s + d * (k - 1) + 1) for n, o, k, s, p, d in along]
    result = np.full((*lead, *frame), fill, array.dtype)
    inner: list[Any] = [slice(p, p + n) for n, _, _, _, p, _ in along]
    result[(..., *inner)] = array
    return result


def _steps(out: Ints, kernel: Ints, stride: Ints, dilation: Ints) -> Iterator[tuple[Ints, tuple[slice, ...]]]:
    """Each offset in the kernel, and where in the frame it lies for all windows."""
    for offset in np.ndindex(*kernel):
        yield (
            offset,
            tuple(
                slice(o * d, o * d + s * (n - 1) + 1, s)
                for o, n, s, d in zip(offset, out, stride, dilation, strict=True)
            ),
        )


def written_zeros(_self_sym_sizes: Ints, _self_scalar_type: dtype) -> Tensor:
    """The formula of what has no gradient for its first operand, of which shape and dtype are kept."""
    return zeros_written(_self_sym_sizes, _self_scalar_type)


# The largest --------------------------------------------------------------------------------------


def _flat_places(offset: Ints, out: Ints, sizes: Ints, stride: Ints, padding: Ints, dilation: Ints) -> Array:
    """Where in the plane an offset lies for all windows, as one number; at the first offset kept inside."""
    total: Any = np.zeros((), np.int64)
    for o, n, size, s, p, d in zip(offset, out, sizes, stride, padding, dilation, strict=True):
        along = np.arange(n) * s - p + o * d
        total = np.expand_dims(total * size, -1) + along
    return total


def _first_inside(out: Ints, sizes: Ints, stride: Ints, padding: Ints, dilation: Ints) -> Array:
    total: Any = np.zeros((), np.int64)
    for n, size, s, p, d in zip(out, sizes, stride, padding, dilation, strict=True):
        start = np.arange(n) * s - p
        start = np.where(start < 0, start + -(start // d) * d, start)
        total = np.expand_dims(total * size, -1) + start
    return total


def _largest(self: Array, settings: list[Ints], ceil_mode: bool) -> Any:
    kernel, stride, padding, dilation = settings
    if len(kernel) == 3 and suggest_memory_format(self) is channels_last:
        raise RuntimeError("Unsupported memory format. Supports only ChannelsLast3d, Contiguous")
    sizes = self.shape[-len(kernel) :]
    out = output_sizes(sizes, settings, ceil_mode)
    floating = self.dtype.kind in "fV"
    lowest = -np.inf if floating else np.iinfo(self.dtype).min
    frame = _framed(self, out, kernel, stride, padding, dilation, lowest)
    lead = self.shape[: -len(kernel)]
    best = np.full((*lead, *out), lowest, self.dtype)
    where = np.broadcast_to(_first_inside(out, sizes, stride, padding, dilation), best.shape).copy()
    for offset, window in _steps(out, kernel, stride, dilation):
        here = frame[(..., *window)]
        larger = here > best
        if floating:
            larger |= np.isnan(here)
        np.copyto(best, here, where=larger)
        np.copyto(where, _flat_places(offset, out, sizes, stride, padding, dilation), where=larger)
    return following(best, self), following(where, self)


def at_indices(grad: Array, indices: Array, shape: Ints, spatial: int) -> Array:
    """Zeros with each gradient added where its element came from."""
    area = math.prod(shape[-spatial:])
    planes = math.prod(shape[:-spatial])
    flat = indices.reshape(planes, math.prod(indices.shape[-spatial:])) + (np.arange(planes) * area)[:, None]
    if is_half(grad.dtype):
        halves = np.zeros(planes * area, grad.dtype)
        np.add.at(halves, flat.ravel(), grad.ravel())
        return halves.reshape(shape)
    found = np.bincount(flat.ravel(), grad.ravel().astype(np.float64), planes * area)
    return found.astype(grad.dtype).reshape(shape)


def gathered(grad: Tensor, indices: Tensor, spatial: int) -> Tensor:
    """torch's max_pool_double_backward: of each plane the elements that were the largest."""
    shape = indices._array.shape
    flat = (*shape[: len(shape) - spatial], math.prod(shape[len(shape) - spatial :]))
    lead = grad._array.shape[: len(shape) - spatial]
    area = math.prod(grad._array.shape[len(shape) - spatial :])
    try:
        planes = grad.view(*lead, area)
    except RuntimeError:
        planes = grad.contiguous().view(*lead, area)
    return planes.gather(-1, indices.reshape(flat)).view(shape)


def kernel_of(name: str, array: Array) -> str:
    """The name of the kernel: there is another where the channels are last."""
    return f"{name}_channels_last" if suggest_memory_format(array) is not contiguous_format else name


def _max_rows(spatial: int) -> Any:
    @op(
        f"MaxPool{spatial}DWithIndicesBackwardBackward0",
        name=f"max_pool{spatial}d_with_indices_backward",
        tensors="indices",
        grad_output=lambda grad, indices: gathered(grad, indices, spatial),
        self=written_zeros,
    )
    def backward(
        grad_output: Array, self: Array, kernel_size: Ints, stride: Ints, padding: Ints, dilation: Ints,
        ceil_mode: bool, indices: Array,
    ) -> Array:  # fmt: skip
        return following(at_indices(grad_output, indices, self.shape, spatial), self)

    @op(
        f"MaxPool{spatial}DWithIndicesBackward0",
        name=f"max_pool{spatial}d_with_indices",
        outputs="result0 result1",
        self=lambda grad, self, kernel_size, stride, padding, dilation, ceil_mode, result1: backward(
            grad, self, kernel_size, stride, padding, dilation, ceil_mode, result1
        ),
    )
    def forward(
        self: Array, kernel_size: Ints, stride: Ints, padding: Ints, dilation: Ints, ceil_mode: bool
    ) -> Any:
        return _largest(self, complete(spatial, kernel_size, stride, padding, dilation), ceil_mode)

    return forward


MAX = {n: _max_rows(n) for n in (2, 3)}


# The mean -----------------------------------------------------------------------------------------


def _divisors(sizes: Ints, out: Ints, kernel: Ints, stride: Ints, padding: Ints, with_padding: bool) -> Any:
    """How many elements each window counts."""
    total: Any = np.ones(())
    for size, n, k, s, p in zip(sizes, out, kernel, stride, padding, strict=True):
        start = np.arange(n) * s - p
        end = np.minimum(start + k, size + p)
        count = end - start if with_padding else np.minimum(end, size) - np.maximum(start, 0)
        total = np.expand_dims(total, -1) * count
    return total


def _shares(
    self: Array, settings: list[Ints], ceil_mode: bool, with_padding: bool, divisor: int | None
) -> tuple[Ints, Any]:
    kernel, stride, padding, _ = settings
    sizes = self.shape[-len(kernel) :]
    out = output_sizes(sizes, settings, ceil_mode)
    return out, divisor or _divisors(sizes, out, kernel, stride, padding, with_padding)


def _mean_rows(spatial: int) -> Any:
    @op(
        f"AvgPool{spatial}DBackwardBackward0",
        name=f"avg_pool{spatial}d_backward",
        grad_output=lambda grad, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override: (
            forward(grad, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
        ),
        self=written_zeros,
    )
    def backward(
        grad_output: Array, self: Array, kernel_size: Ints, stride: Ints, padding: Ints, ceil_mode: bool,
        count_include_pad: bool, divisor_override: int | None,
    ) -> Array:  # fmt: skip
        settings = complete(spatial, kernel_size, stride, padding)
        kernel_size, stride, padding, ones = settings
        out, share = _shares(self, settings, ceil_mode, count_include_pad, divisor_override)
        each = (half_up(grad_output) / share).astype(self.dtype, copy=False)
        sizes = self.shape[-spatial:]
        frame = [
            max(n + 2 * p, (o - 1) * s + k)
            for n, p, o, s, k in zip(sizes, padding, out, stride, kernel_size, strict=True)
        ]
        found = np.zeros((*self.shape[:-spatial], *frame), each.dtype)
        steps = list(_steps(out, kernel_size, stride, ones))
        for _, window in reversed(
            steps
        ):  # so that what each element gets is added in the order of the windows
            found[(..., *window)] += each
        inner = found[(..., *(slice(p, p + n) for n, p in zip(sizes, padding, strict=True)))]
        return following_image(spatial, inner.astype(self.dtype, copy=False), self)

    @op(
        f"AvgPool{spatial}DBackward0",
        name=f"avg_pool{spatial}d",
        self=lambda grad, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override: (
            backward(grad, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
        ),
    )
    def forward(
        self: Array, kernel_size: Ints, stride: Ints, padding: Ints, ceil_mode: bool, count_include_pad: bool,
        divisor_override: int | None,
    ) -> Array:  # fmt: skip
        settings = complete(spatial, kernel_size, stride, padding)
        kernel_size, stride, padding, ones = settings
        out, share = _shares(self, settings, ceil_mode, count_include_pad, divisor_override)
        frame = _framed(self, out, kernel_size, stride, padding, ones, 0)
        total = np.zeros((*self.shape[:-spatial], *out), np.promote_types(self.dtype, np.float32))
        for _, window in _steps(out, kernel_size, stride, ones):
            total += frame[(..., *window)]
        return following_image(spatial, (total / share).astype(self.dtype), self)

    return forward


MEAN = {n: _mean_rows(n) for n in (2, 3)}


# As many windows as are asked for -----------------------------------------------------------------


def _bounds(n: int, out: int) -> list[tuple[int, int]]:
    return [(i * n // out, -(-(i + 1) * n // out)) for i in range(out)]


def _windows(sizes: Ints, out: Ints) -> Iterator[tuple[Any, tuple[slice, ...]]]:
    """The place and the extent of each of so many windows."""
    bounds = [_bounds(n, o) for n, o in zip(sizes, out, strict=True)]
    for place in np.ndindex(*out):
        yield place, tuple(slice(*bounds[i][p]) for i, p in enumerate(place))


def _adaptive_mean_of_volumes(array: Array, out: Ints) -> Array:
    """Of halves in three dimensions, rounded after each step."""
    found = np.zeros((*array.shape[:-3], *out), array.dtype)
    for place, window in _windows(array.shape[-3:], out):
        part = array[(..., *window)]
        total: Array = np.add.accumulate(part.reshape(*array.shape[:-3], math.prod(part.shape[-3:])), -1)[
            ..., -1
        ]
        for n in part.shape[-3:]:
            total = total / array.dtype.type(n)
        found[(..., *place)] = total
    return found


def _adaptive_spread_of_halves(grad: Array, sizes: Ints) -> Array:
    """Added in the order of the windows, rounded after each step."""
    spatial = len(sizes)
    found = np.zeros((*grad.shape[:-spatial], *sizes), grad.dtype)
    for place, window in _windows(sizes, grad.shape[-spatial:]):
        each = grad[(..., *place)]
        for extent in window:
            each = each / grad.dtype.type(extent.stop - extent.start)
        found[(..., *window)] += each.reshape(*each.shape, *(1,) * spatial)
    return found


def _adaptive_mean(array: Array, axis: int, out: int) -> Array:
    n = array.shape[axis]
    moved = np.moveaxis(array, axis, 0)
    parts = [
        np.mean(moved[a:b], 0, dtype=np.promote_types(array.dtype, np.float32)) for a, b in _bounds(n, out)
    ]
    found = np.stack(parts) if parts else np.zeros((0, *moved.shape[1:]), array.dtype)
    return np.moveaxis(found, 0, axis)


def _adaptive_spread(array: Array, axis: int, n: int) -> Array:
    moved = np.moveaxis(array, axis, 0)
    found = np.zeros((n, *moved.shape[1:]), np.promote_types(array.dtype, np.float32))
    for place, (a, b) in enumerate(_bounds(n, array.shape[axis])):
        found[a:b] += moved[place] / (b - a)
    return np.moveaxis(found, 0, axis)


def _adaptive_mean_rows(spatial: int) -> Any:
    axes = range(-spatial, 0)
    sizes = [f"grad_output_sym_argsize_minus_{-axis}" for axis in axes]

    def spread(grad_output: Array, self: Array, *_: int) -> Array:
        _check_grad(f"adaptive_avg_pool{spatial}d_backward", grad_output)
        found = grad_output
        if is_half(grad_output.dtype):
            return following_image(spatial, _adaptive_spread_of_halves(found, self.shape[-spatial:]), self)
        for axis in axes:
            found = _adaptive_spread(found, axis, self.shape[axis])
        return following_image(spatial, found.astype(self.dtype, copy=False), self)

    def again(grad: Tensor, *sizes: int) -> Tensor:
        return forward(grad, sizes)

    backward = op(
        f"AdaptiveAvgPool{spatial}DBackwardBackward0",
        name=f"_adaptive_avg_pool{spatial}d_backward",
        grad_output=named(again, "grad", *sizes),
        self=written_zeros,
    )(named(spread, "grad_output", "self", *sizes))

    @op(
        f"AdaptiveAvgPool{spatial}DBackward0",
        name=f"_adaptive_avg_pool{spatial}d",
        self=lambda grad, self: backward(grad, self, *grad._array.shape[-spatial:]),
    )
    def forward(self: Array, output_size: Ints) -> Array:
        found = self
        if spatial == 3 and is_half(self.dtype) and math.prod(output_size):
            return following_image(spatial, _adaptive_mean_of_volumes(self, output_size), self)
        for axis, out in zip(axes, output_size, strict=True):
            found = _adaptive_mean(found, axis, out)
        return following_image(spatial, found.astype(self.dtype, copy=False), self)

    return forward


def _check_grad(name: str, grad_output: Array) -> None:
    """The gradient of an adaptive pool may be empty only for want of samples."""
    if 0 in grad_output.shape[1:]:
        raise RuntimeError(
            f"{name}(): Expected grad_output to have non-zero size for non-batch dimensions, but grad_output has sizes "
            f"{list(grad_output.shape)} with dimension {grad_output.shape.index(0, 1)} being empty"
        )


def _adaptive_largest(self: Array, output_size: Ints) -> Any:
    spatial = len(output_size)
    sizes, lead = self.shape[-spatial:], self.shape[:-spatial]
    best = np.zeros((*lead, *output_size), self.dtype)
    where = np.zeros(best.shape, np.int64)
    bounds = [_bounds(n, out) for n, out in zip(sizes, output_size, strict=True)]
    for place in np.ndindex(*output_size):
        window = [bounds[i][p] for i, p in enumerate(place)]
        part = self[(..., *(slice(a, b) for a, b in window))]
        flat = part.reshape(*lead, math.prod(part.shape[-spatial:]))
        chosen = np.argmax(flat, -1)
        unknown = np.isnan(flat)
        if unknown.any():  # the last nan of a window wins
            last = flat.shape[-1] - 1 - np.argmax(unknown[..., ::-1], -1)
            chosen = np.where(unknown.any(-1), last, chosen)
        best[(..., *place)] = np.take_along_axis(flat, chosen[..., None], -1)[..., 0]
        total: Any = 0
        for along, (a, _), n in zip(
            np.unravel_index(chosen, part.shape[-spatial:]), window, sizes, strict=True
        ):
            total = total * n + along + a
        where[(..., *place)] = total
    return following_image(spatial, best, self), following_image(spatial, where, self)


def _adaptive_max_rows(spatial: int) -> Any:
    @op(
        f"AdaptiveMaxPool{spatial}DBackwardBackward0",
        name=f"adaptive_max_pool{spatial}d_backward",
        tensors="indices",
        grad_output=lambda grad, indices: gathered(grad, indices, spatial),
        self=written_zeros,
    )
    def backward(grad_output: Array, self: Array, indices: Array) -> Array:
        _check_grad(f"adaptive_max_pool{spatial}d_backward", grad_output)
        return following_image(spatial, at_indices(grad_output, indices, self.shape, spatial), self)

    @op(
        f"AdaptiveMaxPool{spatial}DBackward0",
        name=f"adaptive_max_pool{spatial}d",
        outputs="result0 result1",
        self=lambda grad, self, result1: backward(grad, self, result1),
    )
    def forward(self: Array, output_size: Ints) -> Any:
        return _adaptive_largest(self, output_size)

    return forward


ADAPTIVE_MEAN = {n: _adaptive_mean_rows(n) for n in (2, 3)}
ADAPTIVE_MAX = {n: _adaptive_max_rows(n) for n in (2, 3)}


# Back to where the largest were -------------------------------------------------------------------


def _check_unpool(self: Array, indices: Array, output_size: Ints, spatial: int) -> None:
    name = f"max_unpooling{spatial}d"
    if indices.dtype != np.int64:
        but = f" but got: {BY_NUMPY[indices.dtype].legacy}" if spatial == 2 else ""
        raise RuntimeError(f"elements in indices should be type int64{but}")
    count = ""
    if len(output_size) != spatial:
        wanted = "two elements (height, width)" if spatial == 2 else "three elements (depth, height, width)"
        count = f"There should be exactly {wanted} in output_size, but got {len(output_size)} elements."
    if count and spatial == 2:
        raise RuntimeError(count)
    if self.ndim not in (spatial + 1, spatial + 2):
        raise RuntimeError(
            f"Input to {name} should be a {spatial + 1}d or {spatial + 2}d Tensor, but got a tensor with {self.ndim} "
            "dimensions."
        )
    if count:
        raise RuntimeError(count)
    if indices.shape != self.shape:
        raise RuntimeError(
            f"Expected shape of indices to be same as that of the input tensor ({list(self.shape)}) but got indices tensor "
            f"with shape: {list(indices.shape)}"
        )
    if 0 in self.shape[1:]:
        raise RuntimeError(
            f"{name}_forward_out_cpu(): Expected input to have non-zero size for non-batch dimensions, but got "
            f"{list(self.shape)} with dimension {self.shape.index(0, 1)} being empty."
        )


def _unpool_rows(spatial: int) -> Any:
    @op(
        f"MaxUnpool{spatial}DBackward0",
        name=f"max_unpool{spatial}d",
        tensors="indices",
        self=lambda grad, indices: gathered(grad, indices, spatial),
    )
    def forward(self: Array, indices: Array, output_size: Ints) -> Array:
        _check_unpool(self, indices, output_size, spatial)
        if not self.size or 0 in output_size:
            return np.zeros((*self.shape[:-spatial], *output_size), self.dtype)
        need_floats(kernel_of("max_unpool2d", self) if spatial == 2 else "max_unpool3d", self)
        area = math.prod(output_size)
        wrong = indices[(indices < 0) | (indices >= area)]
        if wrong.size:
            sizes = "x".join(map(str, output_size))
            raise RuntimeError(
                f"Found an invalid max index: {int(wrong.flat[-1])} (output volumes are of size {sizes})"
            )
        found = np.zeros((*self.shape[:-spatial], area), self.dtype)
        flat = (*self.shape[:-spatial], -1)
        np.put_along_axis(found, indices.reshape(flat), self.reshape(flat), -1)
        return following_image(spatial, found.reshape(*self.shape[:-spatial], *output_size), self)

    return forward


UNPOOL = {n: _unpool_rows(n) for n in (2, 3)}
