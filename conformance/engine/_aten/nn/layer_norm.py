"""layer_norm, group_norm and rms_norm (torch: native/layer_norm.cpp)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor, make
from ..._c10.layout import following
from ..._c10.modes import state
from ..kernels import need_floats
from ..reduction.sum_mean_prod import mean_backward
from ..reduction.var_std import variance_backward
from ..registry import Array, OptionalArray, op
from ..scalar_operands import over, over_, plus, times
from .batch_norm import plus_shift

PUBLIC = ()
Ints = tuple[int, ...]


def _exact(array: Array | None) -> Any:
    """A copy in double precision."""
    return None if array is None else array.astype(np.float64)


def _normal(array: Array, mean: Array, rstd: Array) -> Array:
    """(array - mean) * rstd, in double precision."""
    result = _exact(array)
    result -= mean
    result *= rstd
    return result


# Of the last dimensions; mean and inverse deviation are arguments, see Note [Statistics] -----------


def layer_statistics(array: Array, count: int, eps: float) -> tuple[Array, Array, Array]:
    """Mean and inverse standard deviation over the last ``count`` dimensions, and the normalized array, in double
    precision.
    """
    shape = (*array.shape[: array.ndim - count], *(1,) * count)
    normal = array.astype(np.float64, order="C")
    if not array.size:
        return np.zeros(shape), np.full(shape, np.nan), normal
    lines = normal.reshape(math.prod(shape), -1)
    n = lines.shape[1]
    mean = lines @ np.ones(n) / n  # twice as fast as lines.mean(1)
    lines -= mean[:, None]
    variance = np.vecdot(lines, lines) / n
    rstd = 1 / np.sqrt(variance + eps)
    lines *= rstd[:, None]
    return mean.reshape(shape), rstd.reshape(shape), normal


def _of_input(grad: Array, input: Array, mean: Array, rstd: Array, inner: tuple[int, ...], n: int) -> Array:
    """The input's gradient, computed as in torch's kernel and in its precision: 0 for a constant gradient."""
    along, total = (grad * input).sum(inner, keepdims=True), grad.sum(inner, keepdims=True)
    b = (total * mean - along) * rstd * rstd * rstd / n
    result = np.multiply(rstd, grad, order="C")
    result += b * input
    result -= b * mean + total * rstd / n
    return result


@op(
    "NativeLayerNormBackward0",
    tensors="result1 result2",
    jvp="multilinear",
    tangent_writes="normalized",
    inputs={
        "input weight bias": lambda grad, input, normalized_shape, weight, bias, result1, result2, needed: (
            native_layer_norm_backward(
                grad, input, normalized_shape, result1, result2, weight, bias, tuple(needed)
            )
        )
    },
)
def native_layer_norm(
    input: Array,
    normalized_shape: Ints,
    weight: OptionalArray,
    bias: OptionalArray,
    result1: Array,
    result2: Array,
    exact: Any,
) -> Array:
    """Normalize the last dimensions, then scale and shift; ``exact`` is the normalized array of layer_statistics."""
    result = exact[-1]
    if weight is not None:
        result = result * weight
    if bias is not None:
        result = result + bias
    return result.astype(input.dtype, order="C")


@op(
    "NativeLayerNormBackwardBackward0",
    outputs="grad_input grad_weight grad_bias",
    inputs={
        "grad_out input mean rstd weight bias": lambda grads, grad_out, input, normalized_shape, mean, rstd, weight,
        needed: _layer_norm_double(grads, grad_out, input, normalized_shape, mean, rstd, weight, needed)
    },
)  # fmt: skip
def native_layer_norm_backward(
    grad_out: Array, input: Array, normalized_shape: Ints, mean: Array, rstd: Array, weight: OptionalArray,
    bias: OptionalArray, output_mask: tuple[bool, ...],
) -> Any:  # fmt: skip
    """The gradients of input, weight and bias."""
    inner = tuple(range(input.ndim - len(normalized_shape), input.ndim))
    outer = tuple(range(input.ndim - len(normalized_shape)))
    kind = np.promote_types(input.dtype, np.float32)
    result = [np.zeros(0)] * 3
    if output_mask[0]:
        grad = grad_out.astype(kind, copy=False)
        if weight is not None:
            grad = grad * weight.astype(kind, copy=False)
        n = math.prod(normalized_shape)
        result[0] = _of_input(
            grad, input.astype(kind, copy=False), mean.astype(kind), rstd.astype(kind), inner, n
        ).astype(input.dtype, copy=False)
    if output_mask[1]:
        normal = _normal(input, mean, _exact(rstd))
        normal *= grad_out
        result[1] = normal.sum(outer).astype(input.dtype).astype(weight.dtype)
    if output_mask[2]:
        result[2] = _exact(grad_out).sum(outer).astype(input.dtype).astype(bias.dtype)
    return result


def _layer_norm_double(
    grads: Any,
    grad_out: Tensor,
    input: Tensor,
    shape: Ints,
    mean: Tensor,
    rstd: Tensor,
    weight: Any,
    needed: Any,
) -> Any:
    """The gradients of grad_out, input and weight; mean and rstd count as constants, as in torch.

    The steps are torch's (torch: FunctionsManual.cpp, layer_norm_double_backward), since higher derivatives expose
    them: without a weight it multiplies by 1, and the right one of two factors is computed first.
    """
    gg_input, gg_weight, gg_bias = grads
    n = math.prod(shape)
    m = math.prod(input._array.shape[: input._array.ndim - len(shape)])
    x, g = input.reshape(m, n), grad_out.reshape(m, n)
    mu, sigma = mean.reshape(m, 1), rstd.reshape(m, 1)
    one = make(np.ones(1, input._array.dtype))
    gamma = one if weight is None else weight.reshape(1, n)
    spread = None if gg_weight is None else gg_weight.reshape(1, n)
    shifted = None if gg_bias is None or weight is None else gg_bias.reshape(1, n)
    gg = None if gg_input is None else gg_input.reshape(m, n)
    centered = x - mu
    cube = sigma.pow(3)
    cubed = centered * cube

    g_out = g_input = g_weight = None
    if gg is not None:
        g_input = _layer_norm_second(gg, g * gamma, centered, sigma, cube, cubed, n)
    if spread is not None:
        term = g * spread * sigma
        second = over(sigma * _in_sample(g * spread), -n)
        third = over(cubed * _in_sample(g * spread * centered), -n)
        term.add_(second).add_(third)
        g_input = term if g_input is None else g_input.add_(term)
    whole = input._array.shape
    g_input = None if g_input is None else g_input.reshape(whole)
    if gg is not None:
        if needed[4]:
            of_one = _layer_norm_first(gg, one, centered, sigma, n)
            g_weight = (g * of_one).sum(0).reshape(weight._array.shape)
        g_out = _layer_norm_first(gg, gamma, centered, sigma, n)
    if spread is not None:
        term = spread * centered * sigma
        g_out = term if g_out is None else g_out.add_(term)
    g_out = plus_shift(g_out, shifted, gg_bias)
    g_out = None if g_out is None else g_out.expand(m, n).reshape(whole)
    return g_out, g_input, None, None, g_weight, None


def _in_sample(each: Tensor) -> Tensor:
    """The sum of each sample."""
    return each.sum(1, keepdim=True)


def _layer_norm_first(grad: Tensor, scale: Tensor, centered: Tensor, sigma: Tensor, n: int) -> Tensor:
    """The gradient of the input; apart from the weight the map is symmetric."""
    h0 = over(scale * sigma, n)
    h1 = times(grad, n) - _in_sample(grad)
    along = _in_sample(grad * centered)
    return h0 * (h1 - centered * sigma.pow(2) * along)


def _layer_norm_second(
    gg: Tensor, scaled: Tensor, centered: Tensor, sigma: Tensor, cube: Tensor, cubed: Tensor, n: int
) -> Tensor:
    """The contribution of ``gg`` (the gradient of grad_input) to the input; ``scaled`` is grad_out times the weight."""
    along, sums = _in_sample(scaled * centered), _in_sample(scaled)
    gg_sum, gg_along = _in_sample(gg), _in_sample(gg * centered)
    inner = over(gg_sum * sums, n) - _in_sample(gg * scaled)
    inner = inner + times(sigma.pow(2) * along * gg_along, 3.0 / n if n else math.inf)
    result = over_(cubed * inner, n)
    less = over(sums, n) - scaled
    second = over(gg_along * cube, n) * less
    less = over(gg_sum, n) - gg
    third = over(along * cube, n) * less
    return result.add_(second).add_(third)


# Of groups of channels ----------------------------------------------------------------------------


@op(
    name="native_group_norm_backward",
    tensors="grad_out input mean rstd weight",
    outputs="grad_input grad_weight grad_bias",
)
def _group_norm_slope(
    grad_out: Array, input: Array, mean: Array, rstd: Array, weight: OptionalArray, N: int, C: int, HxW: int,
    group: int, output_mask: tuple[bool, ...],
) -> Any:  # fmt: skip
    """The gradients of input, weight and bias, see Note [Kernels of first derivatives]; only the end is rounded."""
    kind, each = np.promote_types(input.dtype, np.float32), C // group
    g, x = (array.astype(kind, copy=False).reshape(N, group, each, HxW) for array in (grad_out, input))
    mu, sigma = (array.astype(kind, copy=False).reshape(N, group, 1, 1) for array in (mean, rstd))
    share = kind.type(1.0 / (each * HxW) if each * HxW else 0.0)
    along, total = (g * x).sum(3, keepdims=True), g.sum(3, keepdims=True)
    result = [np.zeros(0, input.dtype)] * 3
    if output_mask[0]:
        a, b, c = sigma, along, total
        if weight is not None:
            gamma = weight.astype(kind, copy=False).reshape(1, group, each, 1)
            a, b, c = a * gamma, b * gamma, c * gamma
        cube = sigma * sigma * sigma
        b, c = b.sum(2, keepdims=True), c.sum(2, keepdims=True)
        b = (c * mu - b) * cube * share
        c = -b * mu - c * sigma * share
        result[0] = following((a * g + b * x + c).reshape(input.shape).astype(input.dtype, copy=False), input)
    if output_mask[1]:
        result[1] = ((along - total * mu) * sigma).sum(0).reshape(C).astype(weight.dtype, copy=False)
    if output_mask[2]:
        result[2] = (
            total.sum(0).reshape(C).astype(input.dtype if weight is None else weight.dtype, copy=False)
        )
    return result


def _group_norm_backward(
    grads: Any, input: Tensor, weight: Any, N: int, C: int, HxW: int, group: int, eps: float,
    result1: Tensor, result2: Tensor, needed: Any,
) -> list[Any]:  # fmt: skip
    """torch's infinitely differentiable formula; torch's kernel where no graph of the gradient is created.

    The gradients of mean and inverse deviation are used only if both are given, as in torch.
    """
    if not state.grad_enabled and grads[1] is None and grads[2] is None:
        return _group_norm_slope(grads[0], input, result1, result2, weight, N, C, HxW, group, tuple(needed))
    grad, grad_mean, grad_rstd = grads
    n, groups, area, each = N, group, HxW, C // group
    share = 1.0 / (each * area) if each * area else 0.0
    x = input.reshape(n, groups, each, area)
    mu, sigma = result1.reshape(n, groups, 1, 1), result2.reshape(n, groups, 1, 1)
    g_input = g_weight = g_bias = None
    if grad is not None:
        g = grad.reshape(n, groups, each, area)
        ds, db = (g * x).sum(3).unsqueeze_(-1), g.sum(3).unsqueeze_(-1)
    if needed[0]:
        gamma = None if weight is None else weight.reshape(1, groups, each, 1)
        cube = sigma * sigma * sigma
        if grad_rstd is not None:  # here and below: see Note [Right operands first]
            grad_rstd = grad_rstd.view(n, groups, 1, 1)
            grad_var = times(cube, -0.5) * grad_rstd
        if grad is not None:
            a = sigma if gamma is None else sigma * gamma
            b = (ds if gamma is None else ds * gamma).sum(2).unsqueeze_(-2)
            c = (db if gamma is None else db * gamma).sum(2).unsqueeze_(-2)
            b = times((c * mu - b) * cube, share)
            by_deviation = times(c * sigma, share)
            c = -b * mu - by_deviation
            by_input = b * x
            g_input = a * g + by_input + c
        if grad_mean is not None and grad_rstd is not None:
            grad_mean = grad_mean.view(n, groups, 1, 1)
            term = variance_backward(grad_var, x, (2, 3), 0, True)
            term = term + mean_backward(grad_mean, x._array.shape, (2, 3), True)
            if g_input is None:
                g_input = term
            else:
                g_input += term
        g_input = None if g_input is None else g_input.reshape(input._array.shape)
    if grad is not None and needed[1]:
        g_weight = ((ds - db * mu) * sigma).sum(0).reshape(weight._array.shape)
    if grad is not None and needed[2]:
        g_bias = db.sum(0).reshape(C)
    return [g_input, g_weight, g_bias]


@op(
    "NativeGroupNormBackward0",
    outputs="result0 result1 result2",
    jvp="multilinear",
    tangent_writes="normalized",
    inputs={"input weight bias": _group_norm_backward},
)
def native_group_norm(
    input: Array, weight: OptionalArray, bias: OptionalArray, N: int, C: int, HxW: int, group: int,
    eps: float,
) -> Any:  # fmt: skip
    """Normalize each group of channels, then scale and shift each channel."""
    need_floats("GroupNormKernelImpl", input)
    given = next((each for each in (weight, bias) if each is not None), input)  # see statistics_kind
    groups = input.astype(np.float64).reshape(N, group, C // group * HxW)
    mean, rstd, exact = layer_statistics(groups, 1, eps)
    result = exact.reshape(N, C, HxW)
    if weight is not None:
        result = result * weight[:, None]
    if bias is not None:
        result = result + bias[:, None]
    return [
        following(result.reshape(input.shape).astype(input.dtype), input),
        mean.astype(given.dtype).reshape(N, group),
        rstd.astype(given.dtype).reshape(N, group),
    ]


# By the mean of squares ---------------------------------------------------------------------------


def root_mean_square_norm(input: Tensor, dims: tuple[int, ...], weight: Tensor | None, eps: float) -> Tensor:
    """rms_norm: divide the input by its root mean square over ``dims``, then scale it."""
    result = input * plus(input.pow(2).mean(dims, keepdim=True), eps).rsqrt()
    return result if weight is None else result * weight
