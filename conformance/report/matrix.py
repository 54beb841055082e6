"""Engines compared with each other: the share that agrees with torch, by area, tier and group of facets."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from textwrap import wrap
from typing import Any, Literal

from conformance.language.scenario import TIERS
from conformance.report import levels
from conformance.report.result import Result
from conformance.report.share import Cell, cell
from conformance.report.text import label, table
from conformance.runner.engine import GROUPS

Rows = list[tuple[str, ...]]


_NONE = Cell(0, 0, 0, 0, ())


@dataclass(frozen=True, slots=True)
class Grades:
    """How one engine did: in all scenarios, in those of each area, and in those of each tier."""

    name: str  # with its version
    all: Cell
    areas: tuple[tuple[str, Cell], ...]
    tiers: tuple[tuple[str, Cell], ...]
    levels: tuple[tuple[str, Cell], ...] = ()  # of tier core


@dataclass(frozen=True, slots=True)
class Matrix:
    """Several engines compared with one reference; ``incomplete`` names the reports that are."""

    reference: str
    engines: tuple[Grades, ...]
    incomplete: tuple[str, ...] = ()


def matrix(results: Sequence[Result], incomplete: Iterable[str] = ()) -> Matrix:
    """Count the results of each engine."""
    engines = tuple(
        Grades(name, cell(own), tuple(_by(own, "area")), tuple(_by(own, "tier")), tuple(levels.cells(own)))
        for name, own in _by_engine(results)
    )
    reference = next((result.reference for result in results if result.reference), "torch")
    return Matrix(reference, engines, tuple(incomplete))


def as_text(made: Matrix) -> Iterator[str]:
    """For a terminal; begins with the reports that are incomplete."""
    yield from made.incomplete
    if made.incomplete:
        yield ""
    for title, rows in _tables(made):
        yield title
        yield from table(rows)
        yield ""
    yield from wrap(_LEGEND, 100)


def as_markdown(made: Matrix) -> Iterator[str]:
    """For a README: the tables that compare several engines."""
    for each in made.incomplete:
        yield f"**{each}**"
        yield ""
    for title, rows in islice(_tables(made), 4 if len(made.engines) > 1 else None):
        yield f"**{title}**"
        yield ""
        yield _row(rows[0])
        yield _row(["---", *["---:"] * (len(rows[0]) - 1)])
        yield from map(_row, rows[1:])
        yield ""
    yield from wrap(_LEGEND, 120)


_LEGEND = (
    "An area or a tier shows the share of scenarios in which the engine agrees with torch in all groups that it "
    "claims; where it does not support all scenarios, the number of those that it does. A group shows the share of "
    "the supported scenarios without a difference in it; an engine that raises an error that torch does not raise "
    "differs in every group. Empty: not claimed."
)


def as_json(made: Matrix) -> Iterator[str]:
    """The counts as data, which `from_plain` reads."""

    def plain(found: Cell) -> dict[str, object]:
        more = {"verdicts": dict(found.verdicts), "counts": dict(found.counts)}
        return asdict(found) | {"groups": dict(found.groups)} | more

    engines = {
        each.name: plain(each.all)
        | {
            "areas": {area: plain(part) for area, part in each.areas},
            "tiers": {tier: plain(part) for tier, part in each.tiers},
            "levels": {level: plain(part) for level, part in each.levels},
        }
        for each in made.engines
    }
    found = {"reference": made.reference, "engines": engines, "incomplete": [*made.incomplete]}
    yield json.dumps(found, indent=2)


def from_plain(plain: dict[str, Any]) -> Matrix:
    """What `as_json` wrote; raises LookupError, TypeError or ValueError for anything else."""

    def counted(found: dict[str, Any]) -> Cell:
        return Cell(
            int(found["scenarios"]),
            int(found["supported"]),
            int(found["agreeing"]),
            int(found["declared"]),
            *(
                tuple((name, int(count)) for name, count in found.get(part, {}).items())
                for part in ("groups", "verdicts", "counts")
            ),
        )

    engines = tuple(
        Grades(
            name,
            counted(found),
            tuple((area, counted(part)) for area, part in found["areas"].items()),
            tuple((tier, counted(part)) for tier, part in found["tiers"].items()),
            tuple((level, counted(part)) for level, part in found.get("levels", {}).items()),
        )
        for name, found in plain["engines"].items()
    )
    return Matrix(str(plain["reference"]), engines, tuple(plain["incomplete"]))


FORMATS: dict[str, Callable[[Matrix], Iterator[str]]] = {
    "text": as_text,
    "markdown": as_markdown,
    "json": as_json,
}


def _tables(made: Matrix) -> Iterator[tuple[str, Rows]]:
    order = {"tier": TIERS, "level of tier core": levels.NAMES}
    for kind in ("area", *order):
        every = {"area": "areas", "tier": "tiers"}.get(kind, "levels")
        parts = [dict(getattr(each, every)) for each in made.engines]
        names = {name for part in parts for name in part}
        rows: Rows = [(kind, *(each.name for each in made.engines))]
        for name in sorted(names) if kind == "area" else [each for each in order[kind] if each in names]:
            rows.append((name, *(part.get(name, _NONE).text for part in parts)))
        if kind == "area":
            rows.append(("all", *(each.all.text for each in made.engines)))
        if names:
            yield f"Scenarios that agree, by {kind}, compared with {made.reference}", rows
    head = ("scenarios", "supported", "agree", "known divergence", *GROUPS)
    rows = [("engine", *head), *((each.name, *_groups(each.all)) for each in made.engines)]
    yield f"Agreement by group of facets, compared with {made.reference}", rows
    for each in made.engines:
        rows = [("area", *head), *((area, *_groups(part)) for area, part in each.areas)]
        yield f"{each.name}, compared with {made.reference}", rows


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


def _by(results: Sequence[Result], kind: Literal["area", "tier"]) -> Iterator[tuple[str, Cell]]:
    """The cells of the areas or tiers that have results, areas by name and tiers in order."""
    names = {getattr(result, kind) for result in results} - {""}
    for name in sorted(names) if kind == "area" else [tier for tier in TIERS if tier in names]:
        yield name, cell(result for result in results if getattr(result, kind) == name)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(text.replace('|', chr(92) + '|') for text in cells)} |"
