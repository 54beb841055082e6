"""torch.testing: make_tensor, and assert_close (torch: testing/_comparison.py)."""

from __future__ import annotations

import cmath
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ._arguments.absent_names import look_up
from ._aten.creation.from_data import as_tensor
from ._aten.creation.make_tensor import make_tensor
from ._autograd.tensor import Tensor
from ._c10 import dtypes as _dtypes

__all__ = ["assert_close", "make_tensor"]

_PRECISION = {
    _dtypes.float16: (1e-3, 1e-5), _dtypes.bfloat16: (1.6e-2, 1e-5), _dtypes.float32: (1.3e-6, 1e-5), _dtypes.float64: (1e-7, 1e-7),
    _dtypes.complex64: (1.3e-6, 1e-5), _dtypes.complex128: (1e-7, 1e-7),
}  # fmt: skip
_NUMBER = (bool, int, float, complex, np.number, np.bool_)
Place = tuple[Any, ...]


def assert_close(
    actual: Any, expected: Any, *, allow_subclasses: bool = True, rtol: float | None = None,
    atol: float | None = None, equal_nan: bool = False, check_device: bool = True, check_dtype: bool = True,
    check_layout: bool = True, check_stride: bool = False, msg: str | Callable[[str], str] | None = None,
) -> None:  # fmt: skip
    """Assert that tensors, numbers, or sequences and mappings of them are equal within a tolerance.

    Raises:
        AssertionError: they differ; the message says where and by how much.
        ValueError: one of ``rtol`` and ``atol`` without the other.
        TypeError: the values cannot be compared.
    """
    if (rtol is None) != (atol is None):
        raise ValueError(
            "Both 'rtol' and 'atol' must be either specified or omitted, but got no "
            f"{'rtol' if rtol is None else 'atol'}."
        )
    given = None if rtol is None or atol is None else (rtol, atol)
    try:
        _compare(
            actual, expected, (), given, equal_nan, check_dtype, check_layout, check_stride, allow_subclasses
        )
    except AssertionError as error:
        text = str(error)
        raise AssertionError(text if msg is None else msg(text) if callable(msg) else msg) from None


def _failed(text: str, place: Place) -> AssertionError:
    where = "".join(f"[{each}]" if not isinstance(each, str) else f"['{each}']" for each in place)
    return AssertionError(text + (f"\n\nThe failure occurred for item {where}" if place else ""))


def _compare(
    a: Any, b: Any, place: Place, given: tuple[float, float] | None, equal_nan: bool, check_dtype: bool,
    check_layout: bool, check_stride: bool, subclasses: bool,
) -> None:  # fmt: skip
    rest = (given, equal_nan, check_dtype, check_layout, check_stride, subclasses)
    if isinstance(a, Sequence) and isinstance(b, Sequence) and not isinstance(a, str):
        if len(a) != len(b):
            raise _failed(f"The length of the sequences mismatch: {len(a)} != {len(b)}", place)
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            _compare(x, y, (*place, i), *rest)
    elif isinstance(a, Mapping) and isinstance(b, Mapping):
        if set(a) != set(b):
            missing, more = sorted(set(b) - set(a)), sorted(set(a) - set(b))
            raise _failed(
                "The keys of the mappings do not match:\n"
                f"Missing keys in the actual mapping: {missing}\n"
                f"Additional keys in the actual mapping: {more}",
                place,
            )
        for key in sorted(a, key=lambda each: (type(each).__name__, each)):
            _compare(a[key], b[key], (*place, key), *rest)
    elif a is None or b is None:
        if a is not b:
            raise _failed(f"None mismatch: {a} is not {b}", place)
    elif isinstance(a, (bool, np.bool_)) and isinstance(b, (bool, np.bool_)):
        if bool(a) is not bool(b):
            raise _failed(f"Booleans mismatch: {bool(a)} is not {bool(b)}", place)
    elif isinstance(a, _NUMBER) and isinstance(b, _NUMBER):
        _compare_numbers(a, b, place, given, equal_nan, check_dtype)
    elif _like_tensor(a) and _like_tensor(b):
        related = type(a) is type(b) or (subclasses and (isinstance(a, type(b)) or isinstance(b, type(a))))
        if related:
            x, y = _tensor(a), _tensor(b)
            _compare_tensors(x, y, place, given, equal_nan, check_dtype, check_layout, check_stride)
        else:
            raise _incomparable(a, b, place)
    else:
        raise _incomparable(a, b, place)


def _like_tensor(value: Any) -> bool:
    return isinstance(value, (Tensor, np.ndarray))


def _tensor(value: Any) -> Tensor:
    return value if isinstance(value, Tensor) else as_tensor(value)


def _incomparable(a: Any, b: Any, place: Place) -> TypeError:
    text = f"No comparison pair was able to handle inputs of type {type(a)} and {type(b)}."
    return TypeError(str(_failed(text, place)))


def _tolerance(given: tuple[float, float] | None, *kinds: Any) -> tuple[float, float]:
    if given is not None:
        return given
    each = [_PRECISION.get(kind, (0.0, 0.0)) for kind in kinds]
    return max(rtol for rtol, _ in each), max(atol for _, atol in each)


def _compare_numbers(
    a: Any, b: Any, place: Place, given: tuple[float, float] | None, equal_nan: bool, check_dtype: bool
) -> None:
    x, y = (each.item() if isinstance(each, np.generic) else each for each in (a, b))
    kinds = {bool: _dtypes.bool_, int: _dtypes.int64, float: _dtypes.float64, complex: _dtypes.complex128}
    rtol, atol = _tolerance(given, kinds[type(x)], kinds[type(y)])
    if check_dtype and type(x) is not type(y):
        raise _failed(f"The (d)types do not match: {type(x)} != {type(y)}.", place)
    if x == y or (equal_nan and cmath.isnan(x) and cmath.isnan(y)):
        return
    away = abs(x - y)
    if cmath.isfinite(away) and away <= atol + rtol * abs(y):
        return
    share = float("inf") if y == 0 else away / abs(y)
    raise _failed(_text("Scalars", f"Expected {y} but got {x}.", away, None, share, None, rtol, atol), place)


def _compare_tensors(
    a: Tensor, b: Tensor, place: Place, given: tuple[float, float] | None, equal_nan: bool, check_dtype: bool,
    check_layout: bool, check_stride: bool,
) -> None:  # fmt: skip
    def differs(name: str, x: Any, y: Any) -> AssertionError:
        return _failed(f"The values for attribute '{name}' do not match: {x} != {y}.", place)

    if a.shape != b.shape:
        raise differs("shape", a.shape, b.shape)
    if a.layout is not b.layout:
        if check_layout:
            raise differs("layout", a.layout, b.layout)
        a, b = (each.to_dense() if each.is_sparse else each for each in (a, b))
    elif check_stride and not a.is_sparse and a.stride() != b.stride():
        raise differs("stride()", a.stride(), b.stride())
    if check_dtype and a.dtype is not b.dtype:
        raise differs("dtype", a.dtype, b.dtype)
    tolerance = _tolerance(given, a.dtype, b.dtype)
    if not a.is_sparse:
        _compare_values("Tensor-likes", a, b, place, tolerance, equal_nan)
        return
    if a._nnz() != b._nnz():
        counts = f"{a._nnz()} != {b._nnz()}"
        raise _failed(f"The number of specified values in sparse COO tensors does not match: {counts}", place)
    _compare_values("Sparse COO indices", a._indices(), b._indices(), place, (0, 0), False)
    _compare_values("Sparse COO values", a._values(), b._values(), place, tolerance, equal_nan)


def _compare_values(
    what: str, a: Tensor, b: Tensor, place: Place, tolerance: tuple[float, float], equal_nan: bool
) -> None:
    rtol, atol = tolerance
    kind = _dtypes.promote_types(a.dtype, b.dtype).numpy
    x, y = a._array.astype(kind), b._array.astype(kind)
    if kind.kind in "biu":
        x, y = x.astype(np.int64), y.astype(np.int64)
    same = np.isclose(x, y, rtol=rtol, atol=atol, equal_nan=equal_nan)
    if same.all():
        return
    wrong, count = int(same.size - same.sum()), same.size
    away = np.where(same, 0, np.abs(x - y))
    precision = away.dtype if kind.kind in "fcV" else _dtypes.default.numpy
    share = np.where(same, 0, np.true_divide(away, np.abs(y)).astype(precision))
    far, most = _largest(away), _largest(share)
    if not a._array.ndim:
        x, y = a.item(), b.item()
        text = _text(
            "Scalars", f"Expected {y} but got {x}.", away.item(), None, _share(x, y), None, rtol, atol
        )
        raise _failed(text, place)
    extra = f"Mismatched elements: {wrong} / {count} ({wrong / count:.1%})"
    found = away[far].item(), far, share[most].item(), most
    raise _failed(_text(what, extra, *found, rtol, atol), place)


def _share(x: Any, y: Any) -> float:
    return float("inf") if y == 0 else abs(x - y) / abs(y)


def _largest(values: Any) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(values)), values.shape))


def _text(what: str, extra: str, away: Any, far: Any, share: Any, most: Any, rtol: float, atol: float) -> str:
    exact = rtol == 0 and atol == 0

    def line(name: str, value: Any, place: Any, allowed: float) -> str:
        head = (
            f"{name.title()} difference: {value}"
            if place is None
            else (f"Greatest {name} difference: {value} at index {place}")
        )
        return head + ("" if exact else f" (up to {allowed} allowed)")

    return "\n".join(
        [
            f"{what} are not {'equal' if exact else 'close'}!\n",
            extra,
            line("absolute", away, far, atol),
            line("relative", share, most, rtol),
        ]
    )


__getattr__ = look_up("torch.testing")
