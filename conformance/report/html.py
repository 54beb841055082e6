"""The HTML report: one file that can be read without scripts.

Lists and tables are part of the page itself. The details of scenarios are compressed JSON, one part for several
scenarios each, which is unpacked when the first of them is opened.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jinja2

import conformance
from conformance.language.scenario import TIERS
from conformance.report.claims import VERDICTS, Finding
from conformance.report.page import Page
from conformance.report.result import Result, Verdict
from conformance.report.svg import DARK, STYLE
from conformance.report.text import label

PART = 60  # scenarios whose pages are packed together

MARKS: dict[Verdict, tuple[str, str]] = {
    "agrees": ("✓", "ok"),
    "differs": ("✗", "bad"),
    "known divergence": ("≈", "known"),
    "stale": ("≉", "bad"),
    "changed": ("±", "none"),
    "unsupported": ("∅", "lacks"),
    "unsound": ("!", "bad"),
    "invalid": ("!", "bad"),
    "unrecorded": ("?", "none"),
    "skipped": ("-", "none"),
}
"""The sign and the colour of each verdict; the colour is never the only difference."""

COLOURS = {
    "confirmed": "ok",
    "refuted": "bad",
    "imprecise": "known",
    "drifted": "known",
    "not observed": "none",
}
"""The colour of each finding on a claim."""


@dataclass(frozen=True, slots=True)
class EngineSummary:
    """The results of an engine in total."""

    name: str
    title: str
    counts: tuple[tuple[str, int], ...]
    agreeing: int
    compared: int


@dataclass(frozen=True, slots=True)
class ScenarioRow:
    """A scenario in a list, with the fields that can be filtered."""

    number: int
    id: str
    title: str
    file: str
    line: int
    documents: str
    tier: str
    verdicts: tuple[Verdict | None, ...]  # engine by engine
    reason: str


@dataclass(frozen=True, slots=True)
class Cause:
    """Failures of one engine with the same facet and operation."""

    engine: str
    verdict: Verdict
    what: str
    operation: str
    statements: tuple[tuple[str, int], ...]
    rows: tuple[ScenarioRow, ...]


def render(
    results: Sequence[Result],
    pages: Mapping[tuple[str, str], Page],
    documents: Mapping[str, str],
    findings: Sequence[Finding],
    incomplete: str = "",
) -> str:
    """The HTML file; ``pages`` has a page for each scenario and engine that ran.

    ``incomplete`` says why results are missing.
    """
    engines = list(dict.fromkeys(result.engine for result in results if result.engine))
    by_scenario: dict[str, dict[str, Result]] = {}
    for result in results:
        by_scenario.setdefault(result.scenario, {})[result.engine] = result
    rows = [_row(number, found, engines) for number, found in enumerate(by_scenario.values())]
    areas = _areas(rows, by_scenario)
    tiers = {tier: found for tier in TIERS if (found := [row for row in rows if row.tier == tier])}
    known = {row.id: row for row in rows}
    of_scenario = {scenario: page for (scenario, _), page in pages.items()}
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("conformance.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template("report.html").render(
        version=conformance.__version__,
        incomplete=incomplete,
        references=sorted({result.reference for result in results if result.reference}),
        engines=[_engine(name, results) for name in engines],
        areas=areas,
        tiers=tiers,
        tier_shares={tier: [_share(part, n) for n in range(len(engines))] for tier, part in tiers.items()},
        shares={area: [_share(part, n) for n in range(len(engines))] for area, part in areas.items()},
        rows=rows,
        marks=MARKS,
        causes=_causes(results, pages, known),
        documents=documents,
        verdicts=VERDICTS,
        findings=findings,
        counts={
            key: Counter(f.verdict_observed for f in findings if f.claim.document == key) for key in documents
        },
        known=known,
        claimed={each.claim.id: list(_claimed(each, of_scenario)) for each in findings},
        colours=COLOURS,
        graph_style=STYLE,
        graph_dark=DARK,
        index=_json(_index(rows, by_scenario, engines, findings)),
        parts=[_packed(part) for part in _parts(rows, pages, engines)],
    )


def _row(number: int, found: Mapping[str, Result], engines: Sequence[str]) -> ScenarioRow:
    one = next(iter(found.values()))
    failing = (result for result in found.values() if result.verdict != "agrees" and result.reason)
    return ScenarioRow(
        number,
        one.scenario,
        one.title,
        one.file,
        one.line,
        " ".join(dict.fromkeys(claim.partition("/")[0] for claim in one.claims)),
        one.tier,
        tuple(
            found[engine].verdict if engine in found else found[""].verdict if "" in found else None
            for engine in engines
        ),
        next((result.reason for result in failing), ""),
    )


def _areas(
    rows: Sequence[ScenarioRow], found: Mapping[str, Mapping[str, Result]]
) -> dict[str, list[ScenarioRow]]:
    areas: dict[str, list[ScenarioRow]] = {}
    for row in rows:
        areas.setdefault(next(iter(found[row.id].values())).area or "invalid", []).append(row)
    return dict(sorted(areas.items()))


def _share(rows: Sequence[ScenarioRow], engine: int) -> tuple[int, int, Verdict | None]:
    """The number of agreeing scenarios of an area, the total, and the most frequent other verdict."""
    verdicts = [row.verdicts[engine] for row in rows if row.verdicts[engine] not in (None, "skipped")]
    others = Counter(verdict for verdict in verdicts if verdict and verdict != "agrees")
    shown = max(others, key=lambda verdict: (MARKS[verdict][1] == "bad", others[verdict]), default=None)
    return verdicts.count("agrees"), len(verdicts), shown


def _engine(name: str, results: Sequence[Result]) -> EngineSummary:
    own = [result for result in results if result.engine == name]
    counts = Counter(result.verdict for result in own)
    return EngineSummary(
        name,
        label(name, own[0].version),
        tuple((verdict, counts[verdict]) for verdict in MARKS if counts[verdict]),
        counts["agrees"],
        len(own) - counts["skipped"],
    )


def _causes(
    results: Sequence[Result], pages: Mapping[tuple[str, str], Page], rows: Mapping[str, ScenarioRow]
) -> list[Cause]:
    """Failures by engine, facet and operation, the most frequent first."""
    groups: dict[tuple[str, Verdict, str, str], list[tuple[str, ScenarioRow]]] = {}
    for result in results:
        if result.verdict in ("agrees", "skipped", "known divergence"):
            continue
        told = (pages.get((result.scenario, result.engine)) or {}).get("engine") or {}
        key = (result.engine, result.verdict, _what(result), told.get("operation", ""))
        groups.setdefault(key, []).append((told.get("statement", ""), rows[result.scenario]))
    ranked = sorted(groups.items(), key=lambda pair: -len(pair[1]))
    return [
        Cause(
            *key,
            tuple(Counter(text for text, _ in found if text).most_common(5)),
            tuple(row for _, row in found),
        )
        for key, found in ranked
    ]


def _what(result: Result) -> str:
    """The first differing facet, with the type of an error or the name that is missing."""
    if result.missing:
        return f"no {result.missing[0]}"
    if not result.differences:
        return result.reason.partition(":")[0]
    first = result.differences[0]
    return f"raises {first.engine.partition(':')[0]}" if first.facet == "raised" else first.facet


def _claimed(finding: Finding, pages: Mapping[str, Page]) -> Iterator[tuple[str, list[list[str]]]]:
    """What the document says and what the reference does, in the first scenario in which they differ."""
    parting = (scenario for scenario in finding.fails_in if pages.get(scenario, {}).get("claimed"))
    for scenario in [*parting][:1]:
        yield scenario, pages[scenario]["claimed"]


def _index(
    rows: Sequence[ScenarioRow],
    found: Mapping[str, Mapping[str, Result]],
    engines: Sequence[str],
    findings: Sequence[Finding],
) -> dict[str, Any]:
    """The data of every scenario that scripts use before a part is unpacked."""
    verdicts = list(MARKS)
    scenarios = []
    for row in rows:
        one = next(iter(found[row.id].values()))
        reasons = {n: found[row.id][name].reason for n, name in enumerate(engines) if name in found[row.id]}
        scenarios.append(
            {
                "id": row.id,
                "at": f"{row.file}:{row.line}",
                "claims": list(one.claims),
                "tier": row.tier,
                "v": [verdicts.index(verdict) if verdict else -1 for verdict in row.verdicts],
                "why": {n: reason for n, reason in reasons.items() if reason},
            }
        )
    claims = {
        each.claim.id: [
            each.claim.says,
            getattr(each.claim, "note", ""),
            each.verdict_observed,
            each.claim.url,
        ]
        for each in findings
    }
    references = {result.reference for each in found.values() for result in each.values() if result.reference}
    return {
        "part": PART,
        "reference": ", ".join(sorted(references)),
        "engines": list(engines),
        "verdicts": [[verdict, *MARKS[verdict]] for verdict in verdicts],
        "scenarios": scenarios,
        "claims": claims,
    }


def _parts(
    rows: Sequence[ScenarioRow], pages: Mapping[tuple[str, str], Page], engines: Sequence[str]
) -> Iterator[list[dict[str, Any]]]:
    """The parts: for several scenarios each, the reference's page and those of engines that do not agree."""
    for start in range(0, len(rows), PART):
        part = []
        for row in rows[start : start + PART]:
            found = {
                number: pages[row.id, name] for number, name in enumerate(engines) if (row.id, name) in pages
            }
            one: Page = next(iter(found.values()), {})
            shared: dict[str, Any] = {k: one[k] for k in ("told", "claimed", "snippet", "graph") if k in one}
            part.append(
                {
                    **shared,
                    "own": {number: page["own"] for number, page in found.items()},
                    "engines": {number: page["engine"] for number, page in found.items() if "engine" in page},
                }
            )
        yield part


def _packed(data: Any) -> str:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(errors="backslashreplace"), 9)).decode()


def _json(data: Any) -> str:
    """JSON escaped for a script element."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
