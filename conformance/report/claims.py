"""Judge claims from results: does torch agree with the document, and the engine with torch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from conformance.language.scenario import Position, base_id
from conformance.report.result import Result

VERDICTS = ("confirmed", "refuted", "imprecise", "drifted")
_SAYING_NOTHING = {"skipped", "not observed", "unsound", "changed"}  # of the engine


class ClaimLike(Protocol):
    """The attributes of a claim that are used; the class is in `conformance.language.claims`."""

    @property
    def id(self) -> str: ...
    @property
    def document(self) -> str: ...
    @property
    def verdict(self) -> str: ...
    @property
    def says(self) -> str: ...
    @property
    def position(self) -> Position: ...
    @property
    def url(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Finding:
    """One claim, its declared verdict, and what was observed.

    A claim must hold in *all* of its scenarios. So one scenario is enough to find a claim not confirmed, and all of
    them have to run to find it confirmed.
    """

    claim: ClaimLike
    scenarios: tuple[str, ...]  # all scenarios of the claim
    observed: str  # confirmed, not confirmed, not observed
    fails_in: tuple[str, ...]  # scenarios in which the claim does not hold on torch
    engine_agrees: bool | None  # None: no difference, but not every scenario was compared
    unsupported: bool = False  # whether the engine lacks a name that one of them uses
    faults: tuple[str, ...] = ()  # where the document's values and torch's differ, one for each of fails_in

    @property
    def contradicted(self) -> bool:
        """Whether torch contradicts the declared verdict."""
        return self.observed != "not observed" and not self.as_declared

    @property
    def as_declared(self) -> bool:
        """Whether the observation fits the declared verdict; all but confirmed mean not confirmed."""
        expected = "confirmed" if self.claim.verdict == "confirmed" else "not confirmed"
        return self.observed == expected

    @property
    def verdict_observed(self) -> str:
        """The declared verdict if the observation fits it, otherwise the observation."""
        return self.claim.verdict if self.as_declared else self.observed


def find(
    claims: Iterable[ClaimLike], scenarios: Mapping[str, Sequence[str]], results: Sequence[Result]
) -> tuple[Finding, ...]:
    """The findings from ``results`` of any number of engines; ``scenarios`` has all scenarios of each claim."""
    by_scenario: dict[str, list[Result]] = {}
    for result in results:
        by_scenario.setdefault(result.scenario, []).append(result)
    return tuple(_finding(claim, tuple(scenarios.get(claim.id, ())), by_scenario) for claim in claims)


def _finding(claim: ClaimLike, scenarios: tuple[str, ...], results: Mapping[str, list[Result]]) -> Finding:
    ran = [result for scenario in scenarios for result in results.get(scenario, ())]
    holds = {result.scenario: result.claim_holds for result in ran if result.claim_holds is not None}
    skipped = {result.scenario for result in ran if result.verdict == "skipped"}
    fails_in = tuple(scenario for scenario, held in holds.items() if not held)
    if fails_in:
        observed = "not confirmed"
    elif holds and len(holds) == len(scenarios) - len(skipped):
        observed = "confirmed"
    else:
        observed = "not observed"
    faults = {result.scenario: result.claim_fault for result in ran}
    verdicts = {result.verdict for result in ran} - _SAYING_NOTHING
    agrees = None if verdicts <= {"agrees", "unsupported"} else False
    if verdicts == {"agrees"} and not any(result.verdict == "unsound" for result in ran):
        agrees = True
    where = tuple(faults[scenario] for scenario in fails_in)
    return Finding(claim, scenarios, observed, fails_in, agrees, "unsupported" in verdicts, where)


def contradiction(finding: Finding) -> str:
    """The failure text of a contradicted claim; its first line is the verdict."""
    claim = finding.claim
    if finding.observed == "confirmed":
        verdict = (
            f"{claim.id} is declared {claim.verdict}, but what it says holds on torch in all its scenarios"
        )
        where = finding.scenarios
    else:
        verdict = (
            f"{claim.id} is declared confirmed, but what it says fails on torch in {finding.fails_in[0]}"
        )
        where = finding.fails_in
    faults = dict(zip(finding.fails_in, finding.faults, strict=False)) if where is finding.fails_in else {}
    lines = [verdict, "", f"  {claim.document} says: {claim.says}", "  scenarios:"]
    for scenario in _written(where):
        lines.append(f"    {scenario}")
        fault = next((fault for case, fault in faults.items() if base_id(case) == scenario), "")
        lines += [f"      {fault}"] if fault else []
    return "\n".join(lines)


def _written(cases: Iterable[str]) -> list[str]:
    """The ids of the scenarios of these cases, each once."""
    return list(dict.fromkeys(base_id(case) for case in cases))


def as_json(findings: Iterable[Finding]) -> dict[str, object]:
    """The findings as data."""
    return {
        "claims": [
            {
                "id": finding.claim.id,
                "document": finding.claim.document,
                "verdict": finding.claim.verdict,
                "verdict_observed": finding.verdict_observed,
                "scenarios": _written(finding.scenarios),
                "engine_agrees": finding.engine_agrees,
            }
            for finding in findings
        ]
    }
