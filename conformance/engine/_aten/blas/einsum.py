"""torch.einsum: operands are permuted to one order of subscripts, then multiplied pair by pair."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from ..._autograd.tensor import Tensor
from ..._c10.errors import need_fitting
from ..._c10.operator_facts import composite
from ..type_promotion import check_list
from .bmm import bmm

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
ELLIPSIS = "."
Labels = list[str]  # the subscripts of one operand; a dot represents an ellipsis


def _parse(equation: str, count: int) -> tuple[list[Labels], Labels | None]:
    """The subscripts of each operand, and those of the output, or None if the equation has no "->"."""
    arrow = equation.find("->")
    left = equation[:arrow] if arrow >= 0 else equation
    inputs: list[Labels] = [[]]
    place = 0
    while place < len(left):
        each = left[place]
        if each == ".":
            need_fitting(left[place : place + 3] == "..." and ELLIPSIS not in inputs[-1], "torch.einsum")
            inputs[-1].append(ELLIPSIS)
            place += 2
        elif each == ",":
            inputs.append([])
        elif each != " ":
            if each not in LETTERS:
                raise RuntimeError(
                    f"einsum(): invalid subscript given at index {place} in the equation string, "
                    "subscripts must be in [a-zA-Z]"
                )
            inputs[-1].append(each)
        place += 1
    need_fitting(len(inputs) == count, "torch.einsum")
    return inputs, None if arrow < 0 else _parse_output(equation[arrow + 2 :], inputs)


def _parse_output(subscripts: str, inputs: list[Labels]) -> Labels:
    output = list(subscripts.replace(" ", "").replace("...", ELLIPSIS))
    fits = {ELLIPSIS}.union(*inputs).issuperset(output) and len(set(output)) == len(output)
    need_fitting(fits and "." not in subscripts.replace("...", ""), "torch.einsum")
    return output


def _covered(inputs: list[Labels], operands: Sequence[Tensor]) -> int:
    """How many dimensions an ellipsis covers: the most among all operands."""
    most = 0
    for labels, operand in zip(inputs, operands, strict=True):
        ndim, named = operand._array.ndim, len(labels) - (ELLIPSIS in labels)
        need_fitting(named <= ndim if ELLIPSIS in labels else named == ndim, "torch.einsum")
        most = max(most, ndim - named)
    return most


class _Places:
    """The dimension of each subscript in the common order, which begins with the output's subscripts."""

    def __init__(self, inputs: list[Labels], output: Labels | None, covered: int) -> None:
        self.of: dict[str, int] = {}
        self.ellipsis = 0
        self.count = 0
        given = Counter(label for labels in inputs for label in labels)
        letters = [label for label in LETTERS if label in given]
        if output is None:  # after the ellipsis, subscripts that appear once, in alphabetical order
            self.count = covered
            for label in letters:
                if given[label] == 1:
                    self._add(label)
        else:
            for label in output:
                if label == ELLIPSIS:
                    self.ellipsis = self.count
                    self.count += covered
                else:
                    self._add(label)
        self.output = self.count
        if output is not None and ELLIPSIS not in output:
            self.ellipsis = self.count
            self.count += covered
        for label in letters:
            if label not in self.of:
                self._add(label)

    def _add(self, label: str) -> None:
        self.of[label] = self.count
        self.count += 1


def _aligned(operand: Tensor, labels: Labels, places: _Places, covered: int, seen: dict[str, int]) -> Tensor:
    """An operand permuted to the common order, with a dimension of 1 for each missing subscript."""
    sizes = operand._array.shape
    order = [-1] * places.count
    here = 0
    for label in labels:
        if label == ELLIPSIS:
            missing = covered - (len(sizes) - (len(labels) - 1))
            for k in range(missing, covered):
                order[places.ellipsis + k] = here
                here += 1
            continue
        place = places.of[label]
        n = operand._array.shape[here]
        if order[place] != -1:  # a repeated subscript: the diagonal
            before = order[place]
            need_fitting(n == operand._array.shape[before], "torch.einsum")
            operand = operand.diagonal(0, before, here).movedim(-1, before)
            continue
        need_fitting(n == 1 or seen.setdefault(label, n) == n, "torch.einsum")
        order[place] = here
        here += 1
    for place, dim in enumerate(order):
        if dim == -1:
            operand = operand.unsqueeze(here)
            order[place] = here
            here += 1
    return operand.permute(order)


def _multiply(left: Tensor, right: Tensor, summed: list[int]) -> Tensor:
    """The product of two operands, summed over dimensions with keepdim (torch: sumproduct_pair)."""
    if not summed:
        return left * right
    both, only_left, only_right = [], [], []
    for dim in range(left._array.ndim):
        in_left, in_right = left._array.shape[dim] != 1, right._array.shape[dim] != 1
        if dim in summed:
            if in_left and not in_right:
                left = left.sum(dim, True)
            elif in_right and not in_left:
                right = right.sum(dim, True)
        elif in_left and in_right:
            both.append(dim)
        elif in_left:
            only_left.append(dim)
        else:
            only_right.append(dim)

    if only_left and only_right and max(only_right) < min(only_left):  # the product is then contiguous
        return _multiply(right, left, summed)

    def extent(tensor: Tensor, dims: list[int]) -> int:
        return math.prod(tensor._array.shape[d] for d in dims)

    shape = [left._array.shape[d] for d in (*both, *only_left)] + [1] * len(summed)
    shape += [right._array.shape[d] for d in only_right]
    order = [*both, *only_left, *summed, *only_right]
    back = [order.index(d) for d in range(len(order))]
    batch, inner = extent(left, both), extent(left, summed)
    a = left.permute(order).reshape(batch, extent(left, only_left), inner)
    b = right.permute([*both, *summed, *only_right, *only_left]).reshape(
        batch, inner, extent(right, only_right)
    )
    return bmm(a, b).view(shape).permute(back)


def _sum_pairs(operands: list[Tensor], places: _Places) -> Tensor:
    """Multiply all operands from the left; a dimension is summed as soon as no later operand has it."""
    counts = [sum(each._array.shape[dim] != 1 for each in operands) for dim in range(places.count)]
    while len(operands) > 1:
        a, b = operands.pop(0), operands.pop(0)
        of_a: list[int] = []
        of_b: list[int] = []
        of_both: list[int] = []
        for dim in range(places.output, places.count):
            in_a, in_b = a._array.shape[dim] != 1, b._array.shape[dim] != 1
            if in_a and in_b:
                counts[dim] -= 1
                if counts[dim] == 1:
                    of_both.append(dim)
            elif counts[dim] == 1 and (in_a or in_b):
                (of_a if in_a else of_b).append(dim)
        if of_a:
            a = a.sum(of_a, True)
        if of_b:
            b = b.sum(of_b, True)
        operands.insert(0, _multiply(a, b, of_both))
    return operands[0]


@composite(variants="function", vmap="decompose")
def einsum(*args: Any) -> Tensor:
    """A sum of products, written with subscripts."""
    if len(args) == 2 and isinstance(args[0], str) and isinstance(args[1], (tuple, list)):
        args = (args[0], *args[1])
    if not args or not isinstance(args[0], str):
        raise NotImplementedError("torch.einsum with lists of subscripts")
    equation, operands = args[0], args[1:]
    check_list(operands, argument=1)
    inputs, output = _parse(equation, len(operands))
    covered = _covered(inputs, operands)
    places = _Places(inputs, output, covered)
    seen: dict[str, int] = {}
    aligned = [
        _aligned(operand, labels, places, covered, seen)
        for operand, labels in zip(operands, inputs, strict=True)
    ]
    summed = list(range(places.output, places.count))
    first, *others = aligned
    if not others:
        return first.sum(summed) if summed else first
    result = _sum_pairs(aligned, places)
    return result.view(result._array.shape[: places.output]) if summed else result


PUBLIC = ("einsum",)
