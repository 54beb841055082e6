"""_test_autograd_multiple_dispatch and others, for torch's own tests; the CPU formula adds 1 to the gradient."""

from __future__ import annotations

from typing import Any

from ..._autograd.tensor import Tensor
from ..._c10.errors import need_fitting
from ..out import given
from ..registry import ROWS, Array, op
from ..scalar_operands import plus

PUBLIC = ()


@op(
    "TestAutogradMultipleDispatchBackward0",
    name="_test_autograd_multiple_dispatch",
    overload="fullcoverage",
    jvp="auto_linear",
    self=lambda grad, self_sym_sizes: plus(grad.expand(self_sym_sizes), 1),
)
def _full_coverage(self: Array) -> Array:
    return self.copy()


@op(
    "TestAutogradMultipleDispatchViewBackward0",
    name="_test_autograd_multiple_dispatch_view",
    view="default",
    jvp="not_implemented",
    self=lambda grad, self: grad.reshape_as(self),
)
def _view(self: Array) -> Array:
    result: Array = ROWS["view"].forward(self, (self.size,))
    return result


@op(
    "TestAutogradMultipleDispatchViewBackward0_copy",
    name="_test_autograd_multiple_dispatch_view_copy",
    jvp="not_implemented",
    self=lambda grad, self: grad.reshape_as(self),
)
def _view_copy(self: Array) -> Array:
    return _view.row.forward(self).copy()  # type: ignore[attr-defined]


def _test_autograd_multiple_dispatch(input: Tensor, b: bool | None = None) -> Tensor:
    """A copy, to whose gradient 1 is added, except in the overload with a second argument."""
    if b is None:
        result: Tensor = _full_coverage(input)
        return result
    need_fitting(b.__class__ is bool, "torch._test_autograd_multiple_dispatch")
    return input.clone()


def _test_autograd_multiple_dispatch_view(input: Tensor) -> Tensor:
    """A flattened view."""
    result: Tensor = _view(input)
    return result


def _test_autograd_multiple_dispatch_view_copy(input: Tensor, *, out: Any = None) -> Tensor:
    """A flattened copy."""
    result: Tensor = _view_copy(input)
    return given("_test_autograd_multiple_dispatch_view_copy", out, result)
