"""torch.nn.parallel on a machine without accelerators (torch: nn/parallel)."""

from __future__ import annotations

from typing import Any

from .modules.module import Module


class DataParallel(Module):
    """Calls ``module`` on the whole batch, since there are no devices."""

    __module__ = "torch.nn.parallel.data_parallel"

    def __init__(
        self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0
    ) -> None:
        super().__init__()
        self.module = module
        self.device_ids: list[int] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)
