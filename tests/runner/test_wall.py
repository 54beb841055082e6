"""No program gets out: files, processes, sockets, the environment, modules and torch itself stay as they are."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from conformance.adapters.inhouse import engine as inhouse
from conformance.adapters.module import ModuleEngine
from conformance.adapters.remote import RemoteEngine
from conformance.check.checker import Checker
from conformance.language.program_check import check_program
from conformance.language.program_parts import ProgramPiece
from conformance.runner.engine import Engine
from conformance.runner.execute import run
from conformance.runner.processes import fresh
from conformance.runner.trace import Raised
from conformance.runner.wall import policy_of
from tests.runner.escapes import BY_NAME, BY_PYTHON, HARMLESS_IN_THE_ENGINE, OWN_ERRORS
from tests.runner.make import scenario, torch_engine

CHANGES = """
seen = []
def f(x):
    seen.append(x)
    return x.exp() if len(seen) > 1 else x.exp().exp()
a = torch.ones(2, requires_grad=True)
y = torch.utils.checkpoint.checkpoint(f, a, use_reentrant=False, debug=True)
y.sum().backward()
"""


def _raised(program: str, engine: Engine) -> Raised | None:
    return next((moment.raised for moment in run(scenario(program), engine).moments if moment.raised), None)


@pytest.mark.parametrize("name", BY_NAME)
def test_names_as_text_lead_nowhere(name: str) -> None:
    """What no text shows is refused when the program runs."""
    program = BY_NAME[name].replace("{{", "{").replace("}}", "}")
    assert check_program([ProgramPiece(program)]) == []
    raised = _raised(program, torch_engine)
    assert raised is not None
    assert raised.type in ("Refused", OWN_ERRORS.get(name)), raised


def test_names_as_text_lead_nowhere_in_the_engine() -> None:
    """The in-house engine refuses them, or raises an error of its own; in a process that no other test has changed."""
    ((_, allowed),) = fresh([partial(_allowed, sorted(BY_NAME.keys() - HARMLESS_IN_THE_ENGINE))], 1)
    assert allowed == []


def _allowed(names: list[str]) -> list[str]:
    """The programs that raise nothing."""
    programs = {name: BY_NAME[name].replace("{{", "{").replace("}}", "}") for name in names}
    return [name for name, program in programs.items() if _raised(program, inhouse) is None]


@pytest.mark.parametrize(
    ("program", "engine"),
    [
        pytest.param(program, engine, id=f"{name}-{engine.name}")
        for name, program in BY_PYTHON.items()
        for engine in (torch_engine, inhouse)
        if engine is torch_engine or "torch." not in program  # those are about torch's own functions
    ],
)
def test_all_of_python_gets_nowhere(
    program: str, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The wall refuses what a program does, whatever names it got hold of."""
    monkeypatch.chdir(tmp_path)
    secret, file = tmp_path / "secret", tmp_path / "file"
    secret.write_text("secret words")
    environment = dict(os.environ)
    trace = run(scenario(program.format(file=file, secret=secret)), engine)
    assert trace.moments[-1].raised is not None
    assert trace.moments[-1].raised.type == "Refused", trace.moments[-1].raised
    assert "secret words" not in trace.to_json()
    assert [each.name for each in tmp_path.iterdir()] == ["secret"]
    assert secret.read_text() == "secret words"
    assert dict(os.environ) == environment
    assert sys.gettrace() is None or "coverage" in str(sys.gettrace())


def test_no_process_is_started_by_native_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Torch's checkpoint looks up the names of its own functions, for which it would start addr2line.

    In a process of its own: checkpoint logs, and pytest's handler of logs is in its way.
    """
    (tmp_path / "addr2line").write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
    (tmp_path / "addr2line").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    program = (
        "from tests.runner.test_wall import CHANGES, _raised, torch_engine\n"
        "print(_raised(CHANGES, torch_engine).type)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "CheckpointError\n", done.stderr
    assert not (tmp_path / "started").exists()


def test_a_refusal_stands_at_its_line() -> None:
    """What was tried is said at the statement that tried it."""
    trace = run(scenario("a = 1\nb = open('/nowhere/file', 'w')\nc = 2"), torch_engine)
    assert str(trace.moments[-1].raised) == "Refused: a program may not write files: /nowhere/file"
    assert trace.moments[-1].statement.line == 2


def test_the_wall_is_down_between_programs(tmp_path: Path) -> None:
    """The process that runs programs writes its own files."""
    _raised("a = 1", inhouse)
    (tmp_path / "file").write_text("x")
    assert (tmp_path / "file").read_text() == "x"


def test_an_adapter_allows_more(tmp_path: Path) -> None:
    """An engine that writes files says so."""
    program = f"open({str(tmp_path / 'file')!r}, 'w').close()"
    engine = ModuleEngine("open", torch_engine.torch, version="1", may=("files",))
    assert _raised(program, engine) is None
    assert (tmp_path / "file").is_file()
    assert policy_of(engine).may == {"files"}
    result = Checker(torch_engine)(scenario("x = torch.ones(1)"), engine).result
    assert result.version == "1 (may use files)"


def test_the_environment_holds_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Variables of the system are there, all others not, also in a process of the engine's own."""
    monkeypatch.setenv("DEPLOY_TOKEN", "secret")
    monkeypatch.setenv("OMP_PLACES", "cores")
    program = "o = getattr(__import__('os'), 'environ')\nprint('DEPLOY_TOKEN' in o, 'OMP_PLACES' in o)"
    remote = RemoteEngine("inhouse")
    try:
        for engine in (torch_engine, inhouse, remote):
            assert run(scenario(program), engine).moments[-1].printed == "False True\n"
    finally:
        remote.close()
    assert os.environ["DEPLOY_TOKEN"] == "secret"


def test_bytecode_may_be_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine imports its own modules also from where PYTHONPYCACHEPREFIX says."""
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "")
    for _ in range(2):  # the first writes the bytecode of what the import of the engine loads
        remote = RemoteEngine("inhouse")
        try:
            assert run(scenario("x = torch.linalg.det(torch.eye(2))"), remote).moments[-1].raised is None
        finally:
            remote.close()


def test_without_the_wall(tmp_path: Path) -> None:
    """A debugger and a coverage tool follow programs without it."""
    trace = run(scenario(f"open({str(tmp_path / 'file')!r}, 'w').close()"), torch_engine, wall=False)
    assert trace.moments[-1].raised is None


def test_bytes_are_copied() -> None:
    """A tensor on the memory of a constant does not change the constant."""
    for make in ("asarray",):
        run(scenario(f"x = torch.{make}(b'a', dtype=torch.uint8)\nx[0] = 98"), torch_engine)
        run(scenario(f"x = torch.{make}(b'a', dtype=torch.uint8)\nx[0] = 98"), inhouse)
        assert ord(b"xax"[1:2]) == 97  # bytes([97]) would be the same object


def test_a_text_with_two_underscores_is_refused_at_once() -> None:
    """Where the text shows it, the check of the language says so."""
    (fault,) = check_program([ProgramPiece("nn.utils.prune.identity(nn.Linear(1, 1), '__globals__')")])
    assert fault.message == "the text '__globals__' holds a name with two underscores"


def test_the_kernel_refuses_what_the_hook_does_not_see(tmp_path: Path) -> None:
    """Files that C++ writes, where Linux has Landlock."""
    landlock = pytest.importorskip("landlockpy")
    if not landlock.supported():
        pytest.skip("this kernel has no Landlock")
    remote = RemoteEngine("torch")
    file = tmp_path / "file"
    try:
        raised = _raised(f"torch._C.PyTorchFileWriter({str(file)!r})", remote)
        assert raised is not None and raised.type == "RuntimeError", raised
        assert not file.exists()
        assert _raised("x = torch.ones(1)", remote) is None
    finally:
        remote.close()


def test_an_engine_needs_no_file_of_an_earlier_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first optimizer of torch imports modules that make a folder among temporary files."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.delenv("TORCHINDUCTOR_CACHE_DIR", raising=False)
    remote = RemoteEngine("torch")
    try:
        program = "o = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.5)"
        assert _raised(program, remote) is None
    finally:
        remote.close()
