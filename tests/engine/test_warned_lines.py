"""Warnings tell the line of the program that called the engine, as torch's kernels do."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from conformance import engine

torch = pytest.importorskip("torch")

CALLS = {
    "conversion": "t.ones(2, dtype=t.cfloat).to(t.float32)",
    "freedom": "t.ones(1).std()",
    "mask": "t.ones(2)[t.tensor([1, 0], dtype=t.uint8)]",
    "copy": "t.tensor(t.ones(1))",
    "copy of a dtype": "t.ones(1).new_tensor(t.ones(1))",
    "scalar": "t.tensor([t.ones((), requires_grad=True)])",
    "sizes": "t.nn.functional.mse_loss(t.ones(2, 1), t.ones(2))",
    "dimension": "t.nn.functional.softmax(t.ones(2))",
    "corners": "t.nn.functional.affine_grid(t.ones(1, 2, 3), (1, 1, 2, 2))",
    "resized": "t.add(t.ones(2), 1, out=t.ones(3))",
    "transposed": "t.ones(1, 2, 3).T",
    "in a module": "t.nn.MSELoss()(t.ones(2, 1), t.ones(2))",
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_the_line_that_called(call: str) -> None:
    """A warning has the caller's line where torch gives it, and the library's where torch's Python code warns."""
    told = []
    for module in (torch, engine):
        code = compile(call, "<program>", "eval")
        always = module.is_warn_always_enabled()
        module.set_warn_always(True)
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                scope: dict[str, Any] = {"t": module, "__name__": "program"}
                eval(code, scope)
        finally:
            module.set_warn_always(always)
        told.append([(each.category, each.filename == "<program>") for each in caught])
    assert told[0] == told[1] != []
