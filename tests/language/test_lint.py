"""Remarks on sound scenarios."""

from __future__ import annotations

import pytest

from conformance.language.claims import load_claims_text
from conformance.language.lint import remarks, uncovered
from conformance.language.load import load_text


@pytest.mark.parametrize(
    ("title", "remark"),
    [
        ("backward should add to grad", "the title has `should`"),
        ("Test that backward adds to grad", "the title has `Test that`"),
    ],
)
def test_titles(title: str, remark: str) -> None:
    """One remark on a matrix scenario, however many cases it has."""
    text = f"scenarios:\n  - {{id: a, title: '{title}', matrix: {{v: [1, 2]}}, run: 'x = ${{v}}'}}\n"
    (problem,) = remarks(load_text(text, "my.yaml").scenarios)
    assert (problem.message, problem.scenario, str(problem.position)) == (remark, "a", "my.yaml:2:5")


def test_a_plain_title_is_left_alone() -> None:
    """What torch does, in the present tense."""
    text = "scenarios:\n  - {id: a, title: shoulder tests add to grad, run: x = 1}\n"
    assert list(remarks(load_text(text, "my.yaml").scenarios)) == []


def test_uncovered_claims() -> None:
    """A claim without a scenario is named."""
    claims = load_claims_text(
        "documents: {d: {title: T}}\nclaims:\n"
        "  - {id: d/a, verdict: confirmed, says: a}\n  - {id: d/b, verdict: confirmed, says: b}\n",
        "claims.yaml",
    )
    text = "scenarios:\n  - {id: a, title: t, claim: d/a, run: assert torch.ones(1) == 1}\n"
    assert [claim.id for claim in uncovered(claims, load_text(text, "my.yaml").scenarios)] == ["d/b"]
