"""The page of a document: sentences, verdicts, and programs to paste that print what the comments say."""

from __future__ import annotations

import contextlib
import io
import re

import pytest

from conformance.language.claims import Claims, load_claims_text
from conformance.language.load import load_text
from conformance.language.scenario import Scenario
from conformance.report import document_page
from conformance.report.program import annotated
from tests import all_specs

CLAIMS = """\
documents:
  notes: {title: Notes, author: A. Person, url: "https://example.org/notes", read_at: "2026"}
claims:
  - {id: notes/holds, verdict: confirmed, says: It holds., where: Leaves}
  - {id: notes/fails, verdict: refuted, says: It is two., note: It is three., url: "https://example.org/notes#two"}
"""

SCENARIOS = """\
scenarios:
  - id: it-is-not-two
    title: it is not two
    claim: notes/fails
    run: a = 3
    expect: {a: 3}
  - id: it-is-three
    title: it is three
    claim: notes/fails
    matrix: {b: [4, 5]}
    steps:
      - run: a, b = 3, ${b}
        claimed: {expect: {a: 2}}
        expect: {a: 3}
      - run: torch.ones(2).backward()
        raises: RuntimeError
        message: does not require grad
"""


def made(verdicts: dict[str, str] | None = None) -> list[str]:
    """The lines of the page of these notes."""
    claims = load_claims_text(CLAIMS, "claims.yaml")
    declared = {claim.id: claim.verdict for claim in claims.claims} | (verdicts or {})
    loaded = load_text(SCENARIOS, "a.yaml")
    assert not loaded.problems
    return document_page.pages(claims, declared, loaded.scenarios, "torch 2.13.0")["notes"].splitlines()


def test_a_page() -> None:
    """The head counts, each claim has its section, and the scenario that parts from the document comes first."""
    assert made() == [
        *("# [Notes](https://example.org/notes)", "", "A. Person, read at 2026.", ""),
        *("2 claims, checked on torch 2.13.0: 1 confirmed, 1 refuted.", ""),
        *("## Leaves", "", "### holds", "", "**confirmed**: It holds.", ""),
        *("### fails", "", "**refuted**: It is two.", "", "> It is three.", ""),
        *("[The place](https://example.org/notes#two)", "", "it is three (`it-is-three`):", ""),
        *("```python", "import torch", "", "a, b = 3, 4", "print(a)  # 3; in the document: 2"),
        *("try:", "    torch.ones(2).backward()", "except Exception as error:", "    print(error)"),
        *("# raises RuntimeError", "# message: does not require grad", "```", ""),
        "Further scenarios: `it-is-not-two`.",
    ]


def test_a_verdict_that_is_observed() -> None:
    """It is the one that is shown and counted, also where it is none that may be declared."""
    page = made({"notes/fails": "not observed"})
    assert "2 claims, checked on torch 2.13.0: 1 confirmed, 1 not observed." in page
    assert "**not observed**: It is two." in page


def test_an_index() -> None:
    """The documents with links to their pages, and a last row for all."""
    claims: Claims = load_claims_text(CLAIMS, "claims.yaml")
    assert document_page.index(claims).splitlines()[2:] == [
        "| [Notes](notes.md) | 1 | 1 |  |  |",
        "| all | 1 | 1 | 0 | 0 |",
    ]


def claimed() -> list[Scenario]:
    """Of each scenario of the specs with a claim the first case; every fifth, since programs take time."""
    found: dict[str, Scenario] = {}
    for scenario in all_specs.scenarios():
        if scenario.claims and not scenario.needs:
            found.setdefault(scenario.id.partition("[")[0], scenario)
    return list(found.values())[::5]


@pytest.mark.filterwarnings("ignore::UserWarning")  # some of the programs are about warnings
def test_programs_can_be_pasted() -> None:
    """Each runs in plain Python with torch, and prints the numbers that its comments have."""
    pytest.importorskip("torch")
    for scenario in claimed():
        program = annotated(scenario)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(program, scenario.id, "exec"), {})
        numbers = re.findall(r"^print\(.*\)  # (-?[\d.]+)$", program, re.MULTILINE)
        printed = out.getvalue()
        for number in numbers:
            assert re.search(rf"(^|\D){re.escape(number.removesuffix('.0'))}", printed, re.MULTILINE), (
                scenario.id
            )
