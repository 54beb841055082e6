"""Scenarios that depend on the processor are found by running them with fewer instructions; see Note [Capabilities]."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from conformance.language.scenario import Scenario, Tolerance
from conformance.lint_deep.capabilities import Setting, settings, unlike
from tests.runner.make import scenario

LSTM = """\
m = nn.LSTM(2, 1)
with torch.autocast('cpu'):
    y = m(torch.ones(1, 1, 2))[0]
"""
THREADS = "n = torch.get_num_threads()"
FUSED = "z = (torch.arange(1, 41.) / 7).add(torch.arange(40, 0, -1.) / 3, alpha=0.1)"
LOW = Setting("torch", {"ATEN_CPU_CAPABILITY": "default", "ONEDNN_MAX_CPU_ISA": "SSE41"})


def told(setting: Setting, *scenarios: Scenario) -> list[str]:
    """The problems of scenarios."""
    return [problem.message for problem in unlike(scenarios, 2, [setting])]


def test_the_settings_reach_each_library() -> None:
    """Of torch's own kernels, oneDNN's, MKL's, numpy's, OpenBLAS's, and the threads."""
    names = {(each.engine, name) for each in settings() for name in each.environment}
    assert names >= {("torch", "ATEN_CPU_CAPABILITY"), ("torch", "ONEDNN_MAX_CPU_ISA")}
    assert names >= {("torch", "MKL_CBWR"), ("torch", "CONFORMANCE_THREADS")}
    assert names >= {("inhouse", "NPY_DISABLE_CPU_FEATURES"), ("inhouse", "OPENBLAS_CORETYPE")}


def test_a_scenario_that_reads_what_varies_is_found() -> None:
    """Here the number of threads; the same scenario is clean where that does not vary."""
    threads = Setting("torch", {"CONFORMANCE_THREADS": "4"})
    clean = scenario("a = torch.ones(2, requires_grad=True)\nb = a * 2")
    (found,) = told(threads, scenario(THREADS), clean)
    assert "torch does not reproduce this with CONFORMANCE_THREADS=4: n value is 1, then 4" in found


@pytest.mark.skipif(
    torch.backends.cpu.get_cpu_capability() == "DEFAULT", reason="this processor can do no less than that"
)
def test_rounding_of_a_kernel_is_found_if_it_is_bound() -> None:
    """A multiple that is added is rounded once or twice; within torch's own tolerance that is the same."""
    exact = replace(scenario(FUSED), id="exact", tolerance=Tolerance(0, 0, ""))
    (found,) = told(LOW, scenario(FUSED), exact)
    assert found.startswith("exact: ")


def test_a_need_that_is_not_met_there_is_no_problem() -> None:
    """An LSTM under autocast raises where oneDNN has no such primitive, and says so by what it needs."""
    needy = replace(scenario(LSTM), needs=("bfloat16_lstm",))
    assert told(LOW, needy) == []


def test_an_interpreter_that_ends_is_reported() -> None:
    """Each scenario that did not run is reported."""
    ends = Setting("no_such_engine_at_all", {"CONFORMANCE_THREADS": "2"})
    (found,) = told(ends, scenario(THREADS))
    assert "the interpreter ended with status 1" in found
