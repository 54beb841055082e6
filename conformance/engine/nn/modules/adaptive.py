"""Adaptive softmax for many classes with an unbalanced distribution (torch: nn/modules/adaptive.py)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from ..._autograd.tensor import Tensor
from ..._c10 import errors
from .. import functional
from . import container
from .linear import Linear
from .module import Module


class _ASMoutput(NamedTuple):
    """The output of AdaptiveLogSoftmaxWithLoss: the log probability of each target, and the loss."""

    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """Log probabilities by a head (frequent classes and clusters of rare ones) and a tail for each cluster.

    Classes are numbered by decreasing frequency and ``cutoffs`` separate the clusters; the projection of each cluster has
    ``div_value`` times fewer features than that of the cluster before.

    Raises:
        ValueError: the cutoffs do not increase from at least 1 to at most ``n_classes - 1``.
    """

    def __init__(
        self, in_features: int, n_classes: int, cutoffs: Sequence[int], div_value: float = 4.0, head_bias: bool = False,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        ends = list(cutoffs)
        if not ends:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if (
            ends != sorted(set(ends))
            or ends[0] <= 0
            or ends[-1] > n_classes - 1
            or any(int(c) != c for c in ends)
        ):
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each value "
                "is between 1 and n_classes-1"
            )
        made = {"device": device, "dtype": dtype}
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*ends, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(ends)
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, bias=head_bias, **made)
        self.tail = container.ModuleList()
        for number, (start, stop) in enumerate(pairwise(self.cutoffs), 1):
            inner = int(in_features // div_value**number)
            project = Linear(in_features, inner, bias=False, **made)
            self.tail.append(container.Sequential(project, Linear(inner, stop - start, bias=False, **made)))

    def reset_parameters(self) -> None:
        """Initialize all weights."""
        for layer in self.modules():
            if isinstance(layer, Linear):
                layer.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> _ASMoutput:
        _check(input_, target_)
        batched = target_.dim() > 0
        input, target = (input_, target_) if batched else (input_.unsqueeze(0), target_.unsqueeze(0))
        output = input.new_zeros(target.size(0))
        of_head = target.new_empty(
            target.size(0)
        )  # the index in the head: of the target's class or of its cluster
        used = 0
        for number, (start, stop) in enumerate(pairwise([0, *self.cutoffs])):
            mask = (target >= start) & (target < stop)
            rows = mask.nonzero().squeeze()
            if rows.numel() == 0:
                continue
            used += rows.numel()
            if number == 0:
                of_head.index_copy_(0, rows, target[mask])
                continue
            inside = target[mask] - start
            scores = self.tail[number - 1](input.index_select(0, rows))
            of_head.index_fill_(0, rows, self.shortlist_size + number - 1)
            found = functional.log_softmax(scores, dim=1).gather(1, inside.unsqueeze(1))
            output.index_copy_(0, rows, found.squeeze(1))
        if used != target.size(0):
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range [{target.min().item()}, "
                f"{target.max().item()}] were found. "
            )
        head = functional.log_softmax(self.head(input), dim=1)
        output += head.gather(1, of_head.unsqueeze(1)).squeeze()
        loss = (-output).mean()
        return _ASMoutput(output if batched else output.squeeze(0), loss)

    def _get_full_log_prob(self, input: Tensor, head_output: Tensor) -> Tensor:
        out = input.new_empty((head_output.size(0), self.n_classes))
        head = functional.log_softmax(head_output, dim=1)
        out[:, : self.shortlist_size] = head[:, : self.shortlist_size]
        for number, (start, stop) in enumerate(pairwise(self.cutoffs)):
            inside = functional.log_softmax(self.tail[number](input), dim=1)
            out[:, start:stop] = inside + head[:, self.shortlist_size + number].unsqueeze(1)
        return out

    def log_prob(self, input: Tensor) -> Tensor:
        """The log probabilities of all classes."""
        return self._get_full_log_prob(input, self.head(input))

    def predict(self, input: Tensor) -> Tensor:
        """The most probable class; tails are evaluated only where their cluster is the most probable."""
        head = self.head(input)
        output = head.argmax(dim=1)
        rare = output >= self.shortlist_size
        if rare.all():
            return self._get_full_log_prob(input, head).argmax(dim=1)
        if rare.any():
            output[rare] = self._get_full_log_prob(input[rare], head[rare]).argmax(dim=1)
        return output


def _check(input: Tensor, target: Tensor) -> None:
    if target.dim() > 1:
        raise RuntimeError(errors.MULTI_TARGET)
    if target.dim() and input.size(0) != target.size(0):
        raise RuntimeError("Input and target should have the same size in the batch dimension.")
    if input.dim() != target.dim() + 1:
        raise RuntimeError(
            f"{target.dim()}D target tensor expects {target.dim() + 1}D input tensors, but found inputs with size "
            f"{input.size()}"
        )
