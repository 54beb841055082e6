"""Fused multiply-add: ``a * b + c``, rounded once (torch: vec::fmadd).

Note [Fused multiply-add]: if the CPU has an instruction for it, torch rounds ``a * b + c`` only once: in ``add`` with an alpha,
``lerp`` and ``addcmul``, and so in the steps of its optimizers. For random numbers, one result in ten differs in the last
digit from that with a rounded product. numpy has no such function. Here the product of float32 numbers is computed exactly
in float64, and that of float64 numbers as a sum of two numbers (Dekker's algorithm).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .cpu_capability import get_cpu_capability
from .dtypes import F32, F64, FULL_PRECISION

Array = np.ndarray[Any, Any]

_MANY = 16384  # numbers from which on scipy's wrapper pays, and is loaded
_BLOCK = 64  # what BLAS takes at once; the rest it may round twice
_PART = 16384  # numbers that are multiplied and added at once
_HALF = 2.0**27 + 1  # splits a number of double precision into two of half as many digits


def multiply_add(a: Any, b: Any, c: Any) -> Any:
    """``a * b + c`` of operands of one dtype, rounded once for floating-point dtypes; see Note [Fused multiply-add].

    Large operands are processed in blocks, whose temporary arrays fit into the CPU's caches.
    """
    if a.dtype not in FULL_PRECISION or get_cpu_capability() == "DEFAULT":
        return a * b + c
    operands = (a, b, c)
    size = max(each.size for each in operands)
    alike = size > _PART and len({each.shape for each in operands if each.ndim}) == 1
    if not (alike and all(each.flags.c_contiguous for each in operands)):
        return _rounded_once(a, b, c)
    lines = [each.reshape(-1) if each.ndim else each for each in operands]
    found = np.empty(size, a.dtype)
    for start in range(0, size, _PART):
        part = slice(start, start + _PART)
        found[part] = _rounded_once(*(each[part] if each.ndim else each for each in lines))
    return found.reshape(next(each.shape for each in operands if each.ndim))


def _rounded_once(a: Any, b: Any, c: Any) -> Any:
    if a.dtype == F32:
        return (a.astype(F64) * b.astype(F64) + c.astype(F64)).astype(F32)
    product = a * b
    found = product + c
    (a, a_low), (b, b_low) = _split(a), _split(b)
    lost = a_low * b_low - (((product - a * b) - a_low * b) - a * b_low)
    added = found - product
    exact = found + (lost + ((product - (found - added)) + (c - added)))
    return np.where(np.isfinite(exact), exact, found)


def _split(number: Any) -> tuple[Any, Any]:
    """A number as the sum of two, whose products with others such are exact."""
    wide = number * _HALF
    high = wide - (wide - number)
    return high, number - high


def add_product(array: Array, value: Array, factor: Any) -> None:
    """``array += value * factor``, of two arrays of one shape that lie apart; many are gone through once."""
    kind = array.dtype
    if kind not in FULL_PRECISION or value.dtype is not kind:
        array += value * factor
    elif array.size >= _MANY and factor and array.flags.c_contiguous and value.flags.c_contiguous:
        from scipy.linalg import blas  # slow to import

        axpy = blas.saxpy if kind == F32 else blas.daxpy  # which looks at nothing where the factor is 0
        array, value = array.reshape(-1), value.reshape(-1)
        end = array.size - array.size % _BLOCK
        axpy(value[:end], array[:end], a=factor)
        array[end:] = multiply_add(value[end:], kind.type(factor), array[end:])
    elif is_exact(factor):
        array += value * factor
    else:
        array[...] = multiply_add(value, kind.type(factor), array)


def is_exact(factor: Any) -> bool:
    """Whether a product with this number need not be rounded: 0 or a power of 2."""
    return abs(math.frexp(factor)[0]) in (0, 0.5)
