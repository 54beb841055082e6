"""Results as JSON lines: a header, a line for each result, a footer, so that a cut-off file is noticed."""

from __future__ import annotations

import hashlib
import json
import platform
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import conformance
from conformance.language.scenario import TIERS
from conformance.report.result import Result

FORMAT = 1


class NotAReportError(ValueError):
    """The text is not a complete report; the message says why."""


def write(results: Sequence[Result], exit_status: int) -> Iterator[str]:
    """The lines of a report, without their ends."""
    header = {
        "format": FORMAT,
        "scenarios": scenario_set(results),
        "suite": conformance.__version__,
        "python": platform.python_version(),
        "references": sorted({result.reference for result in results if result.reference}),
        "engines": {result.engine: result.version for result in results if result.engine},
    }
    footer = {
        "results": len(results),
        "verdicts": dict(Counter(result.verdict for result in results)),
        "tiers": _by_tier(results),
        "exit_status": exit_status,
    }
    yield _line({"header": header})
    yield from (_line({"result": result.to_plain()}) for result in results)
    yield _line({"footer": footer})


def _by_tier(results: Sequence[Result]) -> dict[str, dict[str, int]]:
    """The verdicts of each tier that has results."""
    tiers: dict[str, Counter[str]] = {tier: Counter() for tier in TIERS}
    for result in results:
        if result.tier:
            tiers[result.tier][result.verdict] += 1
    return {tier: dict(verdicts) for tier, verdicts in tiers.items() if verdicts}


def scenario_set(results: Sequence[Result]) -> str:
    """A hash of the scenarios and their programs, since results of other sets cannot be compared."""
    keys = sorted({f"{result.scenario} {result.fingerprint}" for result in results})
    return hashlib.sha256("\n".join(keys).encode()).hexdigest()[:16]


def _line(data: dict[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def read(text: str) -> tuple[dict[str, Any], tuple[Result, ...]]:
    """The header, with the exit status, and the results of a report; raises `NotAReportError` if it is incomplete."""
    lines = text.removesuffix("\n").split("\n") if text else []  # a text may contain other line ends
    try:
        parts = [json.loads(line) for line in lines]
    except json.JSONDecodeError as error:
        raise NotAReportError(f"not JSON lines: {error}") from None
    kinds = [next(iter(part), "") if isinstance(part, dict) else "" for part in parts]
    if not parts or kinds[0] != "header":
        raise NotAReportError("it does not begin with a header")
    if kinds[-1] != "footer":
        raise NotAReportError(f"it has no footer, so it was cut off after line {len(lines)}")
    if (odd := next((i for i, kind in enumerate(kinds[1:-1], 2) if kind != "result"), None)) is not None:
        raise NotAReportError(f"line {odd} is not a result: are these several reports?")
    if parts[0]["header"].get("format") != FORMAT:
        raise NotAReportError(f"it has format {parts[0]['header'].get('format')}, and this reads {FORMAT}")
    results = tuple(Result.from_plain(part["result"]) for part in parts[1:-1])
    if not results:
        raise NotAReportError("it has no results")
    if len(results) != parts[-1]["footer"].get("results"):
        raise NotAReportError(
            f"its footer counts {parts[-1]['footer'].get('results')} results, it has {len(results)}"
        )
    twice = [
        key for key, count in Counter((each.scenario, each.engine) for each in results).items() if count > 1
    ]
    if twice:
        raise NotAReportError(f"{twice[0][0]} on {twice[0][1]} is there twice")
    header: dict[str, Any] = parts[0]["header"]
    if len(header["references"]) > 1:
        raise NotAReportError(f"it is mixed: next to {' and '.join(header['references'])}")
    if header["scenarios"] != scenario_set(results):
        raise NotAReportError("its results are not for the scenarios in its header")
    return {**header, "exit_status": parts[-1]["footer"]["exit_status"]}, results


def merged(reports: Sequence[tuple[str, tuple[dict[str, Any], tuple[Result, ...]]]]) -> tuple[Result, ...]:
    """The merged results of several reports on the same scenarios and the same reference."""
    file, (first, _) = reports[0]
    engines: dict[str, str] = {}
    for other, (header, _) in reports:
        for key, what in (
            ("suite", "versions of the suite"),
            ("references", "references"),
            ("scenarios", "sets of scenarios"),
        ):
            if header[key] != first[key]:
                raise NotAReportError(
                    f"{file} and {other} have different {what}: {_shown(first[key])} and {_shown(header[key])}"
                )
        for engine in header["engines"]:
            if engine in engines:
                raise NotAReportError(f"{engine} is both in {engines[engine]} and in {other}")
            engines[engine] = other
    return tuple(result for _, (_, results) in reports for result in results)


def _shown(value: Any) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value)
