"""What vmap does with operations that have no rule for batches (torch: functorch/BatchedFallback.cpp).

Note [One example after the other]: torch warns that this is slow, takes each example out of the whole, calls the operation,
and stacks the results, all in the graph outside. What writes in place writes into views of the whole. Operations that take
or give lists of tensors, or give none, are refused before that.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any

from .._arguments.overloads import opname
from .._aten import registry
from .._aten.inplace import run_inplace
from .._aten.registry import Row
from .._aten.shape.cat_stack import stack
from .._autograd.batched_tensor import (
    inside_derivative,
    make_batched,
    raise_unbatched_write,
    rebuild_sequence,
    unwrap_batched,
    vmaps,
)
from .._autograd.tensor import Tensor
from .._dispatch.torch_dispatch import operation
from .batch_dims import is_at, moved

NO_FALLBACK = "Batching rule not implemented for aten::{}. We could not generate a fallback."
_SLOW = (
    "There is a performance drop because we have not yet implemented the batching rule for {}. Please file us an issue on "
    "GitHub so that we can prioritize its implementation."
)
_NO_EXAMPLES = (
    "Batching rule not implemented for {}. The fallback path does not support vmap over dims of size 0."
)


def _fallen_back(
    name: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], level: int
) -> list[Any]:
    """See Note [One example after the other]."""
    size = vmaps[level].size
    if not size:
        raise RuntimeError(_NO_EXAMPLES.format(name))
    wholes: dict[int, Tensor] = {}

    def one(value: Any, index: int) -> Any:
        if type(value) in (list, tuple):
            return type(value)(one(each, index) for each in value)
        if not is_at(value, level):
            return value
        if id(value) not in wholes:
            wholes[id(value)] = moved(value)
        return wholes[id(value)].select(0, index)

    return [
        function(*one(args, i), **{name: one(each, i) for name, each in kwargs.items()}) for i in range(size)
    ]


def _warn(name: str) -> None:
    warnings.warn(_SLOW.format(name), stacklevel=2)


def warn_of(row: Row, args: tuple[Any, ...]) -> None:
    """Say that a row is slow for which torch has no rule."""
    if row.name in ROWS:
        name = operation(row, args, in_place=False).name()
        if row.name.startswith("_upsample"):
            name += ".vec"  # which takes what functional.interpolate is given
        _warn(name)


def _joined(found: list[Any], level: int) -> Any:
    first = found[0]
    if isinstance(first, Tensor):
        return make_batched(stack(found).view((len(found), *first._array.shape)), 0, level)
    columns = [_joined(list(each), level) for each in zip(*found, strict=True)]
    return rebuild_sequence(type(first), columns)


def one_by_one(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """A row that torch has no rule for."""
    warn_of(row, args)
    name = operation(row, args, in_place=False).name()
    return _joined(_fallen_back(name, row.call, args, kwargs, level), level)


def row_in_place(row: Row, arguments: list[Any], level: int) -> None:
    """A row that torch has no rule for, and that writes into its first argument."""
    _written(
        operation(row, tuple(arguments), in_place=True).name(),
        lambda *given: run_inplace(row, list(given)),
        tuple(arguments),
        {},
        level,
    )


def _written(
    name: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], level: int
) -> None:
    _warn(name)
    target = args[0]
    if not is_at(target, level):
        raise_unbatched_write(name.partition(".")[0], level)
    if target._value is None:
        target._value, target._bdim = unwrap_batched(target)
    _fallen_back(name, function, args, kwargs, level)
    target._cached_samples = None


def composed(
    overload: Callable[..., str] | str,
    made: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    level: int,
) -> Any:
    """A function that torch has no rule for."""
    if inside_derivative(level):
        return NotImplemented
    name = f"aten::{overload if isinstance(overload, str) else overload(*args, **kwargs)}"
    if name.partition(".")[0].endswith("_"):
        _written(name, made, args, kwargs, level)
        return args[0]
    _warn(name)
    return _joined(_fallen_back(name, made, args, kwargs, level), level)


def recurrent(
    name: str, made: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], level: int
) -> Any:
    """A recurrent layer or cell of a module: one of a single state is called for each example, others are refused.

    Inside a derivative torch takes it apart.
    """
    if inside_derivative(level):
        return made(*args, **kwargs)
    overload = name.removeprefix("recurrent_")
    if overload in ("gru_cell", "rnn_tanh_cell", "rnn_relu_cell"):
        return composed(overload, made, args, kwargs, level)
    if overload != "lstm_cell":
        bound = inspect.signature(made).bind(*args, **kwargs).arguments
        form = "input" if bound.get("batch_sizes") is None else "data"
        overload = f"{bound.get('mode', overload).lower()}.{form}"
    raise RuntimeError(NO_FALLBACK.format(overload))


def _second(name: str, of_tensor: str = "Tensor", of_number: str = "Scalar") -> Callable[..., str]:
    """The overload by whether the second argument is a tensor."""

    def chosen(self: Any, *others: Any, **named: Any) -> str:
        second = next(iter((*others, *named.values())))
        form = of_tensor if isinstance(second, Tensor) else of_number
        return f"{name}.{form}" if form else name

    return chosen


def _polynomial(name: str) -> Callable[..., str]:
    def chosen(x: Any, n: Any, **named: Any) -> str:
        number = (
            "" if isinstance(x, Tensor) and isinstance(n, Tensor) else "n" if isinstance(x, Tensor) else "x"
        )
        return f"{name}.{number}_scalar" if number else name

    return chosen


def _histogram(input: Any, bins: Any, *others: Any, **named: Any) -> str:
    return "histogram.bins_tensor" if isinstance(bins, Tensor) else "histogram.bin_ct"


def _labelled(log_probs: Any, targets: Any, input_lengths: Any, *others: Any, **named: Any) -> str:
    return "ctc_loss.Tensor" if isinstance(input_lengths, Tensor) else "ctc_loss.IntList"


def _isin(elements: Any, test_elements: Any, **named: Any) -> str:
    kinds = ("Tensor" if isinstance(each, Tensor) else "Scalar" for each in (elements, test_elements))
    return "isin." + "_".join(kinds)


def _squeezed(input: Any, dim: Any = None) -> str:
    return f"squeeze_copy{'' if dim is None else '.dim' if isinstance(dim, int) else '.dims'}"


_OF_ONE_OVERLOAD = """
affine_grid_generator argwhere as_strided_ bilinear bincount conj_physical_ conv_tbc detach_ detach_copy diagflat
fill_diagonal_ gru_cell histc index_reduce isclose istft kl_div linalg_ldl_solve linalg_lu linalg_tensorsolve lu_solve
margin_ranking_loss masked_scatter max_unpool2d max_unpool3d multi_margin_loss multilabel_margin_loss nonzero_static
norm_except_dim ormqr pdist permute_copy polygamma_ put renorm resize_as_ rnn_relu_cell rnn_tanh_cell segment_reduce
soft_margin_loss square_ stft t_copy take to_dense triplet_margin_loss unsqueeze_copy vander view_as_complex_copy
view_as_real_copy
"""
_POLYNOMIALS = """
chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w hermite_polynomial_h
hermite_polynomial_he laguerre_polynomial_l legendre_polynomial_p shifted_chebyshev_polynomial_t
shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v shifted_chebyshev_polynomial_w
"""
_OVERLOADS: dict[str, Callable[..., str] | str] = {
    **{name: name for name in _OF_ONE_OVERLOAD.split()},
    **{f"special_{name}": _polynomial(f"special_{name}") for name in _POLYNOMIALS.split()},
    "ctc_loss": _labelled,
    "embedding_bag": "embedding_bag.padding_idx",
    "fill": _second("fill"),
    "float_power_": _second("float_power_"),
    "histogram": _histogram,
    "isin": _isin,
    "nanquantile": _second("nanquantile", "", "scalar"),
    "quantile": _second("quantile", "", "scalar"),
    "select_copy": "select_copy.int",
    "slice_copy": "slice_copy.Tensor",
    "squeeze_copy": _squeezed,
    "transpose_copy": "transpose_copy.int",
}
FUNCTIONS = {name: functools.partial(composed, overload) for name, overload in _OVERLOADS.items()}

_ROWS = """
_masked_softmax _upsample_nearest_exact1d _upsample_nearest_exact2d _upsample_nearest_exact3d fractional_max_pool2d
fractional_max_pool3d hash_tensor masked_fill_tensor histogram_between special_airy_ai special_log_ndtr
"""
ROWS = frozenset(_ROWS.split()) | (frozenset(_OVERLOADS) & frozenset(registry.ROWS))

_IN_PLACE = """
addbmm addcdiv addcmul addmm addmv addr baddbmm clamp clamp_tensors conj_physical cumprod cumsum eq_number_ eq_tensor_
floor_divide floor_divide_tensor fmod fmod_tensor ge_number_ ge_tensor_ gt_number_ gt_tensor_ heaviside hypot igamma
igammac index_copy index_reduce ldexp le_number_ le_tensor_ lerp lerp_tensor lt_number_ lt_tensor_ masked_scatter
ne_number_ ne_tensor_ nextafter polygamma pow_tensor put remainder remainder_tensor renorm scatter scatter_value tril
triu xlogy xlogy_tensors
"""
IN_PLACE = frozenset(_IN_PLACE.split())  # rows that have no rule where they write in place
_SYNONYMS = """
clip_ fix_ greater_ greater_equal_ less_ less_equal_ not_equal_ pow_ scatter_
"""
WRITING = {opname(row).removesuffix("_") + "_" for row in IN_PLACE} | set(
    _SYNONYMS.split()
)  # functions that call them

REFUSED = {
    name: NO_FALLBACK.format(overload or name)
    for name, overload in {
        "chain_matmul": "",
        "column_stack": "",
        "equal": "",
        "histogramdd": "",
        "is_set_to": "",
        "lstm_cell": "",
        "split_copy": "split_copy.Tensor",
        "unsafe_split_with_sizes": "",
    }.items()
}
