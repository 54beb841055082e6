"""The suite's own specs, loaded once for all tests of a process: that takes longer than most tests."""

from __future__ import annotations

from functools import cache

from conformance.check import locate
from conformance.check.library import Library
from conformance.language.scenario import Scenario


@cache
def library() -> Library:
    """All files of the specs, loaded."""
    loaded = Library()
    loaded.load_all([locate.specs()])
    return loaded


@cache
def scenarios() -> tuple[Scenario, ...]:
    """All their scenarios, in the order of the files."""
    return library().load_all([locate.specs()]).scenarios
