"""The convolution modules."""

from __future__ import annotations

from typing import Any

from ..._aten.creation.factories import empty
from ..._autograd.tensor import Tensor
from ..._c10.device import check_device
from ..._nn.parameter import Parameter
from .. import functional
from ._sizes import by_dims, each
from .linear import draw
from .module import Module

Ints = tuple[int, ...]


class _ConvNd(Module):
    """The base of all convolutions; the number of spatial dimensions is the kernel size's length."""

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Ints, stride: Ints, padding: Any, dilation: Ints,
        transposed: bool, output_padding: Ints, groups: int, bias: bool, padding_mode: str, dtype: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        _check(in_channels, out_channels, groups, padding, stride, padding_mode)
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        self._reversed_padding_repeated_twice = _around(padding, kernel_size, dilation)
        if transposed:
            shape = (in_channels, out_channels // groups, *kernel_size)
        else:
            shape = (out_channels, in_channels // groups, *kernel_size)
        self.weight = Parameter(empty(shape, dtype=dtype))
        self.register_parameter("bias", Parameter(empty(out_channels, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initialize weight and bias."""
        draw(self.weight, self.bias)

    def extra_repr(self) -> str:
        spatial = len(self.kernel_size)
        text = (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        )
        if self.padding != (0,) * spatial:
            text += f", padding={self.padding}"
        if self.dilation != (1,) * spatial:
            text += f", dilation={self.dilation}"
        if self.output_padding != (0,) * spatial:
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text


def _check(inner: int, outer: int, groups: int, padding: Any, stride: Ints, padding_mode: str) -> None:
    if groups <= 0:
        raise ValueError("groups must be a positive integer")
    if inner % groups:
        raise ValueError("in_channels must be divisible by groups")
    if outer % groups:
        raise ValueError("out_channels must be divisible by groups")
    if isinstance(padding, str):
        if padding not in ("same", "valid"):
            raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'same', 'valid'}}")
        if padding == "same" and any(s != 1 for s in stride):
            raise ValueError("padding='same' is not supported for strided convolutions")
    modes = {"zeros", "reflect", "replicate", "circular"}
    if padding_mode not in modes:
        raise ValueError(f"padding_mode must be one of {modes}, but got padding_mode='{padding_mode}'")


def _around(padding: Any, kernel_size: Ints, dilation: Ints) -> Any:
    """The padding in the form of ``functional.pad``."""
    if not isinstance(padding, str):
        return tuple(p for p in reversed(padding) for _ in range(2))
    found = [0, 0] * len(kernel_size)
    if padding == "same":
        for i, (d, k) in enumerate(zip(reversed(dilation), reversed(kernel_size), strict=True)):
            total = d * (k - 1)
            found[2 * i], found[2 * i + 1] = total // 2, total - total // 2
    return found


class _Forward(_ConvNd):
    _spatial: int

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1, bias: bool = True, padding_mode: str = "zeros", device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        check_device(device)
        n = self._spatial
        around = padding if isinstance(padding, str) else each(padding, n)
        super().__init__(
            in_channels, out_channels, each(kernel_size, n), each(stride, n), around, each(dilation, n), False,
            each(0, n), groups, bias, padding_mode, dtype,
        )  # fmt: skip

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        convolve = getattr(functional, f"conv{self._spatial}d")
        padding = self.padding
        if self.padding_mode != "zeros":
            input = functional.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = each(0, self._spatial)
        return convolve(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)


Conv1d, Conv2d, Conv3d = by_dims("Conv", _Forward, "A convolution over {}.")


class _Transposed(_ConvNd):
    _spatial: int

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        output_padding: Any = 0, groups: int = 1, bias: bool = True, dilation: Any = 1, padding_mode: str = "zeros",
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        check_device(device)
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        n = self._spatial
        super().__init__(
            in_channels, out_channels, each(kernel_size, n), each(stride, n), each(padding, n), each(dilation, n), True,
            each(output_padding, n), groups, bias, padding_mode, dtype,
        )  # fmt: skip

    def _output_padding(self, input: Tensor, output_size: Any) -> Ints:
        """The output padding that gives a requested output size."""
        if output_size is None:
            return self.output_padding
        n = self._spatial
        lead = 2 if input.dim() == n + 2 else 1
        if len(output_size) == lead + n:
            output_size = output_size[lead:]
        if len(output_size) != n:
            raise ValueError(
                f"ConvTranspose{n}D: for {input.dim()}D input, output_size must have {n} or {lead + n} elements (got "
                f"{len(output_size)})"
            )
        inner = input.size()[lead:]
        along = zip(inner, self.stride, self.padding, self.dilation, self.kernel_size, strict=True)
        least = [(m - 1) * s - 2 * p + d * (k - 1) + 1 for m, s, p, d, k in along]
        most = [low + s - 1 for low, s in zip(least, self.stride, strict=True)]
        if any(not low <= size <= high for low, size, high in zip(least, output_size, most, strict=True)):
            raise ValueError(
                f"requested an output size of {output_size}, but valid sizes range from {least} to {most} "
                f"(for an input of {input.size()[2:]!r})"
            )
        return tuple(size - low for size, low in zip(output_size, least, strict=True))

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        convolve = getattr(functional, f"conv_transpose{self._spatial}d")
        beyond = self._output_padding(input, output_size)
        return convolve(
            input, self.weight, self.bias, self.stride, self.padding, beyond, self.groups, self.dilation
        )


ConvTranspose1d, ConvTranspose2d, ConvTranspose3d = by_dims(
    "ConvTranspose", _Transposed, "A transposed convolution over {}."
)
