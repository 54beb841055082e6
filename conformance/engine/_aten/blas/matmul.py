"""matmul, linear and outer, which call dot, mv, mm or bmm by the operands' dimensions."""

from __future__ import annotations

import math
from typing import Any

from ..._arguments.argument_errors import check_tensors
from ..._autograd.batched_tensor import BatchedTensor
from ..._autograd.tensor import Tensor
from ..._c10.errors import need_fitting, wrong_type
from ..._c10.operator_facts import Out, composite
from ..._c10.shapes import broadcast_shapes
from ..shape.inplace_views import squeeze_
from ..shape.transpose import t
from ..shape.view_reshape import _unsafe_view, expand, reshape, unsqueeze, view
from .blas import addmm, dot, mm, mv
from .bmm import bmm

PUBLIC = ("ger", "matmul", "outer")


@composite(vmap="decompose", out=Out(operator="mul"))
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Every product of two vectors' elements."""
    need_fitting(input._array.ndim == vec2._array.ndim == 1, "torch.outer")
    return reshape(input, input._array.size, 1) * vec2


@composite(vmap="decompose", out=None)
def ger(input: Tensor, vec2: Tensor) -> Tensor:
    """The older name of outer."""
    return outer(input, vec2)


@composite(vmap="decompose", autocast="lower_precision_fp", out=True)
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """torch.matmul, which calls dot, mv, mm or bmm by the number of dimensions, with torch's folding."""
    try:
        a, b = input._array.ndim, other._array.ndim
    except AttributeError:
        check_tensors("matmul", input=input)
        result = wrong_type(
            "matmul", "other", "Tensor", other, 1
        )  # the method's error: the function checks before
        raise result from None
    if a == 0 or b == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {a}D and {b}D")
    if a == 1 and b == 1:
        return dot(input, other)
    if a == 2 and b == 1:
        return mv(input, other)
    if a == 1 and b == 2:
        return squeeze_(mm(unsqueeze(input, 0), other), 0)
    if a == 2 and b == 2:
        return mm(input, other)
    if should_fold(input, other):
        return _folded(input, other)
    return _batched(input, other)


def should_fold(a: Tensor, b: Tensor) -> bool:
    """Whether a batch of matrices is folded to one tall matrix, for mm or mv instead of bmm.

    It always is if the smaller operand requires grad: if that were expanded to a batch, so would be its gradient.
    """
    larger, smaller = (a, b) if a._array.ndim >= b._array.ndim else (b, a)
    if larger._array.ndim < 3 or smaller._array.ndim > 2:
        return False
    if smaller.requires_grad:
        return True
    if a._array.ndim == 2:  # the transposed result would have to be copied
        return False
    if not larger._array.size:
        return True
    if larger is b:
        larger = larger.mT
    shape, steps = larger._array.shape, larger.stride()
    return all(steps[i] == steps[i + 1] * shape[i + 1] for i in range(len(shape) - 2))


def _folded(a: Tensor, b: Tensor) -> Tensor:
    swapped = b._array.ndim > a._array.ndim
    big = b.mT if swapped else a
    small = (t(a) if a._array.ndim == 2 else a) if swapped else b
    *batch, columns = big._array.shape
    flat = reshape(big, math.prod(batch), columns)
    if small._array.ndim == 1:
        return _unsafe_view(mv(flat, small), tuple(batch))
    result = _unsafe_view(mm(flat, small), (*batch, small._array.shape[1]))
    return result.mT.contiguous() if swapped else result


def _batched(a: Tensor, b: Tensor) -> Tensor:
    left, right = a._array.shape, b._array.shape
    vector = len(right) == 1
    if len(left) == len(right) == 3 and left[0] != right[0]:
        if left[0] == 1 and a.requires_grad:
            return matmul(a.squeeze(0), b)
        if right[0] == 1 and b.requires_grad:
            return matmul(a, b.squeeze(0))
    rows = left[-2:-1] or (1,)
    columns = () if vector else right[-1:]
    batch = broadcast_shapes(left[:-2], right[:-2])
    count = math.prod(batch)
    many = reshape(expand(a, (*batch, *rows, left[-1])), count, *rows, left[-1])
    inner = right[-1:] if vector else right[-2:]
    others = reshape(expand(b, (*batch, *inner)), count, *inner)
    shape = (*batch, *left[-2:-1], *columns) if len(left) > 1 else (*batch, *columns)
    if vector:
        return _unsafe_view(bmm(many, others.unsqueeze(2)).squeeze(-1), shape)
    return _unsafe_view(bmm(many, others), shape)


def rmatmul(self: Tensor, other: Any) -> Tensor:
    """other @ self."""
    return matmul(other, self)


def _is_fusable(bias: Tensor) -> bool:
    """Whether torch fuses the bias into addmm: it is contiguous, and 1-d or all its dimensions but one are 1."""
    array = bias._array
    in_line = array.ndim == 1 or len([n for n in array.shape if n != 1]) == 1
    return in_line and array.flags.c_contiguous


@composite(vmap="decompose", autocast="lower_precision_fp", out=True)
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """torch.nn.functional.linear: input @ weight.T + bias."""
    try:
        ndim, of_weight = input._array.ndim, weight._array.ndim
    except AttributeError:
        check_tensors("linear", input=input, weight=weight)
        raise
    if not ndim or not of_weight:
        sizes = f"{ndim}D and {of_weight}D"
        raise RuntimeError(f"both arguments to linear need to be at least 1D, but they are {sizes}")
    if bias is None:
        return matmul(input, t(weight))
    if ndim == 2:
        return addmm(bias, input, t(weight))
    if BatchedTensor in (input.__class__, weight.__class__, bias.__class__):
        return matmul(input, t(weight)) + bias
    if not (input.is_contiguous() and _is_fusable(bias)):
        return matmul(input, t(weight)).add_(bias)
    shape = input._array.shape
    flat = reshape(input, -1 if input._array.size else math.prod(shape[:-1]), shape[-1])
    return view(addmm(bias, flat, t(weight)), (*shape[:-1], weight._array.shape[0]))
