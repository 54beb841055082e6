"""MyGrad. It has no ``retain_grad``, and nodes of another kind, so it claims only values."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import mygrad as mg
import mygrad.nnet
import numpy as np

from conformance.adapters import arrays
from conformance.adapters.module import ModuleEngine
from conformance.adapters.wrapped import WrappedArray, functions, gradient_of, unwrapped


class MygradTensor(WrappedArray, shown_as="Tensor"):
    """A ``mygrad.Tensor`` under torch's names."""

    def tolist(self) -> Any:
        """The numbers."""
        return self.own.data.tolist()

    def backward(self, *given: Any, **named: Any) -> None:
        """MyGrad's backward pass, which frees the graph."""
        self.own.backward(gradient_of(given, named))

    @property
    def requires_grad(self) -> bool:
        """Whether it is not constant."""
        return not self.own.constant

    @property
    def is_leaf(self) -> bool:
        """Whether no operation created it."""
        return self.own.creator is None

    @property
    def grad(self) -> Any:
        """The gradient, which is an array in MyGrad."""
        return (
            None
            if self.own.grad is None
            else MygradTensor(mg.tensor(self.own.grad, constant=True, copy=False))
        )

    def __iadd__(self, other: Any) -> Any:
        own = self.own
        own += unwrapped(other)
        return self

    def __isub__(self, other: Any) -> Any:
        own = self.own
        own -= unwrapped(other)
        return self

    def __imul__(self, other: Any) -> Any:
        own = self.own
        own *= unwrapped(other)
        return self

    def __setitem__(self, index: Any, value: Any) -> None:
        self.own[index] = unwrapped(value)


def _leaf(value: Any, requires_grad: bool) -> MygradTensor:
    return MygradTensor(mg.tensor(value, constant=not requires_grad))


def tensor(data: Any, dtype: Any = None, requires_grad: bool = False) -> MygradTensor:
    """A tensor without a creator."""
    return _leaf(arrays.array(data, dtype), requires_grad)


torch = functions(
    MygradTensor, {**arrays.operations(mg), "relu": mygrad.nnet.relu, "sigmoid": mygrad.nnet.sigmoid}
)
torch.tensor = tensor
torch.ones, torch.zeros = arrays.shaped(np.ones, _leaf), arrays.shaped(np.zeros, _leaf)
torch.no_grad = lambda *function: mg.no_autodiff(*function) if function else mg.no_autodiff
vars(torch).update(arrays.DTYPES)
torch.nn = SimpleNamespace(functional=SimpleNamespace(relu=torch.relu, sigmoid=torch.sigmoid))
engine = ModuleEngine("mygrad", torch, version=mg.__version__, claims=("values",))
