"""Comparisons and isin. None of them is differentiable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor
from ..._c10.errors import need_fitting, unimplemented
from ..._c10.operator_facts import composite
from ..creation.factories import zeros_written
from ..inplace import run_inplace
from ..kernels import half_up
from ..registry import ROWS, Array, op
from ..type_promotion import is_number


def _compare(name: str, function: Any, **facts: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
    def compare(self: Any, other: Any) -> Array:
        return function(self, other)

    def order(self: Any, other: Any) -> Array:
        if self.dtype.kind == "c" or other.__class__ is complex:
            raise unimplemented(f"{name}_cpu", np.result_type(self, other))
        return function(self, other)

    forward = compare if name in ("eq", "ne") else order

    node = f"{name.capitalize()}Backward"
    compared = op(
        name=name, promote="self other", numbers="other", overload="Tensor Scalar", inplace="method"
    )(forward)
    of_self = {
        "self": lambda _self_sym_sizes, _self_scalar_type: zeros_written(_self_sym_sizes, _self_scalar_type)
    }
    of_other = {
        "other": lambda _other_sym_sizes, _other_scalar_type: zeros_written(
            _other_sym_sizes, _other_scalar_type
        )
    }
    op(
        f"{node}0",
        name=f"{name}_number_",
        promote="self other",
        numbers="other",
        overload="Scalar",
        operator=name,
        vmap_inplace="fallback",
        bool_result=True,
        **of_self,
        **facts,
    )(forward)
    op(
        f"{node}1",
        name=f"{name}_tensor_",
        promote="self other",
        numbers=False,
        overload="Tensor",
        operator=name,
        vmap_inplace="fallback",
        bool_result=True,
        **of_self,
        **of_other,
        **facts,
    )(forward)

    @composite(vmap_inplace="fallback")
    def in_place(self: Tensor, other: Any) -> Tensor:
        row = ROWS[f"{name}_number_" if is_number(other) else f"{name}_tensor_"]
        return run_inplace(row, [self, other])

    in_place.__name__ = in_place.__qualname__ = f"{name}_"
    return compared, in_place


eq, eq_ = _compare("eq", np.equal, complex="as_written")
ne, ne_ = _compare("ne", np.not_equal, complex="as_written")
lt, lt_ = _compare("lt", np.less)
le, le_ = _compare("le", np.less_equal)
gt, gt_ = _compare("gt", np.greater)
ge, ge_ = _compare("ge", np.greater_equal)

not_equal, less, less_equal, greater, greater_equal = ne, lt, le, gt, ge


def _overload(elements: Any, test_elements: Any, *_: Any, **__: Any) -> str:
    return "_".join("Tensor" if isinstance(each, Tensor) else "Scalar" for each in (elements, test_elements))


@op(
    name="isin",
    promote="elements test_elements",
    overload=_overload,
    vmap="fallback",
    elementwise=False,
)
def _isin(elements: Any, test_elements: Any, invert: bool) -> Array:
    elements, test_elements = (half_up(np.asarray(each)) for each in (elements, test_elements))
    return np.isin(elements, test_elements, invert=invert)


@composite(variants="function", vmap="fallback", overload=_overload, out=True)
def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Tensor:
    """Whether each element occurs in test_elements."""
    if not isinstance(elements, Tensor) and not isinstance(test_elements, Tensor):
        raise TypeError("isin(): no tensor")  # replaced by torch's message in the caller
    for each in (elements, test_elements):
        kind = each._array.dtype.kind if isinstance(each, Tensor) else np.asarray(each).dtype.kind
        need_fitting(kind not in "bc", "torch.isin")
    return _isin(elements, test_elements, invert)
