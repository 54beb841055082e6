"""The normalizations of torch.nn.functional, with their argument checks."""

from __future__ import annotations

import math
from operator import index
from typing import Any

from .._aten.kernels import need_floats, need_inexact
from .._aten.nn import batch_norm as ops
from .._aten.nn import layer_norm as layernorm
from .._aten.shape.view_reshape import alias
from .._autograd.tensor import Tensor, make
from .._c10.dtypes import finfo, float32, promote_types
from .._c10.errors import need_fitting
from .._c10.layout import suggest_memory_format
from .._c10.operator_facts import composite
from .padding import pad
from .pooling import avg_pool2d, avg_pool3d


def _verify_batch_size(size: Any) -> None:
    if size[0] * math.prod(size[2:]) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}")


@composite(vmap="decompose")
def batch_norm(
    input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None,
    bias: Tensor | None = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """Normalize each channel over the batch, then scale and shift it."""
    if training:
        _verify_batch_size(input.size())
    need_fitting(eps > 0.0 or (eps == 0.0 and not training), "batch_norm")
    return ops.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, True)


@composite(vmap="decompose")
def instance_norm(
    input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None,
    weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: bool = True, momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """Normalize each channel of each sample, then scale and shift it."""
    size = input.size()
    if use_input_stats and math.prod(size[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {size}")
    return torch_instance_norm(
        input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, True
    )


@composite(vmap="decompose")
def torch_instance_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None,
    running_var: Tensor | None, use_input_stats: bool, momentum: float, eps: float, cudnn_enabled: bool,
) -> Tensor:  # fmt: skip
    """torch.instance_norm: instance_norm with other argument order and without the check of the number of elements."""
    size = input.size()
    batch, channels = size[:2]
    scale, shift, mean, var = (
        None if t is None else t.repeat(batch) for t in (weight, bias, running_mean, running_var)
    )
    kind = (input if weight is None else weight).dtype
    need_fitting(all(each is None or each.dtype is kind for each in (mean, var)), "instance_norm")
    flat = input.contiguous().view(1, batch * channels, *size[2:])
    found = ops.batch_norm(flat, scale, shift, mean, var, use_input_stats, momentum, eps, cudnn_enabled)
    for running, repeated in ((running_mean, mean), (running_var, var)):
        if use_input_stats and running is not None and repeated is not None:
            # torch writes to an alias, which a transform of torch.func allows of a captured tensor, too
            alias(running).copy_(repeated.view(batch, channels).mean(0, keepdim=False))
    return found.view(size)


def _last(input: Tensor, shape: Any, name: str, *parameters: Tensor | None) -> tuple[int, ...]:
    wanted = tuple([index(n) for n in shape])
    need_fitting(wanted, name)
    for kind, each in zip(("weight", "bias"), parameters, strict=False):
        if each is not None and each._array.shape != wanted:
            raise RuntimeError(
                f"Expected {kind} to be of same shape as normalized_shape, but got {kind} of shape "
                f"{list(each._array.shape)} and normalized_shape = {list(wanted)}"
            )
    have = input._array.shape
    if have[len(have) - len(wanted) :] != wanted or len(have) < len(wanted):
        comma = "" if name == "rms_norm" else ", "
        text = comma + ", ".join(map(str, wanted))
        raise RuntimeError(
            f"Given normalized_shape={list(wanted)}, expected input with shape [*{text}], but got input of "
            f"size{list(have)}"
        )
    return wanted


def layer_norm(
    input: Tensor,
    normalized_shape: Any,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Normalize over the last dimensions, then scale and shift."""
    return native_layer_norm(input, normalized_shape, weight, bias, eps)[0]


def native_layer_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None, bias: Tensor | None, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """torch.native_layer_norm: layer_norm with the means and inverse standard deviations, keeping reduced dimensions."""
    shape = _last(input, normalized_shape, "layer_norm", weight, bias)
    ops.check_kinds(input, weight, bias)
    need_floats("LayerNormKernelImpl", input._array)
    exact = layernorm.layer_statistics(input._array, len(shape), float(eps))
    kind = ops.statistics_kind(input, weight, bias)
    mean, rstd = (make(each.astype(kind)) for each in exact[:2])
    return layernorm.native_layer_norm(input, shape, weight, bias, mean, rstd, exact), mean, rstd


@composite(vmap="decompose")
def rms_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """Divide by the root mean square over the last dimensions, then scale."""
    shape = _last(input, normalized_shape, "rms_norm", weight)
    need_inexact("rms_norm", input._array)
    ndim = input._array.ndim
    dims = tuple(ndim - 1 - i for i in range(len(shape)))
    precise = promote_types(input.dtype, float32)
    found = layernorm.root_mean_square_norm(
        input.to(precise), dims, weight, finfo(precise).eps if eps is None else eps
    )
    return found.contiguous(memory_format=suggest_memory_format(input._array)).to(input.dtype)


@composite(vmap="decompose")
def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Normalize each group of channels, then scale and shift each channel."""
    shape = input._array.shape
    batch, channels = shape[:2]
    _verify_batch_size([batch * channels // num_groups, num_groups, *shape[2:]])
    _check_groups(shape, channels, num_groups, weight, bias)
    ops.check_kinds(input, weight, bias)
    area = math.prod(shape[2:])
    scale, shift = (each if each is None else each.contiguous() for each in (weight, bias))
    x = input.contiguous(memory_format=suggest_memory_format(input._array))
    return layernorm.native_group_norm(x, scale, shift, batch, channels, area, num_groups, float(eps))[0]


def _check_groups(
    shape: tuple[int, ...], channels: int, groups: int, weight: Tensor | None, bias: Tensor | None
) -> None:
    if channels % groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{list(shape)} and num_groups={groups}"
        )
    reported = [0] if weight is None else list(weight._array.shape)  # for a bias, too
    for kind, each in (("weight", weight), ("bias", bias)):
        if each is not None and each._array.shape != (channels,):
            raise RuntimeError(
                f"Expected {kind} to be a vector of size equal to the number of channels in input, but got {kind} of "
                f"shape {reported} and input of shape {list(shape)}"
            )


def native_group_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    N: int,
    C: int,
    HxW: int,
    group: int,
    eps: float,
) -> Any:
    """torch.native_group_norm: group_norm with each group's mean and inverse standard deviation."""
    _check_groups(input._array.shape, C, group, weight, bias)
    ops.check_kinds(input, weight, bias)
    return layernorm.native_group_norm(input, weight, bias, N, C, HxW, group, float(eps))


@composite(vmap="decompose")
def local_response_norm(
    input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Tensor:
    """Divide each element by a power of the mean square of neighbouring channels."""
    dim = input.dim()
    need_fitting(dim >= 3, "local_response_norm")
    if not input._array.size:
        return input
    squares = input.mul(input)
    around = (size // 2, (size - 1) // 2)
    if dim == 3:
        squares = pad(squares.unsqueeze(1), (0, 0, *around))
        squares = avg_pool2d(squares, (size, 1), stride=1).squeeze(1)
    else:
        sizes = input.size()
        squares = pad(squares.view(sizes[0], 1, sizes[1], sizes[2], -1), (0, 0, 0, 0, *around))
        squares = avg_pool3d(squares, (size, 1, 1), stride=1).squeeze(1).view(sizes)
    return input / squares.mul(alpha).add(k).pow(beta)
