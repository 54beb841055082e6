"""Two results of one engine compared: what was fixed, what broke, and what fails for another cause."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from conformance.report.jsonlines import NotAReportError, Report
from conformance.report.result import Result
from conformance.report.text import clip_end, listed

Pair: TypeAlias = tuple[Result, Result]
"""A case before and after."""

_GOOD = {"agrees", "known divergence", "stale"}  # a stale one agrees, though its file says otherwise
_JUDGED = _GOOD | {"differs", "unsupported"}


@dataclass(frozen=True, slots=True)
class Diff:
    """The cases of two results, by what became of them."""

    fixed: tuple[Pair, ...]
    broken: tuple[Pair, ...]
    other_cause: tuple[Pair, ...]  # it failed before and after, but not in the same way
    same: int
    not_judged: tuple[Pair, ...]  # one of both says nothing of the engine: skipped, unsound
    changed: tuple[Pair, ...]  # the program is another one
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]


def diff(before: Report, after: Report) -> Diff:
    """Compare two reports, engine by engine; raises `NotAReportError` if they have no engine in common."""
    pairs, only_before, only_after = _pairs(before, after)
    found: dict[str, list[Pair]] = {}
    for one, other in pairs:
        found.setdefault(_kind(one, other), []).append((one, other))
    return Diff(
        tuple(found.get("fixed", ())),
        tuple(found.get("broken", ())),
        tuple(found.get("other cause", ())),
        len(found.get("same", ())),
        tuple(found.get("not judged", ())),
        tuple(found.get("changed", ())),
        only_before,
        only_after,
    )


def _pairs(before: Report, after: Report) -> tuple[list[Pair], tuple[str, ...], tuple[str, ...]]:
    engines = [name for name in before.engines if name in after.engines]
    alone = len(before.engines) == len(after.engines) == 1  # also under another name
    if not engines and not alone:
        names = " and ".join(", ".join(each.engines) or "none" for each in (before, after))
        raise NotAReportError(f"{before.file} and {after.file} have no engine in common: {names}")
    sides = [
        {(result.scenario, "" if alone else result.engine): result for result in each.results}
        for each in (before, after)
    ]
    one, other = sides
    return (
        [(one[key], other[key]) for key in one if key in other],
        tuple(scenario for scenario, engine in one if (scenario, engine) not in other),
        tuple(scenario for scenario, engine in other if (scenario, engine) not in one),
    )


def _kind(before: Result, after: Result) -> str:
    if before.fingerprint and after.fingerprint and before.fingerprint != after.fingerprint:
        return "changed"
    if before.verdict not in _JUDGED or after.verdict not in _JUDGED:
        return "same" if before.verdict == after.verdict else "not judged"
    if (before.verdict in _GOOD) != (after.verdict in _GOOD):
        return "broken" if before.verdict in _GOOD else "fixed"
    if before.verdict in _GOOD or cause(before) == cause(after):
        return "same"
    return "other cause"


def cause(result: Result) -> tuple[str, ...]:
    """What two failures of the same kind share: the missing names, the cause, or the first difference."""
    if result.missing:
        return (result.verdict, *result.missing)
    if result.cause:
        return (result.verdict, result.cause, *result.operations)
    if result.differences:
        first = result.differences[0]
        return (result.verdict, first.facet, first.reference, first.engine)
    return (result.verdict, result.reason)


def as_text(found: Diff, before: Report, after: Report) -> Iterator[str]:
    """The report: counts, then what broke, what has another cause and what was fixed, by cause."""
    yield f"{_label(before)} -> {_label(after)}"
    versions = [
        f"version {each.about.specs or '?'}, {each.about.specs_hash or '?'}" for each in (before, after)
    ]
    if versions[0] != versions[1]:
        yield f"the specs differ: {versions[0]} and {versions[1]}"
    counts = (("broken", found.broken), ("other cause", found.other_cause), ("fixed", found.fixed))
    yield ", ".join(f"{len(pairs)} {word}" for word, pairs in counts) + f", {found.same} as before"
    for title, pairs in (
        ("Broken", found.broken),
        ("Failing for another cause", found.other_cause),
        ("Fixed", found.fixed),
        ("Not judged in one of both", found.not_judged),
    ):
        if pairs:
            yield ""
            yield f"{title}:"
            yield from _by_cause(pairs, fixed=title == "Fixed")
    for what, names in (
        ("not compared, since their programs have changed", [one.scenario for one, _ in found.changed]),
        ("only in the first", found.only_before),
        ("only in the second", found.only_after),
    ):
        if names:
            yield ""
            yield f"{len(names)} {what}: {listed(names)}"


def _by_cause(pairs: Sequence[Pair], *, fixed: bool) -> Iterator[str]:
    groups: dict[tuple[str, ...], list[Pair]] = {}
    for pair in pairs:
        groups.setdefault(cause(pair[0] if fixed else pair[1]), []).append(pair)
    for alike in sorted(groups.values(), key=len, reverse=True):
        one, other = alike[0]
        yield f"  {len(alike)}: {listed([each.scenario for each, _ in alike])}"
        for when, result in (("before", one), ("after", other)):
            yield f"      {when:6} {_said(result)}"


def _said(result: Result) -> str:
    return clip_end(f"{result.verdict}: {result.reason}" if result.reason else result.verdict, 160)


def _label(report: Report) -> str:
    engines = dict.fromkeys(f"{each.engine} {each.version}" for each in report.results if each.engine)
    when = f" ({report.about.date})" if report.about.date else ""
    return f"{', '.join(engines)}{when}"
