"""What torch computes differently on another processor, compared with torch under the setting of each."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

reference = pytest.importorskip("torch")

PROGRAM = """
import torch as reference
import conformance.engine as engine

def gradients(torch, name, length, dtype):
    x = torch.full((length,), torch.nan, dtype=getattr(torch, dtype), requires_grad=True)
    found, = torch.autograd.grad(getattr(torch.nn.functional, name)(x), x, torch.ones_like(x))
    return found.nan_to_num(nan=7.).tolist()

print(reference.backends.cpu.get_cpu_capability(), engine.backends.cpu.get_cpu_capability())
for name in ("elu", "celu", "selu", "hardtanh", "hardshrink", "softshrink", "hardswish"):
    for length in (17, 42, 63, 100):
        for dtype in ("float32", "float64"):
            case = name, length, dtype
            if gradients(reference, *case) != gradients(engine, *case):
                print("differs:", *case)
"""
CAPABILITIES = ["default", "avx2", "avx512"]
HERE = CAPABILITIES.index(reference.backends.cpu.get_cpu_capability().lower())


@pytest.mark.parametrize("capability", CAPABILITIES[: HERE + 1])
def test_blocks_are_those_of_the_processor(capability: str) -> None:
    """At nan a gradient shows how many elements torch computes at once; see Note [Blocks and the rest]."""
    environment = os.environ | {"ATEN_CPU_CAPABILITY": capability}
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False
    )
    name = capability.upper()
    assert (ran.stdout, ran.stderr) == (f"{name} {name}\n", "")
