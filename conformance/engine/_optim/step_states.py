"""Settings and states of optimizer steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._autograd.tensor import Tensor, make
from .._c10 import dtypes
from .._c10.shapes import like_steps

Array = np.ndarray[Any, Any]


def number(value: Any) -> Any:
    """A hyperparameter as a number; a tensor's value keeps its dtype."""
    return value._array.reshape(())[()] if isinstance(value, Tensor) else value


def counter(start: float = 0.0) -> Tensor:
    """A scalar state in float32, or in float64 if that is the default dtype."""
    kind = np.float64 if dtypes.default is dtypes.float64 else np.float32
    return make(np.array(start, kind))


def count_step(
    own: dict[str, Any],
    group: dict[str, Any],
    states: str = "params and state_steps",
    xla: bool | None = None,
) -> float:
    """Increment the count of steps and return it."""
    if group.get("capturable") and not group.get("fused"):
        also = not group["foreach"] if xla is None else xla
        devices = ["cuda", "xpu", "hpu", "privateuseone", *["xla"] * also]
        raise AssertionError(f"If capturable=True, {states} must be on supported devices: {devices}.")
    found: float = own["step"].add_(1).item()
    return found


def filled_for(param: Any, value: float = 0) -> Tensor:
    """A state with the strides of the parameter; each part of a complex number has the value."""
    array = np.zeros_like(param._array)
    array.fill(complex(value, value) if array.dtype.kind == "c" else value)
    return make(like_steps(array, param._array))


def adam_state(param: Tensor) -> dict[str, Any]:
    """The initial state of Adam, NAdam and RAdam."""
    return {"step": counter(), "exp_avg": filled_for(param), "exp_avg_sq": filled_for(param)}
