"""exp(x) - 1 and log(1 + x) as they are computed of many numbers where numpy has neither in single precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from conformance.engine._aten.pointwise import expm1_log1p

NUMBERS = np.concatenate(
    [
        np.linspace(-0.99, 20, 1500),
        np.geomspace(1e-30, 1, 500),
        -np.geomspace(1e-30, 0.5, 500),
        [0.0, -0.0, np.inf, np.nan],
    ]
).astype(np.float32)


@pytest.mark.parametrize(
    ("function", "exact", "more"),
    [
        (expm1_log1p.expm1, np.expm1, [-np.inf, -100.0, 88.0]),
        (expm1_log1p.log1p, np.log1p, [-1.0, -2.0, 1e30]),
    ],
)
def test_steps_are_precise(
    function: Callable[[Any], Any],
    exact: Callable[[Any], Any],
    more: list[float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of small numbers and large ones, zeros with a sign, inf and nan."""
    given = np.append(NUMBERS, np.array(more, np.float32))
    with np.errstate(all="ignore"):
        monkeypatch.setattr(expm1_log1p, "_ONE_BY_ONE", False)
        assert not expm1_log1p._by_steps(given)
        monkeypatch.setattr(expm1_log1p, "_ONE_BY_ONE", True)
        assert expm1_log1p._by_steps(given)
        found, expected = function(given), exact(given.astype(np.float64))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=6e-7, atol=0)
    np.testing.assert_array_equal(np.signbit(found[given == 0]), np.signbit(given[given == 0]))


def test_few_numbers_and_doubles_are_left_to_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps would cost a double its precision, and few numbers time."""
    monkeypatch.setattr(expm1_log1p, "_ONE_BY_ONE", True)
    assert not expm1_log1p._by_steps(NUMBERS.astype(np.float64))
    assert not expm1_log1p._by_steps(NUMBERS[:10])
