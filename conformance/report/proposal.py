"""What a divergence file would need, as a diff: a person reads it, groups it, and says kind and reason."""

from __future__ import annotations

import difflib
import json
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from conformance.report.text import shorten
from conformance.runner.compare import Difference

_WIDTH = 110


class Entry(Protocol):
    """What is read of an entry: `conformance.adapters.divergences` has the class."""

    @property
    def scenario(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def reason(self) -> str: ...
    @property
    def statement(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def facets(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class Undeclared:
    """A scenario in which an engine differs beyond what is declared."""

    scenario: str
    differences: tuple[Difference, ...]

    @property
    def facets(self) -> tuple[str, ...]:
        """All that differ in it."""
        return tuple(dict.fromkeys(each.facet for each in self.differences))

    @property
    def cause(self) -> str:
        """What is alike in scenarios with one cause: the first difference without names and numbers."""
        first = self.differences[0]
        if first.facet in ("raised", "message"):
            return f"{first.facet}: {shorten(first.engine, 70)}, torch: {shorten(first.reference, 70)}"
        return f"{first.facet}"

    @property
    def example(self) -> str:
        """The first difference in a line."""
        first = self.differences[0]
        what = f"{first.name} {first.facet}".strip()
        return f"{what} is {shorten(first.engine)}, on torch {shorten(first.reference)}"


def diff(
    file: str, text: str, engine: str, kept: Sequence[Entry], undeclared: Sequence[Undeclared]
) -> Iterator[str]:
    """A unified diff from the text of a file to what it needs: stale entries gone, new ones without reason."""
    comment = [line for line in text.splitlines() if line.startswith("#")]
    wanted = [*comment, *as_yaml(engine, kept, undeclared)] if kept or undeclared else []
    return difflib.unified_diff(text.splitlines(), wanted, file, f"{file} (proposed)", lineterm="")


def as_yaml(engine: str, kept: Iterable[Entry], undeclared: Iterable[Undeclared] = ()) -> Iterator[str]:
    """The lines of a divergence file; entries that say the same of several scenarios are one."""
    yield f"engine: {engine}"
    yield "divergences:"
    groups: dict[tuple[object, ...], list[Entry]] = {}
    for entry in kept:
        key = (entry.kind, entry.reason, entry.statement, entry.name, entry.facets)
        groups.setdefault(key, []).append(entry)
    for same in groups.values():
        one = same[0]
        yield from _entry(
            [entry.scenario for entry in same],
            {"statement": one.statement, "name": one.name},
            one.facets,
        )
        yield f"    kind: {one.kind}"
        yield from _text("reason", one.reason)
    causes: dict[tuple[object, ...], list[Undeclared]] = {}
    for each in undeclared:
        causes.setdefault((frozenset(each.facets), each.cause), []).append(each)
    for alike in sorted(causes.values(), key=len, reverse=True):
        yield f"  # {alike[0].example}"
        yield from _entry([each.scenario for each in alike], {}, alike[0].facets)
        yield "    kind: # bug, missing_feature or by_design"
        yield "    reason: # why"


def _entry(scenarios: list[str], keys: Mapping[str, str], facets: Sequence[str]) -> Iterator[str]:
    if len(scenarios) == 1:
        yield f"  - scenario: {_scalar(scenarios[0])}"
    else:
        yield "  - scenario:"
        listed = f"[{', '.join(map(_scalar, scenarios))}]"
        yield from textwrap.wrap(
            listed,
            _WIDTH,
            initial_indent="      ",
            subsequent_indent="       ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    yield from (f"    {key}: {_scalar(value)}" for key, value in keys.items() if value)
    if facets:
        yield f"    facets: [{', '.join(map(_scalar, facets))}]"


def _scalar(text: str) -> str:
    plain = text.replace("-", "").replace("_", "").replace(" ", "")
    return text if plain.isalnum() and not text.startswith("-") else json.dumps(text, ensure_ascii=False)


def _text(key: str, text: str) -> Iterator[str]:
    yield f"    {key}: >-"
    yield from textwrap.wrap(text, _WIDTH, initial_indent="      ", subsequent_indent="      ")
