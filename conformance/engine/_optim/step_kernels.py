"""The kernels of optimizer steps (torch: the ``_single_tensor_*`` functions in optim).

They compute on arrays and bump a tensor's version as often as torch's operations write to it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._autograd.tensor import Tensor, make
from .._autograd.views import increment_version
from .._c10 import dtypes
from .._c10.modes import state
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
    """Increment the count of steps and return it.

    Raises:
        AssertionError: with ``capturable``, which the CPU does not support.
    """
    if group.get("capturable") and not group.get("fused"):
        also = not group["foreach"] if xla is None else xla
        devices = ["cuda", "xpu", "hpu", "privateuseone", *["xla"] * also]
        raise AssertionError(f"If capturable=True, {states} must be on supported devices: {devices}.")
    found: float = written(own["step"]).__iadd__(1).item()
    return found


def zeros_for(param: Any) -> Tensor:
    """A state of zeros with the strides of the parameter."""
    return make(like_steps(np.zeros_like(param._array), param._array))


def written(tensor: Tensor, times: int = 1) -> Array:
    """The array, to be written in place that many times; the version counter is bumped as often."""
    if state.before_mutation is not None:
        state.before_mutation(tensor)
    for _ in range(times):
        increment_version(tensor)
    return parts(tensor._array)


def parts(array: Array) -> Array:
    """The array, a complex one as a real view with a last dimension of 2 (torch: view_as_real).

    Nearly all of torch's optimizers treat the real and imaginary parts as separate elements.
    """
    if array.dtype.kind != "c":
        return array
    kind = array.real.dtype
    return np.lib.stride_tricks.as_strided(
        array.view().real, (*array.shape, 2), (*array.strides, kind.itemsize), writeable=True
    )


def gradient(param: Tensor, group: dict[str, Any], decay: Any = 0) -> Array:
    """The gradient, negated with ``maximize``, with weight decay added."""
    grad = param.grad._array  # type: ignore[union-attr]
    if group["maximize"]:
        grad = np.negative(grad)
    if decay:
        grad = np.asarray(grad).copy()
        add_product(parts(grad), parts(param._array), number(decay))
    return parts(np.asarray(grad))  # arithmetic on 0-d arrays returns scalars, which are not writable


def add_product(array: Array, value: Array, factor: Any) -> None:
    """``array += value * factor``."""
    array += value * factor


def lerp(mean: Tensor, value: Array, weight: float) -> Array:
    """Update an exponential average with a value, in place.

    Raises:
        RuntimeError: the value has another dtype, since the parameter was cast after its first step.
    """
    kind = parts(mean._array).dtype
    if value.dtype != kind:
        raise RuntimeError(
            f"expected dtype {dtypes.c_name(kind)} for `end` but got dtype {dtypes.c_name(value.dtype)}"
        )
    array = written(mean)
    if weight < 0.5:
        add_product(array, value - array, weight)
    else:
        array[...] = (value - array) * (array.dtype.type(weight) - 1) + value
    return array


def decayed_square(mean: Tensor, value: Array, beta: float) -> Array:
    """Update an exponential average of squares with a value's square, in place."""
    array = written(mean, 2)
    array *= beta
    array += value * (1 - beta) * value
    return array


def adam_state(param: Tensor) -> dict[str, Any]:
    """The initial state of Adam, NAdam and RAdam."""
    return {"step": counter(), "exp_avg": zeros_for(param), "exp_avg_sq": zeros_for(param)}


def decayed(param: Tensor, group: dict[str, Any], lr: float) -> Array:
    """The gradient with weight decay added; with ``decoupled_weight_decay`` the parameter is decayed instead."""
    if not group["decoupled_weight_decay"]:
        return gradient(param, group, group["weight_decay"])
    if group["weight_decay"]:
        array = written(param)
        array *= 1 - lr * group["weight_decay"]
    return gradient(param, group)
