"""An LSTM layer over all its steps as one node, as oneDNN computes it (torch: native/mkldnn/RNN.cpp)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import dtypes
from ..creation import scalar_tensor
from ..modes import state
from ..rows import Array, op
from ..tensor import Tensor
from .joining import cat
from .kernels import half_up
from .matmul import linear, mm

PUBLIC = ()
_NO_PRIMITIVE = (
    "could not create a primitive descriptor for the LSTM forward propagation primitive. Run workload with environment "
    "variable ONEDNN_VERBOSE=all to get additional diagnostic information."
)


def _gates(array: Array) -> list[Array]:
    """Input, forget, cell and output gate."""
    i, f, g, o = np.split(array, 4, axis=1)
    return [*(1 / (1 + np.exp(-each)) for each in (i, f)), np.tanh(g), 1 / (1 + np.exp(-o))]


def _layer_backward(
    grads: Any, input: Tensor, weight0: Tensor, weight1: Tensor, weight2: Tensor, weight3: Tensor, hx_: Tensor,
    cx_: Tensor, reverse: bool, batch_sizes: Any, mode: int, hidden_size: int, num_layers: int, has_biases: bool,
    bidirectional: bool, batch_first: bool, train: bool, result0: Tensor, result1: Tensor, result2: Tensor,
    needed: Any,
) -> list[Tensor | None]:  # fmt: skip
    """Backward through time over steps that are computed once more, so that it can be differentiated again.

    torch's reads the results, and what oneDNN worked with, which there is none of here.
    """
    if dtypes.is_half(input._array.dtype) and not state.grad_enabled:  # oneDNN's own: rounded at the end
        grads = [None if each is None else each.float() for each in grads]
        input, weight0, weight1, weight2, weight3, hx_, cx_ = (
            each.float() for each in (input, weight0, weight1, weight2, weight3, hx_, cx_)
        )
    nothing = weight0.new_zeros(weight0.size(0))
    bias0, bias1 = (weight2, weight3) if has_biases else (nothing, nothing)
    order = range(input.size(0))[:: -1 if reverse else 1]
    before, after = [], []
    hy, cy = hx_, cx_
    for step in order:
        gates = linear(input[step], weight0, bias0).add_(linear(hy, weight1, bias1))
        i, f, g, o = gates.unsafe_chunk(4, 1)
        i, f, g, o = i.sigmoid_(), f.sigmoid_(), g.tanh_(), o.sigmoid_()
        before.append((hy, cy, i, f, g, o))
        cy = (f * cy).add_(i * g)
        after.append(cy)
        hy = o * cy.tanh()
    flow, of_h, of_c = (
        hx_.new_zeros(result.shape) if grad is None else grad.contiguous()
        for result, grad in zip((result0, result1, result2), grads, strict=True)
    )
    one = scalar_tensor(1.0, dtype=hx_.dtype)  # C++ has a number on the left of an operator for a tensor
    found: tuple[Tensor, ...] = ()
    of_steps: dict[int, Tensor] = {}
    for step, (h, c, i, f, g, o), cy in zip(order[::-1], before[::-1], after[::-1], strict=True):
        t = [cy.tanh() for _ in range(3)] if state.grad_enabled else [cy.tanh()] * 3  # as torch's asks for it
        of_h = flow[step] + of_h
        of_c = of_c + of_h * o * (one - t[0] * t[1])
        of_gates = cat(
            [
                of_c * g * i * (one - i),
                of_c * c * f * (one - f),
                of_c * i * (one - g * g),
                of_h * t[2] * o * (one - o),
            ],
            1,
        )
        of_steps[step] = mm(of_gates, weight0).unsqueeze(0)
        shares = (
            mm(of_gates.transpose(0, 1), input[step]),
            mm(of_gates.transpose(0, 1), h),
            of_gates.sum(0),
        )
        if not found:
            found = shares
        elif state.grad_enabled:
            found = tuple(whole.add_(share) for whole, share in zip(found, shares, strict=True))
        else:
            found = tuple(whole + share for whole, share in zip(found, shares, strict=True))
        of_h, of_c = mm(of_gates, weight1), of_c * f
    of_input = cat([of_steps[step] for step in sorted(of_steps)], 0)
    bias = found[2]
    other = bias if state.grad_enabled else bias.clone()  # torch's own form makes two, the differentiable one
    every = [of_input, *found[:2], bias, other, of_h, of_c]
    return [each if wanted else None for each, wanted in zip(every, needed, strict=True)]


@op(
    "MkldnnRnnLayerBackward0",
    outputs="result0 result1 result2",
    inputs={"input weight0 weight1 weight2 weight3 hx_ cx_": _layer_backward},
)
def mkldnn_rnn_layer(
    input: Array, weight0: Array, weight1: Array, weight2: Array, weight3: Array, hx_: Array, cx_: Array,
    reverse: bool, batch_sizes: Any, mode: int, hidden_size: int, num_layers: int, has_biases: bool,
    bidirectional: bool, batch_first: bool, train: bool,
) -> list[Array]:  # fmt: skip
    """The outputs (steps, batch, features) of one direction, the last hidden state and the last cell state."""
    kind = input.dtype
    if kind == np.float16:
        raise RuntimeError(_NO_PRIMITIVE)
    bias = half_up(weight2 + weight3) if has_biases else 0  # added before, and rounded
    input, weight0, weight1, h, c = map(half_up, (input, weight0, weight1, hx_, cx_))
    ahead = input @ weight0.T + bias
    outputs = []
    for step in ahead[::-1] if reverse else ahead:
        i, f, g, o = _gates(step + h @ weight1.T)
        c = f * c + i * g
        h = (o * np.tanh(c)).astype(kind, copy=False).astype(c.dtype, copy=False)
        outputs.append(h)
    found = (np.stack(outputs[::-1] if reverse else outputs), h, c)
    return [each.astype(kind, copy=False) for each in found]
