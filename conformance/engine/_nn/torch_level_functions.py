"""Top-level functions of torch below torch.nn.functional, with other arguments and fewer checks: norms, pooling, cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index
from typing import Any

from .._aten.nn.batch_norm import native_batch_norm
from .._aten.reduction.norm import norm_along
from .._aten.reduction.sum_mean_prod import dims
from .._autograd.tensor import Tensor
from .._c10.errors import need_fitting
from .._c10.operator_facts import composite
from .._c10.slots import on_first_use
from .._c10.warn_once import warn_program
from . import convolution, normalization, pooling, rnn

matrix_norm: Callable[..., Tensor] = on_first_use("matrix_norm")  # see Note [Slots]


def _warn_deprecated(name: str, instead: str) -> None:
    warn_program(
        f"at::{name} is deprecated and it is just left for JIT compatibility. It will be removed in a future PyTorch "
        f"release. Please use `linalg.{instead}, dim, keepdim)` instead (Triggered internally at "
        "/__w/pytorch/pytorch/aten/src/ATen/native/LinearAlgebra.cpp.)",
    )


@composite(vmap="decompose")
def frobenius_norm(
    input: Tensor, dim: int | Sequence[int], keepdim: bool = False, *, out: Tensor | None = None
) -> Tensor:
    """The root of the sum of squares over one or two dimensions, or over all."""
    along = tuple(map(index, dims(dim)))
    _warn_deprecated("frobenius_norm", "vector_norm(A, 2.")
    need_fitting(input._array.dtype.kind in "fcV" and len(along) <= 2, "frobenius_norm")
    return norm_along(input, 2.0, along, keepdim, out=out)


@composite(vmap="decompose")
def nuclear_norm(
    input: Tensor, dim: Any = None, keepdim: bool = False, *, out: Tensor | None = None
) -> Tensor:
    """The sum of the singular values of matrices in two dimensions, by default the last two."""
    if isinstance(dim, bool):
        dim, keepdim = None, dim
    along = (-2, -1) if dim is None else (dim, dim) if isinstance(dim, int) else tuple(map(index, dim))
    _warn_deprecated("nuclear_norm", "matrix_norm(A, 'nuc'")
    return matrix_norm(input, "nuc", along, keepdim, out=out)


@composite(vmap="decompose")
def adaptive_max_pool1d(input: Tensor, output_size: Any) -> tuple[Tensor, Tensor]:
    """torch.adaptive_max_pool1d: the maxima of ``output_size`` windows of nearly equal length, and their indices."""
    found: tuple[Tensor, Tensor] = pooling.adaptive_max_pool1d(input, output_size, True)
    return found


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "adaptive_max_pool1d": adaptive_max_pool1d,
    "convolution": convolution.convolve,
    "frobenius_norm": frobenius_norm,
    "instance_norm": normalization.torch_instance_norm,
    "native_batch_norm": native_batch_norm,
    "native_group_norm": normalization.native_group_norm,
    "native_layer_norm": normalization.native_layer_norm,
    "nuclear_norm": nuclear_norm,
    **{name: getattr(rnn, name) for name in ("gru_cell", "lstm_cell", "rnn_relu_cell", "rnn_tanh_cell")},
}
