"""What tests of planted faults share."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _only_what_is_new() -> Iterator[None]:
    """The objects of other tests, of which there may be millions, are not searched for functions to change."""
    gc.freeze()
    yield
    gc.unfreeze()
