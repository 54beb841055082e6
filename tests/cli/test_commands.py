"""The commands as a person types them, on small specs of their own."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import conformance.adapters.torch  # noqa: F401 - before anything takes modules away again
from conformance.check import locate
from conformance.cli import main, parser
from conformance.commands.examples import EXAMPLES, OF_RUN, by_job

CLAIMS = """
documents:
  blog: {title: A blog on leaves}
claims:
  - {id: blog/fills, verdict: confirmed, says: backward fills the leaf's grad}
  - {id: blog/no-op, verdict: refuted, says: retain_grad does nothing, note: it raises}
"""

SPECS = """
topic: Leaves
scenarios:
  - id: fills
    title: backward fills the leaf's grad
    claim: blog/fills
    matrix: {dtype: [float32, float64]}
    run: |
      a = torch.tensor([3.], dtype=torch.${dtype}, requires_grad=True)
      (a * a).backward()
    expect:
      a.grad: [6.]
  - id: retain-raises
    title: retain_grad of a constant raises
    claim: blog/no-op
    run: |
      x = torch.ones(1)
      x.retain_grad()
    claimed: {raises: null}
    raises: RuntimeError
  - id: without-a-claim
    title: a sum is no leaf
    run: |
      a = torch.tensor([3.], requires_grad=True)
      b = a + a
"""


@pytest.fixture
def specs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that replaces the suite's own specs."""
    folder = tmp_path / "specs"
    (folder / "leaf").mkdir(parents=True)
    (folder / "claims.yaml").write_text(CLAIMS)
    (folder / "leaf" / "leaves.yaml").write_text(SPECS)
    monkeypatch.setattr(locate, "specs", lambda: folder)
    monkeypatch.chdir(tmp_path)
    return folder


def test_lint_of_sound_specs(specs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line that says what was read."""
    assert main(["lint"]) == 0
    assert capsys.readouterr().out == "4 scenarios in 1 file: no problems\n"


def test_lint_tells_all_problems_at_once(specs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of all files and of all kinds, each with its place, and the exit status is 1."""
    leaves = specs / "leaf" / "leaves.yaml"
    leaves.write_text(SPECS.replace("title: a sum", "titel: a sum").replace("blog/no-op", "blog/no-up"))
    (specs / "leaf" / "again.yaml").write_text(
        SPECS[SPECS.index("scenarios:") : SPECS.index("  - id: retain")]
    )
    (specs / "claims.yaml").write_text(CLAIMS.replace("note: it raises", "nota: it raises"))
    assert main(["lint"]) == 1
    *problems, last = capsys.readouterr().out.splitlines()
    assert [problem.split(": ")[0] for problem in problems] == [
        "specs/leaf/leaves.yaml:4:5",
        "specs/leaf/leaves.yaml:13:5",
        "specs/leaf/leaves.yaml:21:5",
        "specs/leaf/leaves.yaml:22:5",
        "specs/claims.yaml:6:72",
    ]
    assert last == "2 scenarios in 2 files: 5 problems"


def test_lint_of_a_file_without_scenarios(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """For a file named on the command line, lint says what is missing."""
    (tmp_path / "mine.yaml").write_text("scenario: []\n")
    assert main(["lint", str(tmp_path / "mine.yaml")]) == 1
    assert "mine.yaml:1:1: unknown key `scenario`; did you mean `scenarios`?" in capsys.readouterr().out


def test_lint_of_what_is_named_as_a_file_and_is_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder, and the link that an editor makes next to the file it has open."""
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / ".#open.yaml").symlink_to("somebody@somewhere")
    assert main(["lint", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "no scenarios in no files: no problems\n"


def test_lint_of_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """A path that is not there is a misuse."""
    assert main(["lint", "no/such/folder"]) == 2
    assert capsys.readouterr().err == "conformance: no/such/folder does not exist\n"


def test_lint_imports_no_torch(specs: Path) -> None:
    """It checks programs without running them."""
    program = (
        "import sys; from conformance.cli import main; main(['lint', '.']); print('torch' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=specs, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "False"


def test_claims_as_json(specs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The verdict is computed on live torch; scenarios are named by the ids that the files have."""
    assert main(["claims", "--format", "json", "--engine", "torch"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "claims": [
            {
                "id": "blog/fills",
                "document": "blog",
                "verdict": "confirmed",
                "verdict_observed": "confirmed",
                "scenarios": ["fills"],
                "engine_agrees": True,
            },
            {
                "id": "blog/no-op",
                "document": "blog",
                "verdict": "refuted",
                "verdict_observed": "refuted",
                "scenarios": ["retain-raises"],
                "engine_agrees": True,
            },
        ]
    }


def test_claims_as_text(specs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table that pytest prints."""
    assert main(["claims", "--engine", "torch"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].endswith(": 3 agree")
    assert out[2:] == [
        "  claims            confirmed  refuted  imprecise  drifted  engine",
        "  A blog on leaves  1          1                            agrees",
        "",
        "Refuted by torch:",
        "  blog/no-op  retain_grad does nothing",
    ]


def test_a_contradicted_claim(specs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The observed verdict is shown next to the declared one, and the exit status is 1."""
    (specs / "claims.yaml").write_text(CLAIMS.replace("refuted", "confirmed"))
    assert main(["claims", "--format", "json", "--engine", "torch"]) == 1
    out, err = capsys.readouterr()
    found = json.loads(out)["claims"][1]
    assert (found["verdict"], found["verdict_observed"]) == ("confirmed", "not confirmed")
    assert err.startswith(
        "blog/no-op is declared confirmed, but what it says fails on torch in retain-raises"
    )


def test_a_claim_that_nobody_shows(specs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is not observed, and whether the engine agrees is not known."""
    (specs / "claims.yaml").write_text(CLAIMS + "  - {id: blog/more, verdict: confirmed, says: more}\n")
    assert main(["claims", "--format", "json", "--engine", "torch"]) == 1
    found = json.loads(capsys.readouterr().out)["claims"][2]
    assert (found["verdict_observed"], found["scenarios"], found["engine_agrees"]) == (
        "not observed",
        [],
        None,
    )


def test_claims_of_an_engine_that_is_not_there(specs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A misuse, in one line."""
    assert main(["claims", "--engine", "inhose"]) == 2
    assert capsys.readouterr().err == "conformance: there is no engine 'inhose': did you mean 'inhouse'?\n"


def test_unknown_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    """Only `run` hands on what it does not know."""
    with pytest.raises(SystemExit) as ended:
        main(["lint", "--fast"])
    assert ended.value.code == 2
    assert "unrecognized arguments: --fast" in capsys.readouterr().err


def test_run_hands_on_to_pytest(specs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of the specs is found wherever they are; without one all of them run."""
    given: list[list[str]] = []
    monkeypatch.setattr(pytest, "main", given.append)
    always = [f"--rootdir={Path.cwd()}", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    main(["run", "-q", "--engine", "torch"])
    main(["run", "leaf/leaves.yaml::fills", "-k", "leaf"])
    assert given == [
        [*always, "--engine=torch", "-q", str(specs)],
        [*always, f"{specs}/leaf/leaves.yaml::fills", "-k", "leaf"],
    ]


def test_the_fuzzer_without_hypothesis(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Which is an extra: one line says what to install."""
    for name in [each for each in sys.modules if each.startswith("conformance.fuzz")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    assert main(["fuzz"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "conformance: the programs are generated by Hypothesis, which is not installed: "
        "pip install 'hypothesis>=6.100'"
    ]


def test_the_fuzzer_without_its_engine(capsys: pytest.CaptureFixture[str]) -> None:
    """A process of its own finds it out; one line tells."""
    assert main(["fuzz", "--engine", "inhose"]) == 2
    error = capsys.readouterr().err
    assert error.splitlines()[-1] == "conformance: there is no engine 'inhose': did you mean 'inhouse'?"
    assert "Traceback" not in error


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (
            "mutants --name nodes-to-nowhere-run",
            "conformance: engine 'torch' needs the module 'torch', which is not installed: "
            "pip install 'torch==2.13.0'",
        ),
    ],
)
def test_without_torch(
    specs: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: str,
    message: str,
) -> None:
    """Also what finds it out in a process of its own says it in one line."""
    monkeypatch.delitem(sys.modules, "conformance.adapters.torch")
    monkeypatch.setitem(sys.modules, "torch", None)
    assert main(command.split()) == 2
    error = capsys.readouterr().err
    assert error.splitlines()[-1] == message
    assert "Traceback" not in error


def test_an_interrupt() -> None:
    """Ends a command at once, its processes too, with a line and a shell's exit status for it."""
    # What runs in the background of a shell is deaf to interrupts, and all that it starts.
    listening = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    code = f"{listening}; from conformance.cli import main; raise SystemExit(main())"
    command = [sys.executable, "-c", code, "fuzz", "--examples", "100000", "--processes", "2"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True) as running:
        assert running.stderr is not None
        assert "0 of 100000 programs" in running.stderr.read(30)  # its processes are about to start
        os.killpg(running.pid, signal.SIGINT)  # as a terminal does: to all processes
        _, err = running.communicate(timeout=600)
        assert running.returncode == 130
    assert err.splitlines()[-1] == "conformance: interrupted"
    assert "Traceback" not in err


STARTED = """
import signal, sys
if "--multiprocessing-fork" in sys.orig_argv:
    print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))
"""


def test_an_interrupt_reaches_no_process_that_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would end with a traceback of Python's own, before anything could tell it not to listen."""
    (tmp_path / "sitecustomize.py").write_text(STARTED)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    code = "import os; from conformance.runner.processes import fresh; list(fresh([os.getpid], 1))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def test_each_command_is_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    """By job, with what it does; its own help says what each argument is, and has calls that parse."""
    with pytest.raises(SystemExit):
        main(["--help"])
    text = capsys.readouterr().out
    made = parser()
    (choices,) = (each.choices for each in made._actions if isinstance(each.choices, dict))
    listed = [name for names in by_job(()).values() for name in names]
    assert sorted(listed) == sorted(choices)
    for name, calls in EXAMPLES.items():
        assert f"  {name:9} {''.join(choices[name].description or '')}" in text
        assert choices[name].format_usage().startswith(f"usage: conformance {name} ")
        assert all(each.help and each.help[0] != "(" for each in choices[name]._actions)
        assert calls
        for call, does in calls:
            program, *arguments = shlex.split(call)
            known, others = made.parse_known_args(arguments)
            assert (program, known.command.__name__) == (
                "conformance",
                choices[name].get_default("command").__name__,
            )
            assert does and (name == "run" or not others)


def test_the_help_of_run_names_options_of_pytest(request: pytest.FixtureRequest) -> None:
    """All of them exist."""
    known = {name for each in request.config._parser._anonymous.options for name in each.names()}
    known |= {
        name for group in request.config._parser._groups for each in group.options for name in each.names()
    }
    named = set(re.findall(r"(?<=[ ,])--?[a-z-]+", OF_RUN))
    assert len(named) > 10 and named <= known


def test_versions(capsys: pytest.CaptureFixture[str]) -> None:
    """Of all that results depend on."""
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert re.fullmatch(
        r"conformance \S+, specs \S+ \(\w{16}\), torch \S+, NumPy \S+, Python .*\n", capsys.readouterr().out
    )


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("matirx", "there is no command matirx; did you mean `matrix`?"),
        ("compare", "there is no command compare; it is `diff` now"),
        ("frobnicate", "there is no command frobnicate; the commands are run, show, "),
    ],
)
def test_a_mistyped_command(typed: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The nearest one is named."""
    with pytest.raises(SystemExit) as ended:
        main([typed])
    assert ended.value.code == 2
    assert meant in capsys.readouterr().err
