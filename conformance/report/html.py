"""The HTML report: one file, which opens from disk.

The overview, the causes and the refuted claims are part of the page itself. All else is compressed JSON, which scripts
unpack: an index of all scenarios, and their details, one part for several scenarios each.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import conformance
from conformance.language.scenario import TIERS
from conformance.report.claims import VERDICTS as CLAIM_VERDICTS
from conformance.report.claims import Finding
from conformance.report.html_index import FAILING, MARKS, BySuite, causes, claim_status, index
from conformance.report.page import Page
from conformance.report.provenance import Provenance, described
from conformance.report.result import MEANINGS, VERDICTS, Result, Verdict
from conformance.report.share import Cell, cell
from conformance.report.subjects import Subject
from conformance.report.svg import DARK, STYLE
from conformance.report.templating import environment
from conformance.report.text import label

PART = 120  # scenarios whose pages are packed together
CAUSES = 40  # that are part of the page itself

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
    counts: tuple[tuple[Verdict, int], ...]
    cell: Cell


@dataclass(frozen=True, slots=True)
class Share:
    """How some scenarios did on one engine, with what is linked to."""

    cell: Cell
    failing: int
    known: int

    @property
    def unsupported(self) -> int:
        """The scenarios that use a name that the engine lacks."""
        return self.cell.scenarios - self.cell.supported

    @property
    def colour(self) -> str:
        """That of the worst verdict but *unsupported*."""
        return "bad" if self.failing else "known" if self.known else "ok" if self.cell.supported else "lacks"


def render(
    results: Sequence[Result],
    pages: Mapping[tuple[str, str], Page],
    documents: Mapping[str, str],
    findings: Sequence[Finding],
    incomplete: str = "",
    about: Provenance | None = None,
    seconds: float | None = None,
    subjects: Mapping[str, Subject] = MappingProxyType({}),
) -> str:
    """The HTML file; ``pages`` has a page for each scenario and engine that ran.

    ``incomplete`` says why results are missing; ``subjects`` are the folders of the specs, some of which have a rule.
    """
    engines = list(dict.fromkeys(result.engine for result in results if result.engine))
    found: dict[str, dict[str, Result]] = {}
    for result in sorted(results, key=lambda each: (each.file, each.line)):  # workers end in any order
        found.setdefault(result.scenario, {})[result.engine] = result
    ranked = causes(results, pages)
    claimed = {each.claim.id: list(_claimed(each, pages, engines)) for each in findings}
    return (
        environment()
        .get_template("report.html")
        .render(
            version=conformance.__version__,
            about=list(described(about, seconds)) if about else [],
            incomplete=incomplete,
            references=sorted({result.reference for result in results if result.reference}),
            engines=[_engine(name, results) for name in engines],
            tier_shares=_shares(results, engines, lambda each: each.tier, TIERS),
            shares=_shares(results, engines, lambda each: each.area, sorted({each.area for each in results})),
            count=len(found),
            rules=[(each, cases) for each in subjects.values() if (cases := each.cases(found))],
            verdicts_of=found,
            marks=MARKS,
            meanings=MEANINGS,
            failing=[each for each in ranked if each.verdict in FAILING],
            lacking=[each for each in ranked if each.verdict == "unsupported"],
            most=CAUSES,
            documents=documents,
            urls={each.claim.document: each.claim.url for each in reversed(findings) if each.claim.url},
            verdicts=CLAIM_VERDICTS,
            findings=findings,
            counts={
                key: Counter(f.verdict_observed for f in findings if f.claim.document == key)
                for key in documents
            },
            statuses={key: [_statuses(findings, key, name, found) for name in engines] for key in documents},
            claimed=claimed,
            colours=COLOURS,
            graph_style=STYLE,
            graph_dark=DARK,
            index=_packed(index(found, engines, findings, documents, ranked, claimed, PART)),
            parts=[_packed(part) for part in _parts(found, pages, engines)],
        )
    )


def _shares(
    results: Sequence[Result], engines: Sequence[str], key: Callable[[Result], str], names: Sequence[str]
) -> dict[str, list[Share]]:
    """By area or tier, what each engine did."""
    groups: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        groups.setdefault((key(result), result.engine), []).append(result)
    return {
        name: [_share(groups.get((name, engine), [])) for engine in engines]
        for name in names
        if any((name, engine) in groups for engine in engines)
    }


def _share(results: Sequence[Result]) -> Share:
    verdicts = Counter(each.verdict for each in results)
    return Share(cell(results), sum(verdicts[each] for each in FAILING), verdicts["known divergence"])


def _engine(name: str, results: Sequence[Result]) -> EngineSummary:
    own = [result for result in results if result.engine == name]
    counts = Counter(result.verdict for result in own)
    shown = tuple((verdict, counts[verdict]) for verdict in VERDICTS if counts[verdict])
    return EngineSummary(name, label(name, own[0].version), shown, cell(own))


def _statuses(
    findings: Sequence[Finding], document: str, engine: str, found: BySuite
) -> list[tuple[str, int]]:
    """In how many claims of a document an engine differs, lacks a name, and agrees."""
    counts = Counter(
        claim_status(each.scenarios, engine, found) for each in findings if each.claim.document == document
    )
    return [(word, counts[word]) for word in ("differs", "unsupported", "agrees") if counts[word]]


def _claimed(
    finding: Finding, pages: Mapping[tuple[str, str], Page], engines: Sequence[str]
) -> Iterator[tuple[str, list[list[str]]]]:
    """What the document says and what the reference does, in the first scenario in which they differ."""
    for scenario in finding.fails_in:
        for engine in engines:
            if rows := pages.get((scenario, engine), {}).get("claimed"):
                yield scenario, rows
                return


def _parts(
    found: BySuite, pages: Mapping[tuple[str, str], Page], engines: Sequence[str]
) -> Iterator[dict[str, list[Any]]]:
    """The parts: for several scenarios each, the reference's page and those of engines that do not agree.

    Each key has a list with a value for each scenario, since columns compress better than rows.
    """
    scenarios = list(found)
    for start in range(0, len(scenarios), PART):
        part = [_part(scenario, pages, engines) for scenario in scenarios[start : start + PART]]
        yield {key: [each.get(key) for each in part] for key in _KEYS}


_KEYS = (
    "steps",
    "statements",
    "claimed",
    "snippet",
    "graph",
    "own",
    "engines",
    "snippets",
    "graphs",
    "traceback",
)


def _part(scenario: str, pages: Mapping[tuple[str, str], Page], engines: Sequence[str]) -> dict[str, Any]:
    own = {number: pages[scenario, name] for number, name in enumerate(engines) if (scenario, name) in pages}
    one: Page = next(iter(own.values()), {})
    differing = {number: page["engine"] for number, page in own.items() if "engine" in page}
    agreeing = {number: page["own"] for number, page in own.items() if number not in differing}
    found: dict[str, Any] = {key: one[key] for key in ("steps", "claimed", "graph") if one.get(key)}
    if one and (agreeing or not differing):
        found |= {"statements": one["statements"], "snippet": one["snippet"], "own": agreeing}
    for key, of in (
        ("engines", "statements"),
        ("snippets", "snippets"),
        ("graphs", "graphs"),
        ("traceback", "traceback"),
    ):
        if values := {number: page[of] for number, page in differing.items() if page.get(of)}:
            found[key] = values
    return found


def _packed(data: Any) -> str:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(errors="backslashreplace"), 9)).decode()
