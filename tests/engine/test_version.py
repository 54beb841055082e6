"""torch.__version__ compared with torch: it is ordered as a version, not as a text."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import pytest

from conformance.engine import torch_version

reference = pytest.importorskip("torch.torch_version")

OTHERS: list[Any] = [
    "2.1", "2.13", "2.13.0", "2.13.0+cpu", "2.13.0+cu126",
    "2.13.1", "10.0", (2, 13), (2, 1), (3,), ("2", "13", "0"), [2, 20],
]  # fmt: skip


@pytest.mark.parametrize(
    "compare", [operator.gt, operator.lt, operator.eq, operator.ge, operator.le, operator.ne]
)
@pytest.mark.parametrize("text", ["2.13.0", "2.13.0+cpu"])
def test_versions(text: str, compare: Callable[[Any, Any], Any]) -> None:
    """A release stands where torch has it: before, after or at another one."""
    one, other = reference.TorchVersion(text), torch_version.TorchVersion(text)
    assert [compare(one, each) for each in OTHERS] == [compare(other, each) for each in OTHERS]


def test_what_is_no_release_is_refused() -> None:
    """No answer is better than a wrong one."""
    with pytest.raises(NotImplementedError, match=r"2\.13\.0rc1"):
        assert torch_version.__version__ < "2.13.0rc1"


def test_the_version_is_one() -> None:
    """It is a text all the same, of torch's class."""
    found: Any = torch_version.__version__
    assert hash(found) == hash(str(found))
    assert found >= (2, 0) and found < "10.0" and found.split(".")[0] == "2"
