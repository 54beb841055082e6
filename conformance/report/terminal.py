"""The summary of a run: the results of each engine, and the findings on claims."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from conformance.language.scenario import TIERS
from conformance.language.usage import Usage
from conformance.language.words import RELEASE
from conformance.report import causes, levels
from conformance.report.claims import VERDICTS, Finding
from conformance.report.proposal import cause
from conformance.report.result import ReportedDifference, Result, Verdict
from conformance.report.share import cell
from conformance.report.text import clip, label, listed, shorten_both, table
from conformance.report.unlocking import needs_of, ranking
from conformance.runner.compare import is_absent

_SAID: dict[Verdict, str] = {
    "agrees": "agree",
    "differs": "differ",
    "known divergence": "known divergence",
    "stale": "stale",
    "changed": "changed",
    "unsupported": "unsupported",
    "unsound": "unsound",
    "unrecorded": "unrecorded",
    "not observed": "not observed",
    "skipped": "skipped",
}
_NAMES = 8  # missing names shown of an engine
_CAUSES = 6  # kinds of first difference shown of an engine
_CHANGES = 12  # causes shown of what another release of torch does
_MANY = 20  # results from which a run is mostly red
_IN_FULL = 5  # failures shown in full per first difference


def summary(
    results: Sequence[Result],
    documents: Mapping[str, str],
    findings: Sequence[Finding],
    uses: Mapping[str, Usage] | None = None,
) -> Iterator[str]:
    """The lines of the summary; ``uses`` has the names that unsupported scenarios use, if they are known."""
    red = mostly_red(results)
    if red:
        yield from _of_claims(documents, findings, briefly=True)
        yield ""
    for engine in dict.fromkeys(result.engine for result in results if result.engine):
        yield from _engine([result for result in results if result.engine == engine], uses or {})
    if invalid := sum(result.verdict == "invalid" for result in results):
        yield f"{invalid} invalid, not run on any engine"
    if not red:
        yield from _of_claims(documents, findings)


def _of_claims(
    documents: Mapping[str, str], findings: Sequence[Finding], *, briefly: bool = False
) -> Iterator[str]:
    """What documents say: all in sum if the engine is the news, since the rest is about torch."""
    if any(finding.observed != "not observed" for finding in findings):
        yield ""
        lines = [*claims_table(documents, findings)]
        yield from (lines[0], lines[-1]) if briefly else lines
        yield from () if briefly else refuted(findings)


def mostly_red(results: Sequence[Result]) -> bool:
    """Whether most of what was compared differs, so that its causes matter more than its list."""
    differing = sum(result.verdict == "differs" for result in results)
    return differing >= _MANY and differing > sum(result.verdict == "agrees" for result in results)


def early(results: Sequence[Result]) -> str:
    """What to do about the engine of these first results if nearly all of them differ in one facet; empty if not."""
    compared = [result for result in results if result.verdict in ("agrees", "differs")]
    firsts = Counter(
        (result.differences[0].facet, result.differences[0].group)
        for result in compared
        if result.differences
    )
    if len(compared) < _MANY or not firsts:
        return ""
    (facet, group), count = firsts.most_common(1)[0]
    if count < 0.9 * len(compared):
        return ""
    leave = f"if that is by design, leave {group} out of its `claims`, or " if group != "values" else ""
    return (
        f"{count} of the first {len(compared)} scenarios that {results[0].engine} supports differ in {facet}: {leave}"
        f"see what is wrong with `conformance engine {results[0].engine}`"
    )


def _engine(results: Sequence[Result], uses: Mapping[str, Usage]) -> Iterator[str]:
    """One line for an engine that agrees; for others also shares, first differences and missing names."""
    counts = Counter(result.verdict for result in results)
    same = counts - Counter(result.verdict for result in results if result.changed)
    said = [f"{same[verdict]} {text}" for verdict, text in _SAID.items() if same[verdict]]
    said += [f"{sum(counts.values()) - sum(same.values())} {_changed(results[0])}"] * (counts != same)
    yield f"{label(results[0].engine, results[0].version)} compared with {results[0].reference}: {', '.join(said)}"
    if counts["unsound"]:
        yield from _of_another_release(results[0].reference)
    found = cell(results)
    if counts["differs"] or counts["known divergence"]:
        shares = ", ".join(f"{group} {found.group(group)}" for group, _ in found.groups)
        yield f"  scenarios without a difference: {shares}"
    yield from _by_tier(results)
    yield from _elsewhere(results)
    yield from levels.lines(results)
    yield from _reasons(results)
    yield from unexplained([result for result in results if result.verdict == "changed"])
    yield from _absent(results)
    yield from _random(results)
    yield from causes.lines([result for result in results if result.verdict == "differs"])
    if any(result.missing for result in results):
        yield f"  missing: {_missing(results)}"
    if uses and any(result.missing for result in results):
        first = ", ".join(f"{name} ({count})" for name, count in ranking(needs_of(results, uses)))
        yield f"  provide first, with the scenarios that each then unlocks: {first}"


def _by_tier(results: Sequence[Result]) -> Iterator[str]:
    """The share of each tier that agrees, if there are several tiers and not all agree."""
    of = {tier: cell(each for each in results if each.tier == tier) for tier in TIERS}
    of = {tier: found for tier, found in of.items() if found.scenarios}
    if len(of) > 1 and any(found.agreeing < found.scenarios for found in of.values()):
        yield f"  agreeing by tier: {', '.join(f'{tier} {found.text}' for tier, found in of.items())}"


def _elsewhere(results: Sequence[Result]) -> Iterator[str]:
    """Which programs say nothing about torch elsewhere, and what the others count."""
    unobserved = Counter(result.reason for result in results if result.verdict == "not observed")
    yield from (f"  not observed, {count}: {reason}" for reason, count in unobserved.most_common())
    total: Counter[str] = Counter()
    for result in results:
        total.update(result.counts)
    if total:
        yield f"  in sum: {', '.join(f'{count} {what}' for what, count in total.items())}"


def idle(results: Sequence[Result]) -> Iterator[tuple[Result, str]]:
    """Engines that could not run any scenario, each with its first result; such a run must not succeed."""
    for engine in dict.fromkeys(result.engine for result in results if result.engine):
        own = [result for result in results if result.engine == engine and result.verdict != "skipped"]
        what = "the scenario" if len(own) == 1 else f"any of the {len(own)} scenarios"
        verdicts = {result.verdict for result in own}
        if "not observed" in verdicts and verdicts <= {"not observed", "unsupported"}:
            first = next(result for result in own if result.verdict == "not observed")
            yield first, f"{engine} was not observed in {what}: {first.reason}"
        elif verdicts == {"unsupported"}:
            text = f"{engine} cannot run {what}; missing: {_missing(own)}"
            yield (
                own[0],
                f"{text}\n\n`conformance engine` reports what can be read of it and what to do next.",
            )


def _of_another_release(reference: str) -> Iterator[str]:
    """A remark if the reference is another release of torch than the specs describe."""
    if not reference.startswith(f"torch {RELEASE}"):
        yield f"  the suite's specs describe torch {RELEASE}, but the reference is {reference}"


def _changed(result: Result) -> str:
    """The label of scenarios in which the reference is known to differ from the release of the specs."""
    release = re.search(r"\d+\.\d+", result.reference)
    return f"changed in {release[0] if release else result.reference}"


def _reasons(results: Sequence[Result]) -> Iterator[str]:
    """Why the reference, another release of torch, differs from that of the specs, the most frequent reason first."""
    reasons = Counter(reason for result in results for reason in result.changed)
    if reasons:
        yield f"  {_changed(results[0])}, not counted as a difference of {results[0].engine}:"
        rows = [(f"{count}", reason) for reason, count in reasons.most_common(_CAUSES)]
        yield from (f"  {row}" for row in table(rows, 100))
        if len(reasons) > _CAUSES:
            yield f"    and {len(reasons) - _CAUSES} more reasons, which specs/releases/README.md lists"


def unexplained(results: Sequence[Result]) -> Iterator[str]:
    """What another release of torch does that no file explains, by cause, the most frequent first."""
    if not results:
        return
    groups: dict[tuple[str, ...], list[Result]] = {}
    for result in results:
        groups.setdefault(cause(result.differences[0], result.file), []).append(result)
    yield f"  changed since {results[0].since}:"
    ranked = sorted(groups.items(), key=lambda pair: -len(pair[1]))
    for alike in (alike for _, alike in ranked[:_CHANGES]):
        first = alike[0].differences[0]
        yield f"    {len(alike)} as in {alike[0].scenario}, {f'{first.name} {first.facet}'.strip()}:"
        texts = shorten_both(first.reference, first.engine, 100)
        yield from (f"      {what} {text}" for what, text in zip(("was", "now"), texts, strict=True))
    if len(ranked) > _CHANGES:
        yield f"    and {sum(len(alike) for _, alike in ranked[_CHANGES:])} more, of {len(ranked) - _CHANGES} causes"
    yield "    `conformance changes` lists all of them, and drafts the file that explains them"


def _missing(results: Sequence[Result]) -> str:
    """The names that the engine lacks, the most frequent first."""
    missing = Counter(name for result in results for name in result.missing)
    return listed([f"{name} ({count})" for name, count in missing.most_common()], _NAMES)


def _random(results: Sequence[Result]) -> Iterator[str]:
    """How many scenarios draw random numbers, if the engine does not claim torch's."""
    compared = [result for result in results if result.groups]
    drawing = sum(result.draws for result in compared)
    if drawing and not any("random" in result.groups for result in compared):
        yield (
            f"  {drawing} of {len(compared)} draw random numbers, and their values are compared up to there, since "
            f"{results[0].engine} does not claim `random`"
        )


def repeated(results: Sequence[Result]) -> set[tuple[str, str]]:
    """Scenario and engine of failures that the summary groups, or whose first difference was shown several times."""
    counts: Counter[tuple[str, ...]] = Counter()
    found = {(result.scenario, result.engine) for result in results if result.verdict == "changed"}
    for result in results:
        if result.verdict == "differs":
            first = result.differences[0]
            cause = (result.engine, first.facet, first.reference, first.engine)
            counts[cause] += 1
            if counts[cause] > _IN_FULL:
                found.add((result.scenario, result.engine))
    return found


def _absent(results: Sequence[Result]) -> Iterator[str]:
    """Attributes that the engine's tensors lack in a claimed group, which hide other differences."""
    found: dict[str, dict[str, None]] = {}
    for result in results:
        for each in result.differences:
            if is_absent(each.facet, each.engine):
                found.setdefault(each.group, {})[each.facet] = None
    unread = [each for each in results if each.verdict == "differs" and _is_unread(each.differences[0])]
    if unread:
        facet = unread[0].differences[0].facet
        yield f"  {len(unread)} whose {facet} cannot be read: `conformance engine` lists what its tensors lack"
    for group, facets in found.items():
        absent = ", ".join(facets)
        yield f"  its tensors have no {absent}: leave {group} out of its `claims` to see the other differences"


def _is_unread(first: ReportedDifference) -> bool:
    return first.facet in ("value", "shape") and first.engine.startswith("raises AttributeError")


def claims_table(documents: Mapping[str, str], findings: Sequence[Finding]) -> Iterable[str]:
    """A row for each document with an observed claim; ``documents`` has their titles."""
    rows: list[tuple[str, ...]] = [("claims", *VERDICTS, "not observed", "engine")]
    observed = []
    for document, title in documents.items():
        own = [finding for finding in findings if finding.claim.document == document]
        if any(finding.observed != "not observed" for finding in own):
            rows.append((clip(title, 50), *_counts(own)))
            observed += own
    if len(rows) > 2:
        rows.append(("all", *_counts(observed)))
    if all(row[-2] == "" for row in rows[1:]):
        rows = [(*row[:-2], row[-1]) for row in rows]
    return table(rows)


def _counts(findings: Sequence[Finding]) -> tuple[str, ...]:
    counts = Counter(finding.verdict_observed for finding in findings)
    wrong = counts["not confirmed"] + sum(
        finding.contradicted and finding.observed == "confirmed" for finding in findings
    )
    shown = [str(counts[verdict] or "") for verdict in VERDICTS]
    if wrong:
        shown[0] += f" ({wrong} not as declared)"
    differing = sum(finding.engine_agrees is False for finding in findings)
    lacking = sum(finding.engine_agrees is None and finding.unsupported for finding in findings)
    said = [f"differs in {differing}"] * bool(differing) + [f"cannot run {lacking}"] * bool(lacking)
    return (*shown, str(counts["not observed"] or ""), ", ".join(said) or "agrees")


def refuted(findings: Sequence[Finding]) -> Iterator[str]:
    """The claims that torch refutes, one per line."""
    named = [finding.claim for finding in findings if finding.verdict_observed == "refuted"]
    if named:
        yield ""
        yield "Refuted by torch:"
        width = max(len(claim.id) for claim in named)
        for claim in named:
            yield f"  {claim.id:{width}}  {' '.join(claim.says.split())}"
