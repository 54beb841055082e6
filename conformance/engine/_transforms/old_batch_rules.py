"""Batch rules of the old vmap, that of ``is_grads_batched`` (torch: ATen/LegacyBatchingRegistrations.cpp).

Note [Rules of the old vmap]: it is older than torch.func, has fewer rules, and its own alignment: the value of an operand
that is not batched gets a batch dimension of 1 by a view, and those of a list are expanded to the batch size. An operation
without a rule runs once per sample, on values that are expanded and selected from; its results are stacked and viewed.
Views and operations on lists that have no rule are refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._aten.blas.matmul import matmul
from .._aten.registry import ROWS, Row, bind
from .._aten.shape.cat_stack import cat, stack
from .._aten.shape.view_reshape import reshape
from .._autograd.batched_tensor import (
    OLD_REFUSAL,
    OLD_VIEW,
    BatchedTensor,
    make_batched,
    rebuild_sequence,
    unwrap_batched,
    vmaps,
)
from .._autograd.tensor import Tensor, version_counter
from .._c10.dtypes import result_type
from .._c10.shapes import wrap_dim
from .batch_dims import front, is_at, with_ones, wrapped
from .batch_rule_registry import RULES, Rule
from .jvp import call
from .view_batch_rules import along


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_UNARY = _names(
    "abs acos asin atan ceil clamp clamp_max clamp_min clone _conj conj_physical cos cosh digamma div_scalar exp expm1 floor "
    "frac lgamma log log10 log1p log2 mul_scalar neg pow reciprocal relu round rsqrt sigmoid sign sin sinh sqrt tan tanh "
    "_to_copy trunc _view_as_complex _view_as_real"
)  # one call with the value
_BINARY = _names(
    "add complex div eq ge gt le lt mul ne pow_of_number pow_tensor rsub sigmoid_backward sub threshold_backward"
)
_AS_NEW = _names("as_strided squeeze t trace _unsafe_view unsqueeze view")  # as in torch.func
_ALONG = _names(
    "diagonal permute select slice split split_with_sizes squeeze_dim squeeze_dims sum_dim transpose unbind unfold"
)


def old_rule(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """Call a row under the old vmap; see Note [Rules of the old vmap].

    Raises:
        RuntimeError: torch has no rule for a view or for an operation on lists.
    """
    name = row.name
    if name in _OWN:
        return _OWN[name](row, args, kwargs, level)
    arguments = bind(row, args, kwargs)
    if name in _UNARY or (name in _BINARY and _tensors(arguments) == 1):
        return wrapped(call(row, {each: _value(found, level) for each, found in arguments.items()}), level)
    if name in _BINARY:
        return _binary(row, arguments, level)
    if name in _AS_NEW:
        return RULES[name](row, args, kwargs, level)
    if name in _ALONG:
        return along(row, args, kwargs, level)
    if row.view is not None:
        raise RuntimeError(OLD_VIEW.format(name))
    if (row.lists and row.lists != ("indices",)) or (not row.single and row.returns is list):
        raise RuntimeError(OLD_REFUSAL.format(name))
    return fallen_back(row, arguments, level)


def _tensors(arguments: dict[str, Any]) -> int:
    return sum(isinstance(each, Tensor) for each in arguments.values())


def _value(each: Any, level: int) -> Any:
    return front(each) if is_at(each, level) else each


def _expanded(batch: BatchedTensor, level: int) -> Tensor:
    value = front(batch)
    return value.expand((vmaps[level].size, *value._array.shape[1:]))


def fallen_back(row: Row, arguments: dict[str, Any], level: int) -> Any:
    """Run a row once per sample (torch: batchedTensorForLoopFallback)."""
    values = {name: _expanded(each, level) for name, each in arguments.items() if is_at(each, level)}
    found = [
        call(row, {**arguments, **{name: each.select(0, index) for name, each in values.items()}})
        for index in range(vmaps[level].size)
    ]
    if isinstance(found[0], Tensor):
        return _joined(found, level)
    return rebuild_sequence(type(found[0]), [_joined(column, level) for column in zip(*found, strict=True)])


def _joined(results: Iterable[Tensor], level: int) -> BatchedTensor:
    whole = stack([*results])
    return make_batched(whole.view(whole._array.shape), 0, level)


def _binary(row: Row, arguments: dict[str, Any], level: int) -> Any:
    """Of two tensors: a number that is not batched stays as it is, other operands get as many dimensions."""
    (first, one), (second, other) = (pair for pair in arguments.items() if isinstance(pair[1], Tensor))
    ranks = one._array.ndim, other._array.ndim
    if 0 not in ranks or (is_at(one, level) and is_at(other, level)):
        operands = [one, other]
    elif not ranks[0] and not is_at(one, level):
        return wrapped(call(row, {**arguments, second: front(other)}), level)
    elif not ranks[1] and not is_at(other, level):
        return wrapped(call(row, {**arguments, first: front(one)}), level)
    else:
        operands = [one, other]
    if 0 in ranks:  # as a number, an operand without dimensions does not decide the dtype
        dtype = result_type(one, other)
        operands = [each if each.dtype is dtype else each.to(dtype) for each in operands]
    rank = max(ranks)
    one, other = (_aligned(each, rank, level) for each in operands)
    return wrapped(call(row, {**arguments, first: one, second: other}), level)


def _aligned(tensor: Tensor, rank: int, level: int) -> Tensor:
    """The value with dimensions of 1: in front if there is no batch dimension, and after it up to ``rank``."""
    if is_at(tensor, level):
        return with_ones(front(tensor), rank - tensor._array.ndim)
    return tensor.view((*(1,) * (rank + 1 - tensor._array.ndim), *tensor._array.shape))


# Rules of their own -------------------------------------------------------------------------------


def _expand(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """expand: a view with dimensions of 1 first, if the result has more."""
    batch, size = bind(row, args, kwargs).values()
    value = with_ones(front(batch), len(size) - batch._array.ndim)
    return wrapped(row.call(value, (value._array.shape[0], *size)), level)


def _reshaped(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """reshape of the value, where reshape of a sample makes a view (torch: reshape_batching_rule)."""
    batch, size = bind(row, args, kwargs).values()
    return wrapped(reshape(front(batch), (vmaps[level].size, *size)), level)


def _in_list(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """cat and stack: every tensor is expanded to the batch size."""
    tensors, dim, *_ = bind(row, args, kwargs).values()
    joined = cat if row.name == "cat" else stack
    rank = tensors[0]._array.ndim + (row.name == "stack")
    size = vmaps[level].size
    values = [_aligned(each, each._array.ndim, level).expand((size, *each._array.shape)) for each in tensors]
    return wrapped(joined(values, wrap_dim(dim, rank) + 1), level)


def _product(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """mm, mv, dot and bmm, by matmul of the values."""
    one, other = bind(row, args, kwargs).values()
    batched = is_at(one, level), is_at(other, level)
    if row.name == "bmm":
        return wrapped(matmul(_aligned(one, 3, level), _aligned(other, 3, level)), level)
    one, other = (
        (_expanded(each, level) for each in (one, other))
        if all(batched)
        else (_value(each, level) for each in (one, other))
    )
    if row.name == "mm" or (row.name == "mv" and not batched[1]):
        return wrapped(matmul(one, other), level)
    if row.name == "dot" and batched[0]:
        one = one.unsqueeze(-2)
    if batched[1]:
        other = other.unsqueeze(-1)
    result = matmul(one, other)
    for _ in range(sum(batched) if row.name == "dot" else 1):
        result = result.squeeze(-1)
    return wrapped(result, level)


def _written_to(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """The gradients of select, slice and diagonal: zeros to which the gradient is copied."""
    grad, sizes, *where = bind(row, args, kwargs).values()
    value = front(grad)
    result = value.new_zeros((value._array.shape[0], *sizes))
    version_counter(result).value = 1  # torch writes these zeros
    part: Any = along(
        ROWS[row.name.removesuffix("_backward")], (make_batched(result, 0, level), *where), {}, level
    )
    unwrap_batched(part)[0].copy_(value)
    return make_batched(result, 0, level)


_OWN: dict[str, Rule] = {
    "expand": _expand,
    "_reshape_alias": _reshaped,
    "cat": _in_list,
    "stack": _in_list,
    **dict.fromkeys(["mm", "mv", "dot", "bmm"], _product),
    **dict.fromkeys(["select_backward", "slice_backward", "diagonal_backward"], _written_to),
}
