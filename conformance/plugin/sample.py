"""A sample of the scenarios, for engines that take seconds for each."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import islice, zip_longest

import pytest

from conformance.plugin.items import ScenarioItem

SIZE = 400
"""Scenarios of a sample."""


def sample(items: Sequence[pytest.Item]) -> set[pytest.Item]:
    """All items but scenarios, and of those in tier core the same number of each area, chosen with a seed."""
    scenarios = [item for item in items if isinstance(item, ScenarioItem)]
    core = [item for item in scenarios if item.scenario.tier == "core"] or scenarios
    areas: dict[str, list[ScenarioItem]] = {}
    for item in random.Random(0).sample(core, len(core)):
        areas.setdefault(item.scenario.area, []).append(item)
    turns = (item for turn in zip_longest(*areas.values()) for item in turn if item is not None)
    return {*items} - {*scenarios} | {*islice(turns, SIZE)}
