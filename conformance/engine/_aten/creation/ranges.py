"""arange, linspace and logspace (torch: native/RangeFactories.cpp)."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor
from ..._c10 import dtypes
from ..._c10.device import check_memory
from ..._c10.errors import need_fitting, unimplemented
from ..._c10.operator_facts import Out, composite
from ..._c10.warn_once import warn_program
from .factories import finish, kind_of


def refuse_bool(kernel: str, kind: np.dtype[Any]) -> None:
    """Raise an error for bool, which the kernel does not support.

    Raises:
        NotImplementedError: the dtype is bool; the message names the kernel.
    """
    if kind == np.bool_:
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")


_BOUNDS = ("start", "end", "step")


@composite(
    out=Out(resize="by_count"), overload=lambda *args: ("default", "start", "start_step")[len(args) - 1]
)
def arange(
    *bounds: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    start: Any = None, end: Any = None, step: Any = None, out: Any = None, layout: Any = None,
    pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """torch.arange: for integer arguments in int64, for floats in the default dtype."""
    check_memory(device, pin_memory)
    named = {name: each for name, each in zip(_BOUNDS, (start, end, step), strict=True) if each is not None}
    if len(bounds) == 1 and not named:
        bounds = (0, *bounds)
    given = dict(zip(_BOUNDS, bounds, strict=False)) | named
    if len(given) != len(bounds) + len(named) or "end" not in given:
        raise TypeError("no bounds")  # replaced by torch's message in the caller
    first, last, by = (
        _number(given.get(name, usual)) for name, usual in zip(_BOUNDS, (0, 0, 1), strict=True)
    )
    if not by or by != by:
        raise RuntimeError("step must be nonzero")
    need_fitting(math.isfinite(first + last), "torch.arange")
    if (last - first) * by < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if out is not None:
        kind_of(dtype, out)
        dtype = out.dtype
    kind = dtypes.parse_dtype("arange", dtype) or (
        dtypes.default if any(isinstance(each, float) for each in (first, last, by)) else dtypes.int64
    )
    count = max(0, math.ceil((last - first) / by))
    if kind.category < dtypes.FLOATING:  # torch casts the bounds of integer ranges
        first, last, by = int(first), int(last), int(by)
        if kind is dtypes.int64:
            need_fitting(by and min(first, last) >= -(2**63) and max(first, last) < 2**63, "torch.arange")
            count = max(0, -((first - last) // by))
    if kind.numpy.kind in "bc":
        raise unimplemented("arange_cpu", kind.numpy)
    array = (first + np.arange(count) * by).astype(kind.numpy)
    if out is not None and out._array.size not in (0, count):
        warn_program(
            f"The number of elements in the out tensor of shape {list(out._array.shape)} is {out._array.size} which "
            f"does not match the computed number of elements {count}. Note that this may occur as a result of rounding "
            f"error. The out tensor will be resized to a tensor of shape ({count},).",
        )
    return finish(array, requires_grad, out, "arange")


def _number(bound: Any) -> Any:
    """A bound as a number; it may be a zero-dimensional tensor."""
    if isinstance(bound, Tensor) and bound._array.ndim:
        raise TypeError("no number")  # replaced by torch's message in the caller
    result = bound.item() if isinstance(bound, (Tensor, np.generic)) else bound
    return dtypes.number_within(dtypes.F64, result) if isinstance(result, complex) else result


def _count_of(name: str, start: Any, end: Any, steps: Any) -> int:
    """Check the bounds of linspace or logspace, and return the number of steps."""
    numbers = not any(isinstance(each, Tensor) and each._array.ndim for each in (start, end))
    need_fitting(numbers, f"torch.{name}")
    return operator.index(steps)


def _kind_between(start: Any, end: Any, dtype: Any, out: Any) -> np.dtype[Any]:
    """The dtype of linspace or logspace: complex if a bound is."""
    is_complex = any(
        isinstance(each, complex) or getattr(each, "dtype", None) in _COMPLEX for each in (start, end)
    )
    if is_complex and out is None and dtype is None:
        dtype = dtypes.default.to_complex()
    return kind_of(dtype, out)


_COMPLEX = (dtypes.complex64, dtypes.complex128)


@composite(out=Out(resize="by_count"))
def linspace(
    start: Any, end: Any, steps: int, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    out: Any = None, layout: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """torch.linspace: computed from both ends, so that it is symmetric."""
    check_memory(device, pin_memory)
    steps = _count_of("linspace", start, end, steps)
    kind = _kind_between(start, end, dtype, out)
    number_of = complex if kind.kind == "c" else float
    first, last = (number_of(each.item() if isinstance(each, Tensor) else each) for each in (start, end))
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    if kind.kind not in "fcV":
        first, last = (
            float(dtypes.number_within(kind, int(each), kind.name + "_t")) for each in (first, last)
        )
    if steps == 1:
        return finish(np.array([first], kind), requires_grad, out, "linspace")
    if steps:
        refuse_bool("linspace_cpu", kind)
    number = np.arange(steps)
    exact = kind if kind.kind in "fcV" else np.dtype(np.float64)
    by = exact.type((exact.type(last) - exact.type(first)) / exact.type(max(steps - 1, 1)))
    ahead = exact.type(first) + by * number.astype(exact)
    back = exact.type(last) - by * (steps - 1 - number).astype(exact)
    return finish(np.where(number < steps // 2, ahead, back).astype(kind), requires_grad, out, "linspace")


@composite(out=Out(resize="by_count"))
def logspace(
    start: Any, end: Any, steps: int, base: float = 10.0, *, dtype: Any = None, device: Any = None,
    requires_grad: bool = False, out: Any = None, layout: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """torch.logspace: powers of ``base``."""
    check_memory(device, pin_memory)
    steps = _count_of("logspace", start, end, steps)
    kind = _kind_between(start, end, dtype, out)
    if kind.kind not in "fcV":
        start, end = int(start), int(end)
    if steps > 1:
        refuse_bool("logspace_cpu", kind)
    exact = dtypes.complex128 if kind.kind == "c" else dtypes.float64
    powers = np.power(base, linspace(start, end, steps, dtype=exact)._array)
    return finish(powers.astype(kind), requires_grad, out, "logspace")
