"""The transforms of torch.func that run, one inside another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..transforms import transforms


class Nesting:
    """How many run."""

    depth = 0


nesting = Nesting()


@contextmanager
def nested() -> Iterator[int]:
    """Inside, one more transform runs: how deep it stands."""
    nesting.depth += 1
    transforms.begin()
    try:
        yield nesting.depth
    finally:
        nesting.depth -= 1
        transforms.end()
