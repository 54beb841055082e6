"""torch.optim.lr_scheduler.LRScheduler, and helpers of its subclasses (torch: optim/lr_scheduler.py)."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from functools import wraps
from typing import Any
from weakref import ref

from .._autograd.tensor import Tensor
from .optimizer_base import OptimizerBase as Optimizer  # torch's name, which signatures show

_ORDER = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you "
    "should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to "
    "do this will result in PyTorch skipping the first value of the learning rate schedule. "
)
_OVERRIDDEN = (
    "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. Please, make sure "
    "to call `optimizer.step()` before `lr_scheduler.step()`. "
)
_DETAILS = "See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the "
    "closed form "
    "is used instead of the new chainable form, where available. Please open an issue if you are unable to replicate "
    "your use case: https://github.com/pytorch/pytorch/issues/new/choose."
)


def rates_of(optimizer: Optimizer, key: str = "lr") -> list[Any]:
    """The learning rate (or another setting) of each parameter group."""
    values = (group[key] for group in optimizer.param_groups)
    return [value.clone() if isinstance(value, Tensor) else value for value in values]


def set_rate(group: dict[str, Any], value: Any) -> None:
    """Set the learning rate of a group; a tensor is written to in place."""
    if isinstance(group["lr"], Tensor):
        group["lr"].fill_(value.squeeze() if isinstance(value, Tensor) else value)
    else:
        group["lr"] = value


def for_each_group(name: str, optimizer: Optimizer, value: Any) -> list[Any]:
    """A list with a setting for each group, from one value or a list (torch: _format_param)."""
    groups = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [value] * groups
    if len(value) != groups:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, param_groups "
            f"has {groups}."
        )
    return list(value)


def require_optimizer(optimizer: Any) -> None:
    """Raise an error for anything but an optimizer."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


class LRScheduler:
    """Base class of schedulers: ``get_lr`` returns the rates of an epoch, ``step`` goes to the next one."""

    __module__ = "torch.optim.lr_scheduler"
    _get_lr_called_within_step = False
    _is_initial = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        require_optimizer(optimizer)
        self.optimizer = optimizer
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                rate = group["lr"]
                group.setdefault("initial_lr", rate.clone() if isinstance(rate, Tensor) else rate)
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{number}] when resuming scheduler with "
                    "last_epoch >= 0.\nThis typically happens when:\n1. You're trying to resume training from a "
                    "checkpoint but haven't properly loaded the optimizer state\n2. You're using last_epoch >= 0 for a "
                    "fresh training run (not recommended)"
                )
        self.base_lrs = rates_of(optimizer, "initial_lr")
        self.last_epoch: Any = last_epoch
        _note_steps(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self) -> dict[str, Any]:
        """The attributes except the optimizer."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a state of state_dict."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """The rates that were set last."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """The rates of this epoch."""
        raise NotImplementedError

    def step(self, epoch: int | None = None) -> None:
        """Go to the next epoch, or to a given one."""
        if self._step_count == 1:
            if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
                warnings.warn(_OVERRIDDEN + _DETAILS, UserWarning, stacklevel=2)
            elif not getattr(self.optimizer, "_opt_called", False):
                warnings.warn(_ORDER + _DETAILS, UserWarning, stacklevel=2)
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        self._get_lr_called_within_step = True
        try:
            self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
            closed = None if epoch is None else getattr(self, "_get_closed_form_lr", None)
            values = self.get_lr() if closed is None else closed()
        finally:
            self._get_lr_called_within_step = False
        self._take(values)

    def _take(self, values: Iterable[Any]) -> None:
        for group, rate in zip(self.optimizer.param_groups, values, strict=True):
            set_rate(group, rate)
        self._last_lr = rates_of(self.optimizer)

    def _rates(self, by: Any = None) -> list[Any]:
        """The current rates, multiplied by a factor if there is one."""
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
                UserWarning,
                stacklevel=3,
            )
        return (
            rates_of(self.optimizer)
            if by is None
            else [group["lr"] * by for group in self.optimizer.param_groups]
        )


def _note_steps(optimizer: Optimizer) -> None:
    """Wrap an optimizer's step so that it records in ``_opt_called`` that it was called."""
    if hasattr(optimizer.step, "_wrapped_by_lr_sched"):
        return
    function, own = optimizer.step.__func__, ref(optimizer)

    @wraps(function)
    def step(*args: Any, **kwargs: Any) -> Any:
        instance: Any = own()
        instance._opt_called = True
        return function(instance, *args, **kwargs)

    step._wrapped_by_lr_sched = True  # type: ignore[attr-defined]
    optimizer.step = step
