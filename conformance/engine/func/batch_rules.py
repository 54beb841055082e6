"""What operations do with whole batches (torch: functorch/BatchRules*.cpp); see Note [vmap by wholes].

A rule calls rows with wholes: the dimension that counts the examples is moved to the front, and those of an example
come behind it. What it returns is batched again along the front. NotImplemented sends the operation to the examples.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from ..batching import BatchedTensor, batched_whole, whole_of
from ..dtypes import result_type
from ..forward import bind, call
from ..rows import ROWS, Row
from ..shapes import wrap_dim
from ..tensor import Tensor

Rule = Callable[[Row, tuple[Any, ...], dict[str, Any], int], Any]


def _is_at(value: Any, level: int) -> bool:
    return value.__class__ is BatchedTensor and value._level == level


def front(batch: BatchedTensor) -> Tensor:
    """The whole with the examples counted by its first dimension."""
    whole, dim = whole_of(batch)
    return whole if dim == 0 else whole.movedim(dim, 0)


def wrapped(result: Any, level: int, dim: int = 0) -> Any:
    """What a row gave for all examples, as batched tensors."""
    if isinstance(result, Tensor):
        return batched_whole(result, dim, level)
    found = [wrapped(each, level, dim) for each in result]
    return type(result)(*found) if hasattr(result, "_fields") else type(result)(found)


# Pointwise ----------------------------------------------------------------------------------------


def aligned(values: Iterable[Any], level: int) -> list[Any]:
    """Operands as wholes that broadcast as their examples do."""
    values = list(values)
    operands = [each for each in values if isinstance(each, Tensor)]
    rank = max(each._array.ndim for each in operands)
    return [_padded(each, rank) if _is_at(each, level) else each for each in values]


def _padded(batch: BatchedTensor, rank: int) -> Tensor:
    """The whole, viewed with ones behind its first dimension where an example has fewer dimensions than that."""
    whole = front(batch)
    missing = rank - batch._array.ndim
    if missing <= 0:
        return whole
    shape = whole._array.shape
    return whole.view((shape[0], *(1,) * missing, *shape[1:]))


def _promoted(values: list[Any], wholes: list[Any], level: int) -> list[Any]:
    """Two operands: an example that has no dimensions weighs less than its whole would where dtypes are promoted."""
    first, second = (place for place, each in enumerate(values) if isinstance(each, Tensor))
    for scalar, other in ((first, second), (second, first)):
        if _is_at(values[scalar], level) and values[scalar]._array.ndim < min(1, values[other]._array.ndim):
            wanted = result_type(values[scalar], wholes[other])
            for place in (scalar, other):
                if wholes[place].dtype is not wanted:
                    wholes[place] = wholes[place].to(wanted)
    return wholes


def pointwise(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """An operation on each element: of one tensor as it lies, of several as they broadcast."""
    values = [*args, *kwargs.values()]
    batches = [place for place, each in enumerate(values) if isinstance(each, Tensor)]
    dim = 0
    if row.view is not None and any(_is_at(each, level) and each._whole is None for each in values):
        return NotImplemented
    if len(batches) == 1 and row.name not in _OF_TENSORS:
        (place,) = batches
        values[place], dim = whole_of(values[place])
    else:
        wholes = aligned(values, level)
        values = _promoted(values, wholes, level) if len(row.meet) == 2 and len(batches) == 2 else wholes
    given = dict(zip(kwargs, values[len(args) :], strict=True))
    return wrapped(row.call(*values[: len(args)], **given), level, dim)


_OF_TENSORS = frozenset(  # a number beside a tensor is one to torch
    [
        "add",
        "div",
        "div_rounded",
        "floor_divide",
        "mul",
        "remainder_of_number",
        "special_zeta_of_number",
        "sub",
    ]
)
_NOT_POINTWISE = frozenset(["dist", "isin", "logsumexp", "linalg_cross"])
_POINTWISE = """
_conj _conj_physical _neg_view _prelu_kernel _to_copy alias clone frexp masked_fill masked_fill_tensor pow_of_number special_airy_ai special_bessel_j0
special_bessel_j1 special_bessel_y0 special_bessel_y1 special_modified_bessel_i0 special_modified_bessel_i1
special_modified_bessel_k0 special_modified_bessel_k1 special_scaled_modified_bessel_k0
special_scaled_modified_bessel_k1 special_spherical_bessel_j0
"""


# Views and reductions -----------------------------------------------------------------------------


def _dims(dim: Any, rank: int) -> Any:
    """Dimensions of an example as those of its whole."""
    if isinstance(dim, int):
        return wrap_dim(dim, rank) + 1
    return type(dim)(wrap_dim(each, rank) + 1 for each in dim)


def along(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """An operation along some dimensions: those behind the first."""
    given = bind(row, args, kwargs)
    batch = given["self"]
    if not _is_at(batch, level):
        return NotImplemented
    if row.view is not None and batch._whole is None:
        return NotImplemented
    rank = batch._array.ndim
    for name in _DIMS & given.keys():
        given[name] = _dims(given[name], rank)
    if row.name == "permute":
        given["dims"] = (0, *given["dims"])
    elif row.name == "squeeze_dim":
        row, given["dim"] = ROWS["squeeze_dims"], (given["dim"],)
    given["self"] = front(batch)
    return wrapped(call(row, given), level)


_DIMS = frozenset(["dim", "dim0", "dim1", "dim2", "dims", "dimension"])


def reshaped(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """A view in another shape."""
    batch, size = bind(row, args, kwargs).values()
    if row.view is not None and batch._whole is None:
        return NotImplemented
    whole = front(batch)
    wanted = (whole._array.shape[0], *size)
    if row.name != "_reshape_alias":
        return wrapped(row.call(whole, wanted), level)
    try:
        return wrapped(ROWS["view"].call(whole, wanted), level)
    except RuntimeError as error:
        raise ValueError from error  # as the row does: then it is copied


def arranged(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """An operation that takes the batch's dimensions as they come behind the first."""
    given = bind(row, args, kwargs)
    given["self"] = front(given["self"])
    return wrapped(call(row, given), level)


def expanded(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """A view of an example, expanded to as many dimensions as are asked for."""
    batch, size = bind(row, args, kwargs).values()
    if batch._whole is None or len(size) < batch._array.ndim:
        return NotImplemented
    whole = front(batch)
    shape = whole._array.shape
    whole = whole.view((shape[0], *(1,) * (len(size) - batch._array.ndim), *shape[1:]))
    return wrapped(row.call(whole, (whole._array.shape[0], *size)), level)


def transposed(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """t: of a matrix its transpose, of less what it is."""
    (batch,) = bind(row, args, kwargs).values()
    if batch._whole is None or batch._array.ndim > 2:
        return NotImplemented
    last = min(1, max(batch._array.ndim - 1, 0))
    return along(ROWS["transpose"], (batch, 0, last), {}, level)


def squeezed(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """squeeze: every dimension of one, but for that of the examples."""
    (batch,) = bind(row, args, kwargs).values()
    if batch._whole is None:
        return NotImplemented
    whole, dim = batch._whole, batch._dim
    shape = whole._array.shape
    kept = [place for place, n in enumerate(shape) if n != 1 or place == dim]
    return wrapped(whole.view([shape[place] for place in kept]), level, kept.index(dim))


def reduced(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """A reduction; a number is one along a dimension of its own."""
    given = bind(row, args, kwargs)
    batch = given["self"]
    if not _is_at(batch, level):
        return NotImplemented
    whole, rank = front(batch), batch._array.ndim
    dim = given.get("dim")
    many = row.name in _OVER_SEVERAL
    if not rank and (many or dim is not None):
        whole = whole.unsqueeze(-1)
    if dim is None or (many and not isinstance(dim, int) and len(dim) == 0):
        if not many and rank != 1:
            whole = whole.reshape(whole._array.shape[0], -1)
        given["dim"] = tuple(range(1, whole._array.ndim)) if many else 1
    else:
        found = _dims(dim, rank)
        given["dim"] = (found,) if many and isinstance(found, int) else found
    given["self"] = whole
    result = call(row, given)
    if not rank and (row.name not in _REDUCTIONS or given.get("keepdim")):
        result = (
            result.squeeze(-1)
            if isinstance(result, Tensor)
            else type(result)(*(each.squeeze(-1) for each in result))
        )
    return wrapped(result, level)


def whole_reduction(to_row: str, row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """A reduction over all elements: the form that takes dimensions, over all but the first."""
    given = bind(row, args, kwargs)
    result = reduced(ROWS[to_row], (given.pop("self"), None), given, level)
    return result[0] if isinstance(result, tuple) else result


_OVER_SEVERAL = frozenset(
    [
        "amax",
        "amin",
        "count_nonzero",
        "linalg_vector_norm",
        "logsumexp",
        "mean_dim",
        "nansum",
        "std",
        "std_mean",
        "sum_dim",
        "var",
        "var_mean",
    ]
)
_REDUCTIONS = _OVER_SEVERAL | frozenset(
    [
        "_aminmax",
        "all",
        "any",
        "argmax",
        "argmin",
        "kthvalue",
        "max_dim",
        "median_dim",
        "min_dim",
        "mode",
        "nanmedian_dim",
        "prod_dim",
    ]
)
_ALONG_ONE = """
_log_softmax _softmax cummax cummin cumprod cumsum logcumsumexp sort sort_stable topk
"""
_VIEWS = """
diagonal permute select slice split split_with_sizes squeeze_dim squeeze_dims transpose unbind unfold
"""

RULES: dict[str, Rule] = {
    **{name: pointwise for name, row in ROWS.items() if row.meet and name not in _NOT_POINTWISE},
    **dict.fromkeys(_POINTWISE.split(), pointwise),
    **dict.fromkeys(_VIEWS.split(), along),
    **dict.fromkeys([*_REDUCTIONS, *_ALONG_ONE.split()], reduced),
    **{
        name: functools.partial(whole_reduction, to_row)
        for name, to_row in {
            "max": "max_dim",
            "mean": "mean_dim",
            "median": "median_dim",
            "min": "min_dim",
            "nanmedian": "nanmedian_dim",
            "prod": "prod_dim",
            "sum": "sum_dim",
        }.items()
    },
    "_reshape_alias": reshaped,
    "_in_order": arranged,
    "_unsafe_view": reshaped,
    "flip": along,
    "glu": along,
    "tril": arranged,
    "triu": arranged,
    "expand": expanded,
    "squeeze": squeezed,
    "t": transposed,
    "view": reshaped,
}


def unsqueezed(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """unsqueeze: there is one place more than dimensions."""
    batch, dim = bind(row, args, kwargs).values()
    if batch._whole is None:
        return NotImplemented
    return wrapped(row.call(front(batch), wrap_dim(dim, batch._array.ndim + 1) + 1), level)


RULES["unsqueeze"] = unsqueezed


# In place -----------------------------------------------------------------------------------------


def aligned_in_place(arguments: list[Any], level: int) -> Any:
    """The wholes with which an operation is called that writes into its first argument."""
    target = arguments[0]
    if not _is_at(target, level) or target._whole is None:
        return NotImplemented
    return aligned(arguments, level)


# torch has no rule for these, and writes into one example after the other.
FALLING_BACK = frozenset(
    [
        "addcdiv",
        "addcmul",
        "clamp",
        "clamp_tensors",
        "floor_divide",
        "floor_divide_",
        "floor_divide_tensor_",
        "floor_divide_tensor",
        "fmod",
        "fmod_tensor",
        "hypot",
        "lerp",
        "lerp_tensor",
        "pow_tensor",
        "remainder",
        "remainder_tensor",
        "xlogy",
        "xlogy_tensors",
    ]
    + [f"{name}_{of}_" for name in ("eq", "ge", "gt", "le", "lt", "ne") for of in ("number", "tensor")]
)
IN_PLACE = frozenset(name for name, rule in RULES.items() if rule is pointwise) - FALLING_BACK | {
    "copy",
    "fill",
    "fill_tensor",
    "zero",
}


def is_written_whole(name: str, args: tuple[Any, ...], level: int) -> bool:
    """Whether a function that writes in place is called with wholes."""
    if not (args and _is_at(args[0], level) and args[0]._whole is not None):
        return False
    return name[:-1] in IN_PLACE | FALLING_BACK or name in _WRITING


_WRITING = frozenset(  # under other names than those of rows
    [
        "absolute_",
        "arccos_",
        "arccosh_",
        "arcsin_",
        "arcsinh_",
        "arctan2_",
        "arctan_",
        "arctanh_",
        "clip_",
        "divide_",
        "eq_",
        "fix_",
        "ge_",
        "greater_",
        "greater_equal_",
        "gt_",
        "le_",
        "less_",
        "less_equal_",
        "lt_",
        "multiply_",
        "ne_",
        "negative_",
        "not_equal_",
        "pow_",
        "square_",
        "subtract_",
        "true_divide_",
    ]
)
