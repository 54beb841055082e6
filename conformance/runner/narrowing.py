"""What a narrower dtype does to a number: it wraps around, overflows, or loses its fraction."""

from __future__ import annotations

import cmath
import math
import struct

from conformance.runner.values import bounds, close, numbers_in

_BITS = {"int8": 8, "int16": 16, "int32": 32, "int64": 64}
_UNSIGNED = {"uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64}
_PACKED = {"float16": "e", "float32": "f", "float64": "d"}
_PARTS = {"complex32": "float16", "complex64": "float32", "complex128": "float64"}


def is_narrowed(one: str, dtype: object, other: str, other_dtype: object) -> bool:
    """Whether the numbers of one tensor are those of the other, cast to its dtype.

    Then the two differ only because of their dtypes, whatever is wrong with these.
    """
    if dtype == other_dtype:
        return False
    mine, its = numbers_in(one), numbers_in(other)
    if mine is None or its is None or mine[0] != its[0]:
        return False
    return _is_cast(mine[1], its[1], str(other_dtype)) or _is_cast(its[1], mine[1], str(dtype))


def _is_cast(wide: list[complex], narrow: list[complex], dtype: str) -> bool:
    """Whether each narrow number is the wide one in ``dtype``."""
    within = bounds(dtype, None)
    for number, found in zip(wide, narrow, strict=True):
        cast = _cast(number, dtype)
        if cast is not None and not close(complex(found), complex(cast), within):
            return False
        if cast is None and dtype not in _BITS and dtype not in _UNSIGNED:
            return False
    return True


def _cast(number: complex, dtype: str) -> complex | None:
    """The number in a dtype; None if the dtype is unknown, or the result depends on the processor."""
    if dtype == "bool":
        return bool(number)
    if dtype in _PARTS:
        part = _PARTS[dtype]
        parts = _cast(number.real, part), _cast(number.imag, part)
        return None if parts[0] is None or parts[1] is None else complex(parts[0].real, parts[1].real)
    real = number.real
    bits = _BITS.get(dtype, 0) or _UNSIGNED.get(dtype, 0)
    if bits:
        if isinstance(real, float) and not (cmath.isfinite(real) and abs(real) < 2.0 ** (bits - 1)):
            return None
        whole = int(real) % (1 << bits)
        return whole - (1 << bits) if dtype in _BITS and whole >= 1 << (bits - 1) else whole
    if dtype == "bfloat16":  # the upper half of a float32
        narrow = _packed(float(real), "f")
        if math.isfinite(narrow):
            upper = struct.pack(">f", narrow)[:2] + bytes(2)
            return float(struct.unpack(">f", upper)[0])
        return narrow
    return _packed(float(real), _PACKED[dtype]) if dtype in _PACKED else None


def _packed(number: float, form: str) -> float:
    try:
        return float(struct.unpack(form, struct.pack(form, number))[0])
    except OverflowError:
        return math.copysign(math.inf, number)
