"""The base of torch.optim.Optimizer: what learning-rate schedulers need of an optimizer."""

from __future__ import annotations

from typing import Any


class OptimizerBase:
    """An optimizer as a scheduler sees it: groups of parameters with settings, and a step."""

    defaults: dict[str, Any]
    param_groups: list[dict[str, Any]]
    step: Any
