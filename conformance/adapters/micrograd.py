"""micrograd: scalars on Python's numbers, with a gradient that starts as 0."""

from __future__ import annotations

from importlib.metadata import version
from types import SimpleNamespace
from typing import Any

from micrograd.engine import Value

from conformance.adapters.module import ModuleEngine
from conformance.adapters.wrapped import Wrapped, functions, gradient_of


class MicrogradTensor(Wrapped, shown_as="Tensor"):
    """A ``Value``, or a number as its gradient, with torch's attributes."""

    shape = ()
    dtype = "float64"  # what Python's floats are

    def item(self) -> float:
        """The number."""
        return float(self.own.data if isinstance(self.own, Value) else self.own)

    tolist = item

    def backward(self, *given: Any, **named: Any) -> None:
        """micrograd's backward pass, which takes no gradient."""
        if gradient_of(given, named) is not None:
            raise NotImplementedError("Tensor.backward(gradient)")
        self.own.backward()

    @property
    def is_leaf(self) -> bool:
        """Whether no other value leads to it."""
        return not (isinstance(self.own, Value) and self.own._prev)

    @property
    def grad(self) -> Any:
        """A number."""
        return MicrogradTensor(self.own.grad) if isinstance(self.own, Value) else None


def tensor(data: Any, requires_grad: bool = False) -> MicrogradTensor:
    """A ``Value``, which always has a gradient."""
    if not isinstance(data, int | float):
        raise NotImplementedError("torch.tensor of more than a number")
    if not requires_grad:
        raise NotImplementedError("a tensor that requires no grad")
    return MicrogradTensor(Value(data))


torch = functions(MicrogradTensor, {"relu": Value.relu})
torch.tensor = tensor
torch.nn = SimpleNamespace(functional=SimpleNamespace(relu=torch.relu))
torch.grads_start_as_zeros = True  # a Value has a gradient of 0 before any pass
engine = ModuleEngine("micrograd", torch, version=version("micrograd"), claims=("values",))
