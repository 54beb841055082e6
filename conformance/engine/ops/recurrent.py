"""An LSTM layer over all its steps as one node, as oneDNN computes it (torch: native/mkldnn/RNN.cpp)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import dtypes
from ..modes import state
from ..rows import Array, op
from ..tensor import Tensor
from .joining import cat, stack
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
    biases = (weight2, weight3) if has_biases else (None, None)
    steps = [input[step] for step in range(input.size(0))][:: -1 if reverse else 1]
    before, after = [], []
    hy, cy = hx_, cx_
    for x in steps:
        i, f, g, o = (linear(x, weight0, biases[0]) + linear(hy, weight1, biases[1])).unsafe_chunk(4, 1)
        i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
        before.append((hy, cy, i, f, g, o))
        cy = f * cy + i * g
        after.append(cy.tanh())
        hy = o * after[-1]
    of_output, of_h, of_c = grads
    flows = (
        [None] * len(steps)
        if of_output is None
        else [of_output[step] for step in range(len(steps))][:: -1 if reverse else 1]
    )
    found: dict[str, Tensor] = {}
    of_steps = []
    for x, flow, (h, c, i, f, g, o), t in zip(
        steps[::-1], flows[::-1], before[::-1], after[::-1], strict=True
    ):
        of_h = _sum(of_h, flow)
        if of_h is None:
            of_h = t * 0.0
        of_c = _sum(of_h * o * (1 - t * t), of_c)
        of_gates = cat(
            [
                of_c * g * i * (1 - i),
                of_c * c * f * (1 - f),
                of_c * i * (1 - g * g),
                of_h * t * o * (1 - o),
            ],
            1,
        )
        of_steps.append(mm(of_gates, weight0))
        shares = {"w_ih": mm(of_gates.t(), x), "w_hh": mm(of_gates.t(), h), "b": of_gates.sum(0)}
        found = {name: _sum(found.get(name), share) for name, share in shares.items()}
        of_h, of_c = mm(of_gates, weight1), of_c * f
    of_input = stack(of_steps if reverse else of_steps[::-1], 0)
    bias = found["b"]
    other = bias if state.grad_enabled else bias.clone()  # torch's own form makes two, the differentiable one
    every = [of_input, found["w_ih"], found["w_hh"], bias, other, of_h, of_c]
    return [each if wanted else None for each, wanted in zip(every, needed, strict=True)]


def _sum(first: Tensor | None, second: Tensor | None) -> Any:
    if first is None or second is None:
        return second if first is None else first
    return first + second


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
