"""Findings computed from results, as data alone."""

from __future__ import annotations

import pytest

from conformance.language.claims import Claim
from conformance.language.claims import ClaimVerdict as Declared
from conformance.language.scenario import Position
from conformance.report.claims import Finding, as_json, contradiction, find
from conformance.report.result import Result, Verdict


def claim(verdict: Declared = "confirmed") -> Claim:
    """A claim with that declared verdict."""
    return Claim("blog/it", "blog", verdict, "it does", "", Position("claims.yaml", 3))


def result(scenario: str, holds: bool | None, verdict: Verdict = "agrees", engine: str = "e") -> Result:
    """What became of a scenario."""
    return Result(
        scenario=scenario,
        title="",
        area="",
        file="a.yaml",
        line=1,
        reference="torch",
        engine=engine,
        version="1",
        verdict=verdict,
        claim_holds=holds,
        claim_fault="" if holds is not False else "a.yaml:9:7: x.grad is [2.0], expected None",
    )


def finding(declared: Declared, *results: Result, scenarios: tuple[str, ...] = ("a", "b")) -> Finding:
    """What those results show of a claim with these scenarios."""
    (found,) = find([claim(declared)], {"blog/it": scenarios}, results)
    return found


@pytest.mark.parametrize(
    ("declared", "holds", "observed", "contradicted"),
    [
        ("confirmed", (True, True), "confirmed", False),
        ("confirmed", (True, False), "not confirmed", True),
        ("confirmed", (False,), "not confirmed", True),
        ("confirmed", (True,), "not observed", False),
        ("confirmed", (True, None), "not observed", False),
        ("confirmed", (), "not observed", False),
        ("refuted", (True, True), "confirmed", True),
        ("refuted", (True, False), "refuted", False),
        ("imprecise", (False,), "imprecise", False),
        ("drifted", (False, False), "drifted", False),
        ("drifted", (True,), "not observed", False),
    ],
)
def test_verdicts(
    declared: Declared, holds: tuple[bool | None, ...], observed: str, contradicted: bool
) -> None:
    """One scenario finds a claim not confirmed; it takes all of them to confirm it."""
    found = finding(declared, *(result(scenario, held) for scenario, held in zip("ab", holds, strict=False)))
    assert (found.verdict_observed, found.contradicted) == (observed, contradicted)


def test_what_is_skipped_counts_neither_way() -> None:
    """The scenarios that ran decide; where none ran, nothing is known."""
    assert finding("confirmed", result("a", True), result("b", None, "skipped")).observed == "confirmed"
    skipped = [result(scenario, None, "skipped") for scenario in "ab"]
    assert (finding("confirmed", *skipped).observed, finding("confirmed", *skipped).engine_agrees) == (
        "not observed",
        None,
    )


@pytest.mark.parametrize(
    ("verdict", "agrees"),
    [
        ("agrees", True),
        ("differs", False),
        ("unsupported", None),
        ("known divergence", False),
        ("stale", False),
        ("unsound", None),
    ],
)
def test_whether_the_engine_agrees(verdict: Verdict, agrees: bool | None) -> None:
    """It does where it agrees in all scenarios; where it lacks what one of them needs, nobody knows."""
    assert finding("confirmed", result("a", True), result("b", True, verdict)).engine_agrees is agrees


def test_several_engines_agree_together() -> None:
    """The document's verdict is torch's alone, however many engines ran."""
    found = finding(
        "confirmed",
        *(result(scenario, True) for scenario in "ab"),
        *(result(scenario, True, "differs", "other") for scenario in "ab"),
    )
    assert (found.observed, found.engine_agrees) == ("confirmed", False)


def test_a_contradiction_as_text() -> None:
    """The first line is the verdict; below it what the document says, and where."""
    assert contradiction(finding("confirmed", result("a", True), result("b", False))).splitlines() == [
        "blog/it is declared confirmed, but what it says fails on torch in b",
        "",
        "  blog says: it does",
        "  scenarios:",
        "    b",
        "      a.yaml:9:7: x.grad is [2.0], expected None",
    ]
    holds = contradiction(finding("drifted", result("a", True), result("b", True)))
    assert holds.startswith(
        "blog/it is declared drifted, but what it says holds on torch in all its scenarios\n"
    )


def test_cases_are_one_scenario_in_the_data() -> None:
    """Ids as the files have them, each once."""
    found = finding("confirmed", result("a[x]", True), result("a[y]", True), scenarios=("a[x]", "a[y]"))
    assert "'scenarios': ['a']" in str(as_json([found]))
