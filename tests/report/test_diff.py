"""Two results of one engine compared: fixed, broken, another cause."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.cli import main
from conformance.report.diff import as_text, diff
from conformance.report.jsonlines import NotAReportError, Report, read
from conformance.report.provenance import Provenance
from conformance.report.result import ReportedDifference, Result, Verdict
from tests.report.test_jsonlines import result, written

FIRST = ReportedDifference("step 1, line 2", 7, "a.grad", "value", "values", "[1.0]", "[2.0]")
SECOND = replace(FIRST, engine="[3.0]")


def case(scenario: str, verdict: Verdict, *differences: ReportedDifference, missing: str = "") -> Result:
    """A result."""
    reason = {"differs": "a.grad is wrong", "unsupported": f"other has no {missing}"}.get(verdict, "")
    return replace(
        result(scenario),
        verdict=verdict,
        differences=differences,
        missing=(missing,) if missing else (),
        reason=reason,
        fingerprint=scenario,
    )


BEFORE = (
    case("stays", "agrees"),
    case("fails-as-before", "differs", FIRST),
    case("fixed", "differs", FIRST),
    case("now-supported", "unsupported", missing="torch.sin"),
    case("broken", "agrees"),
    case("lost", "known divergence"),
    case("fails-otherwise", "differs", FIRST),
    case("supported-and-wrong", "unsupported", missing="torch.sin"),
    case("skipped", "skipped"),
    case("not-judged", "agrees"),
    replace(case("another-program", "agrees"), fingerprint="1"),
    case("gone", "agrees"),
)
AFTER = (
    case("stays", "stale"),
    case("fails-as-before", "differs", FIRST),
    case("fixed", "agrees"),
    case("now-supported", "known divergence"),
    case("broken", "differs", FIRST),
    case("lost", "unsupported", missing="torch.cos"),
    case("fails-otherwise", "differs", SECOND),
    case("supported-and-wrong", "differs", SECOND),
    case("skipped", "skipped"),
    case("not-judged", "unsound"),
    replace(case("another-program", "differs", FIRST), fingerprint="2"),
    case("new", "agrees"),
)


def report(results: tuple[Result, ...], **changed: object) -> Report:
    """A report of these results."""
    return replace(Report("a.jsonl", "1", results, True), **changed)  # type: ignore[arg-type]


def test_what_became_of_each_case() -> None:
    """Each is in one list."""
    found = diff(report(BEFORE), report(AFTER))
    ids = {
        name: [one.scenario for one, _ in getattr(found, name)]
        for name in ("fixed", "broken", "other_cause", "not_judged", "changed")
    }
    assert ids == {
        "fixed": ["fixed", "now-supported"],
        "broken": ["broken", "lost"],
        "other_cause": ["fails-otherwise", "supported-and-wrong"],
        "not_judged": ["not-judged"],
        "changed": ["another-program"],
    }
    assert (found.same, found.only_before, found.only_after) == (3, ("gone",), ("new",))


def test_other_numbers_are_no_other_cause() -> None:
    """Where a result has a description of its cause, that decides."""
    one, other = (
        replace(case("a", "differs", first), cause="a grad is other numbers") for first in (FIRST, SECOND)
    )
    assert diff(report((one,)), report((other,))).same == 1
    assert len(diff(report((one,)), report((replace(other, cause="a grad is zero"),))).other_cause) == 1


def test_the_report_says_it_by_cause() -> None:
    """What broke comes first, with both sides."""
    other = Provenance(specs="2", specs_hash="def")
    before, after = report(BEFORE), report(AFTER, about=other)
    lines = [*as_text(diff(before, after), before, after)]
    assert lines[:3] == [
        "other 1 -> other 1",
        "the specs differ: version ?, ? and version 2, def",
        "2 broken, 2 other cause, 2 fixed, 3 as before",
    ]
    assert lines[4:8] == [
        "Broken:",
        "  1: broken",
        "      before agrees",
        "      after  differs: a.grad is wrong",
    ]
    assert "  2: fails-otherwise, supported-and-wrong" in lines
    assert lines[-1] == "1 only in the second: new"


def test_engines_are_compared_by_name() -> None:
    """One with one, whatever its name; of several, those of the same name."""
    renamed = tuple(replace(each, engine="other-dev") for each in AFTER)
    assert len(diff(report(BEFORE), report(renamed)).broken) == 2
    both = (*AFTER, *(replace(each, engine="more") for each in AFTER))
    assert len(diff(report(BEFORE), report(both)).broken) == 2
    with pytest.raises(NotAReportError, match="have no engine in common: other and other-dev, more"):
        diff(report(BEFORE), report((*renamed, *(replace(each, engine="more") for each in AFTER))))


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its status is 1 if something broke, for a check of a change; a cut-off run cannot succeed."""
    paths = {
        name: str(written(tmp_path / name, results, len(results), why))
        for name, results, why in (
            ("before", BEFORE, ""),
            ("after", AFTER, ""),
            ("fixed", tuple(replace(each, verdict="agrees") for each in BEFORE), ""),
            ("cut", BEFORE, "SIGTERM"),
        )
    }
    assert read(Path(paths["after"])).results[4].differences == (FIRST,)
    assert main(["diff", paths["before"], paths["after"]]) == 1
    assert "2 broken, 2 other cause, 2 fixed, 3 as before" in capsys.readouterr().out
    assert main(["diff", paths["before"], paths["fixed"]]) == 0
    assert main(["diff", paths["before"], paths["before"]]) == 0
    assert main(["diff", paths["before"], paths["cut"]]) == 1
    assert "is incomplete: 12 of 12 results: SIGTERM" in capsys.readouterr().out
    assert main(["diff", paths["before"], paths["after"], "--in", str(tmp_path)]) == 2
    assert main(["diff", paths["before"], str(tmp_path / "none")]) == 2
