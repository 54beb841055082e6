"""The vocabulary, area by area: which names an engine provides and which ones scenarios use."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

from conformance.language.usage import Usage
from conformance.language.vocabulary import VocabularyName


@dataclass(frozen=True, slots=True)
class Area:
    """One area of the vocabulary."""

    name: str
    names: tuple[str, ...]  # paths, as ``VocabularyName.path`` gives them
    lacking: tuple[str, ...]  # the engine does not have these
    unexercised: tuple[str, ...]  # no scenario uses these


def cover(
    entries: Iterable[VocabularyName], lacking: Collection[str], uses: Iterable[Usage]
) -> tuple[Area, ...]:
    """Each area of ``entries``; ``lacking`` has the paths that the engine does not provide."""
    used = Usage(frozenset(), frozenset())
    for use in uses:
        used = Usage(used.paths | use.paths, used.attributes | use.attributes)
    areas: dict[str, list[VocabularyName]] = {}
    for entry in entries:
        areas.setdefault(entry.area, []).append(entry)
    return tuple(
        Area(
            area,
            tuple(entry.path for entry in own),
            tuple(entry.path for entry in own if entry.path in lacking),
            tuple(entry.path for entry in own if not used.covers(entry)),
        )
        for area, own in areas.items()
    )


def as_text(areas: Sequence[Area], engine: str) -> Iterator[str]:
    """A table, and the names that are missing."""
    width = max(len(area.name) for area in areas)
    yield f"{'area':{width}}  names  {engine:>8}  scenarios"
    for name, names, has, exercised in [*map(_counts, areas), _total(areas)]:
        yield f"{name:{width}}  {names:5}  {has:>{max(8, len(engine))}}  {exercised:9}"
    for title, missing in (
        (f"not in {engine}", {area.name: area.lacking for area in areas}),
        ("in no scenario", {area.name: area.unexercised for area in areas}),
    ):
        if any(missing.values()):
            yield ""
            yield f"{title}:"
            for area, paths in missing.items():
                if paths:
                    yield from wrap(
                        f"{area}: {' '.join(paths)}", 100, initial_indent="  ", subsequent_indent="    "
                    )


def as_json(areas: Sequence[Area], facts: Mapping[str, Any]) -> dict[str, object]:
    """The table as data."""
    return {
        "engine": facts["name"],
        "version": facts["version"],
        "areas": [
            {
                "area": area.name,
                "names": list(area.names),
                "lacking": list(area.lacking),
                "unexercised": list(area.unexercised),
            }
            for area in areas
        ],
    }


def _counts(area: Area) -> tuple[str, int, int, int]:
    total = len(area.names)
    return area.name, total, total - len(area.lacking), total - len(area.unexercised)


def _total(areas: Sequence[Area]) -> tuple[str, int, int, int]:
    rows = [_counts(area) for area in areas]
    return "total", sum(row[1] for row in rows), sum(row[2] for row in rows), sum(row[3] for row in rows)
