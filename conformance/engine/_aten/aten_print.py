"""A tensor of two or more dimensions as torch's kernels print it (torch: core/Formatting.cpp)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

from .._c10.dtypes import BY_NUMPY

_WIDTH = 80
_OLD_TYPES = frozenset("Byte Char Short Int Long Half Float Double".split())  # noqa: SIM905  as torch lists them


def kernel_text(array: Any) -> str:
    """Its matrices, one below the other, its type and its shape."""
    name = BY_NUMPY[array.dtype].legacy
    shown = f"torch.{name}Tensor" if name in _OLD_TYPES else f"CPU{name}Type"
    parts = []
    values = array.real.astype(np.float64)
    if array.size and array.ndim == 2:
        parts.append(_matrix(values, 0))
    elif array.size:
        for place in product(*map(range, array.shape[-3::-1])):  # the first changes fastest
            at = place[::-1]
            title = ",".join(str(each + 1) for each in at)
            parts.append(f"({title},.,.) = \n{_matrix(values[at], 1)}")
    sizes = ",".join(map(str, array.shape))
    return "\n".join(parts) + f"[ {shown}{{{sizes}}} ]"


def _matrix(values: Any, indent: int) -> str:
    width, scale, write = _format(np.abs(values[np.isfinite(values)]))
    count = max((_WIDTH - indent) // (width + 1), 1)
    return "\n".join(_blocks(values, indent, width, scale, write, count))


def _blocks(
    values: Any, indent: int, width: int, scale: float, write: Callable[[float], str], count: int
) -> Iterator[str]:
    columns = values.shape[1]
    for first in range(0, columns, count):
        last = min(first + count, columns)
        text = f"Columns {first + 1} to {last}" + " " * indent if count < columns else ""
        if scale != 1:
            text += (f"{scale:.0f}" if scale > 1 else f"{scale:g}") + " *\n" + " " * indent
        rows = (" ".join(write(each / scale).rjust(width) for each in row[first:last]) for row in values)
        yield text + ("\n" + " " * (indent + (scale != 1))).join(rows) + "\n"


def _format(sizes: Any) -> tuple[int, float, Callable[[float], str]]:
    """How wide a number is, by what all are divided, and how one is written, for these absolute values."""
    least, most = ((_digits(sizes.min()), _digits(sizes.max()))) if sizes.size else (1, 1)
    if (sizes == np.ceil(sizes)).all():
        if most > 9:
            return 11, 1.0, "{:.4e}".format
        return most + 1, 1.0, "{:g}".format
    if most - least > 4:
        return 11 + (abs(most) > 99 or abs(least) > 99), 1.0, "{:.4e}".format
    if most > 5 or most < 0:
        return 7, 10.0 ** (most - 1), "{:.4f}".format
    return (7 if most == 0 else most + 6), 1.0, "{:.4f}".format


def _digits(size: float) -> int:
    """How many digits a number has before the point."""
    return math.floor(math.log10(size)) + 1 if size else 1
