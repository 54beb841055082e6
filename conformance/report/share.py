"""The share of scenarios in which an engine agrees with torch: one way to count and to round, for every report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from conformance.report.result import Result
from conformance.runner.engine import GROUPS

_COMPARED = ("agrees", "differs", "known divergence", "stale")
_NOT_COUNTED = ("unsound", "invalid", "unrecorded", "changed", "skipped", "not observed")


@dataclass(frozen=True, slots=True)
class Cell:
    """How some scenarios did on one engine."""

    scenarios: int  # that count for an engine
    supported: int  # all of whose names it provides
    agreeing: int  # with no difference in a claimed group
    declared: int  # that differ only as declared
    groups: tuple[tuple[str, int], ...]  # claimed: supported scenarios without a difference in it
    verdicts: tuple[tuple[str, int], ...] = ()  # of all scenarios, also of those that do not count
    counts: tuple[tuple[str, int], ...] = ()  # what an engine that is torch itself elsewhere counted

    def share(self, count: int, of: int) -> str:
        """A percentage, never rounded up to 100 or down to 0."""
        if not of:
            return "-"
        per_cent = 100 * count / of
        return f"{min(max(round(per_cent), int(count > 0)), 99 if count < of else 100)}%"

    @property
    def text(self) -> str:
        """The share of the supported scenarios that agrees, and if some are not supported, how many of all are."""
        if not self.supported:
            return f"- of {self.scenarios}" if self.scenarios else ""
        share = self.share(self.agreeing, self.supported)
        return share if self.supported == self.scenarios else f"{share} of {self.supported}/{self.scenarios}"

    def group(self, group: str) -> str:
        """The share of a group; empty if the engine does not claim it."""
        counts = dict(self.groups)
        return self.share(counts[group], self.supported) if group in counts else ""


def cell(results: Iterable[Result]) -> Cell:
    """Count results; scenarios that cannot run on torch or on this machine do not count.

    A scenario in which only the engine raises counts as different in every group, since the rest was not compared.
    """
    every = [*results]
    counted = [result for result in every if result.verdict not in _NOT_COUNTED]
    ran = [result for result in counted if result.verdict in _COMPARED]
    counts: Counter[str] = Counter()
    for result in ran:
        counts.update({group: not result.differs_in(group) for group in result.groups})
    verdicts = Counter(result.verdict for result in counted)
    return Cell(
        len(counted),
        len(ran),
        verdicts["agrees"] + verdicts["stale"],
        verdicts["known divergence"],
        tuple((group, counts[group]) for group in GROUPS if group in counts),
        _summed(Counter([result.verdict]) for result in every),
        _summed(result.counts for result in every),
    )


def _summed(counts: Iterable[Mapping[str, int]]) -> tuple[tuple[str, int], ...]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return tuple(sorted(total.items()))
