"""Checks of the arguments of optimizers, with torch's messages (torch: the ``__init__`` of each class in optim)."""

from __future__ import annotations

from typing import Any

from .._autograd.tensor import Tensor


def check(name: str, value: Any, valid: bool) -> None:
    """Raise an error if a hyperparameter is out of range."""
    if not valid:
        raise ValueError(f"Invalid {name}: {value}")


def check_least(name: str, value: Any, least: float = 0.0) -> None:
    """Raise an error if a hyperparameter is too small."""
    check(name, value, bool(least <= value))


def check_single(lr: Any) -> None:
    """Raise an error if the learning rate is a tensor of several elements."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")


def check_rate(lr: Any) -> None:
    """Raise an error if the learning rate is negative or a tensor of several elements."""
    check_single(lr)
    check_least("learning rate", lr)


def check_betas(betas: tuple[float, float]) -> None:
    """Raise an error if a decay rate is outside [0, 1)."""
    for index, beta in enumerate(betas):
        check(f"beta parameter at index {index}", beta, bool(0.0 <= beta < 1.0))


def check_fused(defaults: dict[str, Any]) -> None:
    """Raise an error for arguments that ``fused`` excludes."""
    if defaults["fused"] and defaults["differentiable"]:
        raise RuntimeError("`fused` does not support `differentiable`")
    if defaults["fused"] and defaults["foreach"]:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")


def check_adam(lr: Any, betas: tuple[Any, Any], eps: float, weight_decay: float) -> None:
    """Check the hyperparameters that Adam, Adamax, NAdam and RAdam share."""
    check_rate(lr)
    check_least("epsilon value", eps)
    check_betas(betas)
    check_least("weight_decay value", weight_decay)
