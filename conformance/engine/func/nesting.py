"""The transforms of torch.func that run, one inside another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..transforms import transforms


@contextmanager
def nested() -> Iterator[int]:
    """Inside, one more transform runs: how deep it stands."""
    transforms.depth += 1
    transforms.begin()
    try:
        yield transforms.depth
    finally:
        transforms.depth -= 1
        transforms.end()
