"""The known differences of an engine from torch.

Note [Known divergences]
  - An entry names one scenario, and may be limited to a statement, a name and facets. A `*` in its id matches any text,
    so that the entry covers several scenarios.
  - The first difference decides. An entry with a statement covers the differences there and all later ones, which are
    considered consequences. So does an entry with the text of what the engine shows (`now`), from there on. Any other
    entry covers its names and facets in the whole scenario.
  - A crash is covered only by an entry with the facet ``raised``. A timeout is never covered, and the end of an
    interpreter only by an entry that says so in `now`. Names that a covered error left unbound follow from it.
  - A `*` in its name matches any text too, and so it does in `was` and `now`, which limit an entry to differences
    between such texts.
  - An entry that covers nothing is stale. A wildcard entry may match scenarios in which it does not occur; a proposal
    from a run of all specs removes it if it occurs in none.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from conformance.language.scenario import base_id
from conformance.runner.compare import DIED, UNBOUND, Difference, is_crash, is_ending
from conformance.runner.trace import Statement

_UNBOUND = re.compile(r"NameError: name '(\w+)' is not defined")

Kind: TypeAlias = Literal["bug", "missing_feature", "by_design", "release"]


class KnownDivergence(Exception):  # noqa: N818 - a verdict, not an error
    """The engine differs from torch only as declared."""


@dataclass(frozen=True, slots=True)
class Divergence:
    """One entry: where an engine, or a release of torch, differs, the kind of difference, and the reason."""

    scenario: str
    kind: Kind
    reason: str
    position: str  # file:line:column of the entry
    statement: str = ""  # as in reports: "step 1, line 3"; without turns it covers all turns
    name: str = ""
    facets: tuple[str, ...] = ()
    was: tuple[str, ...] = ()  # the reference's text is one of these
    now: tuple[str, ...] = ()  # the text of the release that differs is one of these

    @property
    def wide(self) -> bool:
        """Whether the entry has a wildcard."""
        return "*" in self.scenario

    def of(self, scenario: str) -> bool:
        """Whether the entry names this scenario."""
        return _matches(self.scenario, scenario)

    def may_be_of(self, ids: Collection[str]) -> bool:
        """Whether the entry may name a case of a scenario with one of these ids."""
        base = base_id(self.scenario)
        if "*" not in base:
            return base in ids
        return any(_matches(base, each) for each in ids)

    def at(self, place: Statement) -> bool:
        """Whether the entry names this statement."""
        text = str(place)
        return not self.statement or text == self.statement or text.startswith(f"{self.statement}, ")

    def names(self, differences: Sequence[Difference]) -> bool:
        """Whether it names what differs here, so that what comes later follows from it."""
        if self.statement:
            return any(self.at(each.statement) for each in differences)
        return bool(self.now) and self.kind != "release" and any(map(self.covers, differences))

    def covers(self, difference: Difference) -> bool:
        """Whether the entry declares this difference."""
        if is_crash(difference) and "raised" not in self.facets:
            return False
        if is_ending(difference) and not (
            difference.engine.startswith(DIED) and any(each.startswith(DIED) for each in self.now)
        ):
            return False
        return (
            self.at(difference.statement)
            and (not self.name or _matches(self.name, difference.name))
            and (not self.facets or difference.facet in self.facets)
            and (not self.was or any(_matches(each, difference.reference) for each in self.was))
            and (not self.now or any(_matches(each, difference.engine) for each in self.now))
        )


def _matches(pattern: str, text: str) -> bool:
    """Whether a text is the pattern, in which `*` matches any text."""
    return pattern == text or ("*" in pattern and bool(_compiled(pattern).fullmatch(text)))


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL)


@dataclass(frozen=True, slots=True)
class Coverage:
    """The differences of one scenario matched with entries."""

    used: tuple[Divergence, ...]
    stale: tuple[Divergence, ...]
    uncovered: tuple[Difference, ...]

    @property
    def known(self) -> bool:
        """Whether every difference is declared, and every declaration applies."""
        return bool(self.used) and not self.uncovered and not self.stale


def cover(scenario: str, differences: Sequence[Difference], entries: Iterable[Divergence]) -> Coverage:
    """Match the differences of a scenario with the entries."""
    own = [entry for entry in entries if entry.of(scenario)]
    used: list[Divergence] = []
    uncovered: list[Difference] = []
    follows = False
    for place in dict.fromkeys(difference.statement for difference in differences):
        here = [difference for difference in differences if difference.statement == place]
        left = [difference for difference in here if not _covering(difference, own, used)]
        if any(is_crash(each) and each not in left for each in here):  # what a declared error left unbound
            left = [each for each in left if each.engine != UNBOUND]
        if follows or any(_names_error(entry, here) for entry in used):  # the rest follows from the error
            left = [each for each in left if is_crash(each) and not _is_unbound(each, here)]
        uncovered += left
        follows = follows or (not left and any(entry.names(here) for entry in used))
    stale = tuple(entry for entry in own if entry not in used and not entry.wide)
    return Coverage(tuple(used), stale, tuple(uncovered))


def _is_unbound(difference: Difference, here: Sequence[Difference]) -> bool:
    """Whether the engine raised an error because an earlier error has left a name unbound."""
    found = _UNBOUND.match(difference.engine)
    return found is not None and any(each.name == found[1] and each.engine == UNBOUND for each in here)


def _names_error(entry: Divergence, here: Sequence[Difference]) -> bool:
    """Whether the entry has the text of the error that only the engine raises here."""
    return bool(entry.now) and entry.kind != "release" and any(is_crash(d) and entry.covers(d) for d in here)


def _covering(difference: Difference, entries: Iterable[Divergence], used: list[Divergence]) -> bool:
    covering = [entry for entry in entries if entry.covers(difference)]
    used += (entry for entry in covering if entry not in used)
    return bool(covering)


def unmatched(entries: Iterable[Divergence], scenarios: Collection[str]) -> tuple[Divergence, ...]:
    """The entries that name no existing scenario."""
    return tuple(
        entry
        for entry in entries
        if entry.scenario not in scenarios and not (entry.wide and any(map(entry.of, scenarios)))
    )
