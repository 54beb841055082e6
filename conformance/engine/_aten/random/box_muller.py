"""Normal samples by the Box-Muller transform, with the rounding of torch's CPU kernels.

Note [Three ways to a normal sample]: for fewer than 16 elements, and for tensors that are not contiguous, torch draws
pairs in double precision and caches the second of a pair for the next call. For 16 or more contiguous elements it draws
all uniforms first and transforms them in blocks of 16, eight radii and eight angles; if the last block is not full, the
last 16 elements are drawn again. float32 and float16 blocks use the Cephes polynomials of its AVX2 kernel (on AVX-512
processors too), float64 blocks use libm.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._c10 import libm
from ..._c10.cpu_capability import get_cpu_capability
from ..._c10.generator import Generator

BLOCK = 16  # elements: eight radii, eight angles

Floats = np.ndarray[Any, np.dtype[np.float32]]
Doubles = np.ndarray[Any, np.dtype[np.float64]]


def standard_pairs(generator: Generator, count: int) -> Doubles:
    """Standard normal samples one by one; the unused second of the last pair is cached in the generator."""
    cached = generator.next_normal
    missing = count - (cached is not None)
    if missing <= 0:
        if count:
            generator.next_normal = None
        return np.array([cached] if count else [], np.float64)
    uniform = generator.doubles(missing + missing % 2)
    radius = np.sqrt(-2.0 * libm.log1p(-uniform[1::2]))
    angle = 2.0 * np.pi * uniform[0::2]
    samples = np.empty(len(uniform))
    samples[0::2], samples[1::2] = radius * np.cos(angle), radius * np.sin(angle)
    generator.next_normal = float(samples[-1]) if missing % 2 else None
    samples = samples[:missing]
    return samples if cached is None else np.concatenate(([cached], samples))


def single_blocks(generator: Generator, count: int, mean: float, std: float) -> Floats:
    """At least 16 float32 samples."""
    return _affine_single(_blocks_single(generator.floats(count)), generator, mean, std)


def half_blocks(generator: Generator, count: int, mean: float, std: float) -> Floats:
    """At least 16 float16 samples; torch draws no uniforms for the last block if that is not full."""
    samples = np.empty(count, np.float32)
    full = count - count % BLOCK
    samples[:full] = _blocks_single(generator.floats(full))
    return _affine_single(samples, generator, mean, std)


def double_blocks(generator: Generator, count: int, mean: float, std: float) -> Doubles:
    """At least 16 float64 samples."""
    samples = _blocks_double(generator.doubles(count))
    if count % BLOCK:
        samples[-BLOCK:] = _blocks_double(generator.doubles(BLOCK))
    return fused(samples, std, mean)


def fused(a: Doubles, b: float, c: float) -> Doubles:
    """``a * b + c`` with one rounding, like the processor's fused multiply-add."""
    if b == 1.0:
        return a + c
    if not (math.isfinite(b) and math.isfinite(c)):
        return a * b + c
    # Dekker's product and Knuth's sum: the rounding error of each is exactly representable as a double.
    product = a * b
    split = 134217729.0  # 2**27 + 1
    a_high = a * split - (a * split - a)
    b_high = b * split - (b * split - b)
    a_low, b_low = a - a_high, b - b_high
    lost_product = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    total = product + c
    rest = total - product
    lost_sum = (product - (total - rest)) + (c - rest)
    return total + (lost_sum + lost_product)


def scaled(a: Doubles, b: float, c: float) -> Doubles:
    """``a * b + c`` as torch is compiled for the processor: with one rounding if it supports fused multiply-add."""
    return a * b + c if get_cpu_capability() == "DEFAULT" else fused(a, b, c)


def scaled_single(a: Floats, b: Any, c: Any) -> Floats:
    """``scaled`` for float32 numbers."""
    b, c = np.float32(b), np.float32(c)
    return a * b + c if get_cpu_capability() == "DEFAULT" else fused_single(a, np.float64(b), np.float64(c))


def fused_single(a: Floats | Doubles, b: Floats | Doubles | float, c: Floats | float) -> Floats:
    """``a * b + c`` with one rounding to float32; one factor is a float64 array, so the product is exact."""
    return (a * b + c).astype(np.float32)


def _affine_single(samples: Floats, generator: Generator, mean: float, std: float) -> Floats:
    if samples.size % BLOCK:
        samples[-BLOCK:] = _blocks_single(generator.floats(BLOCK))
    if mean == 0.0 and std == 1.0:
        return samples
    return fused_single(samples.astype(np.float64), float(np.float32(std)), float(np.float32(mean)))


def _blocks_double(uniform: Doubles) -> Doubles:
    blocks = uniform[: uniform.size - uniform.size % BLOCK].reshape(-1, 2, BLOCK // 2)
    radius = np.sqrt(-2.0 * libm.log(1.0 - blocks[:, 0]))
    angle = 2.0 * np.pi * blocks[:, 1]
    blocks[:, 0] = radius * np.cos(angle)
    blocks[:, 1] = radius * np.sin(angle)
    return uniform


def _blocks_single(uniform: Floats) -> Floats:
    blocks = uniform[: uniform.size - uniform.size % BLOCK].reshape(-1, 2, BLOCK // 2)
    radius = np.sqrt(np.float32(-2.0) * _log(np.float32(1.0) - blocks[:, 0]))
    sine, cosine = _sine_and_cosine(np.float32(2.0 * np.pi) * blocks[:, 1])
    blocks[:, 0] = radius * cosine
    blocks[:, 1] = radius * sine
    return uniform


def _coefficients(*values: float) -> tuple[float, ...]:
    return tuple(float(np.float32(value)) for value in values)


_LOG = _coefficients(
    7.0376836292e-2,
    -1.1514610310e-1,
    1.1676998740e-1,
    -1.2420140846e-1,
    1.4249322787e-1,
    -1.6668057665e-1,
    2.0000714765e-1,
    -2.4999993993e-1,
    3.3333331174e-1,
)
_LOG_2 = _coefficients(-2.12194440e-4, 0.693359375)  # low and high part
_SINE = _coefficients(-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
_COSINE = _coefficients(2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
_MINUS_PI_4 = _coefficients(-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8)  # in three parts
_4_PI = np.float32(1.27323954473516)
_SQRT_HALF = np.float32(0.707106781186547524)


def _horner(coefficients: tuple[float, ...], x: Doubles) -> Floats:
    value = fused_single(x, coefficients[0], coefficients[1])
    for coefficient in coefficients[2:]:
        value = fused_single(x, value, coefficient)
    return value


def _log(x: Floats) -> Floats:
    """Cephes' logf for 0 < x <= 1, with the fused operations that the compiler chose."""
    mantissa, exponent = np.frexp(x)
    small = mantissa < _SQRT_HALF
    exponent = (exponent - small).astype(np.float32)
    mantissa = mantissa - np.float32(1.0) + np.where(small, mantissa, np.float32(0.0))
    square = mantissa * mantissa
    y = _horner(_LOG, mantissa.astype(np.float64)) * mantissa
    low, high = _LOG_2
    y = fused_single(y.astype(np.float64), square, exponent * np.float32(low))
    y = fused_single(square.astype(np.float64), -0.5, y)
    return fused_single(exponent.astype(np.float64), high, mantissa + y)


def _sine_and_cosine(x: Floats) -> tuple[Floats, Floats]:
    """Cephes' sinf and cosf for x >= 0, with the fused operations that the compiler chose."""
    octant = ((x * _4_PI).astype(np.int32) + 1) & ~1
    turns = octant.astype(np.float64)
    for part in _MINUS_PI_4:
        x = fused_single(turns, part, x)
    square = x * x
    wide = square.astype(np.float64)
    cosine = fused_single(wide, _horner(_COSINE, wide) * square, square * np.float32(-0.5)) + np.float32(1.0)
    sine = fused_single(x.astype(np.float64), _horner(_SINE, wide) * square, x)
    swapped = (octant & 2) != 0
    sine, cosine = np.where(swapped, cosine, sine), np.where(swapped, sine, cosine)
    np.negative(sine, out=sine, where=(octant & 4) != 0)
    np.negative(cosine, out=cosine, where=((octant + 2) & 4) != 0)
    return sine, cosine
