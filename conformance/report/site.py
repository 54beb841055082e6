"""Static pages of several results: the matrix, a page for each engine with its history, and the claims."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from conformance.language.scenario import TIERS
from conformance.report.claims import ClaimLike
from conformance.report.diff import diff
from conformance.report.html_index import FAILING, MARKS, published_path, status
from conformance.report.jsonlines import Report
from conformance.report.provenance import described
from conformance.report.result import MEANINGS, Result
from conformance.report.share import Cell, cell
from conformance.report.templating import environment
from conformance.runner.engine import GROUPS

LISTED = 500  # failures on an engine's page
NAMES = 60  # missing names


@dataclass(frozen=True, slots=True)
class Run:
    """The results of one engine in one report."""

    report: Report
    results: tuple[Result, ...]

    @property
    def cell(self) -> Cell:
        """What it comes to."""
        return cell(self.results)

    @property
    def version(self) -> str:
        """The engine's."""
        return self.results[0].version

    @property
    def date(self) -> str:
        """When it began."""
        return self.report.about.date


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """A run in an engine's history, with what changed since the one before."""

    run: Run
    broken: int | None
    fixed: int | None


def pages(
    reports: Sequence[Report], claims: Sequence[ClaimLike], titles: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """The name and content of each page; ``claims`` are those of the specs, ``titles`` those of their documents."""
    runs, templates = _runs(reports), environment()
    latest = {engine: own[-1] for engine, own in runs.items()}
    names = _names(latest)
    shared: dict[str, Any] = {
        "engines": latest,
        "pages": names,
        "marks": MARKS,
        "meanings": MEANINGS,
        "groups": GROUPS,
        "described": described,
        "titles": titles,
    }
    observed = {engine: _observed(run) for engine, run in latest.items()}
    shown = [each for each in claims if any(each.id in found for found in observed.values())]
    shared["has_claims"] = bool(shown)
    tables = {
        kind: {key: [_cell(run, kind, key) for run in latest.values()] for key in _keys(latest, kind)}
        for kind in ("tier", "area")
    }
    yield "index.html", templates.get_template("site/index.html").render(**shared, tables=tables)
    for engine, own in runs.items():
        run = own[-1]
        yield (
            names[engine],
            templates.get_template("site/engine.html").render(
                **shared,
                engine=engine,
                run=run,
                verdicts=Counter(each.verdict for each in run.results),
                by_tier=[(key, _cell(run, "tier", key)) for key in _keys({engine: run}, "tier")],
                by_area=[(key, _cell(run, "area", key)) for key in _keys({engine: run}, "area")],
                failures=[each for each in run.results if each.verdict in FAILING][:LISTED],
                failing=sum(each.verdict in FAILING for each in run.results),
                missing=Counter(name for each in run.results for name in each.missing).most_common(NAMES),
                history=list(_history(own)),
                published_path=published_path,
            ),
        )
    if shown:
        yield (
            "claims.html",
            templates.get_template("site/claims.html").render(
                **shared,
                documents=list(dict.fromkeys(each.document for each in shown)),
                claims=shown,
                observed=observed,
            ),
        )


def _runs(reports: Sequence[Report]) -> dict[str, list[Run]]:
    """The runs of each engine, the oldest first."""
    runs: dict[str, list[Run]] = {}
    for report in sorted(reports, key=lambda each: each.about.date):
        for engine in report.engines:
            own = tuple(each for each in report.results if each.engine == engine)
            runs.setdefault(engine, []).append(Run(report, own))
    return dict(sorted(runs.items()))


_LONGEST = 60
"""The number of characters of an engine's name that a file's name has: systems limit those."""


def _names(engines: Mapping[str, Run]) -> dict[str, str]:
    """The file of each engine, of letters that a path may have."""
    found: dict[str, str] = {}
    for engine in engines:
        base = re.sub(r"[^\w.-]+", "-", engine).strip("-.")[:_LONGEST] or "engine"
        taken, number, name = set(found.values()), 1, f"engine-{base}.html"
        while name in taken:
            number += 1
            name = f"engine-{base}-{number}.html"
        found[engine] = name
    return found


def _keys(engines: Mapping[str, Run], kind: str) -> list[str]:
    there = {getattr(each, kind) for run in engines.values() for each in run.results}
    return [key for key in (TIERS if kind == "tier" else sorted(there)) if key in there]


def _cell(run: Run, kind: str, key: str) -> Cell:
    return cell(each for each in run.results if getattr(each, kind) == key)


def _observed(run: Run) -> dict[str, str]:
    """What the engine does in the scenarios of each claim that ran."""
    verdicts: dict[str, set[str]] = {}
    for result in run.results:
        for claim in result.claims:
            verdicts.setdefault(claim, set()).add(result.verdict)
    found = {claim: status(seen) for claim, seen in verdicts.items()}
    return {claim: text for claim, text in found.items() if text}


def _history(runs: Sequence[Run]) -> Iterator[HistoryRow]:
    """The runs of an engine, the latest first, each with what changed since the one before."""
    steps = []
    before: Run | None = None
    for run in runs:
        broken = fixed = None
        if before is not None:
            found = diff(_alone(before), _alone(run))
            broken, fixed = len(found.broken), len(found.fixed)
        steps.append(HistoryRow(run, broken, fixed))
        before = run
    return reversed(steps)


def _alone(run: Run) -> Report:
    """The report with the results of this engine only."""
    return replace(run.report, results=run.results)
