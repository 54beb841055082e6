"""The results of the shards of one run joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from conformance.report.jsonlines import NotAReportError, Report
from conformance.report.provenance import Provenance
from conformance.report.result import Result


@dataclass(frozen=True, slots=True)
class Joined:
    """All results of the shards, where they come from, and what is missing."""

    results: tuple[Result, ...]
    about: Provenance
    collected: str
    seconds: float  # of all shards together
    passed: bool
    incomplete: str  # names the shards that are missing or incomplete


def join(reports: Sequence[Report]) -> Joined:
    """The results of several shards of the same run.

    Raises:
        NotAReportError: they are not of one run, or have results in common.
    """
    first = reports[0]
    shards: dict[int, Report] = {}
    seen: dict[tuple[str, str], Report] = {}
    for each in reports:
        number = _shard(each)
        for what, one, other in _shared(first, each):
            if one != other:
                raise NotAReportError(
                    f"{first.file} and {each.file} are not shards of one run, they have different {what}: "
                    f"{one or 'none'} and {other or 'none'}"
                )
        if number in shards:
            raise NotAReportError(
                f"shard {each.about.shard} is both in {shards[number].file} and in {each.file}"
            )
        shards[number] = each
        for result in each.results:
            there = seen.setdefault((result.scenario, result.engine), each)
            if there is not each:
                raise NotAReportError(f"{result.scenario} is both in {there.file} and in {each.file}")
    ordered = [shards[number] for number in sorted(shards)]
    processors = dict.fromkeys(each.about.processor for each in ordered if each.about.processor)
    about = replace(
        first.about,
        date=min(each.about.date for each in ordered),
        shard="",
        processor="; ".join(processors),
    )
    return Joined(
        tuple(result for each in ordered for result in each.results),
        about,
        first.collected,
        sum(each.seconds or 0 for each in ordered),
        all(each.passed for each in ordered),
        _incomplete(ordered, _of(first)),
    )


def _shard(report: Report) -> int:
    number = report.about.shard.partition("/")[0]
    if not number.isdecimal() or not _of(report):
        raise NotAReportError(f"{report.file} is not a shard: its run had no option --shard")
    return int(number)


def _of(report: Report) -> int:
    of = report.about.shard.partition("/")[2]
    return int(of) if of.isdecimal() else 0


def _shared(one: Report, other: Report) -> list[tuple[str, str, str]]:
    """What shards of one run have in common, with the values of both."""
    engines = [
        ", ".join(sorted({f"{result.engine} {result.version}" for result in each.results if result.engine}))
        for each in (one, other)
    ]
    collected = [each.collected for each in (one, other)]
    if not all(collected):  # that of a run that was killed is not known
        collected = ["", ""]
    return [
        ("numbers of shards", str(_of(one)), str(_of(other))),
        ("versions of the suite", one.suite, other.suite),
        ("versions of the specs", one.about.specs, other.about.specs),
        ("specs", one.about.specs_hash, other.about.specs_hash),
        ("references", one.reference, other.reference),
        ("engines", engines[0], engines[1]),
        ("tiers", one.about.tier, other.about.tier),
        ("sets of scenarios", collected[0], collected[1]),
    ]


def _incomplete(reports: Sequence[Report], of: int) -> str:
    there = {_shard(each) for each in reports}
    missing = [f"{number}/{of}" for number in range(1, of + 1) if number not in there]
    parts = [f"shard{'s' * (len(missing) > 1)} {', '.join(missing)} missing"] if missing else []
    parts += [f"shard {each.about.shard} has {each.incomplete}" for each in reports if each.incomplete]
    return "; ".join(parts)
