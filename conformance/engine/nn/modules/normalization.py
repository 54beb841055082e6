"""Normalization modules that do not depend on the batch."""

from __future__ import annotations

from typing import Any

from ..._aten.creation.factories import empty
from ..._autograd.tensor import Tensor
from ..._c10.device import check_device
from ..._nn.parameter import Parameter
from .. import functional, init
from . import _functions
from ._applied import _Applied, module_of
from .module import Module


class _Affine(Module):
    """The base of normalizations with optional weight and bias."""

    def _register(self, shape: Any, dtype: Any, **present: bool) -> None:
        for name, wanted in present.items():
            self.register_parameter(name, Parameter(empty(shape, dtype=dtype)) if wanted else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reset weight to 1 and bias to 0."""
        for name, parameter in self._parameters.items():
            if parameter is not None:
                (init.ones_ if name == "weight" else init.zeros_)(parameter)


def _shape(normalized_shape: Any) -> tuple[int, ...]:
    return (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)


class LayerNorm(_Affine):
    """Normalizes over the last dimensions."""

    def __init__(
        self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True, bias: bool = True,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        check_device(device)
        super().__init__()
        self.normalized_shape = _shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self._register(
            self.normalized_shape, dtype, weight=elementwise_affine, bias=elementwise_affine and bias
        )

    def forward(self, input: Tensor) -> Tensor:
        return functional.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(_Affine):
    """Divides by the root mean square over the last dimensions."""

    def __init__(
        self, normalized_shape: Any, eps: float | None = None, elementwise_affine: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        check_device(device)
        super().__init__()
        self.normalized_shape = _shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self._register(self.normalized_shape, dtype, weight=elementwise_affine)

    def forward(self, x: Tensor) -> Tensor:
        return functional.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(_Affine):
    """Normalizes groups of channels."""

    def __init__(
        self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True, device: Any = None,
        dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        check_device(device)
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        self._register(num_channels, dtype, weight=affine, bias=affine and bias)

    def forward(self, input: Tensor) -> Tensor:
        return functional.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class _CrossMap(_Applied):
    def forward(self, input: Tensor) -> Any:
        return _functions.CrossMapLRN2d.apply(input, self.size, self.alpha, self.beta, self.k)


_NEIGHBOURS = "{0.size}, alpha={0.alpha}, beta={0.beta}, k={0.k}"
LocalResponseNorm = module_of(
    "LocalResponseNorm", "local_response_norm", "Divides by a power of the mean square of neighbouring channels.",
    _NEIGHBOURS, "size", alpha=1e-4, beta=0.75, k=1.0,
)  # fmt: skip
CrossMapLRN2d = module_of(
    "CrossMapLRN2d", "", "LocalResponseNorm of images in torch's legacy implementation.", _NEIGHBOURS, "size",
    base=_CrossMap, alpha=1e-4, beta=0.75, k=1,
)  # fmt: skip
