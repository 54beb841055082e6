"""The base class of torch.optim.Optimizer, with what learning-rate schedulers use."""

from __future__ import annotations

from typing import Any


class OptimizerBase:
    """The interface that schedulers use: parameter groups with their settings, and a step."""

    defaults: dict[str, Any]
    param_groups: list[dict[str, Any]]
    step: Any
