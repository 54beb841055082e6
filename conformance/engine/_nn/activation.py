"""The activation functions of torch.nn.functional, with their in-place forms."""

from __future__ import annotations

from typing import Any

from .._aten.creation.factories import empty_like, zeros_like
from .._aten.inplace import inplace
from .._aten.nn import exp_activations, prelu_rrelu_glu
from .._aten.nn import relu_family as ops
from .._aten.nn import softmax as softmaxes
from .._aten.registry import ROWS
from .._autograd.tensor import Tensor
from .._c10.errors import need_fitting
from .._c10.layout import contiguous_format
from .._c10.operator_facts import composite
from .._c10.warn_once import warn_program

relu_, elu_, celu_, leaky_relu_, hardtanh_, threshold_ = (
    inplace(ROWS.get(f"{name}_") or ROWS[name])
    for name in ("relu", "elu", "celu", "leaky_relu", "hardtanh", "threshold")
)
silu_, mish_, hardsigmoid_, hardswish_ = (
    inplace(ROWS[n]) for n in ("silu", "mish", "hardsigmoid", "hardswish")
)
selu_, rrelu_ = exp_activations.selu_, prelu_rrelu_glu.rrelu_
gelu, softplus, logsigmoid = exp_activations.gelu, exp_activations.softplus, exp_activations.logsigmoid
hardshrink, softshrink, prelu = ops.hardshrink, ops.softshrink, prelu_rrelu_glu.prelu


@composite(vmap="decompose")
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """The positive part."""
    return input.relu_() if inplace else ops.relu(input)


@composite(vmap="decompose")
def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """The input clamped to [0, 6]."""
    return hardtanh(input, 0, 6, inplace)


@composite(vmap="decompose")
def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """The input where it is above the threshold, else the value."""
    return (threshold_ if inplace else ops.threshold)(input, threshold, value)


threshold.__qualname__ = "_threshold"  # the name in errors about missing arguments


@composite(vmap="decompose")
def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """The input clamped to [min_val, max_val]."""
    need_fitting(min_val <= max_val, "hardtanh")
    return (hardtanh_ if inplace else ops.hardtanh)(input, min_val, max_val)


@composite(vmap="decompose")
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """The input where it is positive, else negative_slope * input."""
    return (leaky_relu_ if inplace else ops.leaky_relu)(input, negative_slope)


@composite(vmap="decompose")
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """The input where it is positive, else alpha * (exp(input) - 1)."""
    return (elu_ if inplace else exp_activations.elu)(input, alpha)


@composite(vmap="decompose")
def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """elu, continuously differentiable for every alpha."""
    return (celu_ if inplace else exp_activations.celu)(input, alpha)


@composite(vmap="decompose")
def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """elu with the alpha and scale of self-normalizing networks."""
    return (selu_ if inplace else exp_activations.selu)(input)


@composite(vmap="unsupported")
def rrelu(
    input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """leaky_relu with slopes drawn between lower and upper in training, else with their mean."""
    return (rrelu_ if inplace else prelu_rrelu_glu.rrelu)(input, lower, upper, training)


@composite(vmap="decompose")
def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """input * sigmoid(input)."""
    return (silu_ if inplace else exp_activations.silu)(input)


@composite(vmap="decompose")
def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """input * tanh(softplus(input))."""
    return (mish_ if inplace else exp_activations.mish)(input)


@composite(vmap="decompose")
def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """relu6(input + 3) / 6."""
    return (hardsigmoid_ if inplace else ops.hardsigmoid)(input)


@composite(vmap="decompose")
def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """input * hardsigmoid(input)."""
    return (hardswish_ if inplace else ops.hardswish)(input)


@composite(vmap="decompose")
def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half along a dimension times the sigmoid of the second half."""
    return prelu_rrelu_glu.glu(input, dim)


@composite(vmap="decompose")
def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent."""
    return input.tanh()


@composite(vmap="decompose")
def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-input))."""
    return input.sigmoid()


@composite(vmap="decompose")
def softsign(input: Tensor) -> Tensor:
    """input / (1 + abs(input))."""
    return input / (input.abs() + 1)


@composite(vmap="decompose")
def tanhshrink(input: Tensor) -> Tensor:
    """input - tanh(input)."""
    return input - input.tanh()


# Softmax ------------------------------------------------------------------------------------------


def _dim(name: str, input: Tensor, dim: int | None) -> int:
    if dim is not None:
        return dim
    warn_program(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument."
    )
    return 0 if input.dim() in (0, 1, 3) else 1


@composite(vmap="decompose")
def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """exp(input) along a dimension, normalized to sum to 1."""
    return softmaxes.softmax(input, _dim("softmax", input, dim), dtype)


@composite(vmap="decompose")
def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """softmax of the negative."""
    return softmaxes.softmax(-input, _dim("softmin", input, dim), dtype)


@composite(vmap="decompose")
def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """The logarithm of softmax."""
    return softmaxes.log_softmax(input, _dim("log_softmax", input, dim), dtype)


def gumbel_softmax(
    logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """softmax of the logits plus Gumbel noise; ``hard`` returns one-hot samples with the gradient of the soft ones."""
    if eps != 1e-10:
        warn_program("`eps` parameter is deprecated and has no effect.")
    gumbels = -empty_like(logits, memory_format=contiguous_format).exponential_().log()
    soft = ((logits + gumbels) / tau).softmax(dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    one_hot = zeros_like(logits).scatter_(dim, index, 1.0)
    return one_hot - soft.detach() + soft
