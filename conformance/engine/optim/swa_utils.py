"""torch.optim.swa_utils: averaged models and SWALR."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from typing import Any

from .._arguments.absent_names import look_up
from .._aten.creation.from_data import tensor
from .._autograd.tensor import Tensor
from .._c10.dtypes import int64
from .._c10.modes import no_grad
from .._optim.lr_scheduler_base import LRScheduler, for_each_group
from ..nn.modules.batchnorm import _BatchNorm
from ..nn.modules.module import Module
from .optimizer import Optimizer

Average = Callable[[Tensor, Tensor, Any], Tensor]
AverageOfAll = Callable[[Sequence[Tensor], Sequence[Tensor], Any], None]


def _check_decay(decay: float) -> None:
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def _inexact(tensors: Sequence[Tensor]) -> bool:
    return tensors[0].is_floating_point() or tensors[0].is_complex()


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """The update of an exponential moving average."""
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> Average:
    """The update of an equally weighted average."""

    @no_grad()
    def swa_update(averaged_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def get_ema_multi_avg_fn(decay: float = 0.999) -> AverageOfAll:
    """get_ema_avg_fn for lists of tensors, in place."""
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param_list: Sequence[Tensor], current_param_list: Sequence[Tensor], _: Any) -> None:
        if _inexact(ema_param_list):
            for averaged, current in zip(ema_param_list, current_param_list, strict=True):
                averaged.lerp_(current, 1 - decay)
            return
        for averaged, current in zip(ema_param_list, current_param_list, strict=True):
            averaged.copy_(averaged * decay + current * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn() -> AverageOfAll:
    """get_swa_avg_fn for lists of tensors, in place."""

    @no_grad()
    def swa_update(
        averaged_param_list: Sequence[Tensor], current_param_list: Sequence[Tensor], num_averaged: Any
    ) -> None:
        if _inexact(averaged_param_list):
            for averaged, current in zip(averaged_param_list, current_param_list, strict=True):
                averaged.lerp_(current, 1 / (num_averaged + 1))
            return
        for averaged, current in zip(averaged_param_list, current_param_list, strict=True):
            if isinstance(num_averaged, Tensor):
                averaged.addcdiv_(current - averaged, num_averaged + 1)
            else:
                averaged.add_(current - averaged, alpha=1.0 / (num_averaged + 1))

    return swa_update


class AveragedModel(Module):
    """A copy of a model whose parameters are averages of the model's, updated by ``update_parameters``."""

    __module__ = "torch.optim.swa_utils"

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Average | None = None,
        multi_avg_fn: AverageOfAll | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", tensor(0, dtype=int64, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The output of the averaged model."""
        return self.module(*args, **kwargs)

    def _averaged(self, model: Module, own: bool) -> Iterable[Tensor]:
        if self.use_buffers:
            return itertools.chain(model.parameters(), model.buffers())
        return self.parameters() if own else model.parameters()

    def update_parameters(self, model: Module) -> None:
        """Update the averages with the model's current parameters."""
        pairs = list(zip(self._averaged(self.module, True), self._averaged(model, False), strict=False))
        pairs = [(averaged.detach(), current.detach()) for averaged, current in pairs]
        if self.n_averaged == 0:
            for averaged, current in pairs:
                averaged.copy_(current)
        if self.n_averaged > 0:
            self._average(pairs)
        if not self.use_buffers:  # buffers are copied, not averaged
            for averaged, current in zip(self.module.buffers(), model.buffers(), strict=True):
                averaged.detach().copy_(current.detach())
        self.n_averaged += 1

    def _average(self, pairs: list[tuple[Tensor, Tensor]]) -> None:
        if self.multi_avg_fn is not None:
            kinds: dict[Any, list[tuple[Tensor, Tensor]]] = {}
            for pair in pairs:
                kinds.setdefault(pair[0].dtype, []).append(pair)
            for alike in kinds.values():
                averaged, current = (list(each) for each in zip(*alike, strict=True))
                self.multi_avg_fn(averaged, current, self.n_averaged)
            return
        average = get_swa_avg_fn() if self.avg_fn is None else self.avg_fn
        for mean, now in pairs:
            mean.copy_(average(mean, now, self.n_averaged))


@no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Recompute the running statistics of batch normalizations, with each batch weighted equally."""
    momenta = {module: module.momentum for module in model.modules() if isinstance(module, _BatchNorm)}
    for module in momenta:
        module.reset_running_stats()
    if not momenta:
        return
    was_training = model.training
    model.train()
    for module in momenta:
        module.momentum = None
    for input in loader:
        if isinstance(input, (list, tuple)):
            input = input[0]
        model(input if device is None else input.to(device))
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """Anneals the rate to ``swa_lr`` within ``anneal_epochs``, and keeps it."""

    __module__ = "torch.optim.swa_utils"

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: Any,
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        for rate, group in zip(
            for_each_group("swa_lr", optimizer, swa_lr), optimizer.param_groups, strict=True
        ):
            group["swa_lr"] = rate.clone() if isinstance(rate, Tensor) else rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self._set_anneal_func(anneal_strategy)
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _set_anneal_func(self, anneal_strategy: str) -> None:
        self._anneal_strategy = anneal_strategy
        self.anneal_func = self._cosine_anneal if anneal_strategy == "cos" else self._linear_anneal

    @staticmethod
    def _linear_anneal(t: float) -> float:
        return t

    @staticmethod
    def _cosine_anneal(t: float) -> float:
        return (1 - math.cos(math.pi * t)) / 2

    def _alpha(self, step: int) -> float:
        """The progress of the annealing, from 0 to 1."""
        return self.anneal_func(max(0, min(1, step / max(1, self.anneal_epochs))))

    def get_lr(self) -> list[Any]:
        self._rates()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._alpha(step - 1), self._alpha(step)
        found = []
        for group in self.optimizer.param_groups:
            rate, last = group["lr"], group["swa_lr"]
            first = last if before == 1 else (rate - before * last) / (1 - before)
            found.append(last * now + first * (1 - now))
        return found

    def state_dict(self) -> dict[str, Any]:
        """The attributes except the optimizer and the annealing function."""
        return {key: value for key, value in self.__dict__.items() if key not in ("optimizer", "anneal_func")}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a state of state_dict."""
        self.__dict__.update(state_dict)
        self._set_anneal_func(self._anneal_strategy)


__getattr__ = look_up("torch.optim.swa_utils")
