"""What operations do with whole batches (torch: functorch/BatchRules*.cpp); see Note [vmap by wholes].

A rule calls rows with wholes: the dimension that counts the examples is moved to the front, and those of an example
come behind it. What it returns is batched again along the front. NotImplemented sends the operation to the examples.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..batching import BatchedTensor, batched_whole, flat, vmaps, whole_of
from ..dtypes import result_type
from ..formats import contiguous_format
from ..forward import bind, call
from ..from_data import tensor
from ..inplace import run_inplace
from ..ops.joining import cat
from ..ops.matmul import matmul
from ..rows import ROWS, Row
from ..shapes import wrap_dim
from ..tensor import Tensor
from . import batched_fallback, linear_algebra_rules, loss_rules, module_rules, norm_rules, scatter_rules
from .wholes import (
    Rule,
    aligned,
    each_tensor,
    front,
    front_of,
    front_or_expanded,
    fronted,
    is_at,
    moved,
    ranks,
    wrapped,
)

# Pointwise ----------------------------------------------------------------------------------------


def _promoted(values: list[Any], wholes: list[Any], level: int) -> list[Any]:
    """Two operands: an example that has no dimensions weighs less than its whole would where dtypes are promoted."""
    first, second = (place for place, each in enumerate(values) if isinstance(each, Tensor))
    for scalar, other in ((first, second), (second, first)):
        if _is_scalar(values[scalar], level) and not _is_scalar(values[other], level):
            wanted = result_type(values[scalar], wholes[other])
            for place in (scalar, other):
                if wholes[place].dtype is not wanted:
                    wholes[place] = wholes[place].to(wanted)
    return wholes


def _is_scalar(value: Any, level: int) -> bool:
    return is_at(value, level) and not value._array.ndim


def pointwise(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """An operation on each element: of one tensor as it lies, of several as they broadcast."""
    values = [*args, *kwargs.values()]
    batches = [place for place, each in enumerate(values) if isinstance(each, Tensor)]
    dim = 0
    if row.view is not None and any(is_at(each, level) and each._whole is None for each in values):
        return NotImplemented
    if len(batches) == 1 and row.name not in _OF_TENSORS:
        (place,) = batches
        values[place], dim = whole_of(values[place])
    else:
        if len(batches) == 1 and _is_scalar(values[batches[0]], level):
            number = 1 - batches[0]
            wanted = result_type(values[batches[0]], values[number])
            values[number] = tensor(values[number], dtype=wanted)
            batches.append(number)
        wholes = aligned(values, level)
        names = (*list(row.parameters)[: len(args)], *kwargs)
        two = (
            len(row.meet) == 2
            and len([place for place in batches if names[place] in row.meet]) == len(batches) == 2
        )
        values = _promoted(values, wholes, level) if two else wholes
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
_NOT_POINTWISE = frozenset(["isin", "logsumexp", "linalg_cross"])
_POINTWISE = """
_conj _conj_physical _neg_view _prelu_kernel _to_copy _view_as_real alias complex leaky_relu_ masked_fill
masked_fill_tensor polar pow_of_number
"""
_FRONTED = """
frexp isfinite polygamma special_bessel_j0 special_bessel_j1 special_bessel_y0 special_bessel_y1
special_modified_bessel_i0 special_modified_bessel_i1 special_modified_bessel_k0 special_modified_bessel_k1
special_scaled_modified_bessel_k0 special_scaled_modified_bessel_k1 special_spherical_bessel_j0
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
    if not is_at(batch, level):
        return NotImplemented
    if row.view is not None and batch._whole is None:
        return NotImplemented
    rank = batch._array.ndim
    if (
        not rank
        and row.name in _OF_NUMBERS
        and all(given[name] in (0, (0,)) for name in _DIMS & given.keys())
    ):
        return batch
    for name in _DIMS & given.keys():
        given[name] = _dims(given[name], rank)
    if row.name == "permute":
        given["dims"] = (0, *given["dims"])
    given["self"] = front(batch)
    return wrapped(call(row, given), level)


def _alias(batch: BatchedTensor, level: int) -> BatchedTensor:
    whole, dim = whole_of(batch)
    return batched_whole(ROWS["alias"].call(whole), dim, level)


_OF_NUMBERS = frozenset(["transpose"])  # which take dimension 0 of a number
_DIMS = frozenset(["dim", "dim0", "dim1", "dim2", "dims", "dimension"])


def cloned(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """clone: as it lies, or in order from the first example to the last."""
    in_order = bind(row, args, kwargs)["memory_format"] is contiguous_format
    return (arranged if in_order else pointwise)(row, args, kwargs, level)


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
    if row.view is not None and given["self"]._whole is None:
        return NotImplemented
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


def unsqueezed(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """unsqueeze: there is one place more than dimensions."""
    batch, dim = bind(row, args, kwargs).values()
    if batch._whole is None:
        return NotImplemented
    return wrapped(row.call(front(batch), wrap_dim(dim, batch._array.ndim + 1) + 1), level)


def repeated(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """repeat: as often as one example is, and once along the examples."""
    batch, repeats = bind(row, args, kwargs).values()
    if len(repeats) < batch._array.ndim:
        return NotImplemented
    whole = front(batch)
    for _ in range(len(repeats) - batch._array.ndim):
        whole = whole.unsqueeze(1)
    return wrapped(row.call(whole, (1, *repeats)), level)


def squeezed_along(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """squeeze along some dimensions: the whole lies as it did."""
    batch, given = bind(row, args, kwargs).values()
    if batch._whole is None:
        return NotImplemented
    rank = batch._array.ndim
    places = [wrap_dim(each, rank) for each in flat((given,))]
    if not rank:
        return _alias(batch, level)
    whole, dim = whole_of(batch)
    gone = sum(each < dim and whole._array.shape[each] == 1 for each in places)
    found = ROWS["squeeze_dims"].call(whole, tuple(each + (each >= dim) for each in places))
    return wrapped(found, level, dim - gone)


def diagonal_made(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """diag_embed: there is one dimension more."""
    batch, offset, *dims = bind(row, args, kwargs).values()
    rank = batch._array.ndim + 1
    return wrapped(row.call(front(batch), offset, *(wrap_dim(dim, rank) + 1 for dim in dims)), level)


def view_copied(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """diagonal_copy and its like: a copy of the view, in order."""
    found = along(ROWS[row.name.removesuffix("_copy")], tuple(bind(row, args, kwargs).values()), {}, level)
    return found if found is NotImplemented else found.clone(memory_format=contiguous_format)


def alias_copied(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """alias_copy: a copy of the whole, in order."""
    (batch,) = bind(row, args, kwargs).values()
    return _alias(batch, level).clone(memory_format=contiguous_format)


def blocks(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """block_diag: of one example after the other."""
    (tensors,) = bind(row, args, kwargs).values()
    batched = [is_at(each, level) for each in tensors]
    wholes = [moved(each) if ours else each for each, ours in zip(tensors, batched, strict=True)]
    found = [
        row.call([each.select(0, i) if ours else each for each, ours in zip(wholes, batched, strict=True)])
        for i in range(vmaps[level].size)
    ]
    return wrapped(cat([each.unsqueeze(0) for each in found], 0), level)


def rolled(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """roll: along some dimensions, or of all elements in a line."""
    given = bind(row, args, kwargs)
    if given["dims"] or not is_at(given["self"], level) or not given["self"]._array.ndim:
        return along(row, args, kwargs, level) if given["dims"] else NotImplemented
    whole = front(given["self"])
    return wrapped(whole.flatten(1).roll(given["shifts"], 1).reshape(whole._array.shape), level)


def traced(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """trace: the sum of a diagonal."""
    (batch,) = bind(row, args, kwargs).values()
    if batch._array.ndim != 2:
        return NotImplemented
    return wrapped(front(batch).diagonal(0, 1, 2).sum(1), level)


def squeezed(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """squeeze: every dimension of one, but for that of the examples."""
    (batch,) = bind(row, args, kwargs).values()
    if batch._whole is None:
        return NotImplemented
    if not batch._array.ndim:
        return _alias(batch, level)
    whole, dim = batch._whole, batch._dim
    shape = whole._array.shape
    kept = [place for place, n in enumerate(shape) if n != 1 or place == dim]
    return wrapped(whole.view([shape[place] for place in kept]), level, kept.index(dim))


def reduced(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """A reduction; a number is one along a dimension of its own."""
    given = bind(row, args, kwargs)
    batch = given["self"]
    if not is_at(batch, level):
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
        result = each_tensor(lambda each: each.squeeze(-1), result)
    return wrapped(result, level)


def whole_reduction(to_row: str, row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """A reduction over all elements: the form that takes dimensions, over all but the first."""
    given = bind(row, args, kwargs)
    result = reduced(ROWS[to_row], (given.pop("self"), None), given, level)
    return result[0] if isinstance(result, tuple) else result


def whole_norm(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """norm, over all dimensions of an example."""
    batch, p = bind(row, args, kwargs).values()
    dims = tuple(range(batch._array.ndim))
    return ROWS["norm_along"].call(batch, p, dims, False) if dims else NotImplemented


def distance(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """dist: the norm of the difference."""
    first, second, p = bind(row, args, kwargs).values()
    return ROWS["norm_whole"].call(first - second, p)


_OVER_SEVERAL = frozenset(
    [
        "amax",
        "amin",
        "count_nonzero",
        "linalg_vector_norm",
        "logsumexp",
        "mean_dim",
        "nansum",
        "norm_along",
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
        "aminmax",
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
_log_softmax _safe_softmax _softmax cummax cummin cumprod cumsum logcumsumexp sort sort_stable topk
"""
_VIEWS = """
diagonal permute select slice split split_with_sizes split_with_sizes_copy transpose unbind unbind_copy unfold
unsafe_split
"""

# Products -----------------------------------------------------------------------------------------


def dotted(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """dot: of each pair of vectors, or of all with one."""
    first, second = bind(row, args, kwargs).values()
    if ranks(first, second) != (1, 1) or (row.name == "vdot" and first._array.dtype.kind == "c"):
        return NotImplemented
    a, b = front_of(first, level), front_of(second, level)
    if is_at(first, level) and is_at(second, level):
        return wrapped(matmul(a.unsqueeze(-2), b.unsqueeze(-1)).squeeze(-1).squeeze(-1), level)
    return wrapped(matmul(a, b.t()), level)


def matrix_by_vector(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """mv: one matrix by all vectors, which stand in the columns of another, or one by one."""
    matrix, vector = bind(row, args, kwargs).values()
    if ranks(matrix, vector) != (2, 1):
        return NotImplemented
    if not is_at(vector, level):
        return wrapped(matmul(front(matrix), vector), level)
    if not is_at(matrix, level):
        return wrapped(matmul(matrix, moved(vector, -1)), level, 1)
    columns = front(vector).unsqueeze(-1)
    return wrapped(matmul(moved(matrix), columns).squeeze(-1), level)


def multiplied(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """mm and bmm: matmul takes whole batches."""
    first, second = bind(row, args, kwargs).values()
    if ranks(first, second) not in ((2, 2), (3, 3)):
        return NotImplemented
    return wrapped(matmul(front_of(first, level), front_of(second, level)), level)


def added_product(product: str, row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """addmm and its like: the product, and the sum."""
    summand, first, second, beta, alpha = bind(row, args, kwargs).values()
    found = ROWS[product].call(first, second)
    return ROWS["add"].call(ROWS["mul_scalar"].call(summand, beta), found, alpha=alpha)


# Joined and picked --------------------------------------------------------------------------------


def concatenated(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """cat: what is one for all examples is expanded."""
    tensors, dim, *_ = bind(row, args, kwargs).values()
    if any(each._array.shape == (0,) for each in tensors):  # which joins what has more dimensions
        return NotImplemented
    batch = next(each for each in tensors if is_at(each, level))
    wholes = [front_or_expanded(each, level) for each in tensors]
    return wrapped(cat(wholes, wrap_dim(dim, batch._array.ndim) + 1), level)


def stacked(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """stack: the same, of what has one dimension less than the result."""
    tensors, dim = bind(row, args, kwargs).values()
    batch = next(each for each in tensors if is_at(each, level))
    size = vmaps[level].size
    wholes = [
        moved(each) if is_at(each, level) else each.unsqueeze(0).expand((size, *each._array.shape))
        for each in tensors
    ]
    return wrapped(row.call(wholes, wrap_dim(dim, batch._array.ndim + 1) + 1), level)


def crossed(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """linalg_cross: of as many vectors on both sides."""
    first, second, dim = bind(row, args, kwargs).values()
    rank, *others = ranks(first, second)
    if others != [rank]:
        return NotImplemented
    wholes = [front_or_expanded(each, level) for each in (first, second)]
    return wrapped(row.call(*wholes, dim=wrap_dim(dim, rank) + 1), level)


RULES: dict[str, Rule] = {
    **dict.fromkeys(_POINTWISE.split(), pointwise),
    **dict.fromkeys(_FRONTED.split(), fronted),
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
    **{
        name: functools.partial(added_product, product)
        for name, product in {"addmm": "mm", "addmv": "mv", "baddbmm": "bmm"}.items()
    },
    "bmm": multiplied,
    "cat": concatenated,
    "clone": cloned,
    "linalg_cross": crossed,
    "diag_embed": diagonal_made,
    **dict.fromkeys(["diagonal_copy", "unfold_copy"], view_copied),
    "alias_copy": alias_copied,
    "block_diag": blocks,
    "dist": distance,
    "norm_whole": whole_norm,
    **dict.fromkeys(["squeeze_dim", "squeeze_dims"], squeezed_along),
    "dot": dotted,
    "mm": multiplied,
    "mv": matrix_by_vector,
    "repeat": repeated,
    "roll": rolled,
    "rot90": along,
    "stack": stacked,
    "trace": traced,
    "vdot": dotted,
    "constant_pad_nd": arranged,
    "unsqueeze": unsqueezed,
    "_reshape_alias": reshaped,
    "_in_order": arranged,
    "_unsafe_view": reshaped,
    "_view_as_complex": arranged,
    **dict.fromkeys(["_fft_c2c", "_fft_c2r", "_fft_r2c", "flip"], along),
    "glu": along,
    "tril": arranged,
    "triu": arranged,
    "expand": expanded,
    "squeeze": squeezed,
    "t": transposed,
    "view": reshaped,
}


def of_whole(made: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """zeros_like and its like: of the whole, however it lies."""
    input, *rest = args or (None,)
    if not is_at(input, level):
        return NotImplemented
    whole, dim = whole_of(input)
    return batched_whole(made(whole, *rest, **kwargs), dim, level)


for _rules in (linear_algebra_rules, loss_rules, module_rules, norm_rules, scatter_rules):
    RULES |= _rules.RULES
RULES |= dict.fromkeys(batched_fallback.ROWS, batched_fallback.one_by_one)
COMPOSED: dict[str, Callable[..., Any]] = {  # of functions that are no rows
    **batched_fallback.FUNCTIONS,
    **linear_algebra_rules.COMPOSED,
    **loss_rules.COMPOSED,
    **norm_rules.COMPOSED,
    **scatter_rules.COMPOSED,
    **dict.fromkeys(["empty_like", "full_like", "logsigmoid", "ones_like", "zeros_like"], of_whole),
}


def rule_of(row: Row) -> Rule | None:
    """The rule for a row, if there is one; most rows whose operands meet are pointwise."""
    found = RULES.get(row.name)
    if found is None and row.meet and row.name not in _NOT_POINTWISE:
        found = RULES[row.name] = pointwise
    return found


# In place -----------------------------------------------------------------------------------------


def write_wholes(row: Row, arguments: list[Any], level: int) -> bool:
    """Write a row's result into the whole of its first argument, if there is one and a way to do so; whether it was."""
    target = arguments[0]
    if row.name in batched_fallback.IN_PLACE:
        batched_fallback.row_in_place(row, arguments, level)
        return True
    if not is_at(target, level) or target._whole is None:
        return False
    if row.name == "index_put":
        found = scatter_rules.put_in_place(row, arguments, level)
        if found is None:
            return False
        run_inplace(row, found)
        target._taken = None
        return True
    if not is_in_place(row):
        return False
    if row.name == "fill_tensor" and is_at(arguments[1], level):
        row = ROWS["copy"]
    run_inplace(row, aligned(arguments, level))
    return True


_WITHOUT_OPERANDS = frozenset(["copy", "fill", "fill_tensor", "zero"])


def is_in_place(row: Row) -> bool:
    """Whether a row writes whole batches in place."""
    return row.name in _WITHOUT_OPERANDS or (
        row.name not in batched_fallback.IN_PLACE and rule_of(row) is pointwise
    )


_OUT_OF_RANGE = "Dimension is out of range (expected to be in range of [-1, 0], but got {}"


def view_in_place(
    take: Callable[..., Any], name: str, batch: BatchedTensor, arguments: tuple[Any, ...]
) -> None:
    """Give a whole the shape and strides of a view; ``take`` does so with any tensor."""
    whole, dim, rank = batch._whole, batch._dim, batch._array.ndim
    assert whole is not None

    if not rank and arguments and name.startswith("squeeze"):  # a number takes dimension 0 alone
        given = list(flat(arguments))
        if given not in ([], [0]):
            raise RuntimeError(_OUT_OF_RANGE.format(given))
        return
    if not rank and name in ("transpose_in_place", "t_in_place"):  # and stays what it is
        for each in arguments:
            wrap_dim(each, rank)
        return

    def place(given: Any) -> int:
        found = wrap_dim(given, rank)
        return found + (found >= dim)

    if name.startswith("squeeze") and not arguments:
        batch._dim -= whole._array.shape[:dim].count(1)
        take("squeeze_in_place", whole)  # a single example is squeezed away as well
    elif name == "unsqueeze_in_place":
        found = wrap_dim(arguments[0], rank + 1)
        take(name, whole, found + (found >= dim))
        batch._dim += found < dim
    elif name == "transpose_in_place":
        take(name, whole, *map(place, arguments))
    elif name == "t_in_place":
        take("transpose_in_place", whole, *((place(0), place(1)) if rank == 2 else (dim, dim)))
    else:
        taken = arguments[0] if not isinstance(arguments[0], int) else arguments
        shape = whole._array.shape
        gone = [found for found in map(place, taken) if shape[found] == 1]
        take("squeeze_dims_in_place", whole, tuple(map(place, taken)))
        batch._dim -= sum(found < dim for found in gone)
    batch.show_whole()


def is_written_whole(name: str, args: tuple[Any, ...], level: int) -> bool:
    """Whether a function that writes in place is called with wholes."""
    if name in batched_fallback.WRITING:
        return True
    if not (args and is_at(args[0], level) and args[0]._whole is not None):
        return False
    if name in ("__setitem__", "index_put_"):
        return True
    row = ROWS.get(name[:-1])
    return name in _WRITING or (row is not None and is_in_place(row))


_OTHER_NAMES = """
absolute_ arccos_ arccosh_ arcsin_ arcsinh_ arctan2_ arctan_ arctanh_ divide_ multiply_ negative_ squeeze_ subtract_
swapaxes_ swapdims_ t_ transpose_ true_divide_ unsqueeze_
"""
_WRITING = frozenset(_OTHER_NAMES.split())
