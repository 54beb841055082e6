"""Complex numbers: what the engine has no case for it refuses, where torch would go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import conformance.engine as torch

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "logsumexp": lambda z: z.logsumexp(0),
    "lstsq": lambda z: torch.linalg.lstsq(z, z),
    "derivative of a convolution": lambda z: torch.nn.functional.conv1d(
        z.requires_grad_(), z.reshape(2, 2, 1)
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_is_refused(name: str) -> None:
    """It raises NotImplementedError, and gives no number."""
    z = torch.tensor([[1 + 1j, 2.0], [0.5j, 4 - 2j]])
    with pytest.raises(NotImplementedError):
        FUNCTIONS[name](z)
