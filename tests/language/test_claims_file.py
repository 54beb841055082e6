"""Files of claims: read strictly, a wrong claim takes no other with it."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from conformance.check.locate import claims_files, specs
from conformance.language.claims import load_claims, load_claims_text

HEAD = """\
documents:
  blog:
    title: PyTorch Leaf Tensor
    author: A. Writer
claims:
  - {id: blog/first, verdict: confirmed, says: a leaf is a leaf}
"""


def test_claims_arrive() -> None:
    """Documents by key, claims in order with their positions."""
    claims = load_claims_text(HEAD + "  - {id: blog/second, verdict: refuted, says: b, note: n}\n", "c.yaml")
    assert claims.problems == ()
    assert (claims.documents["blog"].title, claims.documents["blog"].author) == (
        "PyTorch Leaf Tensor",
        "A. Writer",
    )
    first, second = claims.claims
    assert (first.id, first.document, first.verdict, first.says, first.note) == (
        *("blog/first", "blog", "confirmed"),
        *("a leaf is a leaf", ""),
    )
    assert (second.verdict, second.note, str(second.position)) == ("refuted", "n", "c.yaml:7:10")


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ("{id: blog/first, verdict: confirmed, says: again}", "7:10: the claim `blog/first` is repeated"),
        (
            "{id: blgo/a, verdict: confirmed, says: a}",
            "7:10: there is no document `blgo`; did you mean `blog`?",
        ),
        ("{id: blog/a, verdict: refuted, says: a}", "7:10: `blog/a` is refuted without a note"),
        (
            "{id: blog/a, verdict: wrong, says: a}",
            "7:27: `verdict` is `wrong`; it may be 'confirmed', 'refuted'",
        ),
        ("{id: blog/a, verdict: confirmed}", "7:5: the key `says` is missing"),
        ("{id: blog, verdict: confirmed, says: a}", "7:10: `blog`: a claim is written document/sentence"),
        (
            "{id: blog/a, verdict: confirmed, say: a, says: b}",
            "7:38: unknown key `say`; did you mean `says`?",
        ),
        ("{id: blog/a, id: blog/b, verdict: confirmed, says: b}", "7:18: the key `id` is repeated"),
        ("{id: blog/a, verdict: confirmed, says: ''}", "7:44: `says` is empty"),
        ("just text", "7:5: `claims` must be a mapping, not `just text`"),
    ],
)
def test_wrong_claim(entry: str, problem: str) -> None:
    """One mistake, one problem, and the first claim is still there."""
    claims = load_claims_text(f"{HEAD}  - {entry}\n", "c.yaml")
    assert [str(found)[: len("c.yaml:") + len(problem)] for found in claims.problems] == [f"c.yaml:{problem}"]
    assert claims.claims[0].id == "blog/first"


@pytest.mark.parametrize(
    "text", ["", "- a\n", "documents: 3\nclaims: 4\n", "documents: {a\n", "claims: []\n"]
)
def test_wrong_file(text: str) -> None:
    """Nothing raises."""
    claims = load_claims_text(dedent(text), "c.yaml")
    assert claims.problems
    assert claims.claims == ()


def test_absent_file(tmp_path: Path) -> None:
    """A file that cannot be read is a problem."""
    assert load_claims(tmp_path / "claims.yaml").problems


def test_the_suites_own_claims() -> None:
    """968 claims: 789 confirmed, 35 refuted, 127 imprecise, 17 drifted."""
    claims = load_claims(*claims_files(specs()))
    verdicts = [claim.verdict for claim in claims.claims]
    assert claims.problems == ()
    assert [verdicts.count(v) for v in ("confirmed", "refuted", "imprecise", "drifted")] == [789, 35, 127, 17]
