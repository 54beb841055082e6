"""torch.fft: discrete Fourier transforms (torch: native/SpectralOps.cpp).

``n`` and ``s`` are the signal sizes, to which the input is trimmed or zero-padded. ``norm`` says which direction divides
by the number of elements n: "backward", "forward", or both by sqrt(n) ("ortho").
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ._arguments.absent_names import look_up
from ._arguments.argument_errors import check_all_arguments
from ._arguments.function_names import with_public_names
from ._aten.creation.factories import finish, kind_of, new_sizes
from ._aten.fft.fft_kernels import Dims, fft_c2c, fft_c2r, fft_r2c
from ._aten.nn.padding import constant_pad_nd
from ._aten.shape.flip_roll_tile import roll
from ._aten.shape.slice_select import slice_
from ._autograd.tensor import Tensor
from ._c10 import dtypes as _dtypes
from ._c10.device import check_memory
from ._c10.errors import unimplemented
from ._c10.operator_facts import composite as _composite
from ._c10.shapes import existing_dim

_REAL = {
    "rfftn": "rfftn expects a real-valued input tensor, but got ",
    "ihfftn": "Only supports floating-point dtypes, but found: ",
}
_COMPLEX = {_dtypes.float32: _dtypes.complex64, _dtypes.float64: _dtypes.complex128}


def _promoted(input: Tensor, require_complex: bool = False) -> Tensor:
    """Promote integers to the default dtype, and real inputs to complex ones if required."""
    kind = input.dtype
    if not kind.is_complex:
        kind = kind if kind.is_floating_point else _dtypes.get_default_dtype()
        if kind not in _COMPLEX:
            raise RuntimeError(f"Unsupported dtype {kind.legacy}")
        kind = _COMPLEX[kind] if require_complex else kind
    return input if input.dtype is kind else input.to(kind)


def _normalization(norm: str | None, forward: bool) -> int:
    """The normalization mode: none (0), divide by sqrt(n) (1), divide by n (2)."""
    if norm is None or norm == "backward":
        return 0 if forward else 2
    if norm == "forward":
        return 2 if forward else 0
    if norm == "ortho":
        return 1
    raise RuntimeError(f'Invalid normalization mode: "{norm}"')


def _resized(input: Tensor, dim: Dims, sizes: Sequence[int]) -> Tensor:
    """Trim or zero-pad the end of each dimension to a size."""
    shape = input._array.shape
    padding = [0] * (2 * len(shape))
    for axis, size in zip(dim, sizes, strict=True):
        if shape[axis] < size:
            padding[len(padding) - 2 * axis - 1] = size - shape[axis]
        if shape[axis] > size:
            input = slice_(input, axis, 0, size)
    return constant_pad_nd(input, padding) if any(padding) else input


def _check_points(count: int) -> None:
    if count < 1:
        raise RuntimeError(f"Invalid number of data points ({count}) specified")


# Transforms over dimensions -----------------------------------------------------------------------


def _shape_and_dims(input: Tensor, s: Any, dim: Any) -> tuple[list[int], Dims]:
    """The dimensions to transform, and their signal sizes."""
    sizes = input._array.shape
    ndim = len(sizes)
    s, dim = (each if each is None or isinstance(each, (tuple, list)) else (each,) for each in (s, dim))
    axes: Dims = tuple(range(ndim))
    if dim is not None:
        axes = tuple(existing_dim(each, input._array.ndim) for each in dim)
        if len(set(axes)) != len(axes):
            raise RuntimeError("FFT dims must be unique")
    if s is None:
        shape = [sizes[axis] for axis in axes]
    else:
        if dim is not None and len(dim) != len(s):
            raise RuntimeError("When given, dim and shape arguments must have the same length")
        if len(s) > ndim:
            raise RuntimeError(f"Got shape with {len(s)} values but input tensor only has {ndim} dimensions.")
        axes = axes if dim is not None else tuple(range(ndim - len(s), ndim))
        shape = [sizes[axis] if size == -1 else size for axis, size in zip(axes, s, strict=True)]
    for size in shape:
        _check_points(size)
    return shape, axes


def _need_axes(name: str, axes: Dims) -> None:
    if not axes:
        raise RuntimeError(f"{name} must transform at least one axis")


def _all_complex(name: str, input: Tensor, s: Any, dim: Any, norm: Any, forward: bool) -> Tensor:
    shape, axes = _shape_and_dims(input, s, dim)
    input = _resized(_promoted(input, True), axes, shape)
    return fft_c2c(input, axes, _normalization(norm, forward), forward)


def _of_any(name: str, input: Tensor, s: Any, dim: Any, norm: Any, forward: bool) -> Tensor:
    if input.is_complex():
        return _all_complex(name, input, s, dim, norm, forward)
    shape, axes = _shape_and_dims(input, s, dim)
    found = fft_r2c(_resized(_promoted(input), axes, shape), axes, _normalization(norm, forward), False)
    return found if forward else found.conj()


def _from_real(name: str, input: Tensor, s: Any, dim: Any, norm: Any, forward: bool) -> Tensor:
    if input.is_complex():
        raise RuntimeError(
            _REAL.get(name, f"{name} expects a real input tensor, but got ") + input.dtype.legacy
        )
    shape, axes = _shape_and_dims(input, s, dim)
    _need_axes(name, axes)
    input = _resized(_promoted(input), axes, shape)
    number = _normalization(norm, forward)
    if forward:
        return fft_r2c(input, axes, number, True)
    found = fft_r2c(input, axes[-1:], number, True)
    if len(axes) == 1:
        return found.conj()
    return fft_c2c(found.conj_physical(), axes[:-1], number, False)


def _into_real(name: str, input: Tensor, s: Any, dim: Any, norm: Any, forward: bool) -> Tensor:
    shape, axes = _shape_and_dims(input, s, dim)
    _need_axes(name, axes)
    given = s if s is None or isinstance(s, (tuple, list)) else (s,)
    last = 2 * (input._array.shape[axes[-1]] - 1) if given is None or given[-1] == -1 else shape[-1]
    _check_points(last)
    shape[-1] = last // 2 + 1
    input = _resized(_promoted(input, True), axes, shape)
    number = _normalization(norm, forward)
    if forward:
        if len(axes) > 1:
            input = fft_c2c(input, axes[:-1], number, True)
        input, axes = input.conj(), axes[-1:]
    return fft_c2r(input, axes, number, last)


def _named(function: Callable[..., Tensor], name: str, text: str) -> Callable[..., Tensor]:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    return function


def _single(name: str, transform: Callable[..., Tensor], forward: bool, text: str) -> Callable[..., Tensor]:
    """The transform of one dimension, where -1 is refused as a size."""

    @_composite(autocast="fp32", name=f"_{name}", out=None)
    def function(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
        if n is not None:
            _check_points(n)
        return transform(name, input, n, dim, norm, forward)

    return _named(function, name, f"{text} along a dimension.")


def _multidimensional(
    name: str, transform: Callable[..., Tensor], forward: bool, text: str, autocast: str | None = "fp32"
) -> tuple[Callable[..., Tensor], Callable[..., Tensor]]:
    """The transforms of two dimensions (``fft2``) and of any number (``fftn``)."""

    def over(suffix: str, dims: Dims | None) -> Callable[..., Tensor]:
        @_composite(autocast=autocast, name=f"_{name}n", out=None)
        def function(input: Tensor, s: Any = None, dim: Any = dims, norm: str | None = None) -> Tensor:
            return transform(f"{name}n", input, s, dim, norm, forward)

        return _named(function, name + suffix, f"{text} along dimensions.")

    return over("2", (-2, -1)), over("n", None)


_WHOLE = "Numbers transformed"
_HALF = "The first half, which says it all, of real numbers transformed"
_BACK = "The real numbers whose transform the first half is given of,"
fft, ifft = _single("fft", _of_any, True, _WHOLE), _single("ifft", _of_any, False, _WHOLE)
rfft, ihfft = _single("rfft", _from_real, True, _HALF), _single("ihfft", _from_real, False, _HALF)
irfft, hfft = _single("irfft", _into_real, False, _BACK), _single("hfft", _into_real, True, _BACK)
fft2, fftn = _multidimensional("fft", _all_complex, True, _WHOLE)
ifft2, ifftn = _multidimensional("ifft", _all_complex, False, _WHOLE)
rfft2, rfftn = _multidimensional("rfft", _from_real, True, _HALF)
ihfft2, ihfftn = _multidimensional("ihfft", _from_real, False, _HALF, None)
irfft2, irfftn = _multidimensional("irfft", _into_real, False, _BACK)
hfft2, hfftn = _multidimensional("hfft", _into_real, True, _BACK, None)

# Frequencies and shifts ---------------------------------------------------------------------------


def _frequencies(name: str, numbers: Callable[[int], Any]) -> Callable[..., Tensor]:
    def function(
        n: int, d: float = 1.0, *, out: Tensor | None = None, dtype: Any = None, layout: Any = None,
        device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
    ) -> Tensor:  # fmt: skip
        check_memory(device, pin_memory)
        kind = kind_of(dtype, out)
        if kind.kind not in "fcV":
            raise RuntimeError(f"{name} requires a floating point or complex dtype")
        if kind.kind == "c":
            raise unimplemented("arange_cpu", kind)
        (count,) = new_sizes((operator.index(n),))
        found = numbers(count).astype(kind) * np.divide(1.0, n * d).astype(kind)
        return finish(found, requires_grad, out, f"fft_{name}")

    return _named(function, name, "The frequencies of the transform of n numbers that are d apart.")


fftfreq = _frequencies(
    "fftfreq", lambda n: np.concatenate([np.arange((n + 1) // 2), np.arange(-(n // 2), 0)])
)
rfftfreq = _frequencies("rfftfreq", lambda n: np.arange(n // 2 + 1))


def _shifted(input: Tensor, dim: Any, more: int) -> Tensor:
    sizes = input._array.shape
    axes = list(range(len(sizes))) if dim is None else list(dim) if isinstance(dim, (tuple, list)) else [dim]
    axes = [existing_dim(each, input._array.ndim) for each in axes]
    return roll(input, [(sizes[axis] + more) // 2 for axis in axes], axes)


def fftshift(input: Tensor, dim: Any = None) -> Tensor:
    """Move the zero frequency to the center."""
    return _shifted(input, dim, 0)


def ifftshift(input: Tensor, dim: Any = None) -> Tensor:
    """The inverse of fftshift."""
    return _shifted(input, dim, 1)


__all__ = [
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "hfft2", "hfftn", "ifft", "ifft2", "ifftn", "ifftshift",
    "ihfft", "ihfft2", "ihfftn", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn",
]  # fmt: skip
_FOUND = check_all_arguments({name: globals()[name] for name in __all__}, "fft_")
globals().update(_FOUND | with_public_names(_FOUND, "fft_"))
__getattr__ = look_up("torch.fft")
