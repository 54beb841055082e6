"""Normal samples by the Box-Muller transform.

Note [Three ways to a normal sample]: for fewer than 16 elements, and for tensors that are not contiguous, torch draws
pairs in double precision and caches the second of a pair for the next call. For 16 or more contiguous elements it draws
all uniforms first and transforms them in blocks of 16, eight radii and eight angles; if the last block is not full, the
last 16 elements are drawn again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._c10.generator import Generator

BLOCK = 16  # elements: eight radii, eight angles

Array = np.ndarray[Any, Any]


def standard_pairs(generator: Generator, count: int) -> Array:
    """Standard normal samples one by one; the unused second of the last pair is cached in the generator."""
    cached = generator.next_normal
    missing = count - (cached is not None)
    if missing <= 0:
        if count:
            generator.next_normal = None
        return np.array([cached][:count])
    uniform = generator.doubles(missing + missing % 2)
    radius = np.sqrt(-2.0 * np.log1p(-uniform[1::2]))
    angle = 2.0 * np.pi * uniform[::2]
    samples = np.empty(len(uniform))
    samples[::2], samples[1::2] = radius * np.cos(angle), radius * np.sin(angle)
    generator.next_normal = float(samples[-1]) if missing % 2 else None
    samples = samples[:missing]
    return samples if cached is None else np.concatenate(([cached], samples))


def in_blocks(generator: Generator, count: int, kind: np.dtype[Any]) -> Array:
    """At least 16 standard normal samples; of float16 torch draws no uniforms for a last block that is not full."""
    draw = generator.doubles if kind == np.float64 else generator.floats
    rest = count % BLOCK
    single = kind in (np.float32, np.float64)
    samples = _transformed(draw(count if single else count - rest))
    if not single and rest:
        samples = np.concatenate([samples, np.empty(rest)])
    if rest:
        samples[-BLOCK:] = _transformed(draw(BLOCK))
    return samples


def _transformed(uniform: Array) -> Array:
    uniform = uniform.astype(np.float64)
    blocks = uniform[: uniform.size - uniform.size % BLOCK].reshape(-1, 2, BLOCK // 2)
    radius = np.sqrt(-2.0 * np.log(1.0 - blocks[:, 0]))
    angle = 2.0 * np.pi * blocks[:, 1]
    blocks[:, 0], blocks[:, 1] = radius * np.cos(angle), radius * np.sin(angle)
    return uniform
