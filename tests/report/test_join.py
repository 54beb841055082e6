"""Shards of one run joined: all of them, and of one run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import conformance.adapters.torch
import conformance.language.load  # noqa: F401
from conformance.check.provenance import hash_of
from conformance.cli import main
from conformance.plugin.options import is_in_shard
from conformance.report.join import join
from conformance.report.jsonlines import NotAReportError, Report, read
from conformance.report.provenance import Provenance
from tests.report.test_jsonlines import result

ABOUT = Provenance(date="2026-01-02", specs="1", specs_hash="abc", processor="fast")


def shard(number: int, of: int = 3, **changed: object) -> Report:
    """A shard with one result."""
    about = replace(ABOUT, shard=f"{number}/{of}", date=f"2026-01-0{number}", processor=f"processor {number}")
    whole = Report(f"{number}.jsonl", "1", (result(f"case-{number}"),), True, "", about, 10.0, "ids")
    return replace(whole, **changed)  # type: ignore[arg-type]


def test_all_shards() -> None:
    """In their order, with the first date, every processor and the time of all."""
    found = join([shard(2), shard(1), shard(3)])
    assert [each.scenario for each in found.results] == ["case-1", "case-2", "case-3"]
    assert (found.incomplete, found.passed, found.seconds) == ("", True, 30.0)
    assert found.about == replace(ABOUT, date="2026-01-01", processor="processor 1; processor 2; processor 3")


def test_what_is_missing_is_named() -> None:
    """Shards that are not there, and those that are not whole."""
    found = join([shard(2, incomplete="1 of 9 results: SIGTERM", passed=False)])
    assert found.incomplete == "shards 1/3, 3/3 missing; shard 2/3 has 1 of 9 results: SIGTERM"
    assert not found.passed


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (shard(1), "shard 1/3 is both in 1.jsonl and in 1.jsonl"),
        (shard(2, 4), "they have different numbers of shards: 3 and 4"),
        (shard(2, suite="2"), "different versions of the suite: 1 and 2"),
        (shard(2, about=replace(ABOUT, shard="2/3", specs_hash="def")), "different specs: abc and def"),
        (shard(2, about=ABOUT), "2.jsonl is not a shard: its run had no option --shard"),
        (shard(2, collected="other"), "different sets of scenarios: ids and other"),
        (shard(2, results=(result("case-1"),)), "case-1 is both in 1.jsonl and in 2.jsonl"),
        (shard(2, results=(replace(result("b"), version="2"),)), "different engines: other 1 and other 2"),
    ],
)
def test_what_does_not_fit_is_refused(other: Report, why: str) -> None:
    """With both values."""
    with pytest.raises(NotAReportError, match=why):
        join([shard(1), other])


SPECS = "scenarios:\n" + "".join(
    f"  - {{id: case-{number}, title: case {number} adds, run: a = torch.ones({number + 1}) + 1}}\n"
    for number in range(12)
)


SHARDS = {
    case: next(shard for shard in ("1/2", "2/2") if is_in_shard(case, shard))
    for case in (f"case-{number}" for number in range(12))
}


def test_workers_run_the_same_part(pytester: pytest.Pytester) -> None:
    """The option reaches them, and the hash of all cases comes back."""
    pytester.makefile(".yaml", mine=SPECS)
    done = pytester.runpytest_subprocess(
        "--engine", "inhouse", "-n1", "--shard", "1/2", "--conformance-json", "w.jsonl"
    )
    assert {each for each in SHARDS if SHARDS[each] == "1/2"} == {
        each.scenario for each in read(pytester.path / "w.jsonl").results
    }, done.stdout.str()
    assert read(pytester.path / "w.jsonl").collected == hash_of(SHARDS)


def test_a_run_in_shards(pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    """Each case is in one shard; joined they are the whole run, and without one of them the rest says which."""
    pytester.makefile(".yaml", mine=SPECS)
    counts = []
    for number in (1, 2):
        shown = pytester.runpytest(
            "--engine",
            "torch",
            "--engine-here",
            "--shard",
            f"{number}/2",
            "--conformance-json",
            f"{number}.jsonl",
        )
        assert shown.ret == 0, shown.stdout.str()
        counts.append(len(read(pytester.path / f"{number}.jsonl").results))
    assert sum(counts) == 12 and 0 not in counts
    capsys.readouterr()
    assert main(["join", "1.jsonl", "2.jsonl", "-o", "all.jsonl"]) == 0
    assert capsys.readouterr().out == "all.jsonl: 12 results of 2 shards\n"
    joined = read(pytester.path / "all.jsonl")
    assert {each.scenario for each in joined.results} == {f"case-{number}" for number in range(12)}
    assert joined.passed and not joined.incomplete and not joined.about.shard
    assert main(["join", "2.jsonl", "-o", "rest.jsonl"]) == 1
    assert "incomplete: shard 1/2 missing" in capsys.readouterr().out
    assert read(pytester.path / "rest.jsonl").incomplete == "shard 1/2 missing"
    assert {each for each in SHARDS if SHARDS[each] == "1/2"} == {
        each.scenario for each in read(pytester.path / "1.jsonl").results
    }
    assert main(["matrix", "rest.jsonl"]) == 1


@pytest.mark.parametrize("given", ["0/2", "3/2", "2", "a/b", "1/0", ""])
def test_no_shard(pytester: pytest.Pytester, given: str) -> None:
    """A usage error says how one is written."""
    refused = pytester.runpytest("--shard", given)
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    refused.stderr.fnmatch_lines(["*is not one of several parts, as 2/8"])


def test_reading_needs_a_path() -> None:
    """A file that is not there is one line."""
    assert main(["join", str(Path("none.jsonl")), "-o", "all.jsonl"]) == 2
