"""The instance normalization modules."""

from __future__ import annotations

import warnings
from typing import Any

from ..._autograd.tensor import Tensor
from .. import functional
from ._sizes import by_dims
from .batchnorm import _NormBase


class _InstanceNorm(_NormBase):
    _spatial: int

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = False,
        track_running_stats: bool = False, device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def forward(self, input: Tensor) -> Tensor:
        single = self._spatial + 1
        if input.dim() not in (single, single + 1):
            raise ValueError(f"expected {single}D or {single + 1}D input (got {input.dim()}D input)")
        dim = input.dim() - single
        if input.size(dim) != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={dim} to match num_features ({self.num_features}), but got: "
                    f"{input.size(dim)}."
                )
            warnings.warn(
                f"input's size at dim={dim} does not match num_features. You can silence this warning by not "
                "passing in num_features, which is not used because affine=False",
                stacklevel=2,
            )
        if input.dim() == single:
            return self._normalized(input.unsqueeze(0)).squeeze(0)
        return self._normalized(input)

    def _normalized(self, input: Tensor) -> Tensor:
        return functional.instance_norm(
            input, self.running_mean, self.running_var, self.weight, self.bias,
            self.training or not self.track_running_stats, 0.0 if self.momentum is None else self.momentum, self.eps,
        )  # fmt: skip


InstanceNorm1d, InstanceNorm2d, InstanceNorm3d = by_dims(
    "InstanceNorm", _InstanceNorm, "Instance normalization over {}."
)
