"""torch.testing.assert_close compared with torch: the same verdicts in the same words."""

from __future__ import annotations

from typing import Any

import pytest

import conformance.engine

reference = pytest.importorskip("torch")

CLOSE = {
    "tensors": "T([1.0, 2.0]), T([1.0, 2.0])",
    "within the tolerance": "T([1.0 + 1e-6]), T([1.0])",
    "within that given": "T([1.0]), T([1.1]), rtol=0, atol=0.2",
    "other dtype": "T([1.0]), T([1]), check_dtype=False",
    "nan where asked": "T([nan]), T([nan]), equal_nan=True",
    "infinity": "inf, inf",
    "parts": "[1.0, {'a': T([1.0])}, None], [1.0, {'a': T([1.0])}, None]",
    "empty": "T([]), T([])",
}
APART = {
    "values": "T([[1.0, 2.0], [3.0, 4.0]]), T([[1.0, 2.0], [3.5, 4.0]])",
    "exact": "T([1.0, 2.0, 3.0]), T([1.0, 2.5, 3.5]), rtol=0, atol=0",
    "shapes": "T([1.0]), T([1.0, 2.0])",
    "dtypes": "T([1.0]), T([1])",
    "strides": "torch.ones(2, 3).t(), torch.ones(3, 2), check_stride=True",
    "integers": "T([1, 2]), T([1, 3])",
    "nan": "T([nan]), T([nan])",
    "no dimension": "T(1.0), T(2.0)",
    "numbers": "1.0, 1.1",
    "types of numbers": "1, 1.0",
    "truth values": "True, False",
    "a part": "{'a': [1.0, T([1.0])]}, {'a': [1.0, T([2.0])]}",
    "lengths": "[1], [1, 2]",
    "keys": "{'a': 1}, {'b': 1}",
    "none": "None, 1",
    "own text": "T([1.0]), T([2.0]), msg='apart'",
    "text about the text": "T([1.0]), T([2.0]), msg=lambda text: 'here: ' + text",
    "half a tolerance": "T([1.0]), T([1.0]), rtol=0.1",
    "texts": "'a', 'a'",
}


def _verdict(torch: Any, arguments: str) -> str:
    scope = {"torch": torch, "T": torch.tensor, "nan": float("nan"), "inf": float("inf")}
    try:
        eval(f"torch.testing.assert_close({arguments})", scope)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "close"


@pytest.mark.parametrize("arguments", CLOSE.values(), ids=CLOSE.keys())
def test_finds_close_what_torch_does(arguments: str) -> None:
    """Neither complains."""
    assert _verdict(conformance.engine, arguments) == _verdict(reference, arguments) == "close"


@pytest.mark.parametrize("arguments", APART.values(), ids=APART.keys())
def test_tells_apart_what_torch_does(arguments: str) -> None:
    """Both complain, word for word."""
    found = _verdict(conformance.engine, arguments)
    assert found != "close"
    assert found == _verdict(reference, arguments)
