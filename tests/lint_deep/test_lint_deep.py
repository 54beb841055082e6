"""What running scenarios on torch shows of them: each fault of a scenario is found, and a good one is clean."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conformance.language.load import load_text
from conformance.lint_deep.deletion import deletions
from conformance.lint_deep.metamorphic import commuted, renamed
from conformance.runner.trace import Trace

GOOD = """\
scenarios:
  - id: good
    title: adds to the grad
    run: |
      a = torch.tensor([1., 2.], requires_grad=True)
      b = a * 2
      b.sum().backward()
"""
HEAD = "scenarios:\n  - id: bad\n    title: goes wrong\n"
LEAF = "      a = torch.tensor([1., 2.], requires_grad=True)\n"


def linted(path: Path, before: str = "") -> tuple[int, list[str]]:
    """The exit status of the command, and its lines.

    In a process of its own: torch refuses a backward in a fork of one whose threads have run.
    """
    code = f"{before}\nimport sys\nfrom conformance.cli import main\nsys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "lint", "--deep", "--processes", "1", str(path)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    return ran.returncode, ran.stdout.splitlines()


HOOKED = f"    run: |\n{LEAF}      b = a * 2\n      b.register_hook(lambda g: {{}})\n      {{}}\n"
IN_CASES = f"    matrix: {{{{on: [{{}}]}}}}\n    run: |\n{LEAF}      b = {{}}\n      {{}}.requires_grad_(${{{{on}}}})\n"

# Each program with the beginning of what is reported of it; empty if nothing is.
PROGRAMS: list[tuple[str, str]] = [
    (GOOD.partition("grad\n")[2], ""),
    (
        f"    run: |\n{LEAF}      a.retain_grad()\n      a.sum().backward()\n",
        ":6:7: nothing changes without",
    ),
    (
        f"    run: |\n{LEAF}      with torch.no_grad():\n          b = a * 2\n          b.requires_grad_(False)\n",
        ":8:11: nothing changes without `b.requires_grad_(False)`",
    ),
    ("    run: |\n      def f():\n          return 1\n    expect:\n      1: 1\n", ""),
    ("    run: |\n      def f():\n          return 1\n", ":2:5: it shows nothing"),
    (
        f"    run: |\n{LEAF}      b = a.data_ptr()\n",
        ":2:5: torch does not reproduce this when it is run again",
    ),
    (
        # a count, not an address, which may be the same again by chance
        f"    run: |\n{LEAF}      b = (a * 1).grad_fn._sequence_nr()\n",
        ":2:5: torch does not reproduce this when it is run again: after line",
    ),
    (
        f"    run: |\n{LEAF}      b = (a * 1e8 + 1).sum() - (a * 1e8).sum()\n",
        ":2:5: torch does not reproduce this in float64",
    ),
    (
        f"    run: |\n{LEAF}      b = a * 1\n      v = b[:1]\n      w = b.view(2)\n      b.mul_(2)\n"
        "      seen = []\n      w.grad_fn.register_hook(lambda i, o: seen.append(1))\n      b.mul_(2)\n",
        "",
    ),
    (f"    run: |\n{LEAF}      b = [n for n in 'ab']\n      c = f'{{b}} {{a.sum()}}'\n", ""),
    # A hook that torch does not run has no effect, and may stand; one that it runs in vain may not.
    (HOOKED.format("g * 5", "g = torch.autograd.grad((a * 3).sum(), a)"), ""),
    (
        HOOKED.format("None", "b.sum().backward()"),
        ":7:7: nothing changes without `b.register_hook(lambda g: None)`",
    ),
    # A statement that changes something in one case of a matrix is not idle.
    (IN_CASES.format("'True'", "a.sum()", "a"), ":8:7: nothing changes without `a.requires_grad_(True)`"),
    (IN_CASES.format("'False', 'True'", "a.detach()", "b"), ""),
]
# Steps that say that nothing happens, and a scenario of which only the end is observed.
NOTHING_IS_THE_POINT: list[str] = [
    f"    steps:\n      - run: |\n    {LEAF}          a.retain_grad()\n        raises: null\n",
    f"    run: |\n{LEAF}      a.register_hook(lambda g: g * 2)\n      b = torch.autograd.grad(a.sum(), [a])\n"
    "      c = a.detach()\n      c.register_post_accumulate_grad_hook\n"
    "    raises: null\n",
    f"    observe: end\n    run: |\n{LEAF}      b = a * 2\n      r = weakref(b)\n      del b\n      collect()\n"
    "      gone = r() is None\n",
]


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What one run over a file for each program reports of it: starting torch takes longer than all of them."""
    folder = tmp_path_factory.mktemp("programs")
    programs = [*(program for program, _ in PROGRAMS), *NOTHING_IS_THE_POINT]
    for number, program in enumerate(programs):
        (folder / f"{number}.yaml").write_text(HEAD.replace("id: bad", f"id: number-{number}") + program)
    status, lines = linted(folder)
    assert status == 1
    assert f" in {len(programs)} files: " in lines[-1]
    return {
        program: [line.partition(f"{number}.yaml")[2] for line in lines if f"/{number}.yaml:" in line]
        for number, program in enumerate(programs)
    }


@pytest.mark.parametrize(("program", "problem"), PROGRAMS)
def test_what_is_wrong(reported: dict[str, list[str]], program: str, problem: str) -> None:
    """Each problem is reported with its place; of a good program nothing is."""
    if problem:
        assert any(line.startswith(problem) for line in reported[program]), reported[program]
    else:
        assert reported[program] == []


@pytest.mark.parametrize("program", NOTHING_IS_THE_POINT)
def test_where_nothing_is_the_point(reported: dict[str, list[str]], program: str) -> None:
    """Nothing is reported."""
    assert reported[program] == []


FRAGILE = """
import os
from conformance.lint_deep import campaign, capabilities
from conformance.runner.execute import run

def fragile(scenario, engine, **options):
    if not any("backward" in step.run for step in scenario.steps):
        os._exit(3)
    return run(scenario, engine, **options)

campaign.run = fragile
capabilities.settings = tuple
"""


def test_a_deletion_that_ends_the_process(tmp_path: Path) -> None:
    """Torch may not survive a program with a statement left out: that is an effect, and nothing is reported."""
    path = tmp_path / "mine.yaml"
    path.write_text(GOOD)
    assert linted(path, FRAGILE) == (0, ["1 scenario in 1 file: no problems"])


def test_what_is_left_out_leaves_the_rest_in_place() -> None:
    """Lines and columns of all other statements stay as they are."""
    text = "scenarios:\n  - id: a\n    title: t\n    run: |\n      a = torch.ones(\n          2)\n      b = 1; c = 2\n"
    (scenario,) = load_text(text, "mine.yaml").scenarios
    left = [deletion.scenario.steps[0].run for deletion in deletions(scenario)]
    assert left == [
        "0\n\nb = 1; c = 2\n",
        "a = torch.ones(\n    2)\n0    ; c = 2\n",
        "a = torch.ones(\n    2)\nb = 1; 0    \n",
    ]


def test_twins() -> None:
    """Names that a program binds are changed everywhere; constants that know nothing of each other are swapped."""
    text = (
        "scenarios:\n  - id: a\n    title: t\n    run: |\n      a = torch.ones(2)\n      b = torch.ones(3)\n"
        "      def f(x):\n          return x + b.sum()\n      c = f(x=a)\n    expect:\n      c.shape: [2]\n"
    )
    (scenario,) = load_text(text, "mine.yaml").scenarios
    twin = renamed(scenario)
    assert twin is not None
    assert twin.steps[0].run.splitlines()[-1] == "zq_c = f(x=zq_a)"
    assert twin.steps[0].run.splitlines()[-2] == "    return x + zq_b.sum()"
    assert twin.steps[0].own.expect[0][0] == "zq_c.shape"
    (swapped,) = commuted(scenario, Trace("a", "torch", "", ()))
    assert swapped.scenario.steps[0].run.splitlines()[:2] == ["b = torch.ones(3)", "a = torch.ones(2)"]
    assert str(swapped.position) == "mine.yaml:5:7"
