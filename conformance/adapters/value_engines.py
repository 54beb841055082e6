"""Engines of scalars in the manner of micrograd: a ``Value`` on Python's numbers, with a gradient that starts as 0."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any

from conformance.adapters.module import ModuleEngine
from conformance.adapters.wrapped import Wrapped, functions, gradient_of


def engine_of(name: str, value: Any, *, is_leaf: Callable[[Any], bool] | None = None) -> ModuleEngine:
    """The engine of a class ``Value``; ``is_leaf`` is left out where it cannot be read."""

    class ScalarTensor(Wrapped, shown_as="Tensor"):
        """A ``Value``, or a number as its gradient, with torch's attributes."""

        shape = ()
        dtype = "float64"  # what Python's floats are

        def item(self) -> float:
            """The number."""
            return float(self.own.data if isinstance(self.own, value) else self.own)

        tolist = item

        def backward(self, *given: Any, **named: Any) -> None:
            """The engine's backward pass, which takes no gradient."""
            if gradient_of(given, named) is not None:
                raise NotImplementedError("Tensor.backward(gradient)")
            self.own.backward()

        @property
        def grad(self) -> Any:
            """A number."""
            return ScalarTensor(self.own.grad) if isinstance(self.own, value) else None

    if is_leaf is not None:
        ScalarTensor.is_leaf = property(  # type: ignore[attr-defined]
            lambda self: not isinstance(self.own, value) or is_leaf(self.own)
        )

    def tensor(data: Any, requires_grad: bool = False) -> Any:
        if not isinstance(data, int | float):
            raise NotImplementedError("torch.tensor of more than a number")
        if not requires_grad:
            raise NotImplementedError("tensors that require no grad")
        return ScalarTensor(value(data))

    torch = functions(ScalarTensor, {"relu": value.relu})
    torch.tensor = tensor
    torch.nn = SimpleNamespace(functional=SimpleNamespace(relu=torch.relu))
    torch.grads_start_as_zeros = True  # a Value has a gradient of 0 before any pass
    return ModuleEngine(name, torch, version=version(name), claims=("values",))
