"""Reports as JSON lines: there after each result, and refused when they were cut off or changed."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.report.jsonlines import NotAReportError, Writer, read
from conformance.report.provenance import Provenance, described
from conformance.report.result import ReportedDifference, Result
from conformance.runner.output import Output

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


def written(path: Path, results: Sequence[Result] = RESULTS, expected: int = 2, why: str = "") -> Path:
    """A report in a file."""
    output = Output(path)
    writer = Writer(output, expected)
    for each in results:
        writer.add(each)
    writer.end(1, why)
    output.finish()
    return path


def sealed(path: Path, *lines: str) -> Path:
    """A file of other lines, with the checksum of their content; the last line is the footer."""
    body = "\n".join(lines).removesuffix("}}") + ',"checksum":"'
    path.write_text(f'{body}{hashlib.sha256(body.encode()).hexdigest()}"}}}}\n')
    return path


@pytest.fixture
def lines(tmp_path: Path) -> list[str]:
    """The lines of a report, without the checksum."""
    text = written(tmp_path / "whole.jsonl").read_text().split(',"checksum"')[0]
    return f"{text}}}}}".split("\n")


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """Without loss; characters that end lines elsewhere, and halves of characters, are part of texts."""
    odd = replace(result("c"), title="half a character: \ud800")
    report = read(written(tmp_path / "a.jsonl", (*RESULTS, odd), 3))
    assert report.results == (*RESULTS, odd)
    assert (report.engines, report.reference, report.incomplete) == (["other"], "torch 2.13.0", "")


def test_a_failing_result_is_short(tmp_path: Path) -> None:
    """Whatever its differences are: the first ones decide, and the error that only the engine raised."""
    texts = [f"tensor({number}{', 1.0' * 500})" for number in range(2)]
    many = [replace(DIFFERENCE, line=number, reference=texts[0], engine=texts[1]) for number in range(200)]
    crash = ReportedDifference("step 2, line 1", 9, "", "raised", "errors", "nothing", "ValueError: no")
    long = replace(result("c"), differences=(*many, crash), groups={"values": 200, "errors": 1, "flags": 0})
    path = written(tmp_path / "a", (long,), 1)
    lines = path.read_text().split("\n")
    assert len(lines[2]) < 1000
    (found,) = read(path).results
    assert found.groups == long.groups
    assert found.differences[0].reference.startswith("tensor(0, 1.0") and len(found.differences) == 3
    assert found.differences[0].reference != found.differences[0].engine
    assert found.differs_in("flags") and long.differs_in("flags")
    same = replace(long, scenario="d")
    assert len(written(tmp_path / "b", (long, same), 2).read_text().split("\n")) == len(lines) + 1


def test_causes_are_written_once(tmp_path: Path) -> None:
    """And read again; a number that names none is refused."""
    caused = [
        replace(result(name), cause=cause, operations=("sum()",), length=3)
        for name, cause in (
            ("a", "{operation} is zero"),
            ("b", "{operation} is zero"),
            ("c", "other"),
            ("d", ""),
        )
    ]
    path = written(tmp_path / "a", caused, 4)
    assert path.read_text().count('{"cause":') == 2
    assert read(path).results == tuple(caused)
    text = path.read_text().split(',"checksum"')[0] + "}}"
    with pytest.raises(NotAReportError, match="line 4 is not a result"):
        read(sealed(path, *text.replace('"cause":1}', '"cause":9}', 1).split("\n")))


def test_where_results_come_from(tmp_path: Path) -> None:
    """The header has what is known when the run begins, the footer how long it took."""
    about = Provenance(date="2026-01-02T03:04:05Z", suite="1", command="pytest specs", specs="1", shard="1/2")
    output = Output(tmp_path / "a")
    writer = Writer(output, 1, about)
    writer.add(RESULTS[0])
    writer.collected = "0123"
    writer.end(0)
    output.finish()
    report = read(tmp_path / "a")
    assert report.about == about and report.collected == "0123"
    assert report.seconds is not None
    assert dict(described(about, 310)) == {
        "date": about.date,
        "duration": "5 min 10 s",
        "command": "pytest specs",
        "specs": "version 1",
        "shard": "1/2",
        "suite": "1",
    }


def test_the_footer_counts_verdicts_by_tier(tmp_path: Path) -> None:
    """A scenario that cannot be read is in none."""
    invalid = replace(result("c"), verdict="invalid", tier="")
    path = written(tmp_path / "a", (*RESULTS, replace(result("d"), tier="core"), invalid), 4)
    footer = json.loads(path.read_text().splitlines()[-1])["footer"]
    assert footer["tiers"] == {"core": {"differs": 1}, "standard": {"differs": 2}}
    assert footer["verdicts"] == {"differs": 3, "invalid": 1}


def test_a_report_is_there_after_each_result(tmp_path: Path) -> None:
    """What is killed leaves what it had, in a file next to the old one."""
    path = written(tmp_path / "a.jsonl")
    writer = Writer(Output(path), 3)
    for count, each in enumerate(RESULTS, start=1):
        writer.add(each)
        report = read(tmp_path / "a.jsonl.part")
        assert report.results == RESULTS[:count]
        assert (report.incomplete, report.passed) == (f"{count} of 3 results: the run was killed", False)
    assert read(path).incomplete == ""


def test_fewer_results_than_expected_are_incomplete(tmp_path: Path) -> None:
    """With the reason, if one is known."""
    assert read(written(tmp_path / "a", expected=5)).incomplete == "2 of 5 results: 3 not run"
    assert read(written(tmp_path / "a", expected=5, why="SIGTERM")).incomplete == "2 of 5 results: SIGTERM"


def test_each_changed_byte_is_noticed(tmp_path: Path) -> None:
    """Wherever it is, and whatever it becomes; so is each end that is missing."""
    path = written(tmp_path / "a")
    content = path.read_bytes()
    for place in range(len(content)):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        with pytest.raises(NotAReportError, match=r"^.*: .*$"):
            read(path)
        path.write_bytes(content[:place])
        with pytest.raises(NotAReportError, match=r"^.*: .*$"):
            read(path)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda all: all[1:], "does not begin with a header"),
        (lambda all: ["[]", *all], "does not begin with a header"),
        (lambda all: ['{"header":null}', *all[1:]], "does not begin with a header"),
        (lambda all: [*all[:3], all[3][:40], all[4]], "line 4 is not a result: not JSON"),
        (lambda all: [*all[:4], *all], "line 5 is not a result"),
        (lambda all: [*all[:3], all[2], all[4]], "a on other is there twice"),
        (lambda all: [*all[:3], all[4]], "its footer does not fit its 1 results"),
        (lambda all: [all[0], all[4].replace('"results":2', '"results":0')], "it has no results"),
        (lambda all: [all[0], *all[2:]], "line 2 is not a result"),
        (lambda all: [*all[:2], *all[1:]], "line 3 is not a result"),
        (lambda all: [all[0], all[1].replace("0", "true", 1), *all[2:]], "line 2 is not a result"),
        (
            lambda all: [all[0].replace('"format":', '"format":9'), *all[1:]],
            "it has format 93, and this reads",
        ),
        (
            lambda all: [all[0].replace("3", "[" * 9999 + "]" * 9999, 1), *all[1:]],
            "does not begin with a header",
        ),
        (lambda all: [all[0].replace('"suite":"', '"suites":"'), *all[1:]], "does not name the version"),
        (lambda all: [each.replace('"differs"', '"maybe"') for each in all], "there is no verdict 'maybe'"),
        (lambda all: [each.replace('"line":3', '"line":true') for each in all], "line 3 is not a result"),
        (lambda all: [each.replace('["blog/it"]', '"blog/it"') for each in all], "line 3 is not a result"),
        (lambda all: [each.replace('{"result":', '{"outcome":') for each in all], "line 3 is not a result"),
        (lambda all: [*all[:3], '{"result":' + "[" * 99999 + "]" * 99999 + "}", all[4]], "nested too deeply"),
        (
            lambda all: [*all[:3], all[3].replace('"line":3', f'"line":{"9" * 5000}'), all[4]],
            "line 4 is not a",
        ),
        (
            lambda all: [
                *all[:3],
                all[1].replace('"number":0', '"number":1').replace("torch", "trch"),
                all[3].replace('"of":0', '"of":1'),
                all[4],
            ],
            "it is mixed: next to",
        ),
    ],
)
def test_what_is_no_report_is_refused(
    lines: list[str], change: Callable[[list[str]], list[str]], why: str, tmp_path: Path
) -> None:
    """Also where the checksum is right: it says why, in one line."""
    with pytest.raises(NotAReportError, match=re.escape(why)) as raised:
        read(sealed(tmp_path / "a", *change(lines)))
    assert "\n" not in str(raised.value)


def test_what_is_cut_off_is_incomplete(tmp_path: Path, lines: list[str]) -> None:
    """So it says."""
    path = tmp_path / "a"
    path.write_text("\n".join(lines[:-1]))
    with pytest.raises(NotAReportError, match="it is incomplete: it was cut off after line 4"):
        read(path)


def test_pytest_writes_it(pytester: pytest.Pytester) -> None:
    """With the exit status in the footer; a file that cannot be written is a usage error, at once."""
    pytester.makefile(
        ".yaml", mine="scenarios:\n  - {id: a, title: a one, run: 'a = torch.ones(1); b = a + a'}\n"
    )
    pytester.runpytest_subprocess("--engine", "torch", "--conformance-json", "out.jsonl")
    report = read(pytester.path / "out.jsonl")
    (only,) = report.results
    assert (only.scenario, only.verdict, only.file, only.line) == ("a", "agrees", "mine.yaml", 2)
    assert report.passed and not report.incomplete
    assert report.about.command.endswith("--engine torch --conformance-json out.jsonl")
    assert report.about.specs and report.about.specs_hash and report.about.tier == "standard"
    assert report.about.date and report.about.processor and report.about.python
    assert not (pytester.path / "out.jsonl.part").exists()
    refused = pytester.runpytest("--conformance-json", str(Path("no/such/folder/out.jsonl")))
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    refused.stderr.fnmatch_lines(["ERROR: --conformance-json no/such/folder/out.jsonl: No such file*"])
