"""The engine itself reports what the machine has: see Note [Probes]."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from conformance.adapters.inhouse import engine as inhouse
from conformance.adapters.recording import read
from conformance.check import engine_under_test
from conformance.cli import main
from conformance.language.scenario import NEEDS
from conformance.runner.execute import available
from conformance.runner.probes import PROBES, answers
from tests.runner.make import torch_engine

MINE = """\
scenarios:
  - id: of-a-lstm
    title: needs a primitive
    needs: [bfloat16_lstm]
    run: a = torch.ones(1)
"""


def test_each_need_is_a_device_or_has_a_probe() -> None:
    """None of them is without meaning."""
    assert set(NEEDS) - set(PROBES) == {"second_device"}


def test_the_lstm_is_run_and_not_guessed() -> None:
    """It is there where it runs; whatever it raises means that it is not, as where there is no such function."""

    def refused(*_: Any) -> None:
        raise RuntimeError("could not create a primitive descriptor")

    def settings() -> tuple[object, ...]:
        state = tuple(torch.get_rng_state().tolist())
        return torch.is_autocast_enabled("cpu"), torch.is_grad_enabled(), state

    before = settings()
    names = {name: getattr(torch, name) for name in ("zeros", "autocast", "get_rng_state", "set_rng_state")}
    for layer, answer in ((refused, False), (lambda _: None, True)):
        nn = SimpleNamespace(LSTM=lambda *_, layer=layer: layer)
        assert answers(SimpleNamespace(**names, nn=nn), "bfloat16_lstm") == answer
    assert not answers(SimpleNamespace(), "bfloat16_lstm")
    assert available(inhouse, "bfloat16_lstm")
    available(torch_engine, "bfloat16_lstm")
    assert settings() == before


def test_torch_says_so_itself_under_a_lower_capability() -> None:
    """oneDNN held below AVX-512 has no such primitive, and the probe tells."""
    code = (
        "from conformance.adapters.torch import engine\nfrom conformance.runner.execute import available\n"
        "print(available(engine, 'bfloat16_lstm'), available(engine, 'cpu_build'))"
    )
    variables = {**os.environ, "ONEDNN_MAX_CPU_ISA": "SSE41"}
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=variables
    )
    assert ran.stdout == f"False {torch.version.cuda is None}\n"


@pytest.mark.parametrize("there", [True, False])
def test_a_recording_keeps_what_was_available(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    """With it, the scenario is in the recording; without it, a run with the recording as reference skips it."""
    (tmp_path / "mine.yaml").write_text(
        MINE + "  - {id: other, title: needs nothing, run: a = torch.ones(1)}\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(PROBES, "bfloat16_lstm", lambda _: there)
    monkeypatch.setattr(engine_under_test, "engine_of_command", lambda *_: torch_engine)  # in this process
    assert main(["record", "-o", "r.jsonl", "--in", "mine.yaml"]) == 0
    found = read(Path("r.jsonl"))
    assert available(found, "bfloat16_lstm") is there
    assert list(found.lines) == ["of-a-lstm"] * there + ["other"]
