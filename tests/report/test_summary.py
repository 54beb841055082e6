"""What results come to: a small summary, a badge, and pages."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

import conformance
from conformance.cli import main, parser
from conformance.report.jsonlines import Report
from conformance.report.provenance import Provenance
from conformance.report.site import pages
from conformance.report.summary import badge, summary
from tests.report.test_diff import AFTER, BEFORE
from tests.report.test_jsonlines import result, written

GROUPED = tuple(
    replace(each, groups={"values": int(each.verdict == "differs"), "flags": 0}) for each in AFTER
)


def report(results: Any = GROUPED, date: str = "2026-01-02", **changed: Any) -> Report:
    """A report of one engine."""
    about = Provenance(date=date, specs="1", specs_hash="abc", commit="0123")
    return replace(Report("a.jsonl", "1", results, True, about=about, seconds=3.0), **changed)


def test_a_summary_is_small_and_has_tiers_areas_and_groups() -> None:
    """With where it comes from; the counts are those of the matrix."""
    many = tuple(replace(result(f"case-{n}"), area=f"area/{n % 60}", tier="core") for n in range(3000))
    assert len(json.dumps(summary(report(many)))) < 10_000
    found = summary(report())
    assert (found["specs"], found["commit"], found["seconds"], found["passed"]) == ("1", "0123", 3.0, True)
    engine = found["engines"]["other"]
    assert (engine["scenarios"], engine["supported"], engine["agreeing"], engine["known"]) == (10, 9, 3, 1)
    assert engine["groups"] == {"values": 4, "flags": 9}
    assert engine["tiers"]["standard"]["agreeing"] == 3 and list(engine["areas"]) == ["leaf"]
    assert engine["verdicts"]["differs"] == 5


@pytest.mark.parametrize(
    ("count", "message", "colour"),
    [
        (100, "100%", "brightgreen"),
        (92, "92%", "green"),
        (75, "75%", "yellow"),
        (45, "45%", "orange"),
        (0, "0%", "red"),
    ],
)
def test_a_badge(count: int, message: str, colour: str) -> None:
    """As shields.io's endpoint reads it."""
    cases = [replace(result(f"case-{n}"), verdict="agrees" if n < count else "differs") for n in range(100)]
    assert badge(report(tuple(cases))) == {
        "schemaVersion": 1,
        "label": "torch autograd",
        "message": message,
        "color": colour,
    }


def test_a_badge_of_a_group_and_of_an_incomplete_run() -> None:
    """The group is in the label; what is incomplete has no colour."""
    assert badge(report(), group="flags")["label"] == "torch autograd, flags"
    assert badge(report(), group="flags")["message"] == "100% of 9/10"
    cut = badge(report(incomplete="1 of 9 results: SIGTERM"))
    assert (cut["message"], cut["color"]) == ("33% of 9/10 (incomplete)", "lightgrey")
    with pytest.raises(LookupError, match="other does not claim graph; it claims values, flags"):
        badge(report(), group="graph")
    with pytest.raises(LookupError, match="has no engine more; it has other"):
        badge(report(), "more")


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each reads a file of results; an option for a badge without one is refused."""
    path = str(written(tmp_path / "a.jsonl", GROUPED, len(GROUPED)))
    assert main(["summary", path]) == 0
    assert json.loads(capsys.readouterr().out)["engines"]["other"]["supported"] == 9
    assert main(["summary", path, "--badge", "--group", "values", "-o", str(tmp_path / "badge.json")]) == 0
    assert json.loads((tmp_path / "badge.json").read_text())["message"] == "44% of 9/10"
    assert main(["summary", path, "--group", "values"]) == 2
    assert main(["summary", path, "--badge", "--group", "graph"]) == 2
    before = str(written(tmp_path / "b.jsonl", BEFORE, len(BEFORE)))
    assert main(["site", before, path, "-o", str(tmp_path / "site")]) == 0
    assert sorted(each.name for each in (tmp_path / "site").iterdir()) == ["engine-other.html", "index.html"]


def test_pages() -> None:
    """Each engine has one, with its history; names that a path cannot have are replaced, and no link is dead."""
    before = report(BEFORE, date="2026-01-01")
    more = report(tuple(replace(each, engine="a/b <c>") for each in GROUPED))
    found = dict(pages([report(), before, more], [], {}))
    assert list(found) == ["index.html", "engine-a-b-c.html", "engine-other.html"]
    text = " ".join(re.sub(r"<[^>]*>", " ", found["engine-other.html"]).split())
    assert "2026-01-02 1 0123 1 abc 33% of 9/10 2 2 2026-01-01 1 0123 1 abc 56% of 9/11" in text
    assert "torch.cos 1" in text and "7 failures" in text
    assert "a/b &lt;c&gt;" in found["index.html"] and "<c>" not in found["index.html"]
    for page in found.values():
        links = re.findall(r'href="([^"#:]*)"', page)
        assert links and set(links) <= set(found)


def test_pages_of_claims() -> None:
    """What each engine does in the scenarios of each claim."""

    class Claim:
        id, document, says, verdict, url = "blog/it", "blog", "it <is>", "confirmed", "https://example.org"

    found = dict(pages([report()], [Claim()], {"blog": "A blog"}))  # type: ignore[list-item]
    text = " ".join(re.sub(r"<[^>]*>", " ", found["claims.html"]).split())
    assert "blog/it it &lt;is&gt; ↗ confirmed differs" in text


def test_the_workflow_to_copy() -> None:
    """Its commands exist, and it has as many parts as it says."""
    path = Path(conformance.__file__).parents[1] / ".github" / "grade-engine.yml"
    workflow = yaml.safe_load(path.read_text())
    jobs = workflow["jobs"]
    assert len(jobs["grade"]["strategy"]["matrix"]["shard"]) == workflow["env"]["SHARDS"]
    lines = [
        part
        for job in jobs.values()
        for step in job["steps"]
        for line in step.get("run", "").splitlines()
        for part in re.findall(r"conformance [^|>]*", re.sub(r"\$\{\{.*?\}\}", "1", line))
    ]
    commands = [shlex.split(line)[1:] for line in lines]
    assert {each[0] for each in commands} == {"run", "join", "matrix", "diff", "site", "summary"}
    for arguments in commands:
        assert parser().parse_known_args(arguments)[0].command
