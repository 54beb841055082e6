"""The activation modules."""

from __future__ import annotations

import warnings
from typing import Any

from ..._arguments.argument_errors import check_tensors
from ..._aten.creation.factories import empty
from ..._autograd.tensor import Tensor
from ..._c10.device import check_device
from ..._nn.parameter import Parameter
from .. import functional, init
from .module import Module


class _InPlace(Module):
    """The base of modules with an ``inplace`` option."""

    inplace: bool

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""

    def _also(self) -> str:
        return ", inplace=True" if self.inplace else ""


def _by_function(name: str, function: str, text: str, base: type = Module) -> Any:
    """The class of modules that apply a function of torch.nn.functional without other settings."""

    def forward(self: Any, input: Tensor) -> Tensor:
        apply = getattr(functional, function)
        return apply(input, inplace=self.inplace) if base is _InPlace else apply(input)

    forward.__qualname__ = f"{name}.forward"
    return type(name, (base,), {"forward": forward, "__doc__": text, "__module__": __name__})


ReLU = _by_function("ReLU", "relu", "max(0, input).", _InPlace)
SiLU = _by_function("SiLU", "silu", "input * sigmoid(input).", _InPlace)
Mish = _by_function("Mish", "mish", "input * tanh(softplus(input)).", _InPlace)
SELU = _by_function("SELU", "selu", "The scaled exponential linear unit.", _InPlace)
Hardsigmoid = _by_function("Hardsigmoid", "hardsigmoid", "relu6(input + 3) / 6.", _InPlace)
Hardswish = _by_function("Hardswish", "hardswish", "input * hardsigmoid(input).", _InPlace)
Hardsigmoid.extra_repr = Hardswish.extra_repr = Module.extra_repr
LogSigmoid = _by_function("LogSigmoid", "logsigmoid", "The logarithm of sigmoid.")
Softsign = _by_function("Softsign", "softsign", "input / (1 + |input|).")
Tanhshrink = _by_function("Tanhshrink", "tanhshrink", "input - tanh(input).")


class Threshold(_InPlace):
    """The input where it is above the threshold, else the value."""

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.threshold = threshold
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return functional.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        return f"threshold={self.threshold}, value={self.value}{self._also()}"


class RReLU(_InPlace):
    """LeakyReLU with a random slope while training."""

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.lower = lower
        self.upper = upper

    def forward(self, input: Tensor) -> Tensor:
        return functional.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"lower={self.lower}, upper={self.upper}{self._also()}"


class Hardtanh(_InPlace):
    """The input clamped to [min_val, max_val]."""

    def __init__(
        self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False, min_value: Any = None,
        max_value: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(inplace)
        if min_value is not None:
            _warn_renamed("min")
            min_val = min_value
        if max_value is not None:
            _warn_renamed("max")
            max_val = max_value
        self.min_val = min_val
        self.max_val = max_val
        if self.max_val <= self.min_val:
            raise AssertionError(f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})")

    def forward(self, input: Tensor) -> Tensor:
        return functional.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        return f"min_val={self.min_val}, max_val={self.max_val}{self._also()}"


def _warn_renamed(name: str) -> None:
    warnings.warn(
        f"keyword argument `{name}_value` is deprecated and renamed to `{name}_val`",
        FutureWarning,
        stacklevel=3,
    )


class ReLU6(Hardtanh):
    """The input clamped to [0, 6]."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class ELU(_InPlace):
    """The input where it is positive, else alpha * (exp(input) - 1)."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.alpha = alpha

    def forward(self, input: Tensor) -> Tensor:
        return functional.elu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        return f"alpha={self.alpha}{self._also()}"


class CELU(ELU):
    """The input where it is positive, else alpha * (exp(input / alpha) - 1)."""

    def forward(self, input: Tensor) -> Tensor:
        return functional.celu(input, self.alpha, self.inplace)


class LeakyReLU(_InPlace):
    """The input where it is positive, else negative_slope * input."""

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.negative_slope = negative_slope

    def forward(self, input: Tensor) -> Tensor:
        return functional.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        return f"negative_slope={self.negative_slope}{self._also()}"


class Sigmoid(Module):
    """1 / (1 + exp(-input))."""

    def forward(self, input: Tensor) -> Tensor:
        try:
            return functional.sigmoid(input)
        except AttributeError:
            check_tensors("sigmoid", input=input)
            raise


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, input: Tensor) -> Tensor:
        try:
            return functional.tanh(input)
        except AttributeError:
            check_tensors("tanh", input=input)
            raise


class GLU(Module):
    """The first half along a dimension times the sigmoid of the second half."""

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return functional.glu(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class GELU(Module):
    """input * Phi(input), with the standard normal distribution function Phi."""

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        return functional.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class Hardshrink(Module):
    """The input, and 0 where its absolute value is at most lambd."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        return functional.hardshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return f"{self.lambd}"


class Softshrink(Module):
    """The input moved by lambd towards 0, and 0 where its absolute value is at most lambd."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        return functional.softshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return f"{self.lambd}"


class Softplus(Module):
    """log(1 + exp(beta * input)) / beta."""

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        return functional.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        return f"beta={self.beta}, threshold={self.threshold}"


class PReLU(Module):
    """LeakyReLU with learned slopes."""

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None:
        check_device(device)
        self.num_parameters = num_parameters
        super().__init__()
        self.init = init
        self.weight = Parameter(empty(num_parameters, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Fill the slopes with the initial value."""
        init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        return functional.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class _AlongDim(Module):
    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmax(_AlongDim):
    """exp(input) along a dimension, normalized to sum to 1."""

    def forward(self, input: Tensor) -> Tensor:
        return functional.softmax(input, self.dim, _stacklevel=5)


class Softmin(_AlongDim):
    """Softmax of -input."""

    def forward(self, input: Tensor) -> Tensor:
        return functional.softmin(input, self.dim, _stacklevel=5)


class LogSoftmax(_AlongDim):
    """The logarithm of Softmax."""

    def forward(self, input: Tensor) -> Tensor:
        return functional.log_softmax(input, self.dim, _stacklevel=5)


class Softmax2d(Module):
    """Softmax over the channels of an image."""

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return functional.softmax(input, -3, _stacklevel=5)
