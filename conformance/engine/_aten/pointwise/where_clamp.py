"""where, clamp, maximum, minimum, fmax and fmin."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor
from ..._autograd.views import increment_version
from ..._c10 import dtypes
from ..._c10.dtypes import FULL_PRECISION, NUMBERS
from ..._c10.operator_facts import composite
from ..._c10.warn_once import warn_once
from ..creation.factories import scalar_tensor
from ..inplace import is_free, run_inplace
from ..kernels import beside, refuse_bools
from ..registry import ROWS, Array, op
from ..scalar_operands import over

# where --------------------------------------------------------------------------------------------


def _chosen(condition: Tensor, self: Any, other: Any) -> Any:
    return where(condition, self, other)


@op(
    "WhereBackward0",
    name="where",
    tensors="condition",
    promote="self other",
    overload="self",
    complex="holomorphic",
    handle_r_to_c=False,
    jvp="auto_linear",
    self=lambda grad, condition: _chosen(condition, grad, 0),
    other=lambda grad, condition: _chosen(condition, 0, grad),
)
def _where(condition: Array, self: Any, other: Any) -> Array:
    if condition.dtype.kind != "b":
        if condition.dtype != np.uint8:
            kind = dtypes.BY_NUMPY[condition.dtype].legacy
            raise RuntimeError(
                f"where expected condition to be a boolean tensor, but got a tensor with dtype {kind}"
            )
        warn_once(
            "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future "
            "version of PyTorch. Use a boolean condition instead.",
        )
        condition = condition.astype(np.bool_)
    return np.where(condition, self, other)


def _fitting(tensor: Tensor, number: Any) -> Any:
    """The number, which must fit the common dtype; a half takes the numbers of float64."""
    kind = dtypes.result_dtype(tensor._array, number)
    return dtypes.number_within(dtypes.F64 if dtypes.is_half(kind) else kind, number)


@composite(vmap="decompose", out=True)
def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """input where the condition is true, other elsewhere; without both, the indices where it is true."""
    if input is None and other is None:
        result = condition if condition._array.ndim else condition.view(1)
        return result.nonzero().unbind(1)
    if isinstance(input, Tensor) and other.__class__ in (int, float):
        other = _fitting(input, other)
    elif isinstance(other, Tensor) and input.__class__ in (int, float):
        input = _fitting(other, input)
    elif input.__class__ in NUMBERS and other.__class__ in NUMBERS:
        kind = dtypes.promote_types(dtypes.of_number(input), dtypes.of_number(other))
        input = scalar_tensor(input, dtype=kind)
    elif isinstance(input, Tensor) and other.__class__ is complex:  # torch casts the tensor first
        input = input.to(dtypes.BY_NUMPY[dtypes.result_dtype(input._array, other)])
    elif isinstance(other, Tensor) and input.__class__ is complex:
        other = other.to(dtypes.BY_NUMPY[dtypes.result_dtype(other._array, input)])
    return _where(condition, input, other)


# clamp --------------------------------------------------------------------------------------------
# A nan among the bounds or the values gives nan, as in numpy; where min > max, the result is max. A zero keeps its own
# sign at a bound of 0: numpy returns its second argument then, and its first one for float16.


def clamped(self: Array, min: Any, max: Any, out: Array | None = None) -> Array:
    """Clamp to bounds, one of which may be None; both are numbers or arrays of the dtype of ``self``."""
    if min is not None and max is not None:
        if self.dtype.kind == "V":  # numpy has no clip for bfloat16
            return clamped(clamped(self, min, None), None, max, out)
        return self.clip(min, max, out)
    bound, function = (max, np.minimum) if min is None else (min, np.maximum)
    if not isinstance(bound, np.ndarray):
        bound = beside(self, bound)
    pair = (self, bound) if self.dtype.char == "e" else (bound, self)
    result: Array = function(*pair, out=out)
    return result


def _bounds_within(kind: np.dtype[Any], min: Any, max: Any) -> list[Any]:
    """The bounds in a dtype; if one is nan, the other is dropped unchecked, since all results are nan."""
    if min != min or max != max:
        within = [each if each != each else None for each in (min, max)]
    else:
        within = [None if each is None else dtypes.number_within(kind, each) for each in (min, max)]
    if kind.kind != "V":
        return within
    return [None if each is None else kind.type(each) for each in within]  # numpy would promote to float32


def _clamped_to_numbers(self: Array, min: Any, max: Any) -> Array:
    if isinstance(min, (list, tuple)) or isinstance(max, (list, tuple)):
        raise TypeError("no number")  # replaced by torch's message, see _arguments/overloads.py
    kind = self.dtype
    if kind not in FULL_PRECISION:
        kind = dtypes.result_dtype(self, *[each for each in (min, max) if each is not None])
        _ordered(kind)
    array = self.astype(kind, copy=False)
    refuse_bools(f"clamp{'_max' if min is None else '_min' if max is None else ''}_scalar_cpu", array)
    return clamped(array, *_bounds_within(kind, min, max))


def _ordered(kind: np.dtype[Any], bound: Any = None) -> None:
    if kind.kind == "c" or bound.__class__ is complex:
        raise NotImplementedError("clamp is not supported for complex types")


def _clampable(self: Tensor, *bounds: Any) -> None:
    """Raise an error for in-place bounds that would promote the tensor's dtype; floating-point tensors are skipped."""
    if self._array.dtype.kind in "fV":
        return
    kind = dtypes.result_dtype(self._array, *[each for each in bounds if each is not None])
    if not dtypes.can_cast(dtypes.BY_NUMPY[kind], self.dtype):
        raise RuntimeError(
            f"result type {dtypes.BY_NUMPY[kind].legacy} can't be cast to the desired output type "
            f"{dtypes.c_name(self._array.dtype)}"
        )


def _clamp_backward(grad: Tensor, self: Tensor, min: Any, max: Any) -> Tensor:
    if min is None:
        return where(self <= max, grad, 0)
    if max is None:
        return where(self >= min, grad, 0)
    return where((self >= min).logical_and(self <= max), grad, 0)


@op(
    "ClampBackward1",
    promote="self",
    name="clamp",
    no_complex=NotImplementedError("clamp is not supported for complex types"),
    jvp="auto_element_wise",
    vmap_inplace="fallback",
    self=_clamp_backward,
)
def _clamp_numbers(self: Array, min: Any = None, max: Any = None) -> Array:
    return _clamped_to_numbers(self, min, max)


def _clamp_bounds_backward(grad: Tensor, self: Tensor, min: Any, max: Any, needed: Any) -> Any:
    if max is None:
        return (where(self < min, grad, 0), None)
    if min is None:
        return (None, where(self > max, grad, 0))
    return (
        where((self < min).logical_and(min < max), grad, 0) if needed[0] else None,
        where((self > max).logical_or(max < min), grad, 0) if needed[1] else None,
    )


@op(
    "ClampBackward0",
    name="clamp_tensors",
    promote="self min max",
    numbers=False,
    overload="Tensor",
    no_complex=NotImplementedError("clamp is not supported for complex types"),
    jvp="auto_element_wise",
    vmap_inplace="fallback",
    operator="clamp",
    inputs={
        "self": _clamp_backward,
        "min max": _clamp_bounds_backward,
    },
)
def _clamp_tensors(self: Array, min: Any = None, max: Any = None) -> Array:
    _ordered(self.dtype)
    if min is not None and max is not None:
        refuse_bools("clamp_cpu", self)
    return clamped(self, min, max)


def _bounds(self: Tensor, min: Any, max: Any) -> tuple[str, Any, Any]:
    """The name of the overload that matches the bounds, and the bounds."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    complex_bound = any(each.__class__ is complex and each.imag for each in (min, max))
    if complex_bound and self._array.dtype.kind in "fV":  # torch casts it to double for a nan check
        raise RuntimeError("value cannot be converted to type double without overflow")
    by_tensors = all(each is None or isinstance(each, Tensor) for each in (min, max))
    return ("clamp_tensors" if by_tensors else "clamp"), min, max


@composite(vmap="decompose", out=True)
def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Clamp each element to the range [min, max]."""
    name, low, high = _bounds(input, min, max)
    return ROWS[name].call(input, low, high)


@composite(variants="function, method", vmap_inplace="fallback")
def clamp_(self: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """clamp, in place."""
    bounded = min is not None or max is not None
    if bounded and min.__class__ in _PLAIN and max.__class__ in _PLAIN and is_free(self):
        # See Note [Written at once].
        array = self._array
        least, most = _bounds_within(array.dtype, min, max)
        clamped(array, least, most, out=array)
        increment_version(self)
        return self
    name, low, high = _bounds(self, min, max)
    if name == "clamp":
        _clampable(self, min, max)
    return run_inplace(ROWS[name], [self, low, high])


_PLAIN = {float, int, type(None)}
clip, clip_ = clamp, clamp_


@op(
    "ClampMinBackward0",
    promote="self",
    name="clamp_min",
    no_complex=NotImplementedError("clamp is not supported for complex types"),
    jvp="auto_element_wise",
    vmap_unbatched="arithmetic",
    self=lambda grad, self, min: where(self >= min, grad, 0),
)
def _clamp_min_number(self: Array, min: Any) -> Array:
    _ordered(self.dtype, min)
    return _clamped_to_numbers(self, min, None)


@op(
    "ClampMaxBackward0",
    promote="self",
    name="clamp_max",
    no_complex=NotImplementedError("clamp is not supported for complex types"),
    jvp="auto_element_wise",
    vmap_unbatched="arithmetic",
    self=lambda grad, self, max: where(self <= max, grad, 0),
)
def _clamp_max_number(self: Array, max: Any) -> Array:
    _ordered(self.dtype, max)
    return _clamped_to_numbers(self, None, max)


@op(
    "ClampMinBackward1",
    name="clamp_min_tensor",
    promote="self min",
    overload="Tensor",
    no_complex="maximum_cpu",
    jvp="auto_element_wise",
    operator="clamp_min",
    self=lambda grad, self, min: where(self >= min, grad, 0),
    min=lambda grad, self, min: where(self < min, grad, 0),
)
def _clamp_min_tensor(self: Array, min: Any) -> Array:
    return np.maximum(self, min)


@op(
    "ClampMaxBackward1",
    name="clamp_max_tensor",
    promote="self max",
    overload="Tensor",
    no_complex="minimum_cpu",
    jvp="auto_element_wise",
    operator="clamp_max",
    self=lambda grad, self, max: where(self <= max, grad, 0),
    max=lambda grad, self, max: where(self > max, grad, 0),
)
def _clamp_max_tensor(self: Array, max: Any) -> Array:
    return np.minimum(self, max)


@composite(vmap="decompose", out=True)
def clamp_min(input: Tensor, min: Any) -> Tensor:
    """The maximum of each element and min."""
    return ROWS["clamp_min_tensor" if isinstance(min, Tensor) else "clamp_min"].call(input, min)


@composite(vmap="decompose", out=True)
def clamp_max(input: Tensor, max: Any) -> Tensor:
    """The minimum of each element and max."""
    return ROWS["clamp_max_tensor" if isinstance(max, Tensor) else "clamp_max"].call(input, max)


@composite(variants="function, method", vmap_unbatched="arithmetic")
def clamp_min_(self: Tensor, min: Any) -> Tensor:
    """clamp_min in place."""
    if isinstance(min, Tensor):
        return run_inplace(ROWS["clamp_min_tensor"], [self, min])
    _ordered(self._array.dtype, min)
    _clampable(self, min)
    return run_inplace(ROWS["clamp_min"], [self, min])


@composite(variants="function, method", vmap_unbatched="arithmetic")
def clamp_max_(self: Tensor, max: Any) -> Tensor:
    """clamp_max in place."""
    if isinstance(max, Tensor):
        return run_inplace(ROWS["clamp_max_tensor"], [self, max])
    _ordered(self._array.dtype, max)
    _clampable(self, max)
    return run_inplace(ROWS["clamp_max"], [self, max])


# maximum, minimum, fmax, fmin ---------------------------------------------------------------------
# Where the operands are equal, maximum and minimum give each half of the gradient; fmax and fmin give
# the first one all of it.


def _half(grad: Tensor, self: Tensor, other: Tensor) -> Tensor:
    return where(self == other, over(grad, 2), grad)


@op(
    "MaximumBackward0",
    promote="self other",
    numbers=False,
    no_complex=RuntimeError("maximum not implemented for complex tensors."),
    jvp="auto_element_wise",
    self=lambda grad, self, other: _half(grad, self, other).masked_fill_(self < other, 0),
    other=lambda grad, self, other: _half(grad, self, other).masked_fill_(self > other, 0),
)
def maximum(self: Array, other: Array) -> Array:
    """The greater of two; nan where one is nan."""
    return np.maximum(self, other)


@op(
    "MinimumBackward0",
    promote="self other",
    numbers=False,
    no_complex=RuntimeError("minimum not implemented for complex tensors."),
    jvp="auto_element_wise",
    self=lambda grad, self, other: _half(grad, self, other).masked_fill_(self > other, 0),
    other=lambda grad, self, other: _half(grad, self, other).masked_fill_(self < other, 0),
)
def minimum(self: Array, other: Array) -> Array:
    """The lesser of two; nan where one is nan."""
    return np.minimum(self, other)


@op(
    "FmaxBackward0",
    promote="self other",
    numbers=False,
    no_complex=RuntimeError("fmax not implemented for complex tensors."),
    self=lambda grad, self, other: grad.masked_fill(
        (self >= other).logical_or_(other.isnan()).logical_not_(), 0
    ),
    other=lambda grad, self, other: grad.masked_fill((self >= other).logical_or_(other.isnan()), 0),
)
def fmax(self: Array, other: Array) -> Array:
    """The greater of two; the other one where one is nan."""
    return np.fmax(self, other)


@op(
    "FminBackward0",
    promote="self other",
    numbers=False,
    no_complex=RuntimeError("fmin not implemented for complex tensors."),
    self=lambda grad, self, other: grad.masked_fill(
        (self <= other).logical_or_(other.isnan()).logical_not_(), 0
    ),
    other=lambda grad, self, other: grad.masked_fill((self <= other).logical_or_(other.isnan()), 0),
)
def fmin(self: Array, other: Array) -> Array:
    """The lesser of two; the other one where one is nan."""
    return np.fmin(self, other)


def attach() -> None:
    """Install Tensor.where, whose arguments have another order than the function's."""
    Tensor.where = composite(vmap="decompose")(lambda self, condition, other: where(condition, self, other))  # type: ignore[attr-defined]
