"""Top-level functions of torch below torch.nn.functional, such as torch.kl_div: with other arguments and fewer checks.

A ``reduction`` is a number: 0 for none, 1 for mean, 2 for sum; any other means none. torch's schemas declare the default
mean, which its Python bindings read as 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index
from typing import Any

from .._aten.nn import cross_entropy
from .._aten.nn.batch_norm import native_batch_norm
from .._aten.reduction.norm import norm_along
from .._aten.reduction.sum_mean_prod import dims
from .._autograd.tensor import Tensor
from .._c10.operator_facts import composite
from .._c10.slots import on_first_use
from .._c10.warn_once import warn_program
from . import convolution, loss, normalization, pooling, rnn
from . import margin_loss as _margin
from .reduction import MEAN, NONE, SUM

matrix_norm: Callable[..., Tensor] = on_first_use("matrix_norm")  # see Note [Slots]

# Losses -------------------------------------------------------------------------------------------


def _reduction(reduction: int) -> int:
    number = index(reduction)
    return number if number in (MEAN, SUM) else NONE


@composite(vmap="decompose")
def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, pos_weight: Tensor | None = None,
    reduction: int = NONE,
) -> Tensor:  # fmt: skip
    """torch.binary_cross_entropy_with_logits."""
    return cross_entropy.binary_cross_entropy_with_logits(
        input, target, weight, pos_weight, _reduction(reduction)
    )


@composite(vmap="fallback")
def kl_div(input: Tensor, target: Tensor, reduction: int = NONE, *, log_target: bool = False) -> Tensor:
    """torch.kl_div."""
    return loss.kl_div_core(input, target, _reduction(reduction), log_target)


@composite(vmap="decompose")
def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int
) -> Tensor:
    """torch.poisson_nll_loss."""
    return loss.poisson_nll_core(input, target, log_input, full, eps, _reduction(reduction))


@composite(vmap="decompose")
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, reduction: int = NONE) -> Tensor:
    """torch.hinge_embedding_loss."""
    return _margin.hinge_embedding_core(input, target, margin, _reduction(reduction))


@composite(vmap="fallback")
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = NONE
) -> Tensor:
    """torch.margin_ranking_loss, whose inputs broadcast."""
    return _margin.margin_ranking_core(input1, input2, target, margin, _reduction(reduction))


@composite(vmap="fallback")
def triplet_margin_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6,
    swap: bool = False, reduction: int = NONE,
) -> Tensor:  # fmt: skip
    """torch.triplet_margin_loss."""
    return _margin.triplet_margin_core(
        anchor, positive, negative, margin, p, eps, swap, _reduction(reduction)
    )


@composite(vmap="decompose")
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = NONE
) -> Tensor:
    """torch.cosine_embedding_loss."""
    return _margin.cosine_embedding_core(input1, input2, target, margin, _reduction(reduction))


# Recurrent layers, with their weights in a list ---------------------------------------------------


def _rnn_function(mode: str) -> Callable[..., tuple[Tensor, Tensor]]:
    def padded(
        input: Tensor, hx: Tensor, params: Sequence[Tensor], has_biases: bool, num_layers: int, dropout: float,
        train: bool, bidirectional: bool, batch_first: bool,
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        _check_layers(hx.size(0), len(params) / (2 + 2 * has_biases), num_layers, bidirectional)
        return rnn.rnn(
            mode, input, hx, params, has_biases, dropout if train else 0.0, bidirectional, batch_first
        )

    def packed(
        data: Tensor, batch_sizes: Tensor, hx: Tensor, params: Sequence[Tensor], has_biases: bool,
        num_layers: int, dropout: float, train: bool, bidirectional: bool,
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        _check_layers(hx.size(0), len(params) / (2 + 2 * has_biases), num_layers, bidirectional)
        sizes = batch_sizes.tolist()
        return rnn.rnn(
            mode, data, hx, params, has_biases, dropout if train else 0.0, bidirectional, False, sizes
        )

    def layers(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
        by_position = len(args) > 2 and isinstance(
            args[2], Tensor
        )  # the list of weights is the third argument for padded sequences
        by_name = "batch_sizes" in kwargs or (len(args) == 2 and "hx" in kwargs)
        return (packed if by_position or by_name else padded)(*args, **kwargs)

    layers.__name__ = mode.lower()
    layers.__doc__ = (
        f"Layers of {mode} over sequences (steps, batch, features): outputs and the last hidden states."
    )
    return layers


def _check_layers(states: int, weights: float, layers: int, bidirectional: bool) -> None:
    """Check that there is a state and a group of weights for each direction of each layer.

    Raises:
        RuntimeError: there are more or fewer of them.
    """
    if weights != int(weights):
        raise RuntimeError("got an incorrect number of RNN parameters")
    if bidirectional and (states % 2 or weights % 2):
        raise RuntimeError("Odd number of params or hiddens given to a bidirectional RNN")
    for what, found in (("hidden states", states), ("weights", weights)):
        if found != layers * (1 + bidirectional):
            raise RuntimeError(f"Expected more {what} in stacked_rnn")


def lstm(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor, Tensor]:
    """torch.lstm: outputs, last hidden states and last cell states of padded or packed sequences."""
    by_position = len(args) > 1 and isinstance(
        args[1], Tensor
    )  # the list of states is the second argument for padded sequences
    return (_packed_lstm if by_position or "batch_sizes" in kwargs else _padded_lstm)(*args, **kwargs)


def _padded_lstm(
    input: Tensor, hx: Sequence[Tensor], params: Sequence[Tensor], has_biases: bool, num_layers: int,
    dropout: float, train: bool, bidirectional: bool, batch_first: bool,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    projected = _check_lstm(hx, params, has_biases, num_layers, bidirectional)
    kept = dropout if train else 0.0
    return rnn.lstm(input, hx, params, has_biases, projected, kept, bidirectional, batch_first, train=train)


def _packed_lstm(
    data: Tensor, batch_sizes: Tensor, hx: Sequence[Tensor], params: Sequence[Tensor], has_biases: bool,
    num_layers: int, dropout: float, train: bool, bidirectional: bool,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    projected = _check_lstm(hx, params, has_biases, num_layers, bidirectional)
    kept = dropout if train else 0.0
    return rnn.lstm(data, hx, params, has_biases, projected, kept, bidirectional, False, batch_sizes.tolist())


def _check_lstm(
    hx: Sequence[Tensor], params: Sequence[Tensor], has_biases: bool, layers: int, bidirectional: bool
) -> bool:
    """Check states and weights, and return whether there are projections (hidden and cell sizes differ).

    Raises:
        RuntimeError: the number of states or weights is wrong.
    """
    if len(hx) != 2:
        raise RuntimeError("lstm expects two hidden states")
    projected = bool(hx[0].size(2) != hx[1].size(2))
    _check_layers(hx[0].size(0), len(params) / (2 + 2 * has_biases + projected), layers, bidirectional)
    return projected


# Norms --------------------------------------------------------------------------------------------


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
    """The root of the sum of squares over one or two dimensions, or over all.

    Raises:
        RuntimeError: there are more than two dimensions, or the input is integral.
    """
    along = tuple(map(index, dims(dim)))
    _warn_deprecated("frobenius_norm", "vector_norm(A, 2.")
    if input._array.dtype.kind not in "fcV":
        raise RuntimeError(
            "norm(): input dtype should be either floating point or complex. "
            f"Got {input.dtype.legacy} instead."
        )
    if len(along) > 2:
        raise RuntimeError(f"Expected at most 2 dimensions, but got {len(along)} dimensions instead.")
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
    "binary_cross_entropy_with_logits": binary_cross_entropy_with_logits,
    "convolution": convolution.convolve,
    "cosine_embedding_loss": cosine_embedding_loss,
    "frobenius_norm": frobenius_norm,
    "gru": _rnn_function("GRU"),
    "hinge_embedding_loss": hinge_embedding_loss,
    "instance_norm": normalization.torch_instance_norm,
    "kl_div": kl_div,
    "lstm": lstm,
    "margin_ranking_loss": margin_ranking_loss,
    "native_batch_norm": native_batch_norm,
    "native_group_norm": normalization.native_group_norm,
    "native_layer_norm": normalization.native_layer_norm,
    "nuclear_norm": nuclear_norm,
    "poisson_nll_loss": poisson_nll_loss,
    "rnn_relu": _rnn_function("RNN_RELU"),
    "rnn_tanh": _rnn_function("RNN_TANH"),
    "triplet_margin_loss": triplet_margin_loss,
    **{name: getattr(rnn, name) for name in ("gru_cell", "lstm_cell", "rnn_relu_cell", "rnn_tanh_cell")},
}
