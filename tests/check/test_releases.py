"""Releases of torch: what files explain is shown as changed, all else fails, and engines are not blamed for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.adapters.divergences import Divergence
from conformance.adapters.module import ModuleEngine
from conformance.adapters.recording import write
from conformance.check import locate, releases
from conformance.check.checker import Checker, CheckResult
from conformance.check.engine_under_test import misplaced
from conformance.check.library import Library
from conformance.cli import main
from conformance.language.load import load_text
from conformance.runner.compare import Difference
from conformance.runner.engine import Engine
from conformance.runner.execute import available, run
from conformance.runner.serialize import fingerprint
from conformance.runner.trace import Statement
from tests import all_specs
from tests.runner.broken import broken, torch
from tests.runner.make import torch_engine

MADE = load_text(
    """
scenarios:
  - id: ones-made
    title: ones are ones
    run: a = torch.ones(2)
    expect: {a: [1., 1.]}
""",
    "a.yaml",
).scenarios[0]
ENTRY = "{reason: ones are zeros, scenario: ones-made, facets: [value]}"


def of(version: str, **replaced: Any) -> Engine:
    """A release of torch with some functions replaced."""
    return ModuleEngine("torch", broken(**replaced).torch, version=version)


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., CheckResult]:
    """Check the scenario as if it was in the suite's recording, with files of these releases."""
    monkeypatch.setattr(releases, "folder", lambda: tmp_path)
    monkeypatch.setattr(releases, "recorded_trace", lambda scenario: run(scenario, torch_engine))

    def checked(reference: Engine, engine: Engine = torch_engine, **files: str) -> CheckResult:
        for name, entry in files.items():
            label = name[1:].replace("_", ".")
            text = f'release: "{label}"\nchanges:\n  - {entry}\n'
            (tmp_path / f"{label}.yaml").write_text(text, encoding="utf-8")
        return Checker(reference)(MADE, engine)

    return checked


def test_an_explained_change_is_nobodys_fault(check: Callable[..., CheckResult]) -> None:
    """Neither of an engine as the release of the specs, nor of one as the reference, nor of the scenario."""
    reference = of("2.14.1+cpu", ones=torch.zeros)
    for engine in (torch_engine, broken(ones=torch.zeros)):
        result = check(reference, engine, v2_14=ENTRY).result
        assert (result.verdict, result.changed) == ("agrees", ("ones are zeros",))


def test_an_unexplained_change_fails(check: Callable[..., CheckResult]) -> None:
    """Without a file, with an entry for another scenario, and where a value is not the one in the file."""
    found = check(of("2.14.1", ones=torch.zeros))
    assert (found.result.verdict, found.result.since) == ("changed", "2.13")
    assert found.text.startswith(
        "changed since 2.13: a is [0.0, 0.0] on torch 2.14.1, [1.0, 1.0] on torch 2.13.0"
    )
    for entry in (
        ENTRY.replace("ones-made", "another"),
        ENTRY.replace("value", "dtype"),
        ENTRY.replace("}", ", was: '[1.0, 1.0]', now: '[2.0, *'}"),
        ENTRY.replace("}", ", was: '[2.0, *', now: '[0.0, *'}"),
    ):
        result = check(of("2.15.0", ones=torch.zeros), v2_14=entry).result
        assert (result.verdict, result.since) == ("changed", "2.14")


def test_an_engine_at_fault_differs(check: Callable[..., CheckResult]) -> None:
    """From both releases, whatever the files explain."""
    twos = broken(ones=lambda size: torch.full((size,), 2.0))
    assert check(of("2.14.1", ones=torch.zeros), twos, v2_14=ENTRY).result.verdict == "differs"
    assert check(of("2.14.1"), twos).result.verdict == "differs"


def test_texts_limit_an_entry(check: Callable[..., CheckResult]) -> None:
    """An entry for every scenario has the old text and the new one."""
    entry = "{reason: ones are zeros, scenario: '*', was: [no, '[1.*'], now: '[0.*'}"
    assert check(of("2.14.1", ones=torch.zeros), v2_14=entry).result.changed == ("ones are zeros",)


def test_an_entry_that_explains_nothing_is_stale_in_its_own_release(
    check: Callable[..., CheckResult],
) -> None:
    """A later release may have taken the change back."""
    found = check(of("2.14.1"), v2_14=ENTRY)
    assert found.result.verdict == "stale"
    assert "2.14.yaml:3:5: ones are zeros" in found.text
    assert check(of("2.15.0"), v2_14=ENTRY).result.verdict == "agrees"


@pytest.mark.parametrize(
    ("version", "labels", "explained"),
    [
        ("2.14.1", ["2.14"], "2.14"),
        ("2.16.0a0+git", ["2.14", "2.15"], "2.15"),
        ("2.12.1", ["2.12"], "2.12"),
        ("2.11", ["2.12"], "2.12"),
        ("2.9.1", ["2.12", "2.10"], "2.10"),
    ],
)
def test_the_files_on_the_way_apply(version: str, labels: list[str], explained: str) -> None:
    """Nearest to the release of the specs first, up to the reference's own."""
    files = [Path(f"{label}.yaml") for label in ("2.15", "2.10", "2.12", "2.14")]
    release = releases.release_of("torch", version, files)
    assert release is not None
    assert ([releases.label(file.version) for file in release.files], release.explained) == (
        labels,
        explained,
    )


@pytest.mark.parametrize("reference", [("torch", "2.13.1"), ("torch", "unknown"), ("mygrad", "2.5.0")])
def test_what_is_no_other_release(reference: tuple[str, str]) -> None:
    """It has no files."""
    assert releases.release_of(*reference) is None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("changes: []", "1:1: the key `release` is missing"),
        (
            'release: "2.14.1"\nchanges: [{reason: r, scenario: a}]',
            "1:10: `2.14.1`: a release is written major.minor",
        ),
        (
            'release: "2.15"\nchanges: [{reason: r, scenario: a}]',
            "1:10: the file is named 2.14.yaml, not 2.15.yaml",
        ),
        (
            'release: "2.14"\nchanges:\n  - {scenario: a}',
            "3:5: the key `reason` is missing; say why it is so",
        ),
        ('release: "2.14"\nchanges:\n  - {reason: r}', "3:5: the key `scenario` is missing"),
        (
            'release: "2.14"\nchanges:\n  - {reason: r, scenario: "*"}',
            "3:5: an entry for every scenario is limited by texts",
        ),
        ('release: "2.14"\nchanges:\n  - {reason: r, scenario: a, kind: bug}', "3:30: unknown key `kind`"),
        ('release: "2.14"\nchanges: [', "2:10: not YAML"),
    ],
)
def test_what_a_file_gets_wrong_is_told(tmp_path: Path, text: str, problem: str) -> None:
    """With its place, and what was expected."""
    path = tmp_path / "2.14.yaml"
    path.write_text(text, encoding="utf-8")
    (file,) = releases.release_files([path])
    assert f"2.14.yaml:{problem}" in str(file.problems[0])


@pytest.fixture(scope="module")
def library() -> Library:
    """All specs."""
    return all_specs.library()


def test_the_suites_own_files_are_sound(library: Library) -> None:
    """Each names scenarios and facets that there are."""
    for file in releases.release_files():
        assert [*file.problems, *misplaced(file.entries, library)] == []
    gone = [Divergence("gone", "release", "r", "2.14.yaml:3:5")]
    (problem,) = misplaced(gone, library)
    assert str(problem).startswith("2.14.yaml:3:5: there is no scenario gone")


def test_the_suites_recording_is_current() -> None:
    """It has each scenario of the tiers core and standard as it is now."""
    recording = releases.shipped()
    assert recording is not None
    wanted = {
        scenario.id: fingerprint(scenario)
        for scenario in all_specs.scenarios()
        if scenario.tier != "full" and all(available(recording, need) for need in scenario.needs)
    }
    assert {case: line[0] for case, line in recording.lines.items()} == wanted, (
        f"run `conformance record --tier standard -o {releases.RECORDING}`"
    )


def test_a_newer_torch_has_its_own_exit_status(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    """If nothing else fails: `pytest` lists the changes by cause, and `conformance changes` drafts the file."""
    file = locate.specs() / "autograd" / "leaf" / "copies.yaml"
    scenarios = Library().load(file).scenarios
    newer = of("3.0.0", tensor=lambda *values, **options: torch.tensor(*values, **options).mul(2))
    write(Path("newer.jsonl"), newer, ((each, run(each, newer)) for each in scenarios), set())
    result = pytester.runpytest("--reference", "newer.jsonl", str(file))
    assert result.ret == 10
    result.stdout.fnmatch_lines(["*compared with torch 3.0.0: *changed*", "  changed since 2.14:"])
    assert main(["changes", "--reference", "newer.jsonl", "--in", str(file)]) == 10
    assert '+release: "3.0"' in capsys.readouterr().out.splitlines()


def test_changes_is_for_another_release(capsys: pytest.CaptureFixture[str]) -> None:
    """The installed torch is the one that the specs describe."""
    assert main(["changes"]) == 2
    assert "which the specs describe" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("now", "shown", "covered"),
    [
        (("InterpreterDied*",), "InterpreterDied: the interpreter ended: Floating point exception", True),
        ((), "InterpreterDied: the interpreter ended", False),
        (("*",), "InterpreterDied: the interpreter ended", False),
        (("InterpreterDied*", "TimeLimit*"), "TimeLimit: still running after 20 s", False),
    ],
)
def test_a_release_may_end_the_interpreter(now: tuple[str, ...], shown: str, covered: bool) -> None:
    """If its entry says so; a timeout may be the machine's fault."""
    entry = Divergence("a", "release", "it divides by zero", "2.12.yaml:3:5", facets=("raised",), now=now)
    found = Difference(Statement(0, 1), "", "raised", "errors", "ValueError: no", shown)
    assert entry.covers(found) is covered
