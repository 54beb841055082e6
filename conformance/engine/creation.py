"""Tensors from data, from shapes and like other tensors."""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import dtypes, errors
from .conversions import fraction, whole
from .device import check_device
from .dtypes import BY_NUMPY
from .formats import laid_out, preserve_format
from .shapes import like_steps, new_sizes
from .tensor import Tensor, wrap


def finish(array: np.ndarray[Any, Any], requires_grad: bool = False, out: Tensor | None = None) -> Tensor:
    """A new leaf, or the tensor given as out= with this shape and these values.

    Raises:
        RuntimeError: ``requires_grad`` for a dtype without derivatives.
    """
    if out is None:
        result = wrap(array)
    else:
        from .out import fill_out

        result = fill_out(out, array)
    if requires_grad:
        if array.dtype.kind not in "fc":
            raise RuntimeError(errors.REQUIRES_GRAD_DTYPE_NEW)
        result._requires_grad = True
    return result


def kind_of(
    dtype: dtypes.dtype | None, out: Tensor | None, otherwise: dtypes.dtype | None = None
) -> np.dtype[Any]:
    """The dtype of what is made: that asked for, that of out=, or the default.

    Raises:
        RuntimeError: the dtype asked for is not that of out=.
    """
    dtype = dtypes.asked("empty", dtype)
    if out is not None:
        if dtype is not None and dtype is not out.dtype:
            raise RuntimeError(
                f"dtype {dtype.legacy} does not match dtype of out parameter ({out.dtype.legacy})"
            )
        return out._array.dtype
    return (dtype or otherwise or dtypes.default).numpy


def infer_array(data: Any, kind: dtypes.dtype | None = None) -> np.ndarray[Any, Any]:
    """Python numbers, nested sequences, numpy arrays and tensors as a fresh array of torch's dtype.

    Raises:
        TypeError, ValueError, RuntimeError: as torch.tensor for what is no number or not rectangular.
    """
    if isinstance(data, (np.ndarray, np.generic)):
        return np.array(data, kind.numpy if kind else None)
    shape = _shape_of(data)
    flat: list[Any] = []
    _flatten(data, shape, flat)
    if kind is None:
        kind = _infer_dtype(flat)
    to_number = fraction if kind.category >= dtypes.FLOATING else whole
    flat = [
        to_number(each) if isinstance(each, Tensor) else each.item() if isinstance(each, np.generic) else each
        for each in flat
    ]
    if kind.category == dtypes.INTEGER:
        if any(each.__class__ is int and not -(2**63) <= each < 2**63 for each in flat):
            raise ValueError("Overflow when unpacking long long")
        if kind is not dtypes.int64 or any(isinstance(each, (float, complex)) for each in flat):
            flat = [dtypes.number_within(kind.numpy, each, kind.name) for each in flat]
    return np.array(flat, kind.numpy).reshape(shape)


_SLOW = (
    "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list to a "
    "single numpy.ndarray with numpy.array() before converting to a tensor."
)


def _shape_of(data: Any) -> tuple[int, ...]:
    shape: list[int] = []
    while True:
        if isinstance(data, np.ndarray):
            return (*shape, *data.shape)
        if isinstance(data, str) and shape:
            raise ValueError("too many dimensions 'str'")
        if isinstance(data, str) or not isinstance(data, Sequence):  # a tensor stands for one number
            return tuple(shape)
        shape.append(len(data))
        if not len(data):
            return tuple(shape)
        data = data[0]


def _flatten(data: Any, shape: tuple[int, ...], flat: list[Any], dim: int = 0) -> None:
    if dim == len(shape):
        if isinstance(data, str):
            raise TypeError("new(): invalid data type 'str'")
        if isinstance(data, (list, tuple)):
            kind = type(data).__name__
            if flat and _infer_dtype(flat).category >= dtypes.FLOATING:
                raise TypeError(f"must be real number, not {kind}")
            raise TypeError(f"'{kind}' object cannot be interpreted as an integer")
        if not isinstance(data, (bool, int, float, complex, np.generic, Tensor)):
            raise RuntimeError(f"Could not infer dtype of {type(data).__name__}")
        flat.append(data)
        return
    if isinstance(data, np.ndarray):
        warnings.warn(_SLOW, stacklevel=4)
        data = [*data]
    elif isinstance(data, Tensor) and data._array.ndim:
        data = [*data]
    if not isinstance(data, Sequence):
        raise TypeError("not a sequence")
    if len(data) != shape[dim]:
        raise ValueError(f"expected sequence of length {shape[dim]} at dim {dim} (got {len(data)})")
    for each in data:
        _flatten(each, shape, flat, dim + 1)


def _dtype_of(number: Any) -> dtypes.dtype:
    """That of a tensor, or of numpy's scalar, or the one that torch has for Python's number."""
    if isinstance(number, Tensor):
        return number.dtype
    return BY_NUMPY[number.dtype] if isinstance(number, np.generic) else dtypes.of_number(number)


def _infer_dtype(flat: list[Any]) -> dtypes.dtype:
    if not flat:
        return dtypes.default
    kinds = [_dtype_of(each) for each in flat]
    kind = kinds[0]
    for each in kinds[1:]:
        kind = dtypes.promote_types(kind, each)
    return kind


def tensor(
    data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False
) -> Tensor:
    """torch.tensor: a new leaf that copies ``data``."""
    check_device(device)
    if isinstance(data, Tensor):
        array = _copied("torch.tensor", data, dtypes.asked("tensor", dtype))
    else:
        array = infer_array(data, dtypes.asked("tensor", dtype))
    return finish(array, requires_grad)


def _copied(name: str, source: Tensor, dtype: Any) -> np.ndarray[Any, Any]:
    warnings.warn(
        "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
        f"sourceTensor.detach().clone().requires_grad_(True), rather than {name}(sourceTensor).",
        stacklevel=3,
    )
    return source._array.astype(dtype.numpy) if dtype else source._array.copy()


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """torch.as_tensor: shares what can be shared."""
    check_device(device)
    dtype = dtypes.asked("as_tensor", dtype)
    if isinstance(data, Tensor):
        return data if dtype is None or dtype is data.dtype else data.to(dtype)
    if isinstance(data, np.ndarray):
        return wrap(data if dtype is None else data.astype(dtype.numpy, copy=False))
    return finish(infer_array(data, dtype))


def asarray(
    obj: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    copy: bool | None = None,
    requires_grad: bool | None = None,
) -> Tensor:
    """torch.asarray: what as_tensor shares, or a copy where that is asked for.

    Raises:
        ValueError: ``copy=False`` for what cannot be shared.
    """
    check_device(device)
    dtype = dtypes.asked("asarray", dtype)
    if isinstance(obj, np.ndarray):
        obj = wrap(obj)
    elif not isinstance(obj, Tensor):
        if copy is False:
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        return finish(infer_array(obj, dtype), bool(requires_grad))
    if requires_grad is None and obj.requires_grad:
        warnings.warn(_ASARRAY_KEEPS, stacklevel=2)
    kind = dtype or obj.dtype
    if kind is not obj.dtype and copy is False:
        raise ValueError(f"can't alias tensor with dtype '{obj.dtype.legacy}' into dtype '{kind.legacy}'.")
    found = obj.to(kind) if kind is not obj.dtype else obj.clone() if copy else obj
    if requires_grad is None or requires_grad == found.requires_grad:
        return found
    return (
        found.detach().requires_grad_(requires_grad) if found._node else found.requires_grad_(requires_grad)
    )


_ASARRAY_KEEPS = (
    "torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of False. Pass "
    "requires_grad=False explicitly to get the old behavior and silence this warning."
)


def from_numpy(array: np.ndarray[Any, Any]) -> Tensor:
    """torch.from_numpy: shares the array's memory."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    if array.dtype not in BY_NUMPY:
        raise TypeError(f"can't convert np.ndarray of type {array.dtype}.")
    return wrap(array)


def _filled_like(like: np.ndarray[Any, Any], value: Any, kind: np.dtype[Any], memory_format: Any) -> Any:
    """An array of one value that lies in memory as another does, or as its memory format says."""
    array = np.full_like(like, value, kind, order="K", subok=False)
    return (
        like_steps(array, like)
        if memory_format in (None, preserve_format)
        else laid_out(array, memory_format)
    )


def _filled(
    name: str, fill: Callable[..., np.ndarray[Any, Any]]
) -> tuple[Callable[..., Tensor], Callable[..., Tensor]]:
    def by_shape(
        *sides: Any, size: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False,
        out: Any = None, layout: Any = None, pin_memory: bool = False, memory_format: Any = None,
    ) -> Tensor:  # fmt: skip
        check_device(device)
        kind = kind_of(dtypes.asked(name, dtype), out)
        made = fill(new_sizes(sides if size is None else (size,), name), kind)
        return finish(made if memory_format is None else laid_out(made, memory_format), requires_grad, out)

    def like(
        input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
        layout: Any = None, memory_format: Any = None, pin_memory: bool = False,
    ) -> Tensor:  # fmt: skip
        check_device(device)
        if not isinstance(input, Tensor):
            raise TypeError(
                f"{name}_like(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}"
            )
        dtype = dtypes.asked(f"{name}_like", dtype)
        kind = dtype.numpy if dtype else input._array.dtype
        return finish(_filled_like(input._array, fill((), kind)[()], kind, memory_format), requires_grad)

    by_shape.__name__, like.__name__ = name, f"{name}_like"
    return by_shape, like


zeros, zeros_like = _filled("zeros", np.zeros)
ones, ones_like = _filled("ones", np.ones)
# Memory that was not written has no defined values; zeros are as good as any.
empty, empty_like = _filled("empty", np.zeros)


def empty_strided(
    size: Any, stride: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    layout: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """torch.empty_strided: memory laid out with these strides (zeros here)."""
    check_device(device)
    kind = (dtypes.asked("empty_strided", dtype) or dtypes.default).numpy
    from .ops.strided import blank

    shape, steps = new_sizes((size,)), tuple(s * kind.itemsize for s in stride)
    if len(shape) != len(steps):
        raise RuntimeError(
            f"dimensionality of sizes ({len(shape)}) must match dimensionality of strides ({len(steps)})"
        )
    if any(s < 0 for s in steps):
        raise RuntimeError(
            f"Storage size calculation overflowed with sizes={list(shape)} and strides={list(stride)}"
        )
    extent = kind.itemsize + sum((n - 1) * s for n, s in zip(shape, steps, strict=True))
    return finish(blank((shape, steps, 0 if 0 in shape else extent), kind), requires_grad)


def empty_permuted(
    size: Any, physical_layout: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """torch.empty_permuted: memory laid out in this order of the dimensions, the outermost first (zeros here)."""
    kind = (dtypes.asked("empty_permuted", dtype) or dtypes.default).numpy
    shape, order = tuple(size), tuple(physical_layout)
    if len(shape) != len(order):
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = "
            f"{len(shape)} is not equal to len(physical_layout) = {len(order)}"
        )
    for index, axis in enumerate(order):
        if not 0 <= axis < len(shape):
            raise RuntimeError(
                f"Dimension out of range (expected to be between 0 and {len(shape) - 1}, but got {axis} at index "
                f"{index}).  NB: negative dims not currently supported; file an issue if you want it."
            )
        if axis in order[:index]:
            raise RuntimeError("Duplicate dim not allowed")
    inside = new_sizes(([shape[axis] for axis in order],))
    return finish(np.zeros(inside, kind).transpose(np.argsort(order)), requires_grad)


def _check_full(name: str, size: Any, fill_value: Any) -> None:
    if isinstance(size, int):
        raise TypeError(f"{name}(): argument 'size' (position 1) must be tuple of ints, not int")
    if not isinstance(fill_value, (bool, int, float, complex, np.generic)):
        kind = type(fill_value).__name__
        raise TypeError(f"{name}(): argument 'fill_value' (position 2) must be Number, not {kind}")


def full(
    size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    out: Any = None, layout: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """torch.full: a shape filled with one number."""
    check_device(device)
    if isinstance(fill_value, Tensor):
        if fill_value._array.ndim or fill_value.requires_grad:
            raise TypeError("full(): argument 'fill_value' (position 2) must be Number, not Tensor")
        fill_value = fill_value.item()
    _check_full("full", size, fill_value)
    kind = kind_of(dtypes.asked("full", dtype), out, dtypes.of_number(fill_value))
    number = dtypes.number_within(kind, fill_value)
    return finish(np.full(new_sizes((size,), "full"), number, kind), requires_grad, out)


def full_like(
    input: Tensor,
    fill_value: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    layout: Any = None,
    memory_format: Any = None,
    pin_memory: bool = False,
) -> Tensor:
    """torch.full_like."""
    check_device(device)
    _check_full("full_like", (), fill_value)
    dtype = dtypes.asked("full_like", dtype)
    kind = dtype.numpy if dtype else input._array.dtype
    number = dtypes.number_within(kind, fill_value)
    return finish(_filled_like(input._array, number, kind, memory_format), requires_grad)


def refuse_bool(kernel: str, kind: np.dtype[Any]) -> None:
    """Refuse to count in bools.

    Raises:
        NotImplementedError: by the kernel's name.
    """
    if kind == np.bool_:
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")


def arange(
    *bounds: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    start: Any = None, end: Any = None, step: Any = None, out: Any = None, layout: Any = None,
    pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """torch.arange: integers stay int64, floats become the default dtype."""
    check_device(device)
    given = [each.item() if isinstance(each, Tensor) else each for each in bounds]
    first, last, by = 0, 0, 1
    if len(given) == 1:
        last = given[0]
    elif given:
        first, last = given[:2]
        by = given[2] if len(given) > 2 else 1
    first = first if start is None else start
    last = last if end is None else end
    by = by if step is None else step
    if by == 0:
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(first) and math.isfinite(last)):
        raise RuntimeError(f"unsupported range: {first:g} -> {last:g}")
    if (last - first) * by < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if out is not None:
        kind_of(dtype, out)
        dtype = out.dtype
    kind = dtypes.asked("arange", dtype) or (
        dtypes.default if any(isinstance(each, float) for each in (first, last, by)) else dtypes.int64
    )
    count = max(0, math.ceil((last - first) / by))
    if kind.category < dtypes.FLOATING:  # torch counts in whole numbers, and for int64 to a whole number
        first, last, by = int(first), int(last), int(by)
        if by == 0:
            raise ValueError("step must be nonzero")
        if kind is dtypes.int64:
            count = max(0, -((first - last) // by))
    refuse_bool("arange_cpu", kind.numpy)
    array = (first + np.arange(count) * by).astype(kind.numpy)
    if out is not None and out._array.size not in (0, count):
        warnings.warn(
            f"The number of elements in the out tensor of shape {list(out._array.shape)} is {out._array.size} which "
            f"does not match the computed number of elements {count}. Note that this may occur as a result of rounding "
            f"error. The out tensor will be resized to a tensor of shape ({count},).",
            stacklevel=2,
        )
    return finish(array, requires_grad, out)


def range(
    start: Any = 0, end: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None,
    requires_grad: bool = False, out: Any = None, layout: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """torch.range: arange with its end, in the default dtype; deprecated."""
    check_device(device)
    if end is None:
        raise TypeError('range() missing 1 required positional arguments: "end"')
    warnings.warn(
        "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
        "Python's range builtin. Instead, use torch.arange, which produces values in [start, end).",
        stacklevel=2,
    )
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    kind = kind_of(dtype, out)
    if kind.kind not in "f":
        start, end, step = int(start), int(end), int(step)
    refuse_bool("range_cpu", kind)
    places = np.arange(math.floor((end - start) / step) + 1)
    return finish((start + places * step).astype(kind), requires_grad, out)


def _count_of(name: str, start: Any, end: Any, steps: Any) -> int:
    """How many numbers are wanted between two, which are checked."""
    try:
        count = operator.index(steps)
    except TypeError:
        kind = type(steps).__name__
        raise TypeError(f"{name}(): argument 'steps' (position 3) must be int, not {kind}") from None
    wide = [
        f"{which} with {each._array.ndim} dimension(s)"
        for which, each in (("start", start), ("end", end))
        if isinstance(each, Tensor) and each._array.ndim
    ]
    if wide:
        raise RuntimeError(
            f"{name} only supports 0-dimensional start and end tensors, but got {' and '.join(wide)}."
        )
    return count


def _kind_between(name: str, start: Any, end: Any, dtype: Any, out: Any) -> np.dtype[Any]:
    """The dtype of points between two numbers: complex where they are."""
    is_complex = any(
        isinstance(each, complex) or getattr(each, "dtype", None) in _COMPLEX for each in (start, end)
    )
    if not is_complex:
        return kind_of(dtype, out)
    if out is None and dtype is None:
        dtype = dtypes.default.to_complex()
    kind = kind_of(dtype, out)
    if kind.kind != "c":
        if dtype is None:  # that of out=
            dtypes.number_within(kind, 1j)
        raise RuntimeError(
            f"torch.{name}(): inferred dtype {dtypes.c_name(dtypes.default.to_complex().numpy)} can't be safely cast "
            f"to passed dtype {BY_NUMPY[kind].legacy}"
        )
    return kind


_COMPLEX = (dtypes.complex64, dtypes.complex128)


def linspace(
    start: Any, end: Any, steps: int, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    out: Any = None, layout: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """torch.linspace: counted from both ends, so that it is symmetric."""
    check_device(device)
    steps = _count_of("linspace", start, end, steps)
    kind = _kind_between("linspace", start, end, dtype, out)
    number_of = complex if kind.kind == "c" else float
    first, last = (number_of(each.item() if isinstance(each, Tensor) else each) for each in (start, end))
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    if kind.kind not in "fc":
        first, last = float(int(first)), float(int(last))
    if steps == 1:
        return finish(np.array([first], kind), requires_grad, out)
    if steps:
        refuse_bool("linspace_cpu", kind)
    number = np.arange(steps)
    exact = kind if kind.kind in "fc" else np.dtype(np.float64)
    by = exact.type((exact.type(last) - exact.type(first)) / exact.type(max(steps - 1, 1)))
    ahead = exact.type(first) + by * number.astype(exact)
    back = exact.type(last) - by * (steps - 1 - number).astype(exact)
    return finish(np.where(number < steps // 2, ahead, back).astype(kind), requires_grad, out)


def logspace(
    start: Any, end: Any, steps: int, base: float = 10.0, *, dtype: Any = None, device: Any = None,
    requires_grad: bool = False, out: Any = None, layout: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """torch.logspace: powers of ``base``."""
    check_device(device)
    steps = _count_of("logspace", start, end, steps)
    kind = _kind_between("logspace", start, end, dtype, out)
    if kind.kind not in "fc":
        start, end = int(start), int(end)
    if steps > 1:
        refuse_bool("logspace_cpu", kind)
    exact = dtypes.complex128 if kind.kind == "c" else dtypes.float64
    powers = np.power(base, linspace(start, end, steps, dtype=exact)._array)
    return finish(powers.astype(kind), requires_grad, out)


def eye(
    n: int, m: int | None = None, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    out: Any = None, layout: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """torch.eye: the identity matrix.

    Raises:
        RuntimeError: a negative size.
    """
    check_device(device)
    for position, (name, each) in enumerate((("n", n), ("m", m)), 1):
        if each is None:
            continue
        if not hasattr(each, "__index__"):
            raise TypeError(
                f"eye(): argument '{name}' (position {position}) must be int, not {type(each).__name__}"
            )
        if each < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {each}")
    return finish(np.eye(n, m, dtype=kind_of(dtype, out)), requires_grad, out)


def scalar_tensor(
    s: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    layout: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """torch.scalar_tensor: one number, in the default dtype."""
    check_device(device)
    kind = (dtypes.asked("scalar_tensor", dtype) or dtypes.default).numpy
    number = dtypes.number_within(kind, s) if kind.kind in "iu" else s
    return finish(np.array(number, kind), requires_grad)


def _new(make_one: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def method(
        self: Tensor,
        *sides: Any,
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        **given: Any,
    ) -> Tensor:
        check_device(device)
        return make_one(*sides, dtype=dtype or self.dtype, requires_grad=requires_grad, **given)

    return method


def attach() -> None:
    """Tensor.new_*: like torch.*, in this tensor's dtype."""
    for name, fill in (("new_zeros", np.zeros), ("new_ones", np.ones), ("new_empty", np.zeros)):
        setattr(Tensor, name, _new(_filled(name, fill)[0]))
    Tensor.new_full = _new(full)  # type: ignore[attr-defined]
    Tensor.new_empty_strided = _new(empty_strided)  # type: ignore[attr-defined]

    def new_tensor(
        self: Tensor, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
    ) -> Tensor:
        check_device(device)
        if isinstance(data, Tensor):
            return finish(_copied("tensor.new_tensor", data, dtype), requires_grad)
        return tensor(data, dtype=dtype or self.dtype, requires_grad=requires_grad)

    Tensor.new_tensor = new_tensor  # type: ignore[attr-defined]
