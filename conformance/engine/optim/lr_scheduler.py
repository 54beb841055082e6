"""Learning-rate schedules (torch: optim/lr_scheduler.py)."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from .optimizer import Optimizer


class LRScheduler:
    """Base: ``get_lr`` gives each group's rate for ``last_epoch``; ``step`` counts on and sets it."""

    __module__ = "torch.optim.lr_scheduler"

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        self.optimizer = optimizer
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        if last_epoch == -1:
            for group in optimizer.param_groups:
                group.setdefault("initial_lr", group["lr"])
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._last_lr: list[Any] = []
        self.step()

    def get_lr(self) -> list[Any]:
        """The rates for this epoch."""
        raise NotImplementedError

    def get_last_lr(self) -> list[Any]:
        """The rates that were set last."""
        return self._last_lr

    def step(self, epoch: int | None = None) -> None:
        """Go on to the next epoch."""
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        for group, rate in zip(self.optimizer.param_groups, self.get_lr(), strict=True):
            group["lr"] = rate
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def _rates(self) -> list[Any]:
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over a state."""
        self.__dict__.update(state_dict)


class LambdaLR(LRScheduler):
    """The initial rate times a function of the epoch."""

    def __init__(
        self, optimizer: Optimizer, lr_lambda: Callable[[int], float] | Sequence[Any], last_epoch: int = -1
    ) -> None:
        many = isinstance(lr_lambda, (list, tuple))
        self.lr_lambdas: list[Any] = list(lr_lambda) if many else [lr_lambda] * len(optimizer.param_groups)  # type: ignore[arg-type]
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        return [base * fn(self.last_epoch) for fn, base in zip(self.lr_lambdas, self.base_lrs, strict=True)]


class StepLR(LRScheduler):
    """The rate times ``gamma`` every ``step_size`` epochs."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return self._rates()
        return [rate * self.gamma for rate in self._rates()]


class MultiStepLR(LRScheduler):
    """The rate times ``gamma`` at each milestone."""

    def __init__(
        self, optimizer: Optimizer, milestones: Sequence[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        times = self.milestones[self.last_epoch]
        return [rate * self.gamma**times for rate in self._rates()] if times else self._rates()


class ExponentialLR(LRScheduler):
    """The rate times ``gamma`` every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        return self._rates() if self.last_epoch == 0 else [rate * self.gamma for rate in self._rates()]


class LinearLR(LRScheduler):
    """The rate grows linearly from one share of the initial rate to another."""

    def __init__(
        self, optimizer: Optimizer, start_factor: float = 1.0 / 3, end_factor: float = 1.0, total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        if self.last_epoch == 0:
            return [rate * self.start_factor for rate in self._rates()]
        if self.last_epoch > self.total_iters:
            return self._rates()
        span = self.end_factor - self.start_factor
        by = 1.0 + span / (self.total_iters * self.start_factor + (self.last_epoch - 1) * span)
        return [rate * by for rate in self._rates()]


class CosineAnnealingLR(LRScheduler):
    """The rate falls along half a cosine to ``eta_min``."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:  # noqa: N803
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        n, period, low = self.last_epoch, self.T_max, self.eta_min
        if n == 0:
            return self._rates()
        if (n - 1 - period) % (2 * period) == 0:
            up = (1 - math.cos(math.pi / period)) / 2
            return [rate + (base - low) * up for base, rate in zip(self.base_lrs, self._rates(), strict=True)]
        by = (1 + math.cos(math.pi * n / period)) / (1 + math.cos(math.pi * (n - 1) / period))
        return [by * (rate - low) + low for rate in self._rates()]
