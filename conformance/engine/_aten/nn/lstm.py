"""mkldnn_rnn_layer: an LSTM layer over all time steps as one node, as in oneDNN (torch: native/mkldnn/RNN.cpp)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor
from ..._c10.errors import need_fitting
from ..._c10.modes import state
from ..blas.blas import mm
from ..blas.matmul import linear
from ..creation.factories import scalar_tensor
from ..kernels import half_up
from ..registry import Array, OptionalArray, op
from ..shape.cat_stack import cat

PUBLIC = ()


def _gates(array: Array) -> list[Array]:
    """Input, forget, cell and output gate."""
    n = array.shape[-1] // 4
    sigmoid = 1 / (1 + np.exp(-array))  # of all gates at once, though the cell gate does not need it
    i, f, o = (sigmoid[..., start : start + n] for start in (0, n, 3 * n))
    return [i, f, np.tanh(array[..., 2 * n : 3 * n]), o]


@op(
    name="mkldnn_rnn_layer_backward",
    tensors="input weight0 weight1 weight2 weight3 hx_ cx_ output grad_output grad_hy grad_cy",
    outputs="input weight0 weight1 weight2 weight3 hx_ cx_",
)
def _layer_slope(
    input: Array, weight0: Array, weight1: Array, weight2: Array, weight3: Array, hx_: Array, cx_: Array,
    output: Array, grad_output: OptionalArray, grad_hy: OptionalArray, grad_cy: OptionalArray,
    reverse: bool, has_biases: bool,
) -> list[Array]:  # fmt: skip
    """Backpropagation through time, see Note [Kernels of first derivatives]; halves are rounded at the end."""
    kind, forwards = input.dtype, slice(None, None, -1 if reverse else 1)
    bias = half_up(weight2 + weight3) if has_biases else 0
    x, weight0, weight1, hx_, cx_ = map(half_up, (input[forwards], weight0, weight1, hx_, cx_))
    flow, of_h, of_c = (
        np.zeros_like(like, hx_.dtype) if grad is None else half_up(grad)
        for like, grad in ((output, grad_output), (hx_, grad_hy), (cx_, grad_cy))
    )
    flow = flow[forwards]
    hidden = np.concatenate([hx_[None], half_up(output[forwards][:-1])])
    i, f, g, o = _gates(x @ weight0.T + bias + hidden @ weight1.T)
    cells = [cx_]
    for forget, new in zip(f, i * g, strict=True):
        cells.append(forget * cells[-1] + new)
    before, t = np.stack(cells[:-1]), np.tanh(np.stack(cells[1:]))
    by_cell = np.stack([g * i * (1 - i), before * f * (1 - f), i * (1 - g * g)], 2)
    by_hidden, through = t * o * (1 - o), o * (1 - t * t)
    of_gates = np.empty((*hidden.shape[:2], 4, hidden.shape[2]), hidden.dtype)
    rows = of_gates.reshape(*hidden.shape[:2], -1)
    for step in reversed(range(len(hidden))):
        of_h = flow[step] + of_h
        of_c = of_c + of_h * through[step]
        of_gates[step, :, :3] = of_c[:, None] * by_cell[step]
        of_gates[step, :, 3] = of_h * by_hidden[step]
        of_h, of_c = rows[step] @ weight1, of_c * f[step]
    flat = rows.reshape(-1, rows.shape[2])
    of_weights = (flat.T @ each.reshape(len(flat), each.shape[2]) for each in (x, hidden))
    of_bias = flat.sum(0)
    every = [(rows @ weight0)[forwards], *of_weights, of_bias, of_bias.copy(), of_h, of_c]
    return [np.ascontiguousarray(each, kind) for each in every]


def _layer_backward(
    grads: Any, input: Tensor, weight0: Tensor, weight1: Tensor, weight2: Tensor, weight3: Tensor, hx_: Tensor,
    cx_: Tensor, reverse: bool, batch_sizes: Any, mode: int, hidden_size: int, num_layers: int, has_biases: bool,
    bidirectional: bool, batch_first: bool, train: bool, result0: Tensor, result1: Tensor, result2: Tensor,
) -> list[Tensor | None]:  # fmt: skip
    """Backpropagation through time; with create_graph, the steps are recomputed as differentiable operations."""
    if not state.grad_enabled:
        return _layer_slope(
            input, weight0, weight1, weight2, weight3, hx_, cx_, result0, *grads, reverse, has_biases
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
    one = scalar_tensor(1.0)  # in C++ a number on the left of an operator becomes a tensor
    found: tuple[Tensor, ...] = ()
    of_steps: dict[int, Tensor] = {}
    for step, (h, c, i, f, g, o), cy in zip(order[::-1], before[::-1], after[::-1], strict=True):
        of_h = flow[step] + of_h
        of_c = of_c + of_h * o * (one - cy.tanh() * cy.tanh())
        of_gates = cat(
            [
                of_c * g * i * (one - i),
                of_c * c * f * (one - f),
                of_c * i * (one - g * g),
                of_h * cy.tanh() * o * (one - o),
            ],
            1,
        )
        of_steps[step] = mm(of_gates, weight0).unsqueeze(0)
        shares = (
            mm(of_gates.transpose(0, 1), input[step]),
            mm(of_gates.transpose(0, 1), h),
            of_gates.sum(0),
        )
        found = (
            tuple([whole.add_(share) for whole, share in zip(found, shares, strict=True)])
            if found
            else shares
        )
        of_h, of_c = mm(of_gates, weight1), of_c * f
    of_input = cat([of_steps[step] for step in sorted(of_steps)], 0)
    return [of_input, *found, found[2], of_h, of_c]


@op(
    "MkldnnRnnLayerBackward0",
    outputs="result0 result1 result2",
    jvp="not_implemented",
    autocast="lower_precision_fp",
    inputs={"input weight0 weight1 weight2 weight3 hx_ cx_": _layer_backward},
)
def mkldnn_rnn_layer(
    input: Array, weight0: Array, weight1: Array, weight2: Array, weight3: Array, hx_: Array, cx_: Array,
    reverse: bool, batch_sizes: Any, mode: int, hidden_size: int, num_layers: int, has_biases: bool,
    bidirectional: bool, batch_first: bool, train: bool,
) -> list[Array]:  # fmt: skip
    """The outputs (steps, batch, features) of one direction, the last hidden state and the last cell state."""
    kind = input.dtype
    need_fitting(kind != np.float16, "mkldnn_rnn_layer")
    bias = half_up(weight2 + weight3) if has_biases else 0  # the sum of both biases is rounded first
    input, weight0, weight1, h, c = map(half_up, (input, weight0, weight1, hx_, cx_))
    ahead = input @ weight0.T + bias
    outputs = []
    for step in ahead[::-1] if reverse else ahead:
        i, f, g, o = _gates(step + h @ weight1.T)
        c = f * c + i * g
        h = (o * np.tanh(c)).astype(kind, copy=False).astype(c.dtype, copy=False)
        outputs.append(h)
    result = (np.stack(outputs[::-1] if reverse else outputs), h, c)
    return [each.astype(kind, copy=False) for each in result]
