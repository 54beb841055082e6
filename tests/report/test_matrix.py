"""Engines compared with each other, and the tables of the adapters' page, which are made from stored counts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from conformance.report import docs
from conformance.report.matrix import Matrix, as_json, from_plain, matrix
from conformance.report.result import Result, Verdict


def result(scenario: str, engine: str, verdict: Verdict, groups: dict[str, int]) -> Result:
    """The result of a scenario of the area leaf, or of the area views if its name begins with v."""
    area = "views" if scenario.startswith("v") else "leaf"
    place = ("a title", area, f"{area}.yaml", 1, "torch 2.13.0+cpu")
    return Result(scenario, *place, engine, "1", verdict, groups=groups, tier="core")


RESULTS = [
    result("a", "mine", "agrees", {"values": 0, "flags": 0}),
    result("b", "mine", "known divergence", {"values": 0, "flags": 2}),
    result("va", "mine", "unsupported", {}),
    result("a", "theirs", "agrees", {"values": 0}),
    result("va", "theirs", "differs", {"values": 1}),
    result("b", "theirs", "skipped", {}),
]


def made(results: Sequence[Result] = RESULTS) -> Matrix:
    """As the command counts them."""
    return matrix(results)


def test_counts_are_read_as_they_were_written() -> None:
    """So that the page is made without the results."""
    (text,) = as_json(made())
    assert from_plain(json.loads(text)) == made()


@pytest.mark.parametrize(
    "damaged", [[], {}, {"reference": "torch", "engines": {"mine": {}}, "incomplete": []}]
)
def test_other_data_is_refused(damaged: object) -> None:
    """`conformance docs` reports it with the file's name."""
    with pytest.raises((LookupError, TypeError, ValueError)):
        from_plain(damaged)  # type: ignore[arg-type]


def test_the_page_says_on_how_many_scenarios_it_was_measured() -> None:
    """And of which tiers, compared with how many these have now."""
    assert docs.engines(made(), {"core": 3, "full": 9}).startswith(
        "Measured on the 3 scenarios of the tier core.\n"
    )
    text = docs.engines(made(), {"core": 1_234, "full": 9})
    assert text.startswith("Measured on 3 of the 1,234 scenarios of the tier core.\n")
    assert "| leaf | 50% | 100% |" in text
    assert "| views | - of 1 | 0% |" in text
    assert "| all | 50% of 2/3 | 50% |" in text
    assert "| mine 1 | 3 | 2 | 50% | 1 | 100% |  | 50% |  |  |  |  |" in text


def test_backends_of_compile_are_compared_by_verdict() -> None:
    """With what was counted in sum; a subject that a backend did not run is empty."""
    compiled = [
        replace(result("a", "torch-compile-eager", "agrees", {}), counts={"operations run": 1200}),
        replace(result("b", "torch-compile-eager", "known divergence", {}), counts={"operations run": 34}),
        result("va", "torch-compile-eager", "not observed", {}),
        result("b", "torch-compile-inductor", "unsupported", {}),
    ]
    text = docs.compilers(made(compiled))
    assert "| subject | eager | inductor |" in text
    assert "| leaf | 1 / 1 / 0 / 0 | 0 / 0 / 0 / 1 |" in text
    assert "| views | 0 / 0 / 1 / 0 |  |" in text
    assert "| all | 1 / 1 / 1 / 0 | 0 / 0 / 0 / 1 |" in text
    assert "| operations run | 1,234 | 0 |" in text
