"""Binomial samples by torch's algorithms (torch: native/Distributions.h), one after the other."""

from __future__ import annotations

import math

import numpy as np

from ..._c10.dtypes import BY_NUMPY
from ..._c10.generator import Generator
from .distribution_kernels import Array

# The error of Stirling's formula for log(k!), for k < 10.
_TAILS = (
    *(0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211),
    *(0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287),
)
_MANY = 10
"""From so many expected successes on samples are found by rejection."""


def binomial(generator: Generator, count: Array, prob: Array) -> Array:
    """torch.binomial: the number of successes in ``count`` trials; both arrays have one dtype and are broadcast."""
    if count.dtype not in (np.float32, np.float64):
        raise NotImplementedError(f"\"binomial_cpu\" not implemented for '{BY_NUMPY[count.dtype].legacy}'")
    trials, chances = np.broadcast_arrays(count.astype(np.float64), prob.astype(np.float64))
    pairs = zip(trials.ravel().tolist(), chances.ravel().tolist(), strict=True)
    samples = [_sample(generator, *pair) for pair in pairs]
    return np.array(samples, count.dtype).reshape(trials.shape)


def _sample(generator: Generator, count: float, prob: float) -> float:
    if count <= 0 or prob <= 0:
        return 0.0
    if prob >= 1:
        return count
    if prob <= 0.5:
        return _successes(generator, count, prob)
    if prob > 0.5:
        return count - _successes(generator, count, 1.0 - prob)
    return math.nan


def _successes(generator: Generator, count: float, prob: float) -> float:
    return (_by_rejection if count * prob >= _MANY else _by_waiting)(generator, count, prob)


def _one(generator: Generator) -> float:
    return float(generator.doubles(1)[0])


def _by_waiting(generator: Generator, count: float, prob: float) -> float:
    """Add up geometric waiting times until they exceed ``count``; the number of waits is the sample."""
    successes, time, log = 0.0, 0.0, math.log1p(-prob)
    while True:
        time += float(np.ceil(np.log(generator.doubles(1))[0] / log))
        if time > count:
            return successes
        successes += 1


def _by_rejection(generator: Generator, count: float, prob: float) -> float:
    """Transformed rejection with squeeze (Hörmann, 1993, BTRS)."""
    deviation = math.sqrt(count * prob * (1 - prob))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * prob
    center = count * prob + 0.5
    odds = prob / (1 - prob)
    alpha = (2.83 + 5.1 / b) * deviation
    likeliest = math.floor((count + 1) * prob)
    while True:
        u, v = _one(generator) - 0.5, _one(generator)
        us = 0.5 - abs(u)
        k = float(np.floor((2 * a / us + b) * u + center)) if us else -math.inf
        if us >= 0.07 and v <= 0.92 - 4.2 / b:
            return k
        if k < 0 or k > count:
            continue
        height = v * alpha / (a / (us * us) + b)
        bound = (
            (likeliest + 0.5) * math.log((likeliest + 1) / (odds * (count - likeliest + 1)))
            + (count + 1) * math.log((count - likeliest + 1) / (count - k + 1))
            + (k + 0.5) * math.log(odds * (count - k + 1) / (k + 1))
            + _tail(likeliest)
            + _tail(count - likeliest)
            - _tail(k)
            - _tail(count - k)
        )
        if height == 0 or math.log(height) <= bound:
            return k


def _tail(k: float) -> float:
    """log(k!) minus Stirling's formula for it."""
    if k < len(_TAILS):
        return _TAILS[int(k)]
    square = (k + 1) * (k + 1)
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1)
