"""The transforms of torch.func that run, one inside another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..transforms import transforms


@contextmanager
def nested(derivative: bool = True) -> Iterator[int]:
    """Inside, one more transform runs: how deep it stands."""
    since = transforms.since
    transforms.depth += 1
    transforms.age += 1
    if derivative:
        transforms.since = transforms.age  # see Note [Captured tensors]
    transforms.begin()
    try:
        yield transforms.depth
    finally:
        transforms.depth -= 1
        transforms.since = since
        transforms.end()
