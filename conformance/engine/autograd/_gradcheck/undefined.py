"""gradcheck of zero gradients, and of undefined gradients and tangents."""

from __future__ import annotations

import warnings

from ..._aten.random.random import Generator
from ..._autograd import backward
from ..._autograd.node import Gradients, Node, gradient_edge, new_node
from ..._autograd.tensor import Tensor
from ..._c10.layout import Unstrided, elements_of
from . import errors
from .criteria import GradcheckError, differentiable
from .fast import direction_of
from .forward_mode import undefined_tangents
from .jacobians import Function, Tensors, places_wanted


def check_linear_in_gradient(outputs: Tensors, points: Tensors, masked: bool) -> None:
    """A zero gradient must give zero gradients."""
    by = [points[index] for index in places_wanted(points)]
    found = backward.grad(outputs, by, [each.detach() * 0 for each in outputs], allow_unused=True)
    for gradient, point in zip(found, by, strict=True):
        if gradient is None:
            continue
        if isinstance(gradient._array, Unstrided) and gradient.layout is not point.layout:
            raise GradcheckError(f"grad is incorrect layout ({gradient.layout} is not {point.layout})")
        if (abs(elements_of(gradient._array)) > (1e-8 if masked else 0)).any():
            raise GradcheckError("backward not multiplied by grad_output")
        if gradient.dtype is not point.dtype:
            raise GradcheckError("grad is incorrect type")


class UndefinedGradBackward(Node):
    """A node whose gradients are undefined."""

    __slots__ = ()

    def _apply(self, grads: Gradients) -> Gradients:
        return (None,)


def undefined_gradient(tensor: Tensor) -> Tensor:
    """The tensor after a node with undefined gradients."""
    node = new_node(UndefinedGradBackward)
    node.next_edges = (gradient_edge(tensor),)
    node.input_metadata = ((tensor._array.shape, tensor._array.dtype),)
    result = tensor.detach()
    result._node, result._requires_grad = node, True
    return result


def check_undefined(func: Function, count: int, points: Tensors) -> None:
    """Backward must accept undefined gradients, of all outputs and of each one."""
    _check_undefined_case([undefined_gradient(each) for each in differentiable(func(*points))], points)
    if count > 1:
        for number in range(count):
            outputs = differentiable(func(*points))
            _check_undefined_case(
                [undefined_gradient(each) if place == number else each for place, each in enumerate(outputs)],
                points,
            )


def _check_undefined_case(outputs: list[Tensor], points: Tensors) -> None:
    by = [points[index] for index in places_wanted(points)]
    try:
        found = backward.grad(outputs, by, [each.detach() * 0 for each in outputs], allow_unused=True)
    except RuntimeError as error:
        warnings.warn(errors.UNDEFINED_BC, stacklevel=7)
        raise GradcheckError(errors.UNDEFINED) from error
    for each in found:
        if each is not None and elements_of(each._array).any():
            warnings.warn(errors.UNDEFINED_BC, stacklevel=7)
            raise GradcheckError(errors.UNDEFINED_NOT_ZERO)


def check_undefined_tangents(func: Function, points: Tensors) -> None:
    """An undefined tangent must give the same result as a zero tangent."""
    generator = Generator()
    directions = [direction_of(points[index], generator) for index in places_wanted(points)]
    for number, point, got, expected in undefined_tangents(func, points, directions):
        raise GradcheckError(
            "Mismatch in tangent values for output with index: ", number, " when input: ", point,
            " has an undefined tangent value. ", " Got: ", got, " but expected: ", expected,
        )  # fmt: skip
