"""Engines compared with each other: the share that agrees with torch, by area, tier and group of facets."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from textwrap import wrap

from conformance.language.scenario import TIERS
from conformance.report.result import Result
from conformance.report.text import label, table
from conformance.runner.engine import GROUPS

_COMPARED = ("agrees", "differs", "known divergence", "stale")
_SAID = {"unsound", "invalid", "unrecorded", "changed"}

Rows = list[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Cell:
    """How some scenarios did on one engine."""

    scenarios: int  # that count for an engine
    supported: int  # all of whose names it provides
    agreeing: int  # with no difference in a claimed group
    declared: int  # that differ only as declared
    groups: tuple[tuple[str, int], ...]  # claimed: supported scenarios without a difference in it

    def share(self, count: int, of: int) -> str:
        """A percentage, never rounded up to 100 or down to 0."""
        if not of:
            return "-"
        per_cent = 100 * count / of
        return f"{min(max(round(per_cent), count > 0), 99 if count < of else 100)}%"

    def group(self, group: str) -> str:
        """The share of a group; empty if the engine does not claim it."""
        counts = dict(self.groups)
        return self.share(counts[group], self.supported) if group in counts else ""


def cell(results: Iterable[Result]) -> Cell:
    """Count results; scenarios that cannot run on torch or on this machine do not count.

    A scenario in which only the engine raises counts as different in every group, since the rest was not compared.
    """
    counted = [result for result in results if result.verdict not in _SAID | {"skipped"}]
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
    )


def as_text(results: Sequence[Result], incomplete: Sequence[str] = ()) -> Iterator[str]:
    """For a terminal; begins with the reports that are incomplete."""
    yield from incomplete
    if incomplete:
        yield ""
    for title, rows in _tables(results):
        yield title
        yield from table(rows)
        yield ""
    yield from wrap(_LEGEND, 100)


def as_markdown(results: Sequence[Result], incomplete: Sequence[str] = ()) -> Iterator[str]:
    """For a README: the tables that compare several engines."""
    for each in incomplete:
        yield f"**{each}**"
        yield ""
    several = len(_by_engine(results)) > 1
    for title, rows in islice(_tables(results), 3 if several else None):
        yield f"**{title}**"
        yield ""
        yield _row(rows[0])
        yield _row(["---", *["---:"] * (len(rows[0]) - 1)])
        yield from map(_row, rows[1:])
        yield ""
    yield _LEGEND


_LEGEND = (
    "An area or tier shows the share of scenarios in which the engine is as torch in all that it claims, and behind it "
    "of how many it has the names. A group shows the share of those without a difference in it; an engine "
    "that raises where torch does not differs in every group. Empty: not claimed."
)


def as_json(results: Sequence[Result], incomplete: Sequence[str] = ()) -> Iterator[str]:
    """The tables as data."""

    def told(found: Cell) -> dict[str, object]:
        return {
            "scenarios": found.scenarios,
            "supported": found.supported,
            "agreeing": found.agreeing,
            "declared": found.declared,
            "groups": dict(found.groups),
        }

    engines = {
        name: told(cell(own))
        | {
            "areas": {area: told(cell(part)) for area, part in _by_area(own)},
            "tiers": {tier: told(cell(part)) for tier, part in _by_tier(own)},
        }
        for name, own in _by_engine(results)
    }
    found = {"reference": _reference(results), "engines": engines, "incomplete": [*incomplete]}
    yield json.dumps(found, indent=2)


FORMATS: dict[str, Callable[[Sequence[Result], Sequence[str]], Iterator[str]]] = {
    "text": as_text,
    "markdown": as_markdown,
    "json": as_json,
}


def _tables(results: Sequence[Result]) -> Iterator[tuple[str, Rows]]:
    engines = _by_engine(results)
    areas = sorted({result.area for result in results if result.area})
    reference = _reference(results)
    rows: Rows = [("area", *(name for name, _ in engines))]
    for area in areas:
        rows.append((area, *(_area(cell(r for r in own if r.area == area)) for _, own in engines)))
    rows.append(("all", *(_area(cell(own)) for _, own in engines)))
    yield f"Scenarios that agree, by area, compared with {reference}", rows
    rows = [("tier", *(name for name, _ in engines))]
    for tier, _ in _by_tier(results):
        rows.append((tier, *(_area(cell(r for r in own if r.tier == tier)) for _, own in engines)))
    yield f"Scenarios that agree, by tier, compared with {reference}", rows
    rows = [("engine", "scenarios", "supported", "agree", "differ as declared", *GROUPS)]
    for name, own in engines:
        rows.append((name, *_groups(cell(own))))
    yield f"Agreement by group of facets, compared with {reference}", rows
    for name, own in engines:
        rows = [("area", "scenarios", "supported", "agree", "differ as declared", *GROUPS)]
        rows += [(area, *_groups(cell(part))) for area, part in _by_area(own)]
        yield f"{name}, compared with {reference}", rows


def _area(found: Cell) -> str:
    if not found.supported:
        return f"- of {found.scenarios}" if found.scenarios else ""
    share = found.share(found.agreeing, found.supported)
    return share if found.supported == found.scenarios else f"{share} of {found.supported}/{found.scenarios}"


def _groups(found: Cell) -> tuple[str, ...]:
    agreeing = found.share(found.agreeing, found.supported)
    return (
        str(found.scenarios),
        str(found.supported),
        agreeing,
        str(found.declared or ""),
        *(found.group(group) for group in GROUPS),
    )


def _by_engine(results: Sequence[Result]) -> list[tuple[str, list[Result]]]:
    names = dict.fromkeys((result.engine, result.version) for result in results if result.engine)
    return [
        (label(*name), [each for each in results if (each.engine, each.version) == name]) for name in names
    ]


def _by_area(results: Sequence[Result]) -> list[tuple[str, list[Result]]]:
    areas = sorted({result.area for result in results})
    return [(area, [result for result in results if result.area == area]) for area in areas]


def _by_tier(results: Sequence[Result]) -> list[tuple[str, list[Result]]]:
    """The tiers that have results, in order."""
    tiers = ((tier, [result for result in results if result.tier == tier]) for tier in TIERS)
    return [(tier, found) for tier, found in tiers if found]


def _reference(results: Sequence[Result]) -> str:
    return next((result.reference for result in results if result.reference), "torch")


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(text.replace('|', chr(92) + '|') for text in cells)} |"
