"""Whether a scenario has the same trace whatever the processor can do.

Note [Capabilities]: kernels are chosen when the libraries are loaded, by what the processor has, and environment
variables lower it; MKL and OpenBLAS, which multiply matrices, choose their own. Each setting runs in its own
interpreter, and is compared with a run without any, within the scenario's tolerances. A scenario whose needs are not
met there is skipped. Scenarios otherwise run with one thread.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module

from conformance.adapters.registry import find
from conformance.language.load_result import Problem
from conformance.language.scenario import Scenario
from conformance.runner.compare import differences
from conformance.runner.execute import available, run
from conformance.runner.serialize import from_plain, to_plain
from conformance.runner.trace import Trace

HINT = "use numbers that need no rounding, a tolerance with its reason, or `needs`"


@dataclass(frozen=True)
class Setting:
    """An engine in an environment."""

    engine: str
    environment: Mapping[str, str]

    def __str__(self) -> str:
        return " ".join(f"{name}={value}" for name, value in self.environment.items())


def settings() -> tuple[Setting, ...]:
    """All settings that differ from this process's own."""
    torch = [
        {"ATEN_CPU_CAPABILITY": "default", "MKL_CBWR": "COMPATIBLE"},
        {"ATEN_CPU_CAPABILITY": "avx2"},
        {"ONEDNN_MAX_CPU_ISA": "SSE41"},
        {"CONFORMANCE_THREADS": "2"},
        {"CONFORMANCE_THREADS": "4"},
    ]
    numpy = [{"NPY_DISABLE_CPU_FEATURES": _numpy_features(), "OPENBLAS_CORETYPE": "Prescott"}]
    return (*(Setting("torch", each) for each in torch), *(Setting("inhouse", each) for each in numpy))


def _numpy_features() -> str:
    """What numpy has kernels for beyond its baseline, and this processor has; it refuses other names."""
    try:
        core = import_module("numpy._core._multiarray_umath")
    except ImportError:
        return ""
    return " ".join(each for each in core.__cpu_dispatch__ if core.__cpu_features__[each])


def unlike(
    scenarios: Sequence[Scenario], processes: int, varied: Sequence[Setting] | None = None
) -> Iterator[Problem]:
    """Each scenario that an engine does not reproduce in a setting, with the first difference."""
    chosen = settings() if varied is None else varied
    plain = {engine: Setting(engine, {}) for engine in dict.fromkeys(each.engine for each in chosen)}
    asked = (*plain.values(), *chosen)
    with ThreadPoolExecutor(processes) as pool:
        ran = dict(zip(map(id, asked), pool.map(lambda each: _traces(scenarios, each), asked), strict=True))
    for setting in chosen:
        before, after = ran[id(plain[setting.engine])], ran[id(setting)]
        for scenario, one, other in zip(scenarios, before, after, strict=True):
            if isinstance(one, Trace) and isinstance(other, Trace):
                found = next(iter(differences(scenario, one, other)), None)
                what = "" if found is None else _said(found.name, found.facet, found.reference, found.engine)
            else:
                what = next((each for each in (one, other) if isinstance(each, str)), "")
            if what:
                message = f"{setting.engine} does not reproduce this with {setting}: {what}"
                yield Problem(scenario.position, f"{scenario.id}: {message}", HINT)


def _said(name: str, facet: str, before: str, after: str) -> str:
    return f"{name} {facet}".strip() + f" is {before}, then {after}"


def _traces(scenarios: Sequence[Scenario], setting: Setting) -> list[Trace | str | None]:
    """The trace of each scenario in a setting; None without its needs; a text if the interpreter ended before."""
    sent = json.dumps([{"needs": each.needs, "scenario": to_plain(each)} for each in scenarios])
    done = subprocess.run(
        [sys.executable, "-m", "conformance.lint_deep.capabilities", setting.engine],
        input=sent.encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **setting.environment},
        check=False,
    )
    lines = done.stdout.decode().splitlines()
    found: list[Trace | str | None] = [Trace.from_json(line) if line else None for line in lines]
    missing = len(scenarios) - len(found)
    return [*found, *[f"the interpreter ended with status {done.returncode}"] * missing]


def _answer() -> None:
    """In the other interpreter: read scenarios, write a line for each, empty where its needs are not met."""
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints does not come in between
    engine = find(sys.argv[1])
    for each in json.load(sys.stdin):
        there = all(available(engine, need) for need in each["needs"])
        print(run(from_plain(each["scenario"]), engine).to_json() if there else "", file=output, flush=True)


if __name__ == "__main__":
    _answer()
