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
from ._applied import _Applied, module_of
from .module import Module


class _InPlace(_Applied):
    """The base of modules with an ``inplace`` option."""

    inplace: bool
    _passes: tuple[str, ...] = ("inplace",)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self) -> str:
        shown = [self._shows.format(self)] if self._shows else []
        return ", ".join([*shown, "inplace=True"] if self.inplace else shown)


def _in_place(name: str, text: str, shows: str = "", /, *required: str, **optional: Any) -> Any:
    """module_of for a function of the same name in small letters with an ``inplace`` option."""
    if required or optional:
        optional["inplace"] = False
    passes = (*required, *optional) or None
    return module_of(name, name.lower(), text, shows, *required, base=_InPlace, passes=passes, **optional)


ReLU = _in_place("ReLU", "max(0, input).")
SiLU = _in_place("SiLU", "input * sigmoid(input).")
Mish = _in_place("Mish", "input * tanh(softplus(input)).")
SELU = _in_place("SELU", "The scaled exponential linear unit.")
Hardsigmoid = module_of("Hardsigmoid", "hardsigmoid", "relu6(input + 3) / 6.", inplace=False)
Hardswish = module_of("Hardswish", "hardswish", "input * hardsigmoid(input).", inplace=False)
LogSigmoid = module_of("LogSigmoid", "logsigmoid", "The logarithm of sigmoid.")
Softsign = module_of("Softsign", "softsign", "input / (1 + |input|).")
Tanhshrink = module_of("Tanhshrink", "tanhshrink", "input - tanh(input).")
GLU = module_of(
    "GLU",
    "glu",
    "The first half along a dimension times the sigmoid of the second half.",
    "dim={0.dim}",
    dim=-1,
)
GELU = module_of(
    "GELU", "gelu", "input * Phi(input), with the standard normal distribution function Phi.",
    "approximate={0.approximate!r}", passes=(), named=("approximate",), approximate="none",
)  # fmt: skip
Hardshrink = module_of(
    "Hardshrink",
    "hardshrink",
    "The input, and 0 where its absolute value is at most lambd.",
    "{0.lambd}",
    lambd=0.5,
)
Softshrink = module_of(
    "Softshrink", "softshrink", "The input moved by lambd towards 0, and 0 where its absolute value is at most lambd.",
    "{0.lambd}", lambd=0.5,
)  # fmt: skip
Softplus = module_of(
    "Softplus", "softplus", "log(1 + exp(beta * input)) / beta.", "beta={0.beta}, threshold={0.threshold}",
    beta=1.0, threshold=20.0,
)  # fmt: skip
Threshold = _in_place(
    "Threshold", "The input where it is above the threshold, else the value.",
    "threshold={0.threshold}, value={0.value}", "threshold", "value",
)  # fmt: skip
ELU = _in_place(
    "ELU", "The input where it is positive, else alpha * (exp(input) - 1).", "alpha={0.alpha}", alpha=1.0
)
CELU = _in_place(
    "CELU",
    "The input where it is positive, else alpha * (exp(input / alpha) - 1).",
    "alpha={0.alpha}",
    alpha=1.0,
)
LeakyReLU = module_of(
    "LeakyReLU", "leaky_relu", "The input where it is positive, else negative_slope * input.",
    "negative_slope={0.negative_slope}", base=_InPlace, negative_slope=1e-2, inplace=False,
)  # fmt: skip
RReLU = module_of(
    "RReLU", "rrelu", "LeakyReLU with a random slope while training.", "lower={0.lower}, upper={0.upper}",
    base=_InPlace, passes=("lower", "upper", "training", "inplace"), lower=1.0 / 8, upper=1.0 / 3, inplace=False,
)  # fmt: skip


class Hardtanh(_InPlace):
    """The input clamped to [min_val, max_val]."""

    _function, _passes = "hardtanh", ("min_val", "max_val", "inplace")
    _shows = "min_val={0.min_val}, max_val={0.max_val}"

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


def _warn_renamed(name: str) -> None:
    warnings.warn(
        f"keyword argument `{name}_value` is deprecated and renamed to `{name}_val`",
        FutureWarning,
        stacklevel=3,
    )


class ReLU6(Hardtanh):
    """The input clamped to [0, 6]."""

    _shows = ""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)


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
