"""Settings such as kernel_size, given as one number or as one for each dimension."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def each(value: Any, spatial: int) -> tuple[Any, ...]:
    """The setting as a tuple with a number for each dimension."""
    return tuple(value) if isinstance(value, Iterable) else (value,) * spatial
