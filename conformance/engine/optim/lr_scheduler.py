"""torch.optim.lr_scheduler: learning rates that change from epoch to epoch."""

from __future__ import annotations

import math
import types
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from typing import Any

from ..absent import look_up
from .lr_base import EPOCH_DEPRECATION_WARNING, LRScheduler  # noqa: F401
from .lr_compound import ChainedScheduler, ReduceLROnPlateau, SequentialLR  # noqa: F401
from .lr_cycles import CosineAnnealingWarmRestarts, CyclicLR, OneCycleLR  # noqa: F401
from .optimizer import Optimizer


class LambdaLR(LRScheduler):
    """The initial rate times a function of the epoch."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        self.optimizer = optimizer
        groups = len(optimizer.param_groups)
        if not isinstance(lr_lambda, (list, tuple)):
            self.lr_lambdas: list[Any] = [lr_lambda] * groups
        elif len(lr_lambda) != groups:
            raise ValueError(f"Expected {groups} lr_lambdas, but got {len(lr_lambda)}")
        else:
            self.lr_lambdas = list(lr_lambda)
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer; of the functions what callable objects hold."""
        state = {k: v for k, v in self.__dict__.items() if k not in ("optimizer", "lr_lambdas")}
        state["lr_lambdas"] = [
            None if isinstance(fn, types.FunctionType) else fn.__dict__.copy() for fn in self.lr_lambdas
        ]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over a state."""
        self.__dict__.update({k: v for k, v in state_dict.items() if k != "lr_lambdas"})
        for function, state in zip(self.lr_lambdas, state_dict["lr_lambdas"], strict=True):
            if state is not None:
                function.__dict__.update(state)

    def get_lr(self) -> list[Any]:
        self._rates()
        return [base * fn(self.last_epoch) for fn, base in zip(self.lr_lambdas, self.base_lrs, strict=True)]


class MultiplicativeLR(LambdaLR):
    """The last rate times a function of the epoch."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        listed = (
            lr_lambda if isinstance(lr_lambda, (list, tuple)) else [lr_lambda] * len(optimizer.param_groups)
        )
        if len(listed) == len(optimizer.param_groups):
            for each in listed:
                if not callable(each):
                    raise TypeError(f"lr_lambda should be a function, but got {type(each).__name__}")
        super().__init__(optimizer, listed, last_epoch)

    def get_lr(self) -> list[Any]:
        if self._is_initial:
            return self._rates()
        return [rate * fn(self.last_epoch) for fn, rate in zip(self.lr_lambdas, self._rates(), strict=True)]


class StepLR(LRScheduler):
    """The rate times ``gamma`` every ``step_size`` epochs."""

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        due = self.last_epoch != 0 and self.last_epoch % self.step_size == 0
        return self._rates(self.gamma if due else None)

    def _get_closed_form_lr(self) -> list[Any]:
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self.base_lrs]


class MultiStepLR(LRScheduler):
    """The rate times ``gamma`` at each milestone."""

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        times = self.milestones.get(self.last_epoch)
        return self._rates(None if times is None else self.gamma**times)

    def _get_closed_form_lr(self) -> list[Any]:
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [base * self.gamma**passed for base in self.base_lrs]


class ConstantLR(LRScheduler):
    """The rate times ``factor`` until ``total_iters``."""

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        if self.last_epoch == 0:
            return self._rates(self.factor)
        return self._rates(1.0 / self.factor if self.last_epoch == self.total_iters else None)

    def _get_closed_form_lr(self) -> list[Any]:
        over = self.last_epoch >= self.total_iters
        return [base * (self.factor + over * (1 - self.factor)) for base in self.base_lrs]


class LinearLR(LRScheduler):
    """The rate grows linearly from one share of the initial rate to another."""

    def __init__(
        self, optimizer: Optimizer, start_factor: float = 1.0 / 3, end_factor: float = 1.0, total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError(
                "Starting multiplicative factor expected to be greater than 0 and less or equal to 1."
            )
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        if self.last_epoch == 0:
            return self._rates(self.start_factor)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._rates()
        span = self.end_factor - self.start_factor
        return self._rates(1.0 + span / (self.total_iters * self.start_factor + (self.last_epoch - 1) * span))

    def _get_closed_form_lr(self) -> list[Any]:
        span = self.end_factor - self.start_factor
        by = self.start_factor + span * min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * by for base in self.base_lrs]


class ExponentialLR(LRScheduler):
    """The rate times ``gamma`` every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        return self._rates(None if self._is_initial else self.gamma)

    def _get_closed_form_lr(self) -> list[Any]:
        return [base * self.gamma**self.last_epoch for base in self.base_lrs]


class PolynomialLR(LRScheduler):
    """The rate falls to 0 as a power of the epochs left."""

    def __init__(
        self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1
    ) -> None:
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._rates()
        left, before = (1.0 - n / self.total_iters for n in (self.last_epoch, self.last_epoch - 1))
        return self._rates((left / before) ** self.power)

    def _get_closed_form_lr(self) -> list[Any]:
        left = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * left**self.power for base in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """The rate falls along half a cosine to ``eta_min``."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        rates, n, period, low = self._rates(), self.last_epoch, self.T_max, self.eta_min
        if self._is_initial:
            return rates
        if self._step_count == 1 and n > 0:
            return self._get_closed_form_lr()
        if (n - 1 - period) % (2 * period) == 0:
            up = 1 - math.cos(math.pi / period)
            return [rate + (base - low) * up / 2 for base, rate in zip(self.base_lrs, rates, strict=True)]
        by = (1 + math.cos(math.pi * n / period)) / (1 + math.cos(math.pi * (n - 1) / period))
        return [by * (rate - low) + low for rate in rates]

    def _get_closed_form_lr(self) -> list[Any]:
        up, low = 1 + math.cos(math.pi * self.last_epoch / self.T_max), self.eta_min
        return [low + (base - low) * up / 2 for base in self.base_lrs]


_LRScheduler = LRScheduler
for _each in list(globals().values()):
    if isinstance(_each, type) and _each.__module__.startswith(__name__.rpartition(".")[0] + ".lr_"):
        _each.__module__ = "torch.optim.lr_scheduler"

__getattr__ = look_up("torch.optim.lr_scheduler")
