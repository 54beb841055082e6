"""A small engine on NumPy with six planted faults, each marked with a comment."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np


class Tensor:
    """An array with a gradient, and with what backward needs."""

    def __init__(
        self, data: Any, requires_grad: bool = False, inputs: Any = (), derivative: Any = None
    ) -> None:
        self.data = np.asarray(data)
        self.requires_grad, self.inputs, self.derivative = requires_grad, inputs, derivative
        self.grad: Tensor | None = None
        self.hooks: list[Any] = []

    @property
    def is_leaf(self) -> bool:
        """Whether no operation created it."""
        return not self.inputs

    def _result(self, data: Any, *inputs: Tensor, derivative: Any) -> Tensor:
        wants = any(each.requires_grad for each in inputs)
        return Tensor(data, wants, inputs if wants else (), derivative)

    def __mul__(self, other: Any) -> Tensor:
        other = other if isinstance(other, Tensor) else Tensor(np.float32(other))
        if self.data.ndim != other.data.ndim and min(self.data.ndim, other.data.ndim) > 0:
            raise ValueError("shapes must match")  # fault: no broadcasting
        return self._result(
            self.data * other.data, self, other, derivative=lambda g: (g * other.data, g * self.data)
        )

    def sum(self) -> Tensor:
        """All numbers added up."""
        total = self.data.sum(keepdims=True).reshape(1)  # fault: the shape of a reduction
        return self._result(total, self, derivative=lambda g: (np.broadcast_to(g, self.data.shape),))

    def register_hook(self, hook: Any) -> None:
        """Called with the gradient."""
        self.hooks.insert(0, hook)  # fault: the order of hooks

    def backward(self, gradient: Tensor | None = None) -> None:
        """Along all paths, gradients summed first."""
        order: list[Tensor] = []

        def visit(one: Tensor) -> None:
            if all(one is not each for each in order):
                for each in one.inputs:
                    visit(each)
                order.append(one)

        visit(self)
        flows = {id(self): np.ones_like(self.data) if gradient is None else gradient.data}
        for one in reversed(order):
            flow = flows[id(one)]
            for hook in one.hooks:
                hook(Tensor(flow))
            if one.is_leaf and one.requires_grad:
                one.grad = Tensor(flow)  # fault: overwritten instead of added
            for each, its in zip(one.inputs, one.derivative(flow) if one.inputs else (), strict=False):
                kept = its if its.shape == each.data.shape else its.sum().reshape(each.data.shape)
                flows[id(each)] = flows[id(each)] + kept if id(each) in flows else kept


def tensor(data: Any, requires_grad: bool = False) -> Tensor:
    """A leaf; ``torch.arange`` is missing, the sixth fault."""
    made = np.array(data)
    return Tensor(
        made.astype(np.float32 if made.dtype.kind == "f" else np.int32), requires_grad
    )  # fault: a dtype


class Faulty:
    """Its adapter."""

    name, version, claims = "faulty", "1", frozenset({"values", "dtypes", "errors"})
    torch = SimpleNamespace(Tensor=Tensor, tensor=tensor)

    def observe(self, value: Any, /) -> Any | None:
        if not isinstance(value, Tensor):
            return None
        return SimpleNamespace(
            tolist=value.data.tolist,
            shape=value.data.shape,
            dtype=value.data.dtype,
            is_leaf=value.is_leaf,
            requires_grad=value.requires_grad,
            grad=value.grad,
            storage=None,
        )
