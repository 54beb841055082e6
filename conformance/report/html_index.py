"""The HTML report's data of all scenarios, claims and causes: columns, since those compress well."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from conformance.language.scenario import TIERS
from conformance.report import causes as common
from conformance.report.claims import Finding
from conformance.report.compact import REASON
from conformance.report.page import Page
from conformance.report.result import MEANINGS, VERDICTS, Result, Verdict
from conformance.report.text import clip_end, short_path

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
    "not observed": ("○", "none"),
    "skipped": ("-", "none"),
}
"""The sign and the colour of each verdict; the colour is never the only difference."""

FAILING: tuple[Verdict, ...] = ("differs", "stale", "changed", "unsound", "invalid", "unrecorded")
"""The verdicts that are listed as failures."""

BySuite = Mapping[str, Mapping[str, Result]]
"""Results by scenario and engine; an engine without a name is that of scenarios that cannot be read."""


@dataclass(frozen=True, slots=True)
class Cause:
    """Results of one engine and verdict with the same facet and operation."""

    engine: str
    verdict: Verdict
    what: str
    operation: str
    statements: tuple[tuple[str, int], ...]
    scenarios: tuple[str, ...]


def causes(results: Sequence[Result], pages: Mapping[tuple[str, str], Page]) -> list[Cause]:
    """Failures and what is unsupported, the most frequent first: by engine and cause, see Note [Causes].

    Without a cause they are grouped by facet or missing name, and operation.
    """
    described = [each for each in results if each.verdict == "differs" and each.cause]
    found = [
        Cause(
            engine,
            "differs",
            each.text,
            "",
            tuple(Counter(one.code for one in each.results if one.code).most_common(5)),
            tuple(one.scenario for one in each.results),
        )
        for engine in dict.fromkeys(each.engine for each in described)
        for each in common.causes(each for each in described if each.engine == engine)
    ]
    others = [each for each in results if each.verdict != "differs" or not each.cause]
    found += _by_facet(others, pages)
    return sorted(found, key=lambda each: -len(each.scenarios))


def _by_facet(results: Sequence[Result], pages: Mapping[tuple[str, str], Page]) -> list[Cause]:
    groups: dict[tuple[str, Verdict, str, str], list[tuple[str, str]]] = {}
    for result in results:
        if result.verdict not in (*FAILING, "unsupported"):
            continue
        page = (pages.get((result.scenario, result.engine)) or {}).get("engine") or {}
        done = "" if result.missing else page.get("operation", "")
        key = (result.engine, result.verdict, _what(result), done)
        groups.setdefault(key, []).append((page.get("statement", ""), result.scenario))
    return [
        Cause(
            *key,
            tuple(Counter(text for text, _ in found if text).most_common(5)),
            tuple(scenario for _, scenario in found),
        )
        for key, found in groups.items()
    ]


def _what(result: Result) -> str:
    """The first differing facet, with the type of an error or the name that is missing."""
    if result.missing:
        return f"no {result.missing[0]}"
    if not result.differences:
        return result.reason if result.verdict == "invalid" else result.reason.partition(":")[0]
    first = result.differences[0]
    return f"raises {first.engine.partition(':')[0]}" if first.facet == "raised" else first.facet


def published_path(file: str) -> str:
    """The path as readers elsewhere know it: below the specs, or relative to the current folder."""
    parts = PurePath(file).parts
    if "_specs" in parts:  # of an installed package
        return "/".join(("specs", *parts[parts.index("_specs") + 1 :]))
    if PurePath(file).is_absolute():
        relative = short_path(file)
        return PurePath(file).name if PurePath(relative).is_absolute() else relative
    return file


def claim_status(claim: Sequence[str], engine: str, found: BySuite) -> str:
    """What an engine does in a claim's scenarios, like `status`; it agrees only if all have run."""
    results = [found.get(case, {}).get(engine) for case in claim]
    seen = status({result.verdict for result in results if result is not None})
    return "" if seen == "agrees" and None in results else seen


def status(verdicts: Set[str]) -> str:
    """What these verdicts say together: differs, unsupported, agrees, or nothing."""
    if verdicts & {"differs", "known divergence", "stale"}:
        return "differs"
    if "unsupported" in verdicts:
        return "unsupported"
    return "agrees" if "agrees" in verdicts and verdicts <= {"agrees", "skipped", "not observed"} else ""


def index(
    found: BySuite,
    engines: Sequence[str],
    findings: Sequence[Finding],
    documents: Mapping[str, str],
    ranked: Sequence[Cause],
    claimed: Mapping[str, list[Any]],
    part: int,
) -> dict[str, Any]:
    """Everything that scripts list and filter."""
    ones = [next(iter(each.values())) for each in found.values()]
    numbers = {scenario: number for number, scenario in enumerate(found)}
    places = [published_path(one.file) for one in ones]
    areas, files = list(dict.fromkeys(one.area or "invalid" for one in ones)), list(dict.fromkeys(places))
    of_claims = {each.claim.id: number for number, each in enumerate(findings)}
    references = sorted(
        {result.reference for each in found.values() for result in each.values() if result.reference}
    )
    reasons: dict[str, int] = {}

    def reason(results: Mapping[str, Result], engine: str) -> int:
        result = results.get(engine) or results.get("")
        text = clip_end(result.reason, REASON) if result is not None else ""
        return reasons.setdefault(text, len(reasons))

    def verdict(results: Mapping[str, Result], engine: str) -> int:
        result = results.get(engine) or results.get("")
        return -1 if result is None else VERDICTS.index(result.verdict)

    return {
        "part": part,
        "reference": ", ".join(references),
        "engines": list(engines),
        "verdicts": [[each, *MARKS[each], MEANINGS[each], int(each in FAILING)] for each in VERDICTS],
        "tiers": list(TIERS),
        "areas": areas,
        "files": files,
        "documents": [[key, title] for key, title in documents.items()],
        "scenarios": {
            "id": list(found),
            "title": [one.title for one in ones],
            "area": [areas.index(one.area or "invalid") for one in ones],
            "file": [files.index(place) for place in places],
            "line": [one.line for one in ones],
            "tier": [TIERS.index(one.tier) if one.tier in TIERS else -1 for one in ones],
            "claims": [[of_claims[each] for each in one.claims if each in of_claims] for one in ones],
            "v": [[verdict(each, engine) for each in found.values()] for engine in engines],
            "why": [[reason(each, engine) for each in found.values()] for engine in engines],
        },
        "reasons": list(reasons),
        "claims": [
            [
                each.claim.id,
                each.claim.says,
                getattr(each.claim, "note", ""),
                each.verdict_observed,
                each.claim.url,
                [numbers[case] for case in each.scenarios if case in numbers],
                [numbers[case] for case in each.fails_in if case in numbers],
                [claim_status(each.scenarios, engine, found) for engine in engines],
                claimed.get(each.claim.id, []),
            ]
            for each in findings
        ],
        "causes": [
            [
                engines.index(each.engine) if each.engine in engines else -1,
                VERDICTS.index(each.verdict),
                each.what,
                each.operation,
                [list(pair) for pair in each.statements],
                [numbers[case] for case in each.scenarios],
            ]
            for each in ranked
        ],
    }
