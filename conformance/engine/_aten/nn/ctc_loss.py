"""ctc_loss: the loss of a label sequence that is not aligned with the input (torch: native/LossCTC.cpp).

Note [Paths]: blanks may occur between the labels and at both ends, so a sample has 2 * labels + 1 states. From one time
step to the next a path stays, advances by one state, or advances by two, skipping a blank between different labels.
``alpha`` is the log probability of all paths to a state, ``beta`` that of all paths from it.
"""

from __future__ import annotations

import numpy as np

from ..._autograd.undefined_gradient import unsupported
from ..._c10.dtypes import FULL_PRECISION
from ..._c10.errors import need_fitting
from ..registry import Array, op

Ints = tuple[int, ...]


def _states(targets: Array, lengths: Ints, blank: int) -> Array:
    """The label of each state, with the shape (samples, states)."""
    result = np.full((len(lengths), 2 * max(lengths) + 1), blank)
    start = 0
    for sample, length in enumerate(lengths):
        row = targets[start : start + length] if targets.ndim == 1 else targets[sample, :length]
        result[sample, 1 : 2 * length : 2] = row
        start += length
    return result


def _stepped(before: Array, skips: Array) -> Array:
    """Advance log probabilities (samples, states) by one time step, see Note [Paths]."""
    result = before.copy()
    result[:, 1:] = np.logaddexp(result[:, 1:], before[:, :-1])
    result[:, 2:] = np.logaddexp(result[:, 2:], np.where(skips, before[:, :-2], -np.inf))
    return result


def _emitted(log_probs: Array, states: Array) -> Array:
    """The log probability of each state's label at each time step: (times, samples, states)."""
    times = len(log_probs)
    index = np.broadcast_to(states[None], (times, *states.shape))
    return np.take_along_axis(log_probs.astype(np.float64), index)


def _check(log_probs: Array, targets: Array, inputs: Ints, lengths: Ints, blank: int) -> None:
    times, batch, _ = log_probs.shape
    fits = len(inputs) == len(lengths) == batch
    fits = fits and all(0 <= each <= times for each in inputs) and all(each >= 0 for each in lengths)
    if targets.ndim == 1:
        # torch uses the stride of the labels within a sample, but computes where it starts as if they were contiguous
        fits = fits and len(targets) == sum(lengths) and targets.flags.c_contiguous
    else:
        fits = fits and len(targets) == batch and targets.shape[1] >= max(lengths)
    need_fitting(fits and log_probs.dtype in FULL_PRECISION, "ctc_loss")
    need_fitting(_states(targets, lengths, blank).min() >= 0, "ctc_loss")  # torch reads out of bounds


@op(
    "CtcLossBackward0",
    name="_ctc_loss",
    tensors="targets",
    outputs="result0 result1",
    constants="result1",
    jvp="not_implemented",
    log_probs=lambda grads, log_probs, targets, input_lengths, target_lengths, result0, result1, blank, zero_infinity: (
        ctc_loss_backward(
            grads[0],
            log_probs,
            targets,
            input_lengths,
            target_lengths,
            result0,
            result1,
            blank,
            zero_infinity,
        )
    ),
)
def ctc_loss(
    log_probs: Array, targets: Array, input_lengths: Ints, target_lengths: Ints, blank: int,
    zero_infinity: bool,
) -> tuple[Array, Array]:  # fmt: skip
    """The negative log likelihood of each sample's labels, and ``log_alpha``, see Note [Paths].

    Beyond a sample's steps and states log_alpha has no meaning, as in torch.
    """
    _check(log_probs, targets, input_lengths, target_lengths, blank)
    times, batch, _ = log_probs.shape
    states = _states(targets, target_lengths, blank)
    emitted, skips = _emitted(log_probs, states), states[:, 2:] != states[:, :-2]
    alpha = np.full((times, batch, states.shape[1]), -np.inf)
    alpha[0, :, :2] = emitted[0, :, :2]
    for t in range(1, times):
        alpha[t] = _stepped(alpha[t - 1], skips) + emitted[t]
    result = np.zeros(batch)
    for sample, (steps, length) in enumerate(zip(input_lengths, target_lengths, strict=True)):
        if steps:
            result[sample] = np.logaddexp.reduce(alpha[steps - 1, sample, : 2 * length + 1][-2:])
        elif length:
            result[sample] = -np.inf
    kept = alpha.swapaxes(0, 1)
    return (-result).astype(log_probs.dtype), np.ascontiguousarray(kept).astype(log_probs.dtype)


@op(
    "NotImplemented",
    name="_ctc_loss_backward",
    tensors="targets log_alpha",
    grad=unsupported("_ctc_loss_backward"),
    log_probs=unsupported("_ctc_loss_backward"),
    neg_log_likelihood=unsupported("_ctc_loss_backward"),
)
def ctc_loss_backward(
    grad: Array, log_probs: Array, targets: Array, input_lengths: Ints, target_lengths: Ints,
    neg_log_likelihood: Array, log_alpha: Array, blank: int, zero_infinity: bool,
) -> Array:  # fmt: skip
    """The gradient of ctc_loss, assuming that log_probs is a log_softmax, as torch does."""
    labels = log_probs.shape[2]
    states = _states(targets, target_lengths, blank)
    emitted, skips = _emitted(log_probs, states), states[:, 2:] != states[:, :-2]
    result = np.zeros(log_probs.shape)
    for sample, (steps, length) in enumerate(zip(input_lengths, target_lengths, strict=True)):
        loss = float(neg_log_likelihood[sample])
        if not steps or (zero_infinity and loss == np.inf):
            continue
        count = 2 * length + 1
        here, alpha = emitted[:, sample, :count], log_alpha[sample, :, :count].astype(np.float64)
        reverse = skips[None, sample, : max(count - 2, 0)][:, ::-1]
        beta = np.full((1, count), -np.inf)
        beta[0, -2:] = here[steps - 1, -2:]
        for t in range(steps - 1, -1, -1):
            if t < steps - 1:
                beta = _stepped(beta[:, ::-1], reverse)[:, ::-1] + here[t]
            through = np.full(labels, -np.inf)
            if t == steps - 1:  # the last blank and the last label, which may be the blank
                for state in range(count)[:-3:-1]:
                    through[states[sample, state]] = alpha[t, state] + beta[0, state]
            else:
                np.logaddexp.at(through, states[sample, :count], alpha[t] + beta[0])
            own = log_probs[t, sample].astype(np.float64)
            result[t, sample] = np.exp(own) - np.exp(through + loss - own)
    return (result * grad[:, None]).astype(log_probs.dtype)
