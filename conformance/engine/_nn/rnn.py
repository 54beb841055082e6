"""Recurrent layers, step by step (torch: native/RNN.cpp).

A *step* maps an input, the previous state and the weights of one direction to the next state: a tensor, or for LSTM
the pair of hidden and cell state. Within a layer the products of the inputs with the weights are computed before all
steps (``ahead``); a single cell computes them itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._aten.blas.matmul import linear, matmul
from .._aten.nn.lstm import mkldnn_rnn_layer
from .._aten.nn.relu_family import relu
from .._aten.pointwise.unary import tanh
from .._aten.random.dropout import dropout
from .._aten.shape.cat_stack import cat, stack
from .._autograd.tensor import Tensor, make
from .._c10 import dtypes
from .._c10.cpu_capability import has_onednn_of_bfloat16
from .._c10.errors import need_fitting
from .._c10.operator_facts import composite
from .._c10.warn_once import warn_program

State = Any  # a tensor, or the pair (h, c) of LSTM
CALLED_BY_MODULES = ("rnn", "lstm", "lstm_cell", "gru_cell", "rnn_tanh_cell", "rnn_relu_cell")


class Weights(NamedTuple):
    """The weights of one direction of a layer, or of a cell; biases and projection are optional."""

    ih: Tensor
    hh: Tensor
    bias_ih: Tensor | None = None
    bias_hh: Tensor | None = None
    projection: Tensor | None = None

    def of_input(self, input: Tensor, ahead: bool) -> Tensor:
        """The part of the gates that depends on the input."""
        return input if ahead else linear(input, self.ih, self.bias_ih)

    def of_state(self, hidden: Tensor) -> Tensor:
        """The part of the gates that depends on the hidden state."""
        return linear(hidden, self.hh, self.bias_hh)


Step = Callable[[Tensor, State, Weights, bool], State]
Direction = Callable[[Step, Tensor, State, Weights, bool], tuple[Tensor, State]]
_LSTM = 2  # the mode's number in torch


def tanh_step(input: Tensor, hidden: Tensor, weights: Weights, ahead: bool) -> Tensor:
    """The tanh RNN: the next hidden state."""
    return tanh(weights.of_state(hidden).add_(weights.of_input(input, ahead)))


def relu_step(input: Tensor, hidden: Tensor, weights: Weights, ahead: bool) -> Tensor:
    """The relu RNN: the next hidden state."""
    return relu(weights.of_state(hidden).add_(weights.of_input(input, ahead)))


def lstm_step(
    input: Tensor, state: tuple[Tensor, Tensor], weights: Weights, ahead: bool = False
) -> tuple[Tensor, Tensor]:
    """LSTM: the next hidden state and cell state."""
    hidden, cell = state
    gates = weights.of_state(hidden).add_(weights.of_input(input, ahead))
    into, forget, new, out = gates.unsafe_chunk(4, 1)
    into, forget, new, out = into.sigmoid_(), forget.sigmoid_(), new.tanh_(), out.sigmoid_()
    cell = (forget * cell).add_(into * new)
    hidden = out * cell.tanh()
    if weights.projection is not None:
        hidden = matmul(hidden, weights.projection.t())
    return hidden, cell


def gru_step(input: Tensor, hidden: Tensor, weights: Weights, ahead: bool) -> Tensor:
    """GRU: the next hidden state."""
    of_input = weights.of_input(input, ahead).unsafe_chunk(3, 1)
    of_state = weights.of_state(hidden).unsafe_chunk(3, 1)
    reset = of_state[0].add_(of_input[0]).sigmoid_()
    update = of_state[1].add_(of_input[1]).sigmoid_()
    new = of_input[2].add(of_state[2].mul_(reset)).tanh_()
    return (hidden - new).mul_(update).add_(new)


def _direction(
    step: Step, input: Tensor, state: State, weights: Weights, reverse: bool
) -> tuple[Tensor, State]:
    """Run one direction of a layer: the outputs (steps, batch, features) and the last state."""
    outputs = []
    for each in weights.of_input(input, False).unbind(0)[:: -1 if reverse else 1]:
        state = step(each, state, weights, True)
        outputs.append(state[0] if isinstance(state, tuple) else state)
    return stack(outputs[::-1] if reverse else outputs), state


def _narrowed(state: State, start: int, count: int) -> State:
    """A slice of a state along the batch."""
    if isinstance(state, tuple):  # in reverse, see Note [Right operands first]
        return tuple([each.narrow(0, start, count) for each in state[::-1]][::-1])
    return state.narrow(0, start, count)


def _concatenated(states: Sequence[State]) -> State:
    """Concatenate states along the batch."""
    if isinstance(states[0], tuple):
        return tuple(cat(list(each)) for each in zip(*states, strict=True))
    return cat(list(states))


def _run_forwards(
    step: Step, coming: Tensor, sizes: Sequence[int], state: State, weights: Weights
) -> tuple[Tensor, State]:
    """Run packed sequences forwards; the states of sequences that end are set aside."""
    outputs, ended, start, before = [], [], 0, sizes[0]
    for size in sizes:
        now = coming.narrow(0, start, size)
        if size < before:
            ended.append(_narrowed(state, size, before - size))
            state = _narrowed(state, 0, size)
        state = step(now, state, weights, True)
        outputs.append(state[0] if isinstance(state, tuple) else state)
        start, before = start + size, size
    return cat(outputs), _concatenated([state, *reversed(ended)])


def _run_backwards(
    step: Step, coming: Tensor, sizes: Sequence[int], state: State, weights: Weights
) -> tuple[Tensor, State]:
    """Run packed sequences backwards; shorter sequences join with their initial state."""
    outputs, end, before = [], sum(sizes), sizes[-1]
    current = _narrowed(state, 0, before)
    for size in reversed(sizes):
        if size > before:
            current = _concatenated([current, _narrowed(state, before, size - before)])
        current = step(coming.narrow(0, end - size, size), current, weights, True)
        outputs.append(current[0] if isinstance(current, tuple) else current)
        end, before = end - size, size
    return cat(outputs[::-1]), current


def _packed_direction(sizes: Sequence[int]) -> Direction:
    """Run one direction of a layer over packed sequences with these batch sizes."""

    def direction(
        step: Step, input: Tensor, state: State, weights: Weights, reverse: bool
    ) -> tuple[Tensor, State]:
        run = _run_backwards if reverse else _run_forwards
        return run(step, weights.of_input(input, False), sizes, state, weights)

    return direction


def _onednn_direction(layers: int, bidirectional: bool, batch_first: bool, train: bool) -> Direction:
    """Run one direction of an LSTM layer as a single node, which saves the settings of the whole LSTM."""

    def direction(
        step: Step, input: Tensor, state: State, weights: Weights, reverse: bool
    ) -> tuple[Tensor, State]:
        biased = weights.bias_ih is not None
        biases = weights[2:4] if biased else [make(np.zeros_like(each._array)) for each in weights[:2]]
        output, hidden, cell = mkldnn_rnn_layer(
            input, *weights[:2], *biases, *state, reverse, (), _LSTM, state[0].size(-1), layers, biased,
            bidirectional, batch_first, train,
        )  # fmt: skip
        return output, (hidden, cell)

    return direction


def _layers(
    step: Step,
    direction: Direction,
    input: Tensor,
    states: Sequence[State],
    weights: Sequence[Weights],
    directions: int,
    dropout_p: float,
) -> tuple[Tensor, list[State]]:
    """Run all layers: the outputs of the last, and the last states of all directions of all layers."""
    last = []
    for first in range(0, len(weights), directions):
        outputs = []
        for reverse in range(directions):
            output, state = direction(
                step, input, states[first + reverse], weights[first + reverse], bool(reverse)
            )
            outputs.append(output)
            last.append(state)
        input = outputs[0] if directions == 1 else cat(outputs, outputs[0].dim() - 1)
        if dropout_p and first + directions < len(weights):
            input = dropout(input, dropout_p, True)
    return input, last


def _weights_of_directions(flat: Sequence[Tensor], biased: bool, projected: bool) -> list[Weights]:
    size = 2 + 2 * biased + projected
    groups = [flat[start : start + size] for start in range(0, len(flat), size)]
    none = () if biased else (None, None)
    return [Weights(*group[: 2 + 2 * biased], *none, *group[2 + 2 * biased :]) for group in groups]


_STEPS: dict[str, Step] = {"RNN_TANH": tanh_step, "RNN_RELU": relu_step, "GRU": gru_step}


def rnn(
    mode: str, input: Tensor, hx: Tensor, flat: Sequence[Tensor], biased: bool, dropout_p: float,
    bidirectional: bool, batch_first: bool, batch_sizes: Sequence[int] | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """torch.rnn_tanh, rnn_relu or gru: outputs (steps, batch, features), and the last hidden states.

    With ``batch_sizes`` input and outputs are packed sequences.
    """
    if batch_first:
        input = input.transpose(0, 1)
    weights = _weights_of_directions(flat, biased, False)
    direction = _direction if batch_sizes is None else _packed_direction(batch_sizes)
    output, last = _layers(
        _STEPS[mode], direction, input, hx.unbind(0), weights, 1 + bidirectional, dropout_p
    )
    hidden = stack(last)
    return (output.transpose_(0, 1) if batch_first else output), hidden


def lstm(
    input: Tensor, hx: Sequence[Tensor], flat: Sequence[Tensor], biased: bool, projected: bool, dropout_p: float,
    bidirectional: bool, batch_first: bool, batch_sizes: Sequence[int] | None = None, train: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """torch.lstm: outputs (steps, batch, features), the last hidden states and the last cell states.

    For float32, and for bfloat16 if the CPU supports it, oneDNN computes each direction of a layer as one node. For other
    dtypes, empty or packed inputs and with projections, each step is recorded with nodes of its own.
    """
    weights = _weights_of_directions(flat, biased, projected)
    onednn = _has_onednn_kernel(input.dtype) and input._array.size > 0 and batch_sizes is None
    if onednn and projected:
        _warn_of_projections()
        onednn = False
    if batch_first:
        input = input.transpose(0, 1)
    if onednn:
        input = input.contiguous()
        states = [(hx[0].contiguous()[each], hx[1].contiguous()[each]) for each in range(len(weights))]
        count = len(weights) // (1 + bidirectional)
        direction = _onednn_direction(count, bidirectional, batch_first, train)
        output, last = _layers(lstm_step, direction, input, states, weights, 1 + bidirectional, dropout_p)
    else:
        states = list(zip(hx[0].unbind(0), hx[1].unbind(0), strict=True))
        direction = _direction if batch_sizes is None else _packed_direction(batch_sizes)
        output, last = _layers(lstm_step, direction, input, states, weights, 1 + bidirectional, dropout_p)
    hidden, cell = (stack([state[part] for state in last]) for part in (0, 1))
    return (output.transpose(0, 1) if batch_first else output), hidden, cell


def _has_onednn_kernel(kind: dtypes.dtype) -> bool:
    return kind is dtypes.float32 or (kind is dtypes.bfloat16 and has_onednn_of_bfloat16())


def _warn_of_projections() -> None:
    warn_program(
        "LSTM with projections is not supported with oneDNN. Using default implementation. (Triggered internally "
        "at /__w/pytorch/pytorch/aten/src/ATen/native/RNN.cpp:1512.)",
    )


# Single steps -------------------------------------------------------------------------------------


def _cell(
    w_ih: Tensor, w_hh: Tensor, b_ih: Any, b_hh: Any, gates: int, input: Tensor, *states: Tensor
) -> Weights:
    """The weights of a cell, after checks of all sizes."""
    features = w_hh.size(1)
    fits = input.size(1) == w_ih.size(1) and w_ih.size(0) == w_hh.size(0) == gates * features
    fits = fits and all(each.shape == (input.size(0), features) for each in states)
    need_fitting(fits, "the cell of a recurrent layer")
    return Weights(w_ih, w_hh, b_ih, b_hh)


@composite(vmap="no_fallback")
def lstm_cell(
    input: Tensor, hx: Sequence[Tensor], w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """One step of an LSTM, of inputs (batch, features): the next hidden state and the next cell state."""
    hidden, cell = hx
    return lstm_step(input, (hidden, cell), _cell(w_ih, w_hh, b_ih, b_hh, 4, input, hidden, cell))


@composite(vmap="fallback")
def gru_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:  # fmt: skip
    """One step of a GRU, of inputs (batch, features): the next hidden state."""
    return gru_step(input, hx, _cell(w_ih, w_hh, b_ih, b_hh, 3, input, hx), False)


@composite(vmap="fallback")
def rnn_tanh_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:  # fmt: skip
    """One step with tanh, of inputs (batch, features): the next hidden state."""
    return tanh_step(input, hx, _cell(w_ih, w_hh, b_ih, b_hh, 1, input, hx), False)


@composite(vmap="fallback")
def rnn_relu_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:  # fmt: skip
    """One step with relu, of inputs (batch, features): the next hidden state."""
    return relu_step(input, hx, _cell(w_ih, w_hh, b_ih, b_hh, 1, input, hx), False)
