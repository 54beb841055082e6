"""Does torch do as the documents say, and the engine as torch: computed from results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from conformance.language.scenario import Position
from conformance.report.result import Result

VERDICTS = ("confirmed", "refuted", "imprecise", "drifted")


class ClaimLike(Protocol):
    """What is read of a claim: `conformance.language.claims` has the class."""

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


@dataclass(frozen=True, slots=True)
class Finding:
    """One claim, what is declared about it, and what was observed.

    What the document says must hold in *all* scenarios of its claim, so one scenario is enough to find a
    claim not confirmed, and all of them have to be run to find it confirmed.
    """

    claim: ClaimLike
    scenarios: tuple[str, ...]  # all there are
    observed: str  # confirmed, not confirmed, not observed
    fails_in: tuple[str, ...]  # where what the document says does not hold on torch
    engine_agrees: bool | None  # None: it differed in none, and was not compared in all that ran
    unsupported: bool = False  # whether the engine lacks what one of them needs

    @property
    def contradicted(self) -> bool:
        """What is declared is not what torch does."""
        return self.observed != "not observed" and not self.borne_out

    @property
    def borne_out(self) -> bool:
        """What is declared is what torch does; refuted, imprecise and drifted are kinds of not confirmed."""
        expected = "confirmed" if self.claim.verdict == "confirmed" else "not confirmed"
        return self.observed == expected

    @property
    def verdict_observed(self) -> str:
        """The declared verdict where it is borne out, else what was observed."""
        return self.claim.verdict if self.borne_out else self.observed


def find(
    claims: Iterable[ClaimLike], scenarios: Mapping[str, Sequence[str]], results: Sequence[Result]
) -> tuple[Finding, ...]:
    """What ``results`` (of any number of engines) show; ``scenarios`` has all there are of each claim."""
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
    verdicts = {result.verdict for result in ran} - {"skipped"}
    agrees = None if verdicts <= {"agrees", "unsupported"} else False
    if verdicts == {"agrees"}:
        agrees = True
    return Finding(claim, scenarios, observed, fails_in, agrees, "unsupported" in verdicts)


def contradiction(finding: Finding) -> str:
    """Why what is declared cannot stand, its first line being the verdict."""
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
    lines = [verdict, "", f"  {claim.document} says: {claim.says}", "  scenarios:"]
    return "\n".join([*lines, *(f"    {scenario}" for scenario in _written(where))])


def _written(cases: Iterable[str]) -> list[str]:
    """The ids as the files have them, each once, of the cases of matrices."""
    return list(dict.fromkeys(case.partition("[")[0] for case in cases))


def as_json(findings: Iterable[Finding]) -> dict[str, object]:
    """The table as data."""
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
