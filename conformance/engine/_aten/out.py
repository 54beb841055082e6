"""Results written into the tensors given as ``out=`` (torch: native/Resize.cpp, TensorIterator.cpp).

A result of another shape resizes the tensor, with a warning unless it was empty. The tensor has the dtype of the result;
torch converts some results, which the engine does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .._arguments.overloads import opname
from .._autograd.forward_grad import levels, levels_of
from .._autograd.inplace_checks import (
    SHARED_MEMORY,
    check_no_overlap,
    check_no_partial_overlap,
    check_no_shared_memory,
    write,
)
from .._autograd.storage_impl import resize_impl
from .._autograd.tensor import Tensor
from .._autograd.views import check_inplace, increment_version
from .._c10 import dtypes
from .._c10.errors import need_fitting, wrong_type
from .._c10.modes import state
from .._c10.operator_facts import OUT, Out, composite, facts_of
from .._c10.warn_once import warn_program

Array = np.ndarray[Any, Any]

RESIZED = (
    "An output with one or more elements was resized since it had shape {}, which does not match the required output "
    "shape {}. This behavior is deprecated, and in a future PyTorch release outputs will not be resized unless they "
    "have zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with "
    "t.resize_(0)."
)

_USUAL = Out()


def _facts(name: str) -> Out:
    return OUT.get(name, _USUAL)


def _called(name: str) -> str:
    """The operation that raises for out= of an operation or row."""
    operator = opname(name)
    return _facts(name).operator or _facts(operator).operator or operator


_NO_OUT = (
    "{}(): functions with out=... arguments don't support automatic differentiation, but one of the arguments "
    "requires grad."
)


def check_out(name: str, out: Any, arguments: Sequence[Any]) -> None:
    """Raise for out= if autograd would record the operation, and for anything but a tensor."""
    if not isinstance(out, Tensor):
        raise wrong_type(name, "out", "Tensor", out)
    called = _called(name)
    if not (state.recording and any(each.requires_grad for each in (out, *_tensors(arguments)))):
        return
    if called.startswith("aten::"):
        raise NotImplementedError(f"{called} with out= of tensors that require grad")
    raise RuntimeError(_NO_OUT.format(called))


def check_forward(name: str, out: Any, arguments: Sequence[Any]) -> None:
    """Raise for out= in forward mode, after the result has been written, as in torch.

    Raises:
        NotImplementedError: an argument or an output has a tangent.
    """
    if not (levels and state.forward_grad and any(map(levels_of, _tensors((out, arguments))))):
        return
    called = (_facts(name).operator or name).removesuffix("_dim")
    need_fitting(not called.startswith("aten::"), f"torch.{name}")
    raise NotImplementedError(
        f"Trying to use forward AD with {called}_out that does not support it because it is an out= function"
    )


def _refuses_change(out: Tensor) -> bool:
    """Whether the tensor may not be written in place; torch does not give the reason here."""
    try:
        check_inplace(out, True)
    except RuntimeError:
        return True
    return False


def _tensors(arguments: Sequence[Any]) -> Iterator[Tensor]:
    for each in arguments:
        if isinstance(each, Tensor):
            yield each
        elif isinstance(each, (list, tuple)):
            yield from _tensors(each)


def _check_dtype(name: str, out: Tensor, result: Array) -> None:
    """Check that the tensor has the dtype of the result.

    Raises:
        NotImplementedError: it has another.
    """
    if out.dtype is not dtypes.BY_NUMPY[result.dtype]:
        raise NotImplementedError(f"{_called(name)} with out= of another dtype")


def _check_memory(name: str, out: Tensor, arguments: Sequence[Any]) -> None:
    memory = _facts(name).memory
    if memory == "unchecked":
        return
    check_no_overlap(out._array)
    for place, operand in enumerate(_tensors(arguments)):
        separate = memory == "separate" or (memory == "separate_self" and not place)
        if separate and operand._array is out._array:
            raise RuntimeError(SHARED_MEMORY)
        (check_no_shared_memory if separate else check_no_partial_overlap)(out._array, operand._array)


def resize_out(out: Tensor, shape: tuple[int, ...], like: Array | None = None) -> None:
    """Resize the tensor to the result's shape, with the strides of ``like``; warns unless it was empty."""
    if out._array.shape == shape:
        return
    warn_resized(out._array.shape, shape)
    resize_impl(out, shape, like=like)


def warn_resized(before: tuple[int, ...], shape: tuple[int, ...]) -> None:
    """Warn if a non-empty tensor is resized."""
    if before != shape and 0 not in before:
        warn_program(RESIZED.format(list(before), list(shape)))


def fill_out(out: Tensor, values: Array, name: str) -> Tensor:
    """Fill the tensor given as out= to a factory function: of any shape, without a warning.

    Raises:
        RuntimeError: a leaf that requires grad.
    """
    resize = _facts(name).resize
    resizes_first = resize in ("first", "only")
    if resizes_first and out.requires_grad:
        raise RuntimeError("cannot resize variables that require grad")
    if name and out.requires_grad and _refuses_change(out):
        raise RuntimeError(_NO_OUT.format(f"aten::{name}"))
    if resize == "by_count" and out._array.size == values.size:
        values = values.reshape(out._array.shape)
    if resizes_first and out._array.shape != values.shape:
        increment_version(out)
    resize_impl(out, values.shape)
    if resize != "only":
        write(out, values)
    return out


def store_out(name: str, out: Tensor, result: Any, arguments: Sequence[Any] = ()) -> Tensor:
    """Write a result into the tensor given as out=.

    Raises:
        RuntimeError: the operation does not write the dtype, or elements of the tensor share memory.
    """
    array = np.asarray(result)
    _check_dtype(name, out, array)
    _check_memory(name, out, arguments)
    if _facts(name).warns:
        contiguous = _facts(name).contiguous
        if contiguous == "of_complex":
            contiguous = any(each._array.dtype.kind == "c" for each in _tensors(arguments))
        resize_out(out, array.shape, None if contiguous else array)
    else:
        resize_impl(out, array.shape)
    write(out, array)
    return out


@composite(vmap="decompose")
def given(name: str, out: Tensor | None, found: Tensor, arguments: Sequence[Any] = ()) -> Tensor:
    """The result of a composite operation, written into out= if given."""
    if out is None:
        return found
    if _facts(name).copied and (found.requires_grad or out.requires_grad):
        resize_out(out, found._array.shape)
        return out.copy_(found)
    check_out(name, out, (found,))
    stored = store_out(name, out, found._array, arguments)
    check_forward(name, out, (found,))
    return stored


def into_out(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a composite with ``out=``, which torch's function has and the composite does not: the result is written.

    Raises:
        NotImplementedError: there are several results, or torch's function does more than that.
    """
    out = kwargs["out"]
    rest = {name: value for name, value in kwargs.items() if name != "out"}
    if out is None:
        return function(*args, **rest)
    if facts_of(function).out is None:
        raise NotImplementedError(f"{function.__name__}(out=...)")
    outer, state.autocast = state.autocast, frozenset()  # which casts nothing where there is an out=
    try:
        found = function(*args, **rest)
    finally:
        state.autocast = outer
    return given(function.out_name, out, found, (args, tuple(rest.values())))  # type: ignore[attr-defined]
