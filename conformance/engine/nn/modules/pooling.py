"""The pooling modules."""

from __future__ import annotations

from typing import Any

from ..._autograd.tensor import Tensor
from .. import functional
from ._applied import _Applied
from ._sizes import by_dims, each

_WINDOW = "kernel_size={0.kernel_size}, stride={0.stride}, padding={0.padding}"


class _MaxPoolNd(_Applied):
    _function = "max_pool{}d"
    _passes = ("kernel_size", "stride", "padding", "dilation", "ceil_mode", "return_indices")
    _shows = f"{_WINDOW}, dilation={{0.dilation}}, ceil_mode={{0.ceil_mode}}"

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode


MaxPool1d, MaxPool2d, MaxPool3d = by_dims("MaxPool", _MaxPoolNd, "The largest element of each window of {}.")


class AvgPool1d(_Applied):
    """The mean of each window of one dimension."""

    _function = "avg_pool1d"
    _passes = ("kernel_size", "stride", "padding", "ceil_mode", "count_include_pad")
    _shows = _WINDOW

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size = each(kernel_size, 1)
        self.stride = each(kernel_size if stride is None else stride, 1)
        self.padding = each(padding, 1)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad


class _AvgPool(_Applied):
    _function = "avg_pool{}d"
    _passes = (*AvgPool1d._passes, "divisor_override")
    _shows = _WINDOW

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True, divisor_override: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override


AvgPool2d, AvgPool3d = by_dims("AvgPool", _AvgPool, "The mean of each window of {}.", (2, 3))


class _AdaptiveAvgPoolNd(_Applied):
    _function = "adaptive_avg_pool{}d"
    _passes = ("output_size",)
    _shows = "output_size={0.output_size}"

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size


AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d = by_dims(
    "AdaptiveAvgPool", _AdaptiveAvgPoolNd, "The means of ``output_size`` windows of {}."
)


class _AdaptiveMaxPoolNd(_Applied):
    _function = "adaptive_max_pool{}d"
    _passes = ("output_size", "return_indices")
    _shows = "output_size={0.output_size}"

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices


AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d = by_dims(
    "AdaptiveMaxPool", _AdaptiveMaxPoolNd, "The maxima of ``output_size`` windows of {}."
)


class _LPPoolNd(_Applied):
    _spatial: int
    _shows = (
        "norm_type={0.norm_type}, kernel_size={0.kernel_size}, stride={0.stride}, ceil_mode={0.ceil_mode}"
    )

    def __init__(
        self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Tensor:
        pool = getattr(functional, f"lp_pool{self._spatial}d")
        return pool(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


LPPool1d, LPPool2d, LPPool3d = by_dims("LPPool", _LPPoolNd, "The p-norm of each window of {}.")


class _MaxUnpoolNd(_Applied):
    _spatial: int
    _shows = _WINDOW

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.kernel_size = each(kernel_size, self._spatial)
        self.stride = each(kernel_size if stride is None else stride, self._spatial)
        self.padding = each(padding, self._spatial)

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
        unpool = getattr(functional, f"max_unpool{self._spatial}d")
        return unpool(input, indices, self.kernel_size, self.stride, self.padding, output_size)


MaxUnpool1d, MaxUnpool2d, MaxUnpool3d = by_dims(
    "MaxUnpool",
    _MaxUnpoolNd,
    "The partial inverse of MaxPool over {}: zeros, with each element at its index.",
)


class _FractionalMaxPool(_Applied):
    """The maximum of each window, for ``output_size`` windows at random positions."""

    _spatial: int
    _function = "fractional_max_pool{}d"
    _passes = ("kernel_size", "output_size", "output_ratio", "return_indices", "_random_samples")

    def __init__(
        self, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        name = type(self).__name__

        def full(value: Any) -> Any:
            return tuple(value) if isinstance(value, (list, tuple)) else (value,) * self._spatial

        self.kernel_size = full(kernel_size)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else full(output_size)
        self.output_ratio = None if output_ratio is None else full(output_ratio)
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(
            0 < self.output_ratio[i] < 1 for i in range(self._spatial)
        ):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")


FractionalMaxPool2d, FractionalMaxPool3d = by_dims(
    "FractionalMaxPool", _FractionalMaxPool, "Fractional max pooling of {}.", (2, 3)
)
