"""torch.__version__ compared with torch: it is ordered as a version, not as a text."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import pytest

from conformance.engine import torch_version

reference = pytest.importorskip("torch.torch_version")

OTHERS: list[Any] = [
    "2.1", "2.13", "2.13.0", "2.13.0+cpu", "2.13.0+cu126", "2.13.0a0", "2.13.0b2", "2.13.0rc1", "2.13.0.dev20250101",
    "2.14.dev3", "2.13.post1", "v2.13", "2.13.1", "10.0", "parrot", "",
    (2, 13), (2, 1), (3,), ("2", "13", "0"), [2, 20], (2, "x"),
]  # fmt: skip


@pytest.mark.parametrize(
    "compare", [operator.gt, operator.lt, operator.eq, operator.ge, operator.le, operator.ne]
)
@pytest.mark.parametrize("text", ["2.13.0", "2.13.0+cpu", "2.13.0a0+gitabc", "2.13.0.dev20250101"])
def test_versions(text: str, compare: Callable[[Any, Any], Any]) -> None:
    """Each text stands where torch has it: before, after or at another text or tuple."""
    answers = []
    for version in (reference.TorchVersion, torch_version.TorchVersion):
        found = []
        for other in OTHERS:
            try:
                found.append(compare(version(text), other))
            except TypeError as error:
                found.append(str(error).replace(version.__name__, ""))
        answers.append(found)
    assert answers[0] == answers[1]


def test_the_version_is_one() -> None:
    """It is a text all the same, of torch's class."""
    found: Any = torch_version.__version__
    assert hash(found) == hash(str(found))
    assert found >= (2, 0) and found < "10.0" and found.split(".")[0] == "2"
