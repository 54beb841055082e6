"""Complex numbers: what the engine has no case for it refuses, where torch would go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import conformance.engine as torch

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "conj": lambda z: z.conj(),
    "real": lambda z: z.real,
    "sgn": lambda z: z.sgn(),
    "adjoint": lambda z: z.mH,
    "var": lambda z: z.var(),
    "cov": lambda z: z.cov(),
    "logsumexp": lambda z: z.logsumexp(0),
    "pinv": lambda z: torch.linalg.pinv(z),
    "matrix_rank": lambda z: torch.linalg.matrix_rank(z),
    "lstsq": lambda z: torch.linalg.lstsq(z, z),
    "solve from the right": lambda z: torch.linalg.solve(z, z, left=False),
    "with a number": lambda z: z * 1j,
    "gradient": lambda z: z.requires_grad_(),
    "gradient of a real factor": lambda z: torch.ones(2, requires_grad=True) * z,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_is_refused(name: str) -> None:
    """It raises NotImplementedError, and gives no number."""
    z = torch.tensor([[1 + 1j, 2.0], [0.5j, 4 - 2j]])
    with pytest.raises(NotImplementedError):
        FUNCTIONS[name](z)
