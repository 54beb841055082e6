"""The margin losses of torch.nn.functional, with their argument checks; see Note [Right operands first]."""

from __future__ import annotations

import math
from collections.abc import Callable

from .._aten.creation.factories import scalar_tensor, zeros_like
from .._aten.nn import losses as ops
from .._aten.nn import multilabel_margin_loss as multilabel
from .._aten.nn.exp_activations import logsigmoid
from .._aten.pointwise.where_clamp import minimum, where
from .._aten.scalar_operands import minus, plus
from .._autograd.tensor import Tensor
from .._c10.errors import need_fitting
from .._c10.operator_facts import composite
from .distance import pairwise_distance
from .reduction import reduce_loss, reduction_number


def _less_than(number: float, tensor: Tensor) -> Tensor:
    return scalar_tensor(number, dtype=tensor.dtype) - tensor


@composite(vmap="fallback")
def soft_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """log(1 + exp(-target * input))."""
    return ops.soft_margin_loss(input, target, reduction_number(size_average, reduce, reduction))


@composite(vmap="fallback", autocast="fp32")
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """max(0, -target * (input1 - input2) + margin)."""
    number = reduction_number(size_average, reduce, reduction)
    need_fitting(input1.dim() == input2.dim() == target.dim(), "margin_ranking_loss")
    difference = input1 - input2  # evaluated first, see Note [Right operands first]
    return reduce_loss(plus(-target * difference, float(margin)).clamp_min_(0), number)


@composite(vmap="decompose", autocast="fp32")
def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: float = 1.0, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The input where the target is 1, max(0, margin - input) where it is -1."""
    number = reduction_number(size_average, reduce, reduction)
    zeros = zeros_like(input)
    below = where(target != 1, _less_than(margin, input).clamp_min(0), zeros)
    return reduce_loss(below + where(target != -1, input, zeros), number)


@composite(vmap="decompose", autocast="fp32")
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """1 - cos(x1, x2) where the target is 1, max(0, cos(x1, x2) - margin) where it is -1."""
    number = reduction_number(size_average, reduce, reduction)
    dim = target.dim()
    need_fitting(input1.dim() == input2.dim() == dim + 1 <= 2, "cosine_embedding_loss")
    product = (input1 * input2).sum(dim)
    squares = plus((input1 * input1).sum(dim), 1e-12) * plus((input2 * input2).sum(dim), 1e-12)
    cos = product / squares.sqrt()
    zeros = zeros_like(cos)
    near, far = _less_than(1, cos), minus(cos, margin).clamp_min(0)
    alike = where(target == 1, near, zeros)
    return reduce_loss(alike + where(target == -1, far, zeros), number)


@composite(vmap="fallback", autocast="fp32")
def triplet_margin_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2, eps: float = 1e-6,
    swap: bool = False, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """max(0, distance(anchor, positive) - distance(anchor, negative) + margin)."""
    number = reduction_number(size_average, reduce, reduction)
    _check_triplet(anchor, positive, negative, margin)
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = minimum(far, pairwise_distance(positive, negative, p, eps))
    return reduce_loss((plus(near, margin) - far).clamp_min(0), number)


def _check_triplet(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float) -> None:
    need_fitting(anchor.dim() == positive.dim() == negative.dim() and margin > 0, "triplet_margin_loss")


@composite(vmap="decompose")
def triplet_margin_with_distance_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None, margin: float = 1.0, swap: bool = False,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """triplet_margin_loss with a custom distance function."""
    distance = distance_function if distance_function is not None else pairwise_distance
    _check_triplet(anchor, positive, negative, margin)
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = minimum(far, distance(positive, negative))
    return reduce_loss((margin + near - far).clamp_min(0), reduction_number(None, None, reduction))


@composite(vmap="fallback")
def multi_margin_loss(
    input: Tensor, target: Tensor, p: int = 1, margin: float = 1.0, weight: Tensor | None = None,
    size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The hinge loss of all other classes against the target class."""
    number = reduction_number(size_average, reduce, reduction)
    shape = input._array.shape
    fits = p in (1, 2) and len(shape) <= 2
    fits = fits and target._array.ndim <= 1 and target._array.size == math.prod(shape[:-1])
    fits = fits and (weight is None or weight._array.shape == (shape[-1:] or (1,)))
    need_fitting(fits, "multi_margin_loss")
    return ops.multi_margin_loss(input, target, p, margin, weight, number)


@composite(vmap="decompose")
def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """binary_cross_entropy_with_logits, averaged over the classes of each row."""
    need_fitting(reduction in ("none", "mean", "sum"), "multilabel_soft_margin_loss")
    number = reduction_number(size_average, reduce, reduction)
    loss = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        loss = loss * weight
    dim = input.dim() - 1
    loss = loss.sum(dim) / input.size(dim)
    return reduce_loss(loss, number)


@composite(vmap="fallback")
def multilabel_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The hinge loss of all other classes against each target class, divided by the number of classes."""
    return multilabel.multilabel_margin_loss(
        input, target, reduction_number(size_average, reduce, reduction)
    )[0]
