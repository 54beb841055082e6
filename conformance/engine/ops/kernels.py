"""What the forward functions of several operations share."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import dtypes
from ..rows import Array


def unimplemented(kernel: str, kind: np.dtype[Any]) -> NotImplementedError:
    """The error of a kernel that has no case for a dtype."""
    return NotImplementedError(f"\"{kernel}\" not implemented for '{dtypes.BY_NUMPY[kind].legacy}'")


def kind_of(*operands: Any) -> np.dtype[Any]:
    """The dtype of operands that have met; numbers among them count for nothing."""
    for each in operands:
        if isinstance(each, np.ndarray):
            return each.dtype
    return np.asarray(operands[0]).dtype


def need_floats(kernel: str, *operands: Any) -> None:
    """Refuse integers and bools.

    Raises:
        NotImplementedError: there are some.
    """
    kind = kind_of(*operands)
    if kind.kind not in "fc":
        raise unimplemented(kernel, kind)


def refuse_bools(kernel: str, *operands: Any) -> None:
    """Refuse bools.

    Raises:
        NotImplementedError: there are some.
    """
    kind = kind_of(*operands)
    if kind.kind == "b":
        raise unimplemented(kernel, kind)


def need_integers(kernel: str, *operands: Any) -> None:
    """Refuse all but integers.

    Raises:
        NotImplementedError: there are others.
    """
    kind = kind_of(*operands)
    if kind.kind not in "iu":
        raise unimplemented(kernel, kind)


def half_up(array: Array) -> Array:
    """Half precision as single, in which torch computes it; others as they are."""
    return array.astype(np.float32) if array.dtype == np.float16 else array
