"""Propose changes to a divergence file as a diff; its author groups them and adds kind and reason."""

from __future__ import annotations

import difflib
import json
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from conformance.report.result import ReportedDifference
from conformance.report.text import shorten
from conformance.runner.compare import Difference, is_crash

_WIDTH = 110
_OTHERWISE = {"true", "false", "null", "none", "nan", "inf"}  # words that YAML does not read as text
T = TypeVar("T")


class Entry(Protocol):
    """The attributes of an entry that are used; the class is in `conformance.adapters.divergences`."""

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
    @property
    def was(self) -> tuple[str, ...]: ...
    @property
    def now(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class Form:
    """How a divergence file begins, the key of its list, and the keys that the author of an entry fills."""

    head: str
    listed: str
    keys: tuple[str, ...]


def of_engine(name: str) -> Form:
    """The file of an engine."""
    return Form(
        f"engine: {name}", "divergences", ("kind: # bug, missing_feature or by_design", "reason: # why")
    )


def of_release(label: str) -> Form:
    """The file of a release of torch."""
    return Form(f'release: "{label}"', "changes", ("reason: # what changed",))


@dataclass(frozen=True, slots=True)
class Undeclared:
    """A scenario in which an engine differs beyond what is declared.

    The proposed entry names the first statement that differs. That does not cover a later crash: in that case it names
    all differing facets for the whole scenario.
    """

    scenario: str
    differences: tuple[Difference, ...]
    file: str = ""  # of the scenario, if there is one entry for each file and cause
    now: str = ""  # of an entry for all scenarios: the text that the engine shows
    alike: int = 0  # how many scenarios such an entry covers
    why: str = ""  # what describes the first difference: see Note [Causes]

    @property
    def statement(self) -> str:
        """The first differing statement; empty if an entry for it would not cover the rest."""
        first = self.differences[0].statement
        crashes = any(is_crash(each) and each.statement != first for each in self.differences)
        return "" if crashes or self.file else str(first)

    @property
    def facets(self) -> tuple[str, ...]:
        """All facets that the entry must cover."""
        first = self.differences[0].statement
        here = [each for each in self.differences if each.statement == first or not self.statement]
        return tuple(dict.fromkeys(each.facet for each in here))

    @property
    def cause(self) -> str:
        """The first difference without names and numbers, which is the same in scenarios with one cause."""
        first = self.differences[0]
        if self.file:
            return " ".join((*cause(first, self.file), self.now))
        if self.why:
            return self.why
        if first.facet in ("raised", "message"):
            return f"{first.facet}: {shorten(first.engine, 70)}, torch: {shorten(first.reference, 70)}"
        return f"{first.facet}"

    @property
    def example(self) -> str:
        """The first difference in a line."""
        first = self.differences[0]
        what = f"{first.name} {first.facet}".strip()
        return f"{what} is {shorten(first.engine)}, on torch {shorten(first.reference)}"


def cause(first: Difference | ReportedDifference, file: str) -> tuple[str, ...]:
    """What is the same in scenarios with one cause: the texts of their first difference, or the file they are in."""
    if first.facet in ("raised", "message", "warned"):
        return first.facet, first.reference, first.engine
    return first.facet, file


def diff(
    file: str, text: str, form: Form, kept: Sequence[Entry], undeclared: Sequence[Undeclared]
) -> Iterator[str]:
    """A unified diff of a divergence file: removes stale entries, adds new ones without a reason."""
    comment = [line for line in text.splitlines() if line.startswith("#")]
    wanted = [*comment, *as_yaml(form, kept, undeclared)] if kept or undeclared else []
    return difflib.unified_diff(text.splitlines(), wanted, file, f"{file} (proposed)", lineterm="")


def as_yaml(form: Form, kept: Iterable[Entry], undeclared: Iterable[Undeclared] = ()) -> Iterator[str]:
    """The lines of a divergence file; differences with one reason become one entry."""
    yield form.head
    yield f"{form.listed}:"
    for same in _alike(
        kept,
        lambda one: (one.kind, one.reason, one.name, one.was, one.now, one.facets, not one.statement),
    ):
        one = same[0]
        if one.kind != "release":
            yield f"  - kind: {one.kind}"
        yield from _text("  - reason" if one.kind == "release" else "    reason", one.reason)
        if one.name:
            yield f"    name: {_scalar(one.name)}"
        for key, texts in (("was", one.was), ("now", one.now)):
            if len(texts) == 1:
                yield f"    {key}: {_scalar(texts[0])}"
            elif texts:
                yield f"    {key}:"
                yield from (f"      - {_scalar(text)}" for text in texts)
        yield from _where([(entry.statement, entry.scenario) for entry in same], one.facets)
    causes = _alike(undeclared, lambda each: (each.cause, each.facets, not each.statement))
    for alike in sorted(causes, key=lambda alike: max(len(alike), alike[0].alike), reverse=True):
        many = f", in {alike[0].alike} scenarios" if alike[0].alike else ""
        why = f"{alike[0].why}: " if alike[0].why else ""
        yield f"  # {why}{alike[0].example}{many}"
        for number, key in enumerate(form.keys):
            yield f"  {' ' if number else '-'} {key}"
        if alike[0].now:
            yield f"    now: {_scalar(alike[0].now)}"
        yield from _where([(each.statement, each.scenario) for each in alike], alike[0].facets)


def _alike(items: Iterable[T], key: Callable[[T], object]) -> list[list[T]]:
    groups: dict[object, list[T]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return list(groups.values())


def _where(places: Sequence[tuple[str, str]], facets: Sequence[str]) -> Iterator[str]:
    """The lines for facets and scenarios, with statements if the entry has them."""
    if facets:
        yield f"    facets: [{', '.join(map(_scalar, facets))}]"
    at: dict[str, list[str]] = {}
    for statement, scenario in places:
        at.setdefault(statement, []).append(scenario)
    if list(at) == [""]:
        yield from _listed("    scenario", at[""])
    elif len(places) == 1:
        yield from _listed("    scenario", [scenario for _, scenario in places])
        yield f"    statement: {_scalar(places[0][0])}"
    else:
        yield "    at:"
        for statement in sorted(at, key=_numbers):
            yield from _listed(f"      {statement}", at[statement])


def _numbers(statement: str) -> tuple[list[int], str]:
    return [int(number) for number in re.findall(r"\d+", statement)], statement


def _listed(key: str, scenarios: Sequence[str]) -> Iterator[str]:
    if len(scenarios) == 1:
        yield f"{key}: {_scalar(scenarios[0])}"
        return
    indent = " " * (len(key) - len(key.lstrip()) + 2)
    yield f"{key}:"
    yield from textwrap.wrap(
        f"[{', '.join(map(_scalar, scenarios))}]",
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=f"{indent} ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _scalar(text: str) -> str:
    plain = text.replace("-", "").replace("_", "").replace(" ", "")
    is_plain = plain.isalnum() and (text[0].isalpha() or text[0] == "_") and text.lower() not in _OTHERWISE
    return text if is_plain else json.dumps(text, ensure_ascii=False)


def _text(key: str, text: str) -> Iterator[str]:
    yield f"{key}: >-"
    yield from textwrap.wrap(text, _WIDTH, initial_indent="      ", subsequent_indent="      ")
