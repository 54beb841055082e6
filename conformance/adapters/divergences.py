"""Differences from torch that an engine is known to have.

Note [Known divergences]
  - An entry names one scenario, and where it is narrower a statement, a name and facets. With `*` in its id, for
    any text, it names all that fit.
  - The difference that counts is the first one. An entry with a statement covers what differs there, and all
    that comes after: that follows from it. An entry without one covers its names and facets throughout.
  - A crash is covered only by an entry that names the facet ``raised``; a time-out, or an interpreter
    that ended, by none.
  - An entry that covers nothing is stale: the engine has changed, or it never was so. One with `*` need not show in
    each of its scenarios; a proposal from a run of all specs leaves it out once it shows in none.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from conformance.runner.compare import Difference, is_crash, is_ending
from conformance.runner.trace import Statement

Kind: TypeAlias = Literal["bug", "missing_feature", "by_design"]


class KnownDivergence(Exception):  # noqa: N818 - a verdict rather than an error
    """The engine differs from torch, in what is declared and in nothing else."""


@dataclass(frozen=True, slots=True)
class Divergence:
    """One entry: where an engine differs, of what kind that is, and why."""

    scenario: str
    kind: Kind
    reason: str
    position: str  # file:line:column of the entry
    statement: str = ""  # as reports write it: "step 1, line 3"; with turns, or for all turns without
    name: str = ""
    facets: tuple[str, ...] = ()

    @property
    def wide(self) -> bool:
        """Whether it is of all scenarios whose ids fit."""
        return "*" in self.scenario

    def of(self, scenario: str) -> bool:
        """Whether the entry speaks of this scenario."""
        return self.scenario == scenario or (self.wide and bool(_pattern(self.scenario).fullmatch(scenario)))

    def at(self, place: Statement) -> bool:
        """Whether the entry speaks of this statement."""
        text = str(place)
        return not self.statement or text == self.statement or text.startswith(f"{self.statement}, ")

    def covers(self, difference: Difference) -> bool:
        """Whether it declares this difference."""
        if is_ending(difference) or (is_crash(difference) and "raised" not in self.facets):
            return False
        return (
            self.at(difference.statement)
            and self.name in ("", difference.name)
            and (not self.facets or difference.facet in self.facets)
        )


@functools.cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, text.split("*"))))


@dataclass(frozen=True, slots=True)
class Coverage:
    """What entries make of the differences of one scenario."""

    used: tuple[Divergence, ...]
    stale: tuple[Divergence, ...]
    uncovered: tuple[Difference, ...]

    @property
    def known(self) -> bool:
        """Whether every difference is declared, and every declaration is borne out."""
        return bool(self.used) and not self.uncovered and not self.stale


def cover(scenario: str, differences: Sequence[Difference], entries: Iterable[Divergence]) -> Coverage:
    """Filter the differences of a scenario through the entries for it."""
    own = [entry for entry in entries if entry.of(scenario)]
    used: list[Divergence] = []
    uncovered: list[Difference] = []
    follows = False
    for place in dict.fromkeys(difference.statement for difference in differences):
        here = [difference for difference in differences if difference.statement == place]
        left = [difference for difference in here if not _covering(difference, own, used)]
        uncovered += filter(is_crash, left) if follows else left
        follows = follows or (not left and any(entry.statement and entry.at(place) for entry in used))
    stale = tuple(entry for entry in own if entry not in used and not entry.wide)
    return Coverage(tuple(used), stale, tuple(uncovered))


def _covering(difference: Difference, entries: Iterable[Divergence], used: list[Divergence]) -> bool:
    covering = [entry for entry in entries if entry.covers(difference)]
    used += (entry for entry in covering if entry not in used)
    return bool(covering)


def unmatched(entries: Iterable[Divergence], scenarios: Collection[str]) -> tuple[Divergence, ...]:
    """The entries for scenarios that there are not."""
    return tuple(
        entry
        for entry in entries
        if entry.scenario not in scenarios and not (entry.wide and any(map(entry.of, scenarios)))
    )
