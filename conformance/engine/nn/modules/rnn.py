"""The recurrent modules and cells."""

from __future__ import annotations

import math
import numbers
import warnings
from collections.abc import Callable
from typing import Any

from ..._aten.creation.factories import empty, zeros
from ..._aten.type_promotion import check_list
from ..._autograd.tensor import Tensor
from ..._c10.device import check_device
from ..._c10.modes import state
from ..._nn import rnn
from ..._nn.packed_sequence import PackedSequence
from ..._nn.parameter import Parameter
from .. import init
from .module import Module

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


class _Recurrent(Module):
    """The common base of layers and cells."""

    hidden_size: int

    def reset_parameters(self) -> None:
        """Initialize all weights and biases."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)


class RNNBase(_Recurrent):
    """The base of RNN, LSTM and GRU."""

    def __init__(
        self, mode: str, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, proj_size: int = 0,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        check_device(device)
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._check(dropout)
        self._all_weights: list[list[str]] = []
        for layer in range(num_layers):
            for direction in range(1 + bidirectional):
                self._add_weights(layer, direction, dtype)
        self.reset_parameters()

    def _check(self, dropout: Any) -> None:
        if not isinstance(dropout, numbers.Number) or isinstance(dropout, bool) or not 0 <= self.dropout <= 1:
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
            )
        if dropout and self.num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                f"num_layers greater than 1, but got dropout={dropout} and num_layers={self.num_layers}",
                stacklevel=3,
            )
        for name, kind in (("bias", bool), ("batch_first", bool), ("input_size", int), ("hidden_size", int)):
            value = getattr(self, name)
            if not isinstance(value, kind):
                raise TypeError(f"{name} should be of type {kind.__name__}, got: {type(value).__name__}")
            if kind is int and value <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if self.num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if self.proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if self.proj_size >= self.hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")

    def _add_weights(self, layer: int, direction: int, dtype: Any) -> None:
        gates, features = _GATES[self.mode] * self.hidden_size, self.proj_size or self.hidden_size
        coming = features * (1 + self.bidirectional) if layer else self.input_size
        shapes: dict[str, Any] = {"weight_ih": (gates, coming), "weight_hh": (gates, features)}
        if self.bias:
            shapes.update(bias_ih=gates, bias_hh=gates)
        if self.proj_size:
            shapes["weight_hr"] = (self.proj_size, self.hidden_size)
        suffix = f"_l{layer}{'_reverse' * direction}"
        for name, shape in shapes.items():
            setattr(self, name + suffix, Parameter(empty(shape, dtype=dtype)))
        self._all_weights.append([name + suffix for name in shapes])

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.__dict__.setdefault("proj_size", 0)  # missing in old states

    @property
    def all_weights(self) -> list[list[Tensor]]:
        """The parameters by layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    @property
    def _flat_weights(self) -> list[Tensor]:
        return [each for group in self.all_weights for each in group]

    @property
    def _flat_weights_names(self) -> list[str]:
        return [name for names in self._all_weights for name in names]

    def flatten_parameters(self) -> None:
        """Does nothing: it concerns only cuDNN."""

    def get_expected_hidden_size(
        self, input: Tensor, batch_sizes: Tensor | None = None
    ) -> tuple[int, int, int]:
        """The expected shape of the hidden state."""
        layers = self.num_layers * (1 + self.bidirectional)
        if batch_sizes is not None:
            batch = int(batch_sizes._array[0])
        else:
            batch = input.size(0) if self.batch_first else input.size(1)
        return layers, batch, self.proj_size or self.hidden_size

    def get_expected_cell_size(
        self, input: Tensor, batch_sizes: Tensor | None = None
    ) -> tuple[int, int, int]:
        """The expected shape of the cell state."""
        return (*self.get_expected_hidden_size(input, batch_sizes)[:2], self.hidden_size)

    def check_input(self, input: Tensor, batch_sizes: Tensor | None = None) -> None:
        """Check dtype and feature size of the input.

        Raises:
            ValueError, RuntimeError: they do not match the weights.
        """
        dtype = self._flat_weights[0].dtype
        if input.dtype != dtype and not state.autocast:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({dtype}). "
                f"Convert input: input.to({dtype}), or convert model: model.to({input.dtype})"
            )
        dimensions = 3 if batch_sizes is None else 2
        if input.dim() != dimensions:
            raise RuntimeError(f"input must have {dimensions} dimensions, got {input.dim()}")
        if self.input_size != input.size(-1):
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}"
            )

    def check_hidden_size(
        self,
        hx: Tensor,
        expected_hidden_size: tuple[int, int, int],
        msg: str = "Expected hidden size {}, got {}",
    ) -> None:
        """Check the shape of a state.

        Raises:
            RuntimeError: the shape is wrong.
        """
        if hx.size() != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.size())))

    def _batched(self, input: Any, what: str = "") -> tuple[Tensor, bool]:
        """The input with a batch dimension, and whether it had one."""
        if input.dim() not in (2, 3):
            raise ValueError(
                f"{type(self).__name__}: Expected input to be 2D or 3D, got {input.dim()}D{what} instead"
            )
        batched = input.dim() == 3
        return (input if batched else input.unsqueeze(0 if self.batch_first else 1)), batched

    def _start(self, input: Tensor, size: int, batch_sizes: Tensor | None = None) -> Tensor:
        return zeros(*self.get_expected_hidden_size(input, batch_sizes)[:2], size, dtype=input.dtype)

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """The state with a permuted batch."""
        return hx if permutation is None else hx.index_select(1, permutation)

    @property
    def _dropout(self) -> float:
        return self.dropout if self.training else 0.0

    def extra_repr(self) -> str:
        parts = [f"{self.input_size}, {self.hidden_size}"]
        usual = {
            "proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False, "dropout": 0, "bidirectional": False
        }  # fmt: skip
        parts += [
            f"{name}={getattr(self, name)}" for name, value in usual.items() if getattr(self, name) != value
        ]
        return ", ".join(parts)


class _Layer(RNNBase):
    """The forward of all layers; their state is one tensor, or for LSTM a pair."""

    _called = ""  # how errors about dimensions name the input

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, Any]:
        if isinstance(input, PackedSequence):
            data, sizes, order, back = input
            states = None if hx is None else self._listed(self.permute_hidden(hx, order))
            output, states = self._run(data, states, sizes)
            return PackedSequence(output, sizes, order, back), self.permute_hidden(self._state(states), back)
        data, batched = self._batched(input, self._called)
        if hx is not None:
            self._check_dimensions(hx, batched)
        states = None if hx is None else self._listed(hx)
        if states is not None and not batched:
            states = [each.unsqueeze(1) for each in states]
        output, states = self._run(data, states, None)
        if not batched:
            output = output.squeeze(0 if self.batch_first else 1)
            states = [each.squeeze(1) for each in states]
        return output, self._state(states)

    def _listed(self, hx: Any) -> list[Tensor]:
        return [hx]

    def _state(self, states: list[Tensor]) -> Any:
        return states[0]

    def _check_dimensions(self, hx: Tensor, batched: bool) -> None:
        if hx.dim() != 2 + batched:
            kind, given = ("batched 3-D", "3-D") if batched else ("unbatched 2-D", "2-D")
            raise RuntimeError(f"For {kind} input, hx should also be {given} but got {hx.dim()}-D tensor")

    def _run(self, data: Tensor, states: Any, sizes: Any) -> tuple[Tensor, list[Tensor]]:
        (hx,) = states or (self._start(data, self.hidden_size, sizes),)
        self.check_input(data, sizes)
        self.check_hidden_size(hx, self.get_expected_hidden_size(data, sizes))
        output, hidden = rnn.rnn(self.mode, data, hx, self._flat_weights, *self._settings(sizes))
        return output, [hidden]

    def _settings(self, sizes: Any, *also: bool) -> tuple[Any, ...]:
        """The settings as the kernels take them."""
        packed = None if sizes is None else sizes._array.tolist()
        first = self.batch_first and packed is None
        return self.bias, *also, self._dropout, self.bidirectional, first, packed


def _no_projection(given: dict[str, Any]) -> None:
    if "proj_size" in given:
        raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")


class RNN(_Layer):
    """Elman RNN: tanh or relu of a linear map of input and hidden state."""

    _called = " tensor"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _no_projection(kwargs)
        if len(args) > 3:
            self_nonlinearity, args = args[3], args[:3] + args[4:]
        else:
            self_nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if self_nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{self_nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(f"RNN_{self_nonlinearity.upper()}", *args, **kwargs)
        self.nonlinearity = self_nonlinearity


class GRU(_Layer):
    """Gated recurrent units."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _no_projection(kwargs)
        super().__init__("GRU", *args, **kwargs)


class LSTM(_Layer):
    """Long short-term memory: the state is a pair of hidden state and cell state."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def _listed(self, hx: Any) -> list[Tensor]:
        return [*hx]

    def _state(self, states: list[Tensor]) -> Any:
        return tuple(states)

    def _check_dimensions(self, hx: Any, batched: bool) -> None:
        given = hx[0].dim(), hx[1].dim()
        if given != (2 + batched,) * 2:
            kind, wanted = ("batched", 3) if batched else ("unbatched", 2)
            raise RuntimeError(
                f"For {kind} {wanted}-D input, hx and cx should also be {wanted}-D but got ({given[0]}-D, {given[1]}-D) "
                "tensors"
            )

    def _run(self, data: Tensor, states: Any, sizes: Any) -> tuple[Tensor, list[Tensor]]:
        widths = self.proj_size or self.hidden_size, self.hidden_size
        states = states or [self._start(data, width, sizes) for width in widths]
        if sizes is None:
            self.check_input(data)
            wanted = self.get_expected_hidden_size(data), self.get_expected_cell_size(data)
            for n in (0, 1):
                self.check_hidden_size(states[n], wanted[n], f"Expected hidden[{n}] size {{}}, got {{}}")
            if len(states) != 2:
                check_list(states, 1)
                raise RuntimeError("lstm expects two hidden states")
        settings = (*self._settings(sizes, bool(self.proj_size)), self.training and sizes is None)
        output, *states = rnn.lstm(data, states, self._flat_weights, *settings)
        return output, states

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """The states with a permuted batch."""
        return hx if permutation is None else tuple(each.index_select(1, permutation) for each in hx)


class RNNCellBase(_Recurrent):
    """The base of RNNCell, LSTMCell and GRUCell."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool, num_chunks: int, device: Any = None, dtype: Any = None
    ) -> None:  # fmt: skip
        check_device(device)
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        gates = num_chunks * hidden_size
        self.weight_ih = Parameter(empty((gates, input_size), dtype=dtype))
        self.weight_hh = Parameter(empty((gates, hidden_size), dtype=dtype))
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, Parameter(empty(gates, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def extra_repr(self) -> str:
        parts = [f"{self.input_size}, {self.hidden_size}"]
        if self.bias is not True:
            parts.append(f"bias={self.bias}")
        if getattr(self, "nonlinearity", "tanh") != "tanh":
            parts.append(f"nonlinearity={self.nonlinearity}")
        return ", ".join(parts)

    def _batched(self, input: Tensor) -> tuple[Tensor, bool]:
        if input.dim() not in (1, 2):
            raise ValueError(
                f"{type(self).__name__}: Expected input to be 1D or 2D, got {input.dim()}D instead"
            )
        batched = input.dim() == 2
        return (input if batched else input.unsqueeze(0)), batched

    def _state(self, input: Tensor, hx: Tensor | None, batched: bool, name: str) -> Tensor:
        if hx is None:
            return zeros(input.size(0), self.hidden_size, dtype=input.dtype)
        if hx.dim() not in (1, 2):
            raise ValueError(
                f"{type(self).__name__}: Expected {name} to be 1D or 2D, got {hx.dim()}D instead"
            )
        return hx if batched else hx.unsqueeze(0)

    @property
    def _weights(self) -> tuple[Tensor, Tensor, Tensor | None, Tensor | None]:
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh


class _OneStateCell(RNNCellBase):
    """The base of cells whose state is one tensor."""

    @property
    def _cell(self) -> Callable[..., Tensor]:
        raise NotImplementedError

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        input, batched = self._batched(input)
        hx = self._state(input, hx, batched, "hidden")
        hidden = self._cell(input, hx, *self._weights)
        return hidden if batched else hidden.squeeze(0)


class RNNCell(_OneStateCell):
    """One step of RNN."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh", device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        check_device(device)
        super().__init__(input_size, hidden_size, bias, 1, dtype=dtype)
        self.nonlinearity = nonlinearity

    @property
    def _cell(self) -> Callable[..., Tensor]:
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return rnn.rnn_tanh_cell if self.nonlinearity == "tanh" else rnn.rnn_relu_cell


class GRUCell(_OneStateCell):
    """One step of GRU."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        check_device(device)
        super().__init__(input_size, hidden_size, bias, 3, dtype=dtype)

    @property
    def _cell(self) -> Callable[..., Tensor]:
        return rnn.gru_cell


class LSTMCell(RNNCellBase):
    """One step of LSTM: the next hidden state and cell state."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        check_device(device)
        super().__init__(input_size, hidden_size, bias, 4, dtype=dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        input, batched = self._batched(input)
        given = (None, None) if hx is None else hx
        states = [self._state(input, each, batched, f"hx[{index}]") for index, each in enumerate(given)]
        if isinstance(hx, Tensor) and batched:
            raise TypeError("lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, not Tensor")
        hidden, cell = rnn.lstm_cell(input, states, *self._weights)
        return (hidden, cell) if batched else (hidden.squeeze(0), cell.squeeze(0))
