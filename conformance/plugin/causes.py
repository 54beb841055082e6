"""Run the scenarios of one cause of an earlier run again: pytest's cache remembers which they were."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import pytest

from conformance.plugin.items import ScenarioItem
from conformance.report.causes import causes
from conformance.report.result import Result

_KEY = "conformance/causes"
_MOST = 400  # causes that are remembered, of all engines


def remember(config: pytest.Config, results: Sequence[Result]) -> None:
    """Keep the causes of a run; those of earlier runs stay until there are too many."""
    cache = getattr(config, "cache", None)  # none with -p no:cacheprovider
    if cache is None:
        return
    by_engine = sorted((each for each in results if each.verdict == "differs"), key=lambda each: each.engine)
    found = {
        cause.key: [cause.text, [each.scenario for each in cause.results]]
        for _, alike in groupby(by_engine, key=lambda each: each.engine)
        for cause in causes(alike)
    }
    if found:
        kept = {key: value for key, value in cache.get(_KEY, {}).items() if key not in found}
        cache.set(_KEY, dict([*kept.items(), *found.items()][-_MOST:]))


def refuse_unknown(config: pytest.Config) -> None:
    """Refuse a cause that no earlier run had.

    Raises:
        UsageError: with where the names are.
    """
    name = config.getoption("--cause")
    if name is not None and name not in _known(config):
        raise pytest.UsageError(
            f"--cause {name}: no earlier run in this folder had a cause of that name; "
            'the summary of a run has their names under "fix this first"'
        )


def of_cause(config: pytest.Config, items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """The scenarios of the cause that ``--cause`` names, on the engines of this run."""
    _, scenarios = _known(config)[config.getoption("--cause")]
    wanted = {*scenarios}
    return [item for item in items if isinstance(item, ScenarioItem) and item.scenario.id in wanted]


def _known(config: pytest.Config) -> dict[str, tuple[str, list[str]]]:
    cache = getattr(config, "cache", None)
    found: dict[str, tuple[str, list[str]]] = {} if cache is None else cache.get(_KEY, {})
    return found
