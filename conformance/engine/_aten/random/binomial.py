"""Binomial samples by torch's algorithms (torch: native/Distributions.h), one after the other."""

from __future__ import annotations

import math

import numpy as np

from ..._c10.errors import unimplemented
from ..._c10.generator import Generator
from .distribution_kernels import Array

_MANY = 10
"""From so many expected successes on torch finds samples by rejection, which the engine does not."""


def binomial(generator: Generator, count: Array, prob: Array) -> Array:
    """torch.binomial: the number of successes in ``count`` trials; both arrays have one dtype and are broadcast."""
    if count.dtype not in (np.float32, np.float64):
        raise unimplemented("binomial_cpu", count.dtype)
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
    """Add up geometric waiting times until they exceed ``count``; the number of waits is the sample."""
    if count * prob >= _MANY:
        raise NotImplementedError(f"torch.binomial with {_MANY} or more expected successes")
    successes, time, log = 0.0, 0.0, math.log1p(-prob)
    while True:
        time += float(np.ceil(np.log(generator.doubles(1))[0] / log))
        if time > count:
            return successes
        successes += 1
