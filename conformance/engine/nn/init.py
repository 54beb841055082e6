"""torch.nn.init: initialization of parameters, with torch's random numbers."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .._arguments.absent_names import look_up
from .._autograd.tensor import Tensor, make, wrap
from .._c10.dtypes import is_half
from .._c10.errors import unimplemented
from .._c10.modes import no_grad

_LINEAR = (
    "linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "sigmoid",
)  # fmt: skip


def calculate_gain(nonlinearity: str, param: Any = None) -> float:
    """The recommended gain for a nonlinearity."""
    if nonlinearity in _LINEAR:
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        if param is None:
            param = 0.01
        elif isinstance(param, bool) or not isinstance(param, (int, float)):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + param**2))
    if nonlinearity == "selu":
        return 3.0 / 4
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    shape = tensor.shape
    if len(shape) < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = math.prod(shape[2:])
    return shape[1] * field, shape[0] * field


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return _calculate_fan_in_and_fan_out(tensor)[mode == "fan_out"]


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with samples of the uniform distribution on [a, b)."""
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with samples of a normal distribution."""
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with a number."""
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Fill with 1."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill with 0."""
    with no_grad():
        return tensor.zero_()


def eye_(tensor: Tensor) -> Tensor:
    """Fill with the identity matrix."""
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with no_grad():
        return tensor.copy_(make(np.eye(*tensor.shape, dtype=tensor._array.dtype)))


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Xavier initialization with a uniform distribution (Glorot and Bengio)."""
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    a = math.sqrt(3.0) * (gain * math.sqrt(2.0 / float(fan_in + fan_out)))
    return uniform_(tensor, -a, a, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Xavier initialization with a normal distribution (Glorot and Bengio)."""
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(fan_in + fan_out)), generator)


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float | None:
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
        return None
    fan = _calculate_correct_fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Tensor:
    """Kaiming initialization with a uniform distribution (He et al.)."""
    std = _kaiming_std(tensor, a, mode, nonlinearity)
    if std is None:
        return tensor
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Tensor:
    """Kaiming initialization with a normal distribution (He et al.)."""
    std = _kaiming_std(tensor, a, mode, nonlinearity)
    return tensor if std is None else normal_(tensor, 0, std, generator)


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Any = None,
) -> Tensor:
    """Fill with samples of a normal distribution truncated to [a, b]."""

    def below(x: float) -> float:
        return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0

    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be "
            "incorrect.",
            stacklevel=2,
        )
    probability = below((b - mean) / std) - below((a - mean) / std)
    with no_grad():
        found = _redrawn if probability > 0.3 else _rejected
        values = found(tensor, mean, std, a, b, generator)
        return tensor if values is tensor._array else tensor.copy_(wrap(values))


def _redrawn(tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Any) -> Any:
    low, high = (tensor.new_tensor(bound)._array[()] for bound in (a, b))
    result = tensor.normal_(mean, std, generator=generator)._array
    while True:
        outside = (result < low) | (result > high)
        if not outside.any():
            return result
        again = make(np.empty_like(result)).normal_(mean, std, generator=generator)._array
        result = np.where(outside, again, result)


def _rejected(tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Any) -> Any:
    mode = max(a, min(mean, b))
    peak = -0.5 * ((mode - mean) / std) ** 2
    result = tensor.uniform_(a, b, generator=generator)._array
    height = make(np.empty_like(result))

    def refused(candidates: Any) -> Any:
        kind = candidates.dtype.type
        centered = (candidates - kind(mean)) / kind(std)
        log_density = centered * centered * kind(-0.5) - kind(peak)
        return np.log(height.uniform_(generator=generator)._array) > log_density

    pending = refused(result)
    while pending.any():
        candidates = make(np.empty_like(result)).uniform_(a, b, generator=generator)._array
        result = np.where(pending, candidates, result)
        pending = np.where(pending, refused(candidates), pending)
    return result


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Any = None) -> Tensor:
    """Fill with a matrix with orthonormal rows or columns."""
    if tensor.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if not tensor._array.size:
        return tensor
    rows = tensor.shape[0]
    columns = tensor._array.size // rows
    flat = tensor.new_empty((rows, columns)).normal_(0, 1, generator=generator)._array
    if is_half(flat.dtype):
        raise unimplemented("geqrf_cpu", flat.dtype)
    q, r = np.linalg.qr(flat.T if rows < columns else flat)
    q = q * np.sign(np.diagonal(r))
    with no_grad():
        tensor.copy_(make(np.ascontiguousarray(q.T if rows < columns else q).reshape(tensor.shape)))
        return tensor.mul_(gain)


def _deprecated(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    new = function.__name__
    old = new[:-1]

    def renamed(*args: Any, **kwargs: Any) -> Tensor:
        warnings.warn(
            f"`nn.init.{old}` is now deprecated in favor of `nn.init.{new}`.", FutureWarning, stacklevel=2
        )
        return function(*args, **kwargs)

    renamed.__name__ = old
    return renamed


uniform, normal, constant, eye, orthogonal = map(
    _deprecated, (uniform_, normal_, constant_, eye_, orthogonal_)
)
xavier_uniform, xavier_normal, kaiming_uniform, kaiming_normal = map(
    _deprecated, (xavier_uniform_, xavier_normal_, kaiming_uniform_, kaiming_normal_)
)

__getattr__ = look_up("torch.nn.init")
