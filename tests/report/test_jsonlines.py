"""Reports as JSON lines: written whole, and refused when they are not."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.report.jsonlines import NotAReportError, read, write
from conformance.report.result import ReportedDifference, Result

DIFFERENCE = ReportedDifference("step 1, line 2", 7, "a.grad", "value", "values", "[1.0]", "nan")


def result(scenario: str) -> Result:
    """A result with something in every field."""
    return Result(
        scenario=scenario,
        title="a title — with a dash, and\u2028a separator",
        area="leaf",
        file="specs/leaf/a.yaml",
        line=3,
        reference="torch 2.13.0",
        engine="other",
        version="1",
        verdict="differs",
        reason="a.grad is nan",
        claims=("blog/it",),
        claim_holds=True,
        missing=("torch.sin",),
        differences=(DIFFERENCE,),
    )


RESULTS = (result("a"), result("b[x]"))
LINES = list(write(RESULTS, 1))


def test_what_is_written_is_read() -> None:
    """Without loss, after a way through text."""
    header, results = read("\n".join(LINES) + "\n")
    assert results == RESULTS
    assert header["engines"] == {"other": "1"}
    assert header["references"] == ["torch 2.13.0"]


def test_the_footer_counts_verdicts_by_tier() -> None:
    """A scenario that cannot be read is in none; a report from before there were tiers is read as standard."""
    invalid = replace(result("c"), verdict="invalid", tier="")
    lines = list(write((*RESULTS, replace(result("d"), tier="core"), invalid), 1))
    footer = json.loads(lines[-1])["footer"]
    assert footer["tiers"] == {"core": {"differs": 1}, "standard": {"differs": 2}}
    assert footer["verdicts"] == {"differs": 3, "invalid": 1}
    older = [line.replace(',"tier":"standard"', "") for line in LINES]
    assert older != LINES
    assert read("\n".join(older))[1] == RESULTS


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([], "does not begin with a header"),
        (LINES[1:], "does not begin with a header"),
        (LINES[:-1], "was cut off after line 3"),
        ([*LINES[:2], LINES[2][:40]], "not JSON lines"),
        ([*LINES, *LINES], "line 4 is not a result: are these several reports?"),
        ([LINES[0], LINES[1], LINES[1], LINES[3]], "a on other is there twice"),
        ([LINES[0], LINES[1], LINES[3]], "counts 2 results, it has 1"),
        ([LINES[0], LINES[3]], "no results"),
        ([LINES[0].replace('"format":', '"format":9'), *LINES[1:]], "this reads"),
        (["[]"], "does not begin with a header"),
    ],
)
def test_what_is_not_whole_is_refused(lines: list[str], why: str) -> None:
    """Cut off, mixed, repeated or empty: it says why."""
    with pytest.raises(NotAReportError, match=why.replace("?", r"\?")):
        read("\n".join(lines))


def test_pytest_writes_it(pytester: pytest.Pytester) -> None:
    """With the exit status in the footer; a file that cannot be written is a usage error, at once."""
    pytester.makefile(
        ".yaml", mine="scenarios:\n  - {id: a, title: a one, run: 'a = torch.ones(1); b = a + a'}\n"
    )
    pytester.runpytest("--engine", "torch", "--conformance-json", "out.jsonl")
    lines = (pytester.path / "out.jsonl").read_text().splitlines()
    _, (only,) = read("\n".join(lines))
    assert (only.scenario, only.verdict, only.file, only.line) == ("a", "agrees", "mine.yaml", 2)
    assert json.loads(lines[-1])["footer"]["exit_status"] == 0
    refused = pytester.runpytest("--conformance-json", str(Path("no/such/folder/out.jsonl")))
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    refused.stderr.fnmatch_lines(["ERROR: --conformance-json no/such/folder/out.jsonl: No such file*"])
