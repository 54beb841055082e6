"""Custom autograd.Functions of modules (torch: nn/modules/_functions.py)."""

from __future__ import annotations

from typing import Any

from ..._aten.creation.factories import empty_like
from ..._aten.pointwise.power import pow as power
from ..._autograd.custom_function import Function


class CrossMapLRN2d(Function):
    """Local response normalization across channels."""

    @staticmethod
    def forward(ctx: Any, input: Any, size: int, alpha: float, beta: float, k: float) -> Any:
        if input.dim() != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead.")
        ctx.size, ctx.alpha, ctx.beta = size, alpha, beta
        channels, reach = input.size(1), int((size - 1) / 2 + 1)
        output = input.new_empty(0).resize_as_(input)
        ctx.scale = scale = empty_like(input)
        power(input, 2, out=output)  # holds the squares for now
        first = scale.select(1, 0).zero_()
        for channel in range(min(reach, channels)):
            first.add_(output.select(1, channel))
        for channel in range(1, channels):
            current = scale.select(1, channel).copy_(scale.select(1, channel - 1))
            if channel < channels - reach + 1:
                current.add_(output.select(1, channel + reach - 1))
            if channel > reach:
                current.add_(output.select(1, channel - reach), alpha=-1)
        scale.mul_(alpha / size).add_(k)
        power(scale, -beta, out=output)
        output.mul_(input)
        ctx.save_for_backward(input, output)
        return output

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        input, output = ctx.saved_tensors
        samples, channels, *image = input.shape
        factor, before = 2 * ctx.alpha * ctx.beta / ctx.size, int(ctx.size - (ctx.size - 1) / 2)
        found = grad_output.new_empty(0).resize_as_(input)
        power(ctx.scale, -ctx.beta, out=found).mul_(grad_output)
        padded = input.new_zeros(channels + ctx.size - 1, *image)
        for n in range(samples):
            padded.narrow(0, before, channels).copy_((grad_output[n] * output[n]).div_(ctx.scale[n]))
            ratio = padded.narrow(0, 0, ctx.size - 1).sum(0)
            for channel in range(channels):
                ratio.add_(padded[channel + ctx.size - 1])
                found[n][channel].addcmul_(input[n][channel], ratio, value=-factor)
                ratio.add_(padded[channel], alpha=-1)
        return found, None, None, None, None
