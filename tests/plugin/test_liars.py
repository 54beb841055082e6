"""Engines that lie fail where they lie, alone: in this process, in workers, in another interpreter."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from conformance.report.jsonlines import NotAReportError, read
from tests.plugin.conftest import QUICK

SCENARIOS = """
    scenarios:
      - id: before
        title: a tensor is a leaf
        run: a = torch.tensor([1., 2.])
      - id: told
        title: neg changes signs
        run: |
          a = torch.tensor([1., 2.])
          b = torch.neg(a)
      - id: after
        title: another tensor is a leaf too
        run: a = torch.tensor([3.])
"""

SECONDS = 2  # what is honest takes some milliseconds, unless the machine is busy
LIES = {
    "honest": "",
    "forking": "forking raises Refused: a program ",
    "claiming": "b has no requires_grad on claiming, False on torch",
    "echoing": "b is bound on echoing, tensor([-1.0, -2.0]) on torch",
    "stumbling": "the adapter of stumbling: `observe` of a Negated raises AttributeError: 'Negated' object has no ",
    "agreeable": "b is [<liars.Same object ",
    "mutating": "a is [-1.0, -2.0] on mutating, [1.0, 2.0] on torch",
    "raising": "raising raises BaseException: everything is an error",
    "garbling": r"garbling raises ValueError: half a character: \udc80",
    "owning": "owning raises OwnError: its own",
    "hanging": f"hanging raises TimeLimit: still running after {SECONDS} s",
    "swallowing": f"swallowing raises TimeLimit: still running after {SECONDS} s",
    "interrupting": "interrupting raises KeyboardInterrupt: its own",
}
FATAL = {
    "killing": "killing raises InterpreterDied: the interpreter ended",
    "deaf": "deaf raises TimeLimit: still running after ",
}


@pytest.fixture(autouse=True)
def files(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lying engines in the scenarios' folder, by default each in a process of its own."""
    monkeypatch.setenv("PYTEST_ADDOPTS", QUICK)
    shutil.copy(Path(__file__).with_name("liars.py"), pytester.path)
    pytester.makefile(".yaml", mine=SCENARIOS)


def reasons(pytester: pytest.Pytester, *arguments: str) -> dict[tuple[str, str], str]:
    """By engine and scenario, why it failed; empty where it agrees."""
    done = pytester.runpytest(
        "mine.yaml", "--conformance-json=all.jsonl", f"--scenario-timeout={SECONDS}", "-q", *arguments
    )
    results = read(pytester.path / "all.jsonl").results
    assert done.ret == pytest.ExitCode.TESTS_FAILED
    return {(result.engine, result.scenario): result.reason for result in results}


def engines(names: dict[str, str]) -> list[str]:
    """As options."""
    return [f"--engine=liars:{name}" for name in names]


@pytest.mark.parametrize(
    "arguments",
    [("--engine-here",), ("--engine-here", "-n2"), (), ("-n2",), (f"--engine-python={sys.executable}",)],
    ids=["here", "here in workers", "apart", "apart from workers", "elsewhere"],
)
def test_a_liar_is_found_out_where_it_lies(pytester: pytest.Pytester, arguments: tuple[str, ...]) -> None:
    """And nowhere else."""
    lies = dict(LIES)
    if "--engine-here" not in arguments:
        lies |= FATAL
        del lies["echoing"]  # it takes longer to import torch there
    else:
        lies["forking"] = ""  # the wall is down, and its child ends when it comes back
    found = reasons(pytester, *engines(lies), *arguments)
    assert len(found) == 3 * len(lies)
    for engine, expected in lies.items():
        assert found[engine, "before"] == found[engine, "after"] == ""
        assert found[engine, "told"].startswith(expected), found[engine, "told"]
        assert bool(found[engine, "told"]) == bool(expected)


PATCHING = """
    import torch

    torch.Tensor.is_leaf = property(lambda self: True)
    Tensor, tensor = torch.Tensor, torch.tensor

    def __getattr__(name):
        return getattr(torch, name)
"""


@pytest.mark.parametrize("here", [(), ("--engine-here",)], ids=["apart", "here"])
def test_an_engine_that_patches_torch_does_not_patch_the_reference(
    pytester: pytest.Pytester, here: tuple[str, ...]
) -> None:
    """They are in two processes."""
    pytester.makepyfile(patching=PATCHING)
    run = "a = torch.ones(2, requires_grad=True)\\n          b = a * 2"
    text = SCENARIOS.replace("a = torch.tensor([3.])", f"|\n          {run}".replace("\\n", "\n"))
    pytester.makefile(".yaml", mine=text)
    done = pytester.runpytest_subprocess("mine.yaml", "--engine=patching", *here)
    done.stdout.fnmatch_lines(["b is_leaf is True on patching, False on torch*"])
    done.assert_outcomes(passed=2, failed=1)
    shown = pytester.run(sys.executable, "-m", "conformance", "show", "mine.yaml", "--engine=patching")
    shown.stdout.fnmatch_lines(["b is_leaf is True on patching, False on torch*"])


def test_what_differs_in_the_same_way_is_shown_a_few_times(pytester: pytest.Pytester) -> None:
    """What follows is counted and listed; how the engine did comes last."""
    pytester.makefile(".yaml", mine=f"{SCENARIOS.rstrip()}" + SEVEN)
    done = pytester.runpytest("mine.yaml", "--engine=liars:raising", "--conformance-json=all.jsonl")
    done.assert_outcomes(passed=2, failed=8)
    text = done.stdout.str()
    assert text.count("On raising:") == 5
    order = [
        "3 more have a first difference that is already shown; -v shows them in full",
        "short test summary",
        "FAILED *",
    ]
    done.stdout.fnmatch_lines([*(f"*{each}*" for each in order), "*= conformance =*", "*2 agree, 8 differ"])
    assert sum(line.startswith("FAILED") for line in done.outlines) == 8
    assert (
        pytester.runpytest("mine.yaml", "--engine=liars:raising", "-v").stdout.str().count("On raising:") == 8
    )


SEVEN = "".join(
    f"""
      - id: told-{k}
        title: neg changes signs
        run: |
          a = torch.tensor([{k}., 2.])
          b = torch.neg(a)"""
    for k in range(7)
)


def test_echoes_are_heard_elsewhere(pytester: pytest.Pytester) -> None:
    """Torch's tensors are not the engine's tensors there either."""
    found = reasons(
        pytester, "--engine=liars:echoing", f"--engine-python={sys.executable}", "--scenario-timeout=600"
    )
    assert [key for key, reason in found.items() if reason] == [("echoing", "told")]
    assert found["echoing", "told"].startswith(LIES["echoing"])


def test_an_engine_that_kills_the_only_interpreter_ends_the_run(pytester: pytest.Pytester) -> None:
    """In this process the run cannot go on: it ends neither as a success nor with a report that looks like one."""
    done = pytester.runpytest_subprocess(
        "--engine=liars:killing", "mine.yaml", "--conformance-json=all.jsonl", "--engine-here"
    )
    assert done.ret == 7
    assert not (pytester.path / "all.jsonl").exists()
    with pytest.raises(NotAReportError, match="it is incomplete: 0 of 3 results: the run was killed"):
        read(pytester.path / "all.jsonl.part")


def test_a_worker_that_an_engine_kills_costs_its_scenario(pytester: pytest.Pytester) -> None:
    """Xdist starts another."""
    done = pytester.runpytest_subprocess("--engine=liars:killing", "--engine-here", "mine.yaml", "-n2")
    done.assert_outcomes(passed=2, failed=1)
    done.stdout.fnmatch_lines(["*crashed while running*mine.yaml::told*"])


BREAKING = """
    import pytest

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(report):
        if hasattr(report, "conformance") and report.conformance["scenario"] == "told":
            report.conformance["scenario"] = "half a character: \\udc80"
"""


def test_a_worker_that_breaks_down_is_no_success(pytester: pytest.Pytester) -> None:
    """What it was at is in no report: xdist itself would end with 0.

    How many results the other worker gave before is chance, none among them: the footer alone is asked.
    """
    pytester.makeconftest(BREAKING)
    done = pytester.runpytest_subprocess(
        "--engine=liars:honest", "mine.yaml", "-n2", "--conformance-json=all.jsonl"
    )
    footer = json.loads((pytester.path / "all.jsonl.part").read_text().splitlines()[-1])["footer"]
    assert footer["incomplete"]
    assert done.ret == footer["exit_status"] == pytest.ExitCode.INTERNAL_ERROR


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("liars:nothing", "*does not claim 'values'*"),
        ("liars:unheard", "*claims 'colours', which is not a group of facets: there are values, dtypes,*"),
        ("liars:absent", "*liars has no 'absent'*"),
    ],
)
@pytest.mark.parametrize("python", [None, sys.executable], ids=["here", "elsewhere"])
def test_claims_are_checked(pytester: pytest.Pytester, name: str, message: str, python: str | None) -> None:
    """An engine that claims nothing would agree with everything."""
    arguments = [f"--engine={name}", "mine.yaml"] + ([f"--engine-python={python}"] if python else [])
    done = pytester.runpytest(*arguments)
    done.stderr.fnmatch_lines([message])
    assert done.ret != 0


def test_no_entry_covers_an_interpreter_that_ended(pytester: pytest.Pytester) -> None:
    """Not even one that names the facet."""
    entry = "{scenario: told, facets: [raised, reached, value], kind: bug, reason: it dies}"
    pytester.makefile(".yaml", entries=f"engine: killing\ndivergences:\n  - {entry}\n")
    pytester.makepyfile(dies="from liars import killing\nkilling.divergences = 'entries.yaml'")
    done = pytester.runpytest("--engine=dies:killing", f"--engine-python={sys.executable}", "mine.yaml")
    done.assert_outcomes(passed=2, failed=1)
