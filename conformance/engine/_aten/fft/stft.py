"""torch.stft and istft (short-time Fourier transforms), and window functions such as torch.hann_window."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._arguments.argument_errors import check_all_arguments
from ..._autograd.tensor import Tensor
from ..._c10.device import check_memory
from ..._c10.dtypes import is_half
from ..._c10.errors import need_fitting
from ..._c10.operator_facts import composite
from ..._c10.shapes import wrap_dim
from ..._c10.slots import on_first_use
from ..._c10.warn_once import warn_once
from ..creation.factories import finish, kind_of
from ..pointwise.complex_parts import view_as_complex, view_as_real
from ..shape.as_strided_unfold import unfold_backward
from ..shape.slice_select import slice_
from .fft_kernels import fft_c2c, fft_c2r, fft_r2c

padded: Callable[..., Tensor] = on_first_use("pad")  # see Note [Slots]

_NO_WINDOW = (
    "A window was not provided. A rectangular window will be applied{}To suppress this warning and use a rectangular "
    "window, explicitly set `window=torch.ones(n_fft, device=<device>)`."
)
_LEAKS = (
    ",which is known to cause spectral leakage. Other windows such as torch.hann_window or torch.hamming_window are "
    "recommended to reduce spectral leakage."
)
_THE_SAME = ".Please provide the same window used by stft to make the inversion lossless."
_REAL = (
    "stft with return_complex=False is deprecated. In a future pytorch release, stft will return complex tensors for "
    "all inputs, and return_complex=False will raise an error.\nNote: you can still call torch.view_as_real on the "
    "complex output to recover the old return format."
)
_SHORTER = (
    "The length of signal is shorter than the length parameter. Result is being padded with zeros in the tail. Please "
    "check your center and hop_length settings."
)
_REFUSED = "the texts of {}'s errors for arguments that do not fit"


def stft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: Any = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Tensor:
    """torch.stft: the Fourier transform of every frame of ``n_fft`` samples, as a column.

    Raises:
        RuntimeError: with torch's message.
        NotImplementedError: ``align_to_window`` is given.
    """
    if align_to_window is not None:
        raise NotImplementedError("torch.stft with align_to_window")
    if center:
        shape = input._array.shape
        around = n_fft // 2
        input = padded(input.view((*(1,) * (3 - len(shape)), *shape)), [around, around], pad_mode)
        input = input.view(input._array.shape[-len(shape) :])
    return _stft(input, n_fft, hop_length, win_length, window, normalized, onesided, return_complex)


@composite(vmap="fallback", autocast="fp32")
def _stft(
    input: Tensor, n_fft: int, hop_length: int | None, win_length: int | None, window: Tensor | None, normalized: bool,
    onesided: bool | None, return_complex: bool | None,
) -> Tensor:  # fmt: skip
    """stft of a signal that is padded already."""
    if window is None:
        warn_once(_NO_WINDOW.format(_LEAKS))
    hop = n_fft >> 2 if hop_length is None else hop_length
    length = n_fft if win_length is None else win_length
    complex_numbers = input.is_complex() or (window is not None and window.is_complex())
    if not (complex_numbers if return_complex is None else return_complex):
        if return_complex is None:
            raise RuntimeError(
                "stft requires the return_complex parameter be given for real inputs, and will further require that "
                "return_complex=True in a future PyTorch release."
            )
        warnings.warn(_REAL, stacklevel=3)
    _check(input, n_fft, hop, length, window)
    rows = input if input._array.ndim == 2 else input.unsqueeze(0)
    weights = _widened(window, n_fft, length, input)
    pieces = _pieces(rows, n_fft, hop)
    pieces = pieces if weights is None else pieces.mul(weights)
    result = _transformed(pieces, int(normalized), onesided)
    result = result.transpose_(1, 2)
    if input._array.ndim == 1:
        result = result.squeeze_(0)
    return result if return_complex or return_complex is None else view_as_real(result)


@composite(vmap="fallback")
def istft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: Any = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Tensor:
    """torch.istft: the inverse of stft, by overlap-add; the sum is divided by that of the squared windows.

    Raises:
        RuntimeError: with torch's message.
    """
    if window is None:
        warn_once(_NO_WINDOW.format(_THE_SAME))
    hop = n_fft >> 2 if hop_length is None else hop_length
    size = n_fft if win_length is None else win_length
    if not input.is_complex():
        raise RuntimeError(
            "istft requires a complex-valued input tensor matching the output from stft with return_complex=True."
        )
    columns = view_as_real(input.resolve_conj())
    wrap_dim(-3, columns._array.ndim)
    half = _check_columns(columns, n_fft, hop, size, window, onesided)
    weights = columns.new_ones((size,)) if window is None else window
    if size != n_fft:
        left = (n_fft - size) // 2
        weights = padded(weights, [left, n_fft - size - left])
    columns = columns if columns._array.ndim == 4 else columns.unsqueeze(0)
    pieces = view_as_complex(columns.transpose(1, 2))
    need_fitting(not (half if return_complex else window is not None and window.is_complex()), "torch.istft")
    pieces = _transformed_back(pieces, n_fft, 1 if normalized else 2, half, return_complex)
    result = _overlapped(pieces * weights.view((1, 1, n_fft)), hop)
    envelope = _overlapped(weights.pow(2).expand((1, pieces._array.shape[1], n_fft)), hop)
    whole = result._array.shape[1]
    start = n_fft // 2 if center else 0
    end = start + length if length is not None else -start if center else whole
    result, envelope = slice_(result, 1, start, end), slice_(envelope, 1, start, end)
    need_fitting(not envelope.abs().min().lt(1e-11), "torch.istft")
    result = result / envelope
    if input._array.ndim == 2:
        result = result.squeeze(0)
    if end > whole:
        warnings.warn(_SHORTER, stacklevel=2)
        result = padded(result, [0, end - whole])
    return result


def _transformed_back(pieces: Tensor, n_fft: int, number: int, half: bool, complex_numbers: bool) -> Tensor:
    """The frame of the signal for each column.

    Args:
        number: torch's number of the normalization mode.
        half: whether the columns are one-sided.
    """
    if complex_numbers:
        return fft_c2c(pieces, (2,), number, False)
    return fft_c2r(pieces if half else slice_(pieces, -1, 0, n_fft // 2 + 1), (2,), number, n_fft)


def _overlapped(pieces: Tensor, hop: int) -> Tensor:
    """The sum of the frames, each shifted by ``hop`` (overlap-add)."""
    batch, count, size = pieces._array.shape
    return unfold_backward(pieces, (batch, size + hop * (count - 1)), 1, size, hop)


def _check_columns(
    columns: Tensor, n_fft: int, hop: int, size: int, window: Tensor | None, onesided: bool | None
) -> bool:
    """Check istft's columns, and return whether they are one-sided."""
    shape = columns._array.shape
    half = shape[-3] != n_fft if onesided is None else onesided
    fits = columns._array.size and len(shape) in (3, 4) and shape[-3] == (n_fft // 2 + 1 if half else n_fft)
    if not (fits and 0 < hop <= size <= n_fft) or (window is not None and window._array.shape != (size,)):
        raise NotImplementedError(_REFUSED.format("istft"))
    return half


def _check(input: Tensor, n_fft: int, hop: int, length: int, window: Tensor | None) -> None:
    array = input._array
    fits = array.dtype.kind in "fcV" and n_fft <= array.shape[-1]
    if not (fits and hop > 0 and 0 < length <= n_fft) or (
        window is not None and window._array.shape != (length,)
    ):
        raise NotImplementedError(_REFUSED.format("stft"))


def _pieces(input: Tensor, size: int, hop: int) -> Tensor:
    """A view of the frames, as rows."""
    batch, length = input._array.shape
    outer, step = input.stride()
    return input.as_strided((batch, 1 + (length - size) // hop, size), (outer, hop * step, step))


def _widened(window: Tensor | None, n_fft: int, length: int, input: Tensor) -> Tensor | None:
    """The window padded with zeros on both sides to ``n_fft``."""
    if length == n_fft:
        return window
    like = input if window is None else window
    result = like.new_zeros((n_fft,))
    inside = result.narrow(0, (n_fft - length) // 2, length)
    if window is None:
        inside.fill_(1)
    else:
        inside.copy_(window)
    return result


def _transformed(pieces: Tensor, normalization: int, onesided: bool | None) -> Tensor:
    last = (pieces._array.ndim - 1,)
    need_fitting(not is_half(pieces._array.dtype), "torch.stft")
    if not pieces.is_complex():
        return fft_r2c(pieces, last, normalization, onesided is None or onesided)
    if onesided:
        raise RuntimeError("Cannot have onesided output if window or input is complex")
    return fft_c2c(pieces, last, normalization, True)


# Windows ------------------------------------------------------------------------------------------

Shape = Callable[[np.ndarray[Any, Any], int], np.ndarray[Any, Any]]


def _window(name: str, length: int, periodic: bool, dtype: Any, requires_grad: bool, shape: Shape) -> Tensor:
    """A window whose ``shape`` is a function of 0, 1 .. n-1 and n; a periodic one has n + 1 elements less the last."""
    kind = kind_of(dtype, None)
    need_fitting(kind.kind in "fV", f"torch.{name}")
    if length <= 1:
        return finish(np.ones(length, kind), requires_grad)
    count = length + periodic
    result = shape(np.arange(count, dtype=kind), count).astype(kind, copy=False)
    return finish(result[:length].copy(), requires_grad)


def hamming_window(
    window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, *, dtype: Any = None,
    layout: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """torch.hamming_window: alpha - beta * cos(...)."""
    check_memory(device, pin_memory)
    return _window("hamming_window", window_length, periodic, dtype, requires_grad, _cosine(alpha, beta))


def _cosine(alpha: float, beta: float) -> Shape:
    return lambda at, n: (
        np.cos(at * at.dtype.type(2 * math.pi / (n - 1))) * -at.dtype.type(beta) + at.dtype.type(alpha)
    )


def _plain_window(name: str, shape: Shape, text: str) -> Callable[..., Tensor]:
    """A public window function without further parameters, such as torch.hann_window."""

    def function(
        window_length: int, periodic: bool = True, *, dtype: Any = None, layout: Any = None, device: Any = None,
        requires_grad: bool = False, pin_memory: bool = False,
    ) -> Tensor:  # fmt: skip
        check_memory(device, pin_memory)
        return _window(name, window_length, periodic, dtype, requires_grad, shape)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"torch.{name}: {text}."
    return function


hann_window = _plain_window("hann_window", _cosine(0.5, 0.5), "a cosine from 0 up to 1 and down again")

FUNCTIONS: dict[str, Callable[..., Tensor]] = {
    **check_all_arguments({"hamming_window": hamming_window, "hann_window": hann_window}),
    "istft": istft,
    "stft": stft,
}
