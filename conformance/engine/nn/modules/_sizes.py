"""Settings given once or for each dimension."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def each(value: Any, spatial: int) -> tuple[Any, ...]:
    """A setting for each dimension, as a tuple."""
    return tuple(value) if isinstance(value, Iterable) else (value,) * spatial
