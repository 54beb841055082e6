"""torch.signal.windows: window functions.

Every window takes the keyword arguments ``sym`` (symmetric if true, else periodic), ``dtype``, ``layout``, ``device`` and
``requires_grad``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from .._arguments.absent_names import look_up
from .._arguments.argument_errors import check_arguments
from .._aten.creation import factories as _factories
from .._aten.creation import ranges as _ranges
from .._aten.creation.from_data import tensor
from .._aten.creation.ranges import arange
from .._aten.reduction.min_max import minimum
from .._aten.special.special import i0
from .._autograd.tensor import Tensor
from .._c10 import dtypes as _dtypes
from .._c10.layout import strided

__all__ = [
    "bartlett", "blackman", "cosine", "exponential", "gaussian", "general_cosine", "general_hamming", "hamming", "hann",
    "kaiser", "nuttall",
]  # fmt: skip

empty, ones = check_arguments(_factories.empty, "empty"), check_arguments(_factories.ones, "ones")
linspace = check_arguments(_ranges.linspace, "linspace")


def _options(name: str, M: int, dtype: Any, layout: Any, device: Any, requires_grad: bool) -> dict[str, Any]:
    """Check the arguments of a window, and return the keyword arguments of its factory calls.

    Raises:
        ValueError: a negative length, another layout than strided, or a dtype that is not float32 or float64.
    """
    dtype = _dtypes.default if dtype is None else dtype
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    if layout is not strided:
        raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
    if dtype not in (_dtypes.float32, _dtypes.float64):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}")
    return {"dtype": dtype, "layout": layout, "device": device, "requires_grad": requires_grad}


def _periods(M: int, sym: bool) -> int:
    """The period of the window: its length if periodic, one less if symmetric."""
    return M - 1 if sym else M


def exponential(
    M: int, *, center: float | None = None, tau: float = 1.0, sym: bool = True, dtype: Any = None,
    layout: Any = strided, device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """exp(-abs(n - center) / tau)."""
    options = _options("exponential", M, dtype, layout, device, requires_grad)
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    if M == 0:
        return empty((0,), **options)
    if center is None:
        center = _periods(M, sym or M == 1) / 2.0
    constant = 1 / tau
    k = linspace(start=-center * constant, end=(-center + (M - 1)) * constant, steps=M, **options)
    return (-k.abs()).exp()


def cosine(
    M: int, *, sym: bool = True, dtype: Any = None, layout: Any = strided, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """sin(pi * (n + 0.5) / M), half a period of a sine."""
    options = _options("cosine", M, dtype, layout, device, requires_grad)
    if M == 0:
        return empty((0,), **options)
    constant = math.pi / (M + 1 if not sym and M > 1 else M)
    return linspace(start=0.5 * constant, end=(0.5 + (M - 1)) * constant, steps=M, **options).sin()


def gaussian(
    M: int, *, std: float = 1.0, sym: bool = True, dtype: Any = None, layout: Any = strided, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """exp(-(n - center)**2 / (2 * std**2))."""
    options = _options("gaussian", M, dtype, layout, device, requires_grad)
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    if M == 0:
        return empty((0,), **options)
    start = -_periods(M, sym or M == 1) / 2.0
    constant = 1 / (std * math.sqrt(2))
    k = linspace(start=start * constant, end=(start + (M - 1)) * constant, steps=M, **options)
    return (-(k**2)).exp()


def kaiser(
    M: int, *, beta: float = 12.0, sym: bool = True, dtype: Any = None, layout: Any = strided, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """The Kaiser window, by the modified Bessel function i0."""
    options = _options("kaiser", M, dtype, layout, device, requires_grad)
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    if M <= 1:
        return ones((M,), **options)
    width = tensor(beta, dtype=options["dtype"], device=device)
    start = -width
    constant = 2.0 * width / _periods(M, sym)
    k = linspace(start=start, end=minimum(width, start + (M - 1) * constant), steps=M, **options)
    return i0((width * width - k.pow(2)).sqrt()) / i0(width)


def bartlett(
    M: int, *, sym: bool = True, dtype: Any = None, layout: Any = strided, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """A triangle with zeros at the ends."""
    options = _options("bartlett", M, dtype, layout, device, requires_grad)
    if M <= 1:
        return ones((M,), **options)
    constant = 2 / _periods(M, sym)
    return 1 - linspace(start=-1, end=-1 + (M - 1) * constant, steps=M, **options).abs()


def general_cosine(
    M: int, *, a: Iterable[float], sym: bool = True, dtype: Any = None, layout: Any = strided, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """A sum of cosines with the coefficients ``a`` and alternating signs.

    Raises:
        TypeError: the coefficients are not iterable.
        ValueError: there are no coefficients.
    """
    options = _options("general_cosine", M, dtype, layout, device, requires_grad)
    if M <= 1:
        return ones((M,), **options)
    if not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")
    constant = 2 * math.pi / _periods(M, sym)
    k = linspace(start=0, end=(M - 1) * constant, steps=M, **options)
    signed = [(-1) ** i * w for i, w in enumerate(a)]
    weights = tensor(signed, dtype=options["dtype"], device=device, requires_grad=requires_grad)
    i = arange(weights.shape[0], dtype=weights.dtype, device=device, requires_grad=requires_grad)
    return (weights.unsqueeze(-1) * (i.unsqueeze(-1) * k).cos()).sum(0)


def general_hamming(
    M: int, *, alpha: float = 0.54, sym: bool = True, dtype: Any = None, layout: Any = strided, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """alpha - (1 - alpha) * cos(2 * pi * n / (M - 1))."""
    a = [alpha, 1.0 - alpha]
    return general_cosine(
        M, a=a, sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad
    )


def _cosines(name: str, a: list[float], doc: str) -> Callable[..., Tensor]:
    def window(
        M: int, *, sym: bool = True, dtype: Any = None, layout: Any = strided, device: Any = None,
        requires_grad: bool = False,
    ) -> Tensor:  # fmt: skip
        if name == "blackman":
            _options(name, M, dtype, layout, device, requires_grad)
        return general_cosine(
            M, a=a, sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad
        )

    window.__name__ = window.__qualname__ = name
    window.__doc__ = doc
    return window


hamming = _cosines("hamming", [0.54, 1.0 - 0.54], "general_hamming with 0.54.")
hann = _cosines("hann", [0.5, 0.5], "general_hamming with 0.5.")
blackman = _cosines("blackman", [0.42, 0.5, 0.08], "Three cosines.")
nuttall = _cosines("nuttall", [0.3635819, 0.4891775, 0.1365995, 0.0106411], "Four cosines.")

__getattr__ = look_up("torch.signal.windows")
