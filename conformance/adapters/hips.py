"""HIPS autograd, using its own tape; it claims only values.

It has no leaves with a gradient. A root of its graph is used as a leaf: autograd's backward pass calls a root with its
gradient, which the root stores. Every derivative is autograd's own.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import autograd.numpy as anp
import numpy as np
from autograd.core import VJPNode, add_outgrads, backward_pass, vspace
from autograd.tracer import isbox, new_box

from conformance.adapters import arrays
from conformance.adapters.module import ModuleEngine
from conformance.adapters.wrapped import WrappedArray, functions, gradient_of


class Root(VJPNode):  # type: ignore[misc]  # it has no types
    """A leaf: stores the gradient that autograd's backward pass calls it with."""

    __slots__ = ["grad"]

    def initialize_root(self) -> None:
        """A root has no parents and no gradient yet."""
        own: Any = self  # its own slots and those of the base class
        own.parents, own.grad, own.vjp = [], None, self._keep

    def _keep(self, gradient: Any) -> tuple[()]:
        own: Any = self
        own.grad = add_outgrads(None if own.grad is None else (own.grad, False), gradient)[0]
        return ()


class HipsTensor(WrappedArray, shown_as="Tensor"):
    """An array or a box of one, with torch's attributes."""

    @property
    def _value(self) -> Any:
        return self.own._value if isbox(self.own) else self.own

    def tolist(self) -> Any:
        """The numbers."""
        return np.asarray(self._value).tolist()

    def item(self) -> Any:
        """The number."""
        return np.asarray(self._value).item()

    def backward(self, *given: Any, **named: Any) -> None:
        """Autograd's backward pass from the node of the box."""
        gradient = gradient_of(given, named)
        if not isbox(self.own):
            raise RuntimeError("Output seems independent of input.")
        if gradient is None and np.size(self._value) != 1:
            raise TypeError("Grad only applies to real scalar-output functions.")
        backward_pass(vspace(self._value).ones() if gradient is None else gradient, self.own._node)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape."""
        return tuple(np.shape(self._value))

    @property
    def dtype(self) -> Any:
        """The dtype."""
        return np.asarray(self._value).dtype

    @property
    def requires_grad(self) -> bool:
        """Whether it is a box, which the tape follows."""
        return bool(isbox(self.own))

    @property
    def is_leaf(self) -> bool:
        """Whether no other box leads to it."""
        return not isbox(self.own) or not self.own._node.parents

    @property
    def grad(self) -> Any:
        """The gradient of a root; others have none."""
        if not isbox(self.own) or not self.is_leaf or self.own._node.grad is None:
            return None
        return HipsTensor(self.own._node.grad)


def _leaf(value: Any, requires_grad: bool) -> HipsTensor:
    return HipsTensor(new_box(value, 0, Root.new_root()) if requires_grad else value)


def tensor(data: Any, dtype: Any = None, requires_grad: bool = False) -> HipsTensor:
    """An array; with ``requires_grad``, in a box at a root of the tape."""
    return _leaf(arrays.array(data, dtype), requires_grad)


torch = functions(HipsTensor, arrays.operations(anp))
torch.tensor = tensor
torch.ones, torch.zeros = arrays.shaped(np.ones, _leaf), arrays.shaped(np.zeros, _leaf)
vars(torch).update(arrays.DTYPES)
engine = ModuleEngine("hips", torch, version=version("autograd"), claims=("values",))
