"""Batch rules of elementwise operations (torch: functorch/BatchRulesUnaryOps.cpp, BatchRulesBinaryOps.cpp)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._aten.creation.factories import zeros
from .._aten.creation.from_data import tensor
from .._aten.registry import Row
from .._autograd.batched_tensor import BatchedTensor, make_batched, unwrap_batched, vmaps
from .._autograd.forward_grad import attach, levels, levels_of
from .._autograd.tensor import Tensor
from .._c10.dtypes import BY_NUMPY, result_type
from .batch_dims import aligned, front_of, is_at, wrapped
from .batch_rule_registry import shared_rule


def _promoted(values: list[Any], wholes: list[Any], level: int) -> list[Any]:
    """Cast two operands: type promotion treats a 0-d sample as a 0-d tensor, although its value has a dimension."""
    first, second = (place for place, each in enumerate(values) if isinstance(each, Tensor))
    for scalar, other in ((first, second), (second, first)):
        if _is_scalar(values[scalar], level) and not _is_scalar(values[other], level):
            wanted = result_type(values[scalar], wholes[other])
            for place in (scalar, other):
                wholes[place] = wholes[place].to(wanted)
    return wholes


def _as_operand(number: Any, dtype: Any, value: Tensor, level: int) -> Tensor:
    """A Python number as a 0-d tensor, as in torch; inside a vmap its tangents have the number's own dtype."""
    result = tensor(number, dtype=dtype)
    while value.__class__ is BatchedTensor:
        value = unwrap_batched(value)[0]
    age = vmaps[level].age
    inside = [each for each in levels_of(value) if levels[each].of_func and levels[each].age > age]
    if not inside:
        return result
    result = result.expand(vmaps[level].size)  # so that type promotion treats it like the samples
    for each in inside:
        attach(result, zeros(result.shape, dtype=BY_NUMPY[np.dtype(type(number))]), each)
    return make_batched(result, 0, level)


def _is_scalar(value: Any, level: int) -> bool:
    return is_at(value, level) and not value._array.ndim


@shared_rule("pointwise")
def pointwise(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """An elementwise operation: of one tensor, its value with its strides; of several, values that broadcast."""
    values = [*args, *kwargs.values()]
    batches = [place for place, each in enumerate(values) if isinstance(each, Tensor)]
    dim = 0
    if row.view is not None and any(is_at(each, level) and each._value is None for each in values):
        return NotImplemented
    if len(batches) == 1 and row.facts.vmap_operands != "tensors":
        (place,) = batches
        values[place], dim = unwrap_batched(values[place])
    else:
        if len(batches) == 1 and _is_scalar(values[batches[0]], level):
            number = 1 - batches[0]
            wanted = result_type(values[batches[0]], values[number])
            values[number] = _as_operand(values[number], wanted, unwrap_batched(values[batches[0]])[0], level)
            batches.append(number)
        names = (*list(row.parameters)[: len(args)], *kwargs)
        two = (
            len(row.promote) == 2
            and row.facts.vmap_operands != "same_dtype"
            and len([place for place in batches if names[place] in row.promote]) == len(batches) == 2
        )
        fronts = [front_of(each, level) for each in values]
        values = aligned(values, level, _promoted(values, fronts, level) if two else fronts)
    arguments = dict(zip(kwargs, values[len(args) :], strict=True))
    return wrapped(row.call(*values[: len(args)], **arguments), level, dim)
