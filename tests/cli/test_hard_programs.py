"""A program that hangs or crashes costs a command one message."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.adapters import remote
from conformance.cli import main

HANGS = "c = all(map(max, [range(9999999)] * 100000))"
CRASHES = "x = torch.ones(100000)\nx.untyped_storage().resize_(0)\nx.fill_(1.0)"
SCENARIOS = f"""
scenarios:
  - id: hangs
    title: hangs in C, where no signal is handled
    run: {HANGS}
  - id: crashes
    title: writes to freed memory
    run: |
      {CRASHES.replace(chr(10), chr(10) + 6 * " ")}
  - id: plain
    title: doubling doubles
    run: a = torch.ones(2, requires_grad=True) * 2
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(remote, "GRACE", 0.5)
    Path("mine.yaml").write_text(SCENARIOS)
    Path("page.md").write_text(f"```python\n{CRASHES}\nprint(1)\n# 1\n```\n")
    Path("crashes.yaml").write_text("scenarios:" + SCENARIOS[SCENARIOS.index("\n  - id: crashes") :])
    Path("crashes.py").write_text(f"import torch\n{CRASHES}\n")


@pytest.mark.parametrize(
    ("command", "status", "told"),
    [
        (
            ["show", "mine.yaml::hangs", "--engine", "torch"],
            1,
            "TimeLimit: still running after 2 s, and ended",
        ),
        (["show", "mine.yaml::crashes"], 1, "on torch the interpreter ended: Segmentation fault"),
        (["show", "mine.yaml::plain"], 0, "inhouse does as torch"),
        (["graph", "mine.yaml::crashes"], 2, "it ended with InterpreterDied: the interpreter ended"),
        (["record", "--in", "crashes.yaml", "-o", "r.jsonl"], 0, "2 scenarios on torch"),
        (["check", "page.md"], 0, "page.md: 1 right, 0 wrong"),
        (["new", "crashes.py"], 1, "the interpreter ended: Segmentation fault"),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, list) else "",
)
def test_a_hard_program_costs_one_message(
    command: list[str], status: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """And the time that it may take."""
    found = main([*command, "--scenario-timeout", "2"])
    output, errors = capsys.readouterr()
    assert told in output + errors
    assert found == status
    assert "Traceback" not in output + errors
