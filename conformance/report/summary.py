"""Results as a few kB of JSON, and as a badge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from conformance.language.scenario import TIERS
from conformance.report.jsonlines import Report
from conformance.report.result import Result
from conformance.report.share import Cell, cell
from conformance.runner.engine import GROUPS

FORMAT = 1
BRIGHT, GREEN, YELLOW, ORANGE = 99, 90, 70, 40  # per cent from which a badge has its colour


def summary(report: Report) -> dict[str, Any]:
    """What a report says of each engine, by tier, area and group, and where it comes from."""
    return {
        "format": FORMAT,
        "reference": report.reference,
        **report.about.to_plain(),
        "seconds": report.seconds,
        "passed": report.passed,
        "incomplete": report.incomplete,
        "engines": {
            name: _engine([each for each in report.results if each.engine == name]) for name in report.engines
        },
    }


def _engine(results: Sequence[Result]) -> dict[str, Any]:
    verdicts = Counter(each.verdict for each in results)
    return {
        "version": results[0].version,
        "verdicts": dict(verdicts.most_common()),
        **_counts(cell(results), with_groups=True),
        "tiers": {tier: _counts(cell(part), with_groups=True) for tier, part in _by(results, "tier", TIERS)},
        "areas": {area: _counts(cell(part)) for area, part in _by(results, "area")},
    }


def _counts(found: Cell, *, with_groups: bool = False) -> dict[str, Any]:
    counts: dict[str, Any] = {
        "scenarios": found.scenarios,
        "supported": found.supported,
        "agreeing": found.agreeing,
        "known": found.declared,
    }
    return {**counts, "groups": dict(found.groups)} if with_groups else counts


def _by(
    results: Iterable[Result], name: str, order: Sequence[str] = ()
) -> Iterable[tuple[str, list[Result]]]:
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(getattr(result, name), []).append(result)
    return [(key, groups[key]) for key in order or sorted(groups) if key in groups]


def badge(report: Report, engine: str = "", group: str = "") -> dict[str, Any]:
    """A badge as shields.io's endpoint reads it: the share of supported scenarios that agree, or that of a group.

    Raises:
        LookupError: the report has no such engine or group; the message says which there are.
    """
    if engine and engine not in report.engines:
        raise LookupError(f"{report.file} has no engine {engine}; it has {', '.join(report.engines)}")
    name = engine or (report.engines[0] if report.engines else "")
    if not engine and len(report.engines) > 1:
        raise LookupError(f"{report.file} has several engines, name one of {', '.join(report.engines)}")
    found = cell(each for each in report.results if each.engine == name)
    counts: Mapping[str, int] = dict(found.groups)
    if group and group not in counts:
        claimed = ", ".join(each for each in GROUPS if each in counts) or "none"
        raise LookupError(f"{name} does not claim {group}; it claims {claimed}")
    agreeing = counts[group] if group else found.agreeing
    share = found.share(agreeing, found.supported)
    text = share if found.supported == found.scenarios else f"{share} of {found.supported}/{found.scenarios}"
    message = f"{text} (incomplete)" if report.incomplete else text
    return {
        "schemaVersion": 1,
        "label": f"torch autograd{f', {group}' if group else ''}",
        "message": message,
        "color": _colour(
            100 * agreeing / found.supported if found.supported and not report.incomplete else None
        ),
    }


def _colour(per_cent: float | None) -> str:
    if per_cent is None:
        return "lightgrey"
    steps = ((BRIGHT, "brightgreen"), (GREEN, "green"), (YELLOW, "yellow"), (ORANGE, "orange"))
    return next((colour for least, colour in steps if per_cent >= least), "red")
