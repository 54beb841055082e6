"""torch.nn.utils.clip_grad: gradient clipping."""

from __future__ import annotations

import types
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..._aten.reduction.norm import vector_norm
from ..._autograd.tensor import Tensor, make
from ..._c10.layout import LayoutError
from ..._c10.modes import no_grad

Tensors = Tensor | Iterable[Tensor]


def _listed(tensors: Tensors) -> list[Tensor]:
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def _norm(array: Any, order: float) -> Any:
    """The norm of all elements, in their dtype."""
    exact = np.abs(array).astype(np.float64).ravel()
    if order == np.inf:
        found = exact.max(initial=0.0)
    elif order == -np.inf:
        found = exact.min()
    elif order == 0:
        found = np.count_nonzero(exact)
    else:
        found = np.sqrt(np.dot(exact, exact)) if order == 2 else (exact**order).sum() ** (1.0 / order)
    return np.asarray(found, array.real.dtype)


@no_grad()
def get_total_norm(
    tensors: Tensors, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None
) -> Tensor:
    """The total norm of tensors, the norm of their norms.

    Raises:
        RuntimeError: it is not finite and ``error_if_nonfinite`` is set.
    """
    order = float(norm_type)
    try:
        norms = [_norm(each._array, order) for each in _listed(tensors)]
    except LayoutError:
        norms = [vector_norm(each, order)._array for each in _listed(tensors)]
    if not norms:
        return make(np.zeros((), np.float32))
    total = _norm(np.stack(norms), order)
    if error_if_nonfinite and not np.isfinite(total):
        raise RuntimeError(
            f"The total norm of order {order} for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To "
            "disable this error and scale the gradients by the non-finite norm anyway, set `error_if_nonfinite=False`"
        )
    return make(total)


@no_grad()
def clip_grads_with_norm_(
    parameters: Tensors, max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scale gradients in place by max_norm / total_norm if that is below 1."""
    factor = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
    for parameter in _listed(parameters):
        if parameter.grad is not None:
            parameter.grad.mul_(factor)


@no_grad()
def clip_grad_norm_(
    parameters: Tensors, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:  # fmt: skip
    """Scale gradients in place so that their total norm is at most ``max_norm``; returns the norm before."""
    listed = _listed(parameters)
    if isinstance(parameters, types.GeneratorType) and not listed:
        warnings.warn("`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=3)
    grads = [each.grad for each in listed if each.grad is not None]
    total = get_total_norm(grads, norm_type, error_if_nonfinite, foreach)
    clip_grads_with_norm_(listed, max_norm, total, foreach)
    return total


def clip_grad_norm(
    parameters: Tensors, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:  # fmt: skip
    """clip_grad_norm_ under its deprecated name."""
    warnings.warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


@no_grad()
def clip_grad_value_(parameters: Tensors, clip_value: float, foreach: bool | None = None) -> None:
    """Clamp gradients to [-clip_value, clip_value] in place."""
    bound = float(clip_value)
    grads = [each.grad for each in _listed(parameters) if each.grad is not None]
    if not grads:
        raise RuntimeError(
            "Expected !nested_tensorlist[0].empty() to be true, but got false.  (Could this error message "
            "be improved?  If so, please report an enhancement request to PyTorch.)"
        )
    for grad in grads:
        if foreach is None or foreach:
            grad.clamp_min_(-bound).clamp_max_(bound)
        else:
            grad.clamp_(-bound, bound)
