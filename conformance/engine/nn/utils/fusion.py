"""Fusion of a layer with the batch normalization after it (torch: nn/utils/fusion.py)."""

from __future__ import annotations

import copy
from typing import Any

from ..._aten.creation.factories import ones_like, zeros_like
from ..._autograd.tensor import Tensor
from ..._nn.parameter import Parameter


def fuse_conv_bn_weights(
    conv_w: Tensor, conv_b: Tensor | None, bn_rm: Tensor, bn_rv: Tensor, bn_eps: float, bn_w: Tensor | None,
    bn_b: Tensor | None, transpose: bool = False,
) -> tuple[Parameter, Parameter]:  # fmt: skip
    """The weight and bias of a convolution that includes the normalization."""
    scale, shift = _normalization(bn_rm, bn_rv, bn_eps, bn_w, bn_b)
    shape = [1] * conv_w.dim()
    shape[1 if transpose else 0] = -1
    weight = (conv_w * scale.reshape(shape)).to(dtype=conv_w.dtype)
    bias = _shifted(conv_b, bn_rm, scale, shift)
    return Parameter(weight, conv_w.requires_grad), Parameter(
        bias, conv_b is not None and conv_b.requires_grad
    )


def fuse_linear_bn_weights(
    linear_w: Tensor,
    linear_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor,
    bn_b: Tensor,
) -> tuple[Parameter, Parameter]:
    """The weight and bias of a linear layer that includes the normalization."""
    scale, shift = _normalization(bn_rm, bn_rv, bn_eps, bn_w, bn_b)
    weight = linear_w * scale.unsqueeze(-1).to(dtype=linear_w.dtype)
    bias = _shifted(linear_b, bn_rm, scale, shift).to(dtype=linear_w.dtype)
    return Parameter(weight, linear_w.requires_grad), Parameter(
        bias, linear_b is not None and linear_b.requires_grad
    )


def _normalization(mean: Tensor, var: Tensor, eps: float, weight: Any, bias: Any) -> tuple[Tensor, Tensor]:
    weight = ones_like(mean) if weight is None else weight
    return weight * (var + eps).rsqrt(), zeros_like(mean) if bias is None else bias


def _shifted(bias: Tensor | None, mean: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
    found: Tensor = ((zeros_like(mean) if bias is None else bias) - mean) * scale + shift
    return found


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """A copy of the convolution that includes the normalization; both must be in eval mode."""
    _check_training(conv, bn)
    _check_statistics(bn)
    fused = copy.deepcopy(conv)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, transpose
    )
    return fused


def _check_training(layer: Any, bn: Any) -> None:
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")


def _check_statistics(bn: Any) -> None:
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")
