"""Random arrays with the same numbers that torch draws on the CPU.

The functions take a generator, a shape and a dtype (or an array of parameters), and return a new array whose elements
are in the order in which torch writes them to memory.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._c10.dtypes import float_limits, is_half
from ..._c10.errors import need_fitting, unimplemented
from ..._c10.generator import Generator
from . import box_muller

Array = np.ndarray[Any, Any]
DType = np.dtype[Any]
Shape = tuple[int, ...]

# For ranges from this size on torch draws 64 bits per integer, so that the remainder is nearly uniform.
_WIDE_RANGE = 1 << 28
# From this length on torch draws 64 bits per number.
_LONG_PERMUTATION = (2**32 - 1) // 20


def uniform(generator: Generator, shape: Shape, dtype: DType, low: float = 0.0, high: float = 1.0) -> Array:
    """Tensor.uniform_: in [low, high); a sample that rounds to ``high`` becomes ``low``."""
    count = math.prod(shape)
    if dtype.kind == "c":
        need_fitting(count or low <= high, "Tensor.uniform_")
        return _paired(uniform(generator, (2 * count,), _part(dtype), low, high), shape)
    _require_floating(dtype, "check_uniform_bounds")
    largest = float(float_limits(dtype).max)
    need_fitting(abs(low) <= largest and abs(high) <= largest and high - low <= largest, "Tensor.uniform_")
    _check(
        low <= high, f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}"
    )
    if dtype == np.float64:
        samples: Array = generator.doubles(count) * (high - low) + low
    else:
        samples = generator.floats(count)
        if (low, high) != (0.0, 1.0):
            low32, high32 = np.float32(low), np.float32(high)
            samples = samples * (high32 - low32) + low32
        samples = samples.astype(dtype, copy=False)
    samples[samples == dtype.type(high)] = dtype.type(low)
    return samples.reshape(shape)


def normal(
    generator: Generator,
    shape: Shape,
    dtype: DType,
    mean: float = 0.0,
    std: float = 1.0,
    *,
    contiguous: bool = True,
) -> Array:
    """Tensor.normal_; see Note [Three ways to a normal sample]."""
    _check(std >= 0.0, f"normal expects std >= 0.0, but found std {std:g}")
    count = math.prod(shape)
    if dtype.kind == "c":
        parts = normal(
            generator, (2 * count,), _part(dtype), mean, std / math.sqrt(2.0), contiguous=contiguous
        )
        return _paired(parts, shape)
    _require_floating(dtype, "normal_kernel_cpu", count)
    if count < box_muller.BLOCK or not contiguous:
        samples = box_muller.standard_pairs(generator, count)
    else:
        samples = box_muller.in_blocks(generator, count, dtype)
    return _narrow(samples * std + mean, dtype).reshape(shape)


def log_normal(generator: Generator, shape: Shape, dtype: DType, mean: float, std: float) -> Array:
    """Tensor.log_normal_."""
    _check(std > 0.0, f"log_normal_ expects std > 0.0, but found std={std:g}")
    _require_real(dtype, "log_normal_cpu", math.prod(shape))
    samples = box_muller.standard_pairs(generator, math.prod(shape)) * std + mean
    with np.errstate(over="ignore"):
        return _narrow(np.exp(samples), dtype).reshape(shape)


def exponential(generator: Generator, shape: Shape, dtype: DType, rate: float = 1.0) -> Array:
    """Tensor.exponential_."""
    _check(rate > 0.0, f"exponential_ expects lambda > 0.0, but found lambda={rate:g}")
    need_fitting(dtype.kind in "fV" or 0 in shape, "Tensor.exponential_")
    return _narrow(-1.0 / rate * np.log1p(-generator.doubles(math.prod(shape))), dtype).reshape(shape)


def cauchy(generator: Generator, shape: Shape, dtype: DType, median: float, sigma: float) -> Array:
    """Tensor.cauchy_."""
    _check(sigma > 0.0, f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
    need_fitting(dtype.kind in "fV", "Tensor.cauchy_")
    samples = np.tan(np.pi * (generator.doubles(math.prod(shape)) - 0.5))
    return _narrow(samples * sigma + median, dtype).reshape(shape)


def geometric(generator: Generator, shape: Shape, dtype: DType, p: float) -> Array:
    """Tensor.geometric_: the number of trials up to the first success."""
    _check(0.0 < p < 1.0, f"geometric_ expects p to be in (0, 1), but got p={p:g}")
    if dtype.kind in "bc" and 0 not in shape:
        raise unimplemented("geometric_cpu", dtype)
    samples = np.ceil(np.log(generator.doubles(math.prod(shape))) / math.log1p(-p))
    return _narrow(samples, dtype).reshape(shape)


def bernoulli(generator: Generator, shape: Shape, dtype: DType, p: float) -> Array:
    """Tensor.bernoulli_ with one p for all elements."""
    _check(0.0 <= p <= 1.0, f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    if dtype.kind == "c" and 0 not in shape:
        raise unimplemented("bernoulli_scalar_cpu_", dtype)
    return (generator.doubles(math.prod(shape)) < p).astype(dtype).reshape(shape)


def bernoulli_each(generator: Generator, p: Array, dtype: DType) -> Array:
    """torch.bernoulli and Tensor.bernoulli_ with a p for each element."""
    if dtype.kind == "c" and p.size:
        raise unimplemented("bernoulli_tensor_cpu_self_", dtype)
    _require_floating(p.dtype, "bernoulli_tensor_cpu_p_", p.size)
    _check(
        bool(((p >= 0) & (p <= 1)).all()),
        "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be "
        "improved?  If so, please report an enhancement request to PyTorch.)",
    )
    draw = generator.doubles if p.dtype == np.float64 else generator.floats
    happened: Array = draw(p.size).reshape(p.shape) < p
    return happened.astype(dtype)


def poisson(generator: Generator, rates: Array) -> Array:
    """torch.poisson: a sample for each rate."""
    _require_real(rates.dtype, "poisson_cpu")
    samples = [_poisson(generator, float(rate)) for rate in rates.ravel()]
    return np.array(samples, np.float64).astype(rates.dtype).reshape(rates.shape)


def _poisson(generator: Generator, rate: float) -> int:
    """One sample: products of uniform numbers, or for large rates rejection (Hörmann, 1993)."""
    _check(rate >= 0, "invalid Poisson rate, expected rate to be non-negative")
    if rate == 0:
        return 0
    if rate < 10:
        count, product, least = 0, _one(generator), math.exp(-rate)
        while product > least:
            count += 1
            product *= _one(generator)
        return count
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    while True:
        u, v = _one(generator) - 0.5, _one(generator)
        us = 0.5 - abs(u)
        k = math.floor((2 * a / us + b) * u + rate + 0.43)
        if us >= 0.07 and v <= 0.9277 - 3.6224 / (b - 2):
            return k
        if k < 0 or (us < 0.013 and v > us):
            continue
        accepted = math.log(v) + math.log(inverse_alpha) - math.log(a / (us * us) + b)
        if accepted <= -rate + k * math.log(rate) - math.lgamma(k + 1):
            return k


def _one(generator: Generator) -> float:
    return float(generator.doubles(1)[0])


def gamma(generator: Generator, concentration: Array) -> Array:
    """torch._standard_gamma: one sample after the other, clamped below to the smallest normal number."""
    if concentration.dtype not in (np.float32, np.float64):
        raise unimplemented("gamma_cpu", concentration.dtype)
    kind = concentration.dtype.type
    least = float_limits(concentration.dtype).tiny
    result = np.empty(concentration.shape, concentration.dtype)
    for place, alpha in enumerate(concentration.ravel()):
        sample = kind(_gamma(generator, alpha))
        result.flat[place] = sample if sample > least else least  # nan compares false
    return result


def _gamma(generator: Generator, alpha: Any) -> float:
    """Rejection sampling (Marsaglia and Tsang, 2000) in doubles, except for terms of ``alpha`` alone, as in torch."""
    kind, scale = alpha.dtype.type, 1.0
    if alpha < 1:
        if alpha == 0:
            return 0.0
        scale = (1 - _one(generator)) ** float(kind(1) / alpha)
        alpha = alpha + kind(1)
    d = float(alpha - kind(np.float32(1) / np.float32(3)))
    c = 1 / math.sqrt(9 * d) if d > 0 else math.nan
    while True:
        x, y = 0.0, 0.0
        while y <= 0:
            x = float(box_muller.standard_pairs(generator, 1)[0])
            y = 1 + c * x
        v = y * y * y
        u, square = 1 - _one(generator), x * x
        surely = u < 1 - float(np.float32(0.0331)) * square * square
        if surely or math.isnan(v) or math.log(u) < 0.5 * square + d * (1 - v + math.log(v)):
            return scale * d * v


def dirichlet(generator: Generator, concentration: Array) -> Array:
    """torch._sample_dirichlet: gamma samples divided by their sum, in doubles, then clamped to inside (0, 1)."""
    drawn = gamma(generator, concentration.astype(np.float64))
    kind = concentration.dtype
    shares: Array = (drawn / drawn.sum(-1, keepdims=True)).astype(kind)
    return shares.clip(float_limits(kind).tiny, np.nextafter(kind.type(1), kind.type(0)))


def dropout_noise(generator: Generator, shape: Shape, dtype: DType, p: float) -> Array:
    """The factors of dropout, 0 or 1 / (1 - p), for 0 < p < 1."""
    precision = np.promote_types(dtype, np.float32)
    noise: Array = bernoulli(generator, shape, precision, 1.0 - p) / precision.type(1.0 - p)
    return noise.astype(dtype)


def integers(generator: Generator, shape: Shape, dtype: DType, low: int, high: int) -> Array:
    """torch.randint and Tensor.random_(low, high): in [low, high)."""
    _check(low < high, f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    need_fitting(dtype.kind != "c", "Tensor.random_")
    _check_bounds(dtype, low, high - 1)
    return _remainders(generator, math.prod(shape), dtype, high - low, low).reshape(shape)


def integers_all(generator: Generator, shape: Shape, dtype: DType) -> Array:
    """Tensor.random_(): from 0 to the largest value of an integer dtype, or to 2**(mantissa bits)."""
    count = math.prod(shape)
    if dtype.kind == "c":
        raise unimplemented("random_kernel_cpu", dtype)
    draws = generator.double_words(count) if dtype.itemsize == 8 else generator.words(count)
    return (draws % np.uint64(_counted(dtype) + 1)).astype(dtype).reshape(shape)


def permutation(generator: Generator, length: int, dtype: DType) -> Array:
    """torch.randperm."""
    if dtype.kind == "b":
        raise unimplemented("randperm", dtype)
    _check(length >= 0, f"Trying to create tensor with negative dimension {length}: [{length}]")
    need_fitting(length <= _counted(dtype) + 1 or dtype.kind == "V", "torch.randperm")  # bfloat16: any number
    if length >= _LONG_PERMUTATION:
        raise NotImplementedError(f"torch.randperm of {length} numbers")  # torch draws them in another way
    left = np.arange(length, 1, -1, dtype=np.uint64)  # the number of elements that each draw chooses from
    chosen = generator.words(left.size) % left + (np.uint64(length) - left)
    result = list(range(length))
    for first, other in enumerate(chosen.tolist()):
        result[first], result[other] = result[other], result[first]
    return np.array(result, dtype)


def check_multinomial(weights: Array, samples: int, *, replacement: bool) -> None:
    """Check the arguments of torch.multinomial.

    Raises:
        RuntimeError: the weights' dtype, shape or values, or the number of samples, are invalid.
    """
    categories = weights.shape[-1] if weights.ndim in (1, 2) and weights.dtype.kind in "fV" else 0
    need_fitting(samples > 0 and 0 < categories <= 2**24, "torch.multinomial")  # as many as float32 counts
    _check(
        replacement or samples <= categories,
        "cannot sample n_sample > prob_dist.size(-1) samples without replacement",
    )
    valid = bool((np.isfinite(weights) & (weights >= 0)).all())
    need_fitting((valid or not replacement or samples == 1) and weights.sum(-1).all(), "torch.multinomial")
    _check(valid, "probability tensor contains either `inf`, `nan` or element < 0")


def multinomial(generator: Generator, weights: Array, samples: int) -> Array:
    """torch.multinomial with replacement: indices along the last dimension, drawn in proportion to the weights."""
    rows = weights.reshape(-1, weights.shape[-1])
    precision = np.promote_types(weights.dtype, np.float32)
    chosen = np.empty((len(rows), samples), np.int64)
    for row, indices in zip(rows, chosen, strict=True):
        edges = np.cumsum(row, dtype=precision)
        edges /= edges[-1]
        edges[-1] = 1.0
        indices[:] = np.searchsorted(edges.astype(np.float64), generator.doubles(samples))
    return chosen.reshape(*weights.shape[:-1], samples)


def _remainders(generator: Generator, count: int, dtype: DType, size: int, low: int) -> Array:
    draws = generator.double_words(count) if size >= _WIDE_RANGE else generator.words(count)
    # The sum wraps around in 64 bits, like torch's.
    return ((draws % np.uint64(size)).view(np.int64) + np.int64(low)).astype(dtype)


def _counted(dtype: DType) -> int:
    """The number up to which the dtype can represent every integer."""
    if dtype.kind in "fV":
        return 1 << (float_limits(dtype).nmant + 1)
    return 1 if dtype.kind == "b" else int(np.iinfo(dtype).max)


def _check_bounds(dtype: DType, least: int, most: int) -> None:
    """Check that random integers are numbers of the dtype; torch only warns that floats cannot represent them all."""
    counted = _counted(dtype)
    if dtype.kind in "fV" and max(-least, most) > counted:
        raise NotImplementedError("random integers that the dtype cannot represent")
    smallest = 0 if dtype.kind in "bu" else -counted - 1
    need_fitting(most <= counted and least >= smallest, "Tensor.random_")


def _narrow(samples: np.ndarray[Any, np.dtype[np.float64]], dtype: DType) -> Array:
    """Cast doubles to the dtype; to half precision by way of float32."""
    with np.errstate(over="ignore"):
        return samples.astype(np.float32).astype(dtype) if is_half(dtype) else samples.astype(dtype)


def _check(valid: bool, text: str) -> None:
    """Raise RuntimeError for parameters, or a dtype, that torch's function refuses; nan is refused too."""
    if not valid:
        raise RuntimeError(text)


def _part(dtype: DType) -> DType:
    return np.dtype(np.float32 if dtype == np.complex64 else np.float64)


def _paired(parts: Array, shape: Shape) -> Array:
    return parts.view(np.complex64 if parts.dtype == np.float32 else np.complex128).reshape(shape)


def _require_floating(dtype: DType, kernel: str, count: int = 1) -> None:
    """Raise torch's "not implemented" error for integers and bools, unless the tensor is empty."""
    if dtype.kind not in "fcV" and count:
        raise unimplemented(kernel, dtype)


def _require_real(dtype: DType, kernel: str, count: int = 1) -> None:
    if dtype.kind not in "fV" and count:
        raise unimplemented(kernel, dtype)
