"""The loss modules."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

from ..._autograd.tensor import Tensor
from ..._nn.reduction import legacy_reduction
from .. import functional
from ._applied import _Applied, module_of
from .distance import PairwiseDistance
from .linear import Linear


class _Loss(_Applied):
    _inputs = "input, target"

    def __init__(self, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = legacy_reduction(size_average, reduce, reduction)


class _WeightedLoss(_Loss):
    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class _OfLog(_Loss):
    _inputs = "log_input, target"


class _OfTwo(_Loss):
    _inputs = "input1, input2, target"


_OLD: dict[str, Any] = {"size_average": None, "reduce": None, "reduction": "mean"}


def _loss(name: str, function: str, text: str, named: str = "", base: type = _Loss, **settings: Any) -> Any:
    """module_of for a loss, whose function gets the attributes ``named`` and the reduction by name."""
    names = (*named.split(), "reduction")
    return module_of(name, function, text, base=base, passes=(), named=names, **settings)


MSELoss = _loss("MSELoss", "mse_loss", "The squared difference.")
L1Loss = _loss("L1Loss", "l1_loss", "The absolute difference.")
SmoothL1Loss = _loss(
    "SmoothL1Loss", "smooth_l1_loss", "The absolute difference, quadratic where it is below beta.", "beta",
    **_OLD, beta=1.0,
)  # fmt: skip
NLLLoss = _loss(
    "NLLLoss", "nll_loss", "Minus the input's entry at the target class.", "weight ignore_index", _WeightedLoss,
    weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean",
)  # fmt: skip
MultiLabelMarginLoss = _loss(
    "MultiLabelMarginLoss",
    "multilabel_margin_loss",
    "The hinge loss of all other classes against each target class.",
)
CrossEntropyLoss = _loss(
    "CrossEntropyLoss", "cross_entropy",
    "NLLLoss of log_softmax; the target has class indices or class probabilities.",
    "weight ignore_index label_smoothing", _WeightedLoss,
    weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0,
)  # fmt: skip
BCELoss = _loss(
    "BCELoss", "binary_cross_entropy", "Binary cross entropy of probabilities.", "weight", _WeightedLoss
)
KLDivLoss = _loss(
    "KLDivLoss", "kl_div", "The Kullback-Leibler divergence of the target from the input, which has log probabilities.",
    "log_target", **_OLD, log_target=False,
)  # fmt: skip
PoissonNLLLoss = _loss(
    "PoissonNLLLoss", "poisson_nll_loss", "The negative log likelihood of Poisson-distributed targets.",
    "log_input full eps", _OfLog,
    log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, reduction="mean",
)  # fmt: skip
SoftMarginLoss = _loss("SoftMarginLoss", "soft_margin_loss", "log(1 + exp(-target * input)).")
HingeEmbeddingLoss = _loss(
    "HingeEmbeddingLoss", "hinge_embedding_loss",
    "The input where the target is 1, max(0, margin - input) where it is -1.", "margin", margin=1.0, **_OLD,
)  # fmt: skip
MarginRankingLoss = _loss(
    "MarginRankingLoss", "margin_ranking_loss", "max(0, -target * (input1 - input2) + margin).", "margin",
    _OfTwo, margin=0.0, **_OLD,
)  # fmt: skip
CosineEmbeddingLoss = _loss(
    "CosineEmbeddingLoss", "cosine_embedding_loss",
    "1 - cos(x1, x2) where the target is 1, max(0, cos(x1, x2) - margin) where it is -1.", "margin",
    _OfTwo, margin=0.0, **_OLD,
)  # fmt: skip
MultiLabelSoftMarginLoss = _loss(
    "MultiLabelSoftMarginLoss", "multilabel_soft_margin_loss",
    "Binary cross entropy of logits, averaged over the classes of each row.", "weight", _WeightedLoss,
)  # fmt: skip


class HuberLoss(_Loss):
    """delta times the absolute difference, quadratic where it is below delta."""

    _function, _named = "huber_loss", ("reduction", "delta")

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        if not isinstance(delta, (float, int)):
            raise TypeError(f"delta must be a float or int, got: {type(delta)}")
        super().__init__(reduction=reduction)
        self.delta = delta


class NLLLoss2d(NLLLoss):  # type: ignore[misc, valid-type]  # NLLLoss is made
    """NLLLoss under a deprecated name."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            "`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in replacement and see "
            "https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss for more details.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__(*args, **kwargs)


class CTCLoss(_Loss):
    """The connectionist temporal classification loss."""

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction=reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(self, log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any) -> Tensor:
        return functional.ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity
        )


class LinearCrossEntropyLoss(_WeightedLoss):
    """CrossEntropyLoss of the output of the module's own linear layer."""

    def __init__(
        self, in_features: int, num_classes: int, *, out_features: tuple[int, ...] = (), bias: bool = False,
        device: Any = None, dtype: Any = None, reduction: str = "mean", weight: Tensor | None = None,
        ignore_index: int | None = None, label_smoothing: float = 0.0, options: Any = None,
    ) -> None:  # fmt: skip
        if weight is not None and weight.shape != (num_classes,):
            raise RuntimeError(f"expected weight shape to be {(num_classes,)}, got {tuple(weight.shape)}")
        if not 0 <= label_smoothing <= 1.0:
            raise RuntimeError(f"expected label_smoothing to be in range [0, 1], got {label_smoothing}")
        super().__init__(weight=weight, reduction=reduction)
        self.num_classes, self.out_features = num_classes, out_features
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing
        rows = math.prod(out_features, start=num_classes)
        self.linear = Linear(in_features, rows, bias=bias, device=device, dtype=dtype)
        self.options = options

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        rows, bias = (self.num_classes, *self.out_features), self.linear.bias
        return functional.linear_cross_entropy(
            input, self.linear.weight.reshape((*rows, self.linear.in_features)), target,
            linear_bias=None if bias is None else bias.reshape(rows), weight=self.weight, reduction=self.reduction,
            ignore_index=self.ignore_index, label_smoothing=self.label_smoothing, options=self.options,
        )  # fmt: skip

    def extra_repr(self) -> str:
        names = ("num_classes", "out_features", "reduction", "ignore_index", "label_smoothing", "options")
        told = {"in_features": self.linear.in_features, **{name: getattr(self, name) for name in names}}
        order = ("in_features", "num_classes", "out_features", "bias", *names[2:])
        told["bias"] = self.linear.bias is not None
        return ", ".join(f"{name}={told[name]}" for name in order)


class BCEWithLogitsLoss(_Loss):
    """Binary cross entropy of logits."""

    _function, _named = "binary_cross_entropy_with_logits", ("weight", "pos_weight", "reduction")

    def __init__(
        self, weight: Tensor | None = None, size_average: Any = None, reduce: Any = None, reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)


class GaussianNLLLoss(_Loss):
    """The negative log likelihood of normally distributed targets with given variances."""

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(None, None, reduction)
        self.full = full
        self.eps = eps

    def forward(self, input: Tensor, target: Tensor, var: Any) -> Tensor:
        return functional.gaussian_nll_loss(
            input, target, var, full=self.full, eps=self.eps, reduction=self.reduction
        )


class MultiMarginLoss(_WeightedLoss):
    """The hinge loss of all other classes against the target class."""

    _function, _named = "multi_margin_loss", ("p", "margin", "weight", "reduction")

    def __init__(
        self, p: int = 1, margin: float = 1.0, weight: Tensor | None = None, size_average: Any = None,
        reduce: Any = None, reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(weight, size_average, reduce, reduction)
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ValueError(
                f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.dim()}D instead"
            )
        self.p = p
        self.margin = margin


class TripletMarginLoss(_Loss):
    """max(0, distance(anchor, positive) - distance(anchor, negative) + margin)."""

    def __init__(
        self, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6, swap: bool = False, size_average: Any = None,
        reduce: Any = None, reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        _check_margin("TripletMarginLoss", margin)
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return functional.triplet_margin_loss(
            anchor, positive, negative, margin=self.margin, p=self.p, eps=self.eps, swap=self.swap,
            reduction=self.reduction,
        )  # fmt: skip


class TripletMarginWithDistanceLoss(_Loss):
    """TripletMarginLoss with a custom distance function."""

    def __init__(
        self, *, distance_function: Callable[[Tensor, Tensor], Tensor] | None = None, margin: float = 1.0,
        swap: bool = False, reduction: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__(None, None, reduction)
        _check_margin("TripletMarginWithDistanceLoss", margin)
        self.distance_function = PairwiseDistance() if distance_function is None else distance_function
        self.margin = margin
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return functional.triplet_margin_with_distance_loss(
            anchor, positive, negative, distance_function=self.distance_function, margin=self.margin, swap=self.swap,
            reduction=self.reduction,
        )  # fmt: skip


def _check_margin(name: str, margin: float) -> None:
    if margin <= 0:
        raise ValueError(f"{name}: expected margin to be greater than 0, got {margin} instead")
