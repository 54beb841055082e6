"""Results written into the tensors given as ``out=`` (torch: native/Resize.cpp, TensorIterator.cpp).

A result of another shape resizes the tensor, with a warning unless it was empty. Which dtypes the tensor may have
depends on the operation, and so do the error messages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._arguments.overloads import opname
from .._autograd.forward_grad import levels, levels_of
from .._autograd.inplace_checks import (
    SHARED_MEMORY,
    check_no_overlap,
    check_no_partial_overlap,
    warn_of_lost_part,
    write,
)
from .._autograd.node import Node, NotImplementedNode, gradient_edge, new_node
from .._autograd.storage_impl import resize_impl
from .._autograd.tensor import Tensor
from .._autograd.views import check_inplace, increment_version, rebase_history
from .._c10 import dtypes, structseq
from .._c10.errors import wrong_type
from .._c10.modes import state
from .._c10.operator_facts import OUT, Out, composite
from .._c10.shapes import ordered
from .._c10.warn_once import warn_program

if TYPE_CHECKING:
    from .registry import Row

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
_NO_OUT_FORWARD = "Trying to use forward AD with {} that does not support it"


def check_out(name: str, out: Any, arguments: Sequence[Any]) -> None:
    """Raise for out= if autograd would record the operation, and for anything but a tensor."""
    if not isinstance(out, Tensor):
        raise wrong_type(name, "out", "Tensor", out)
    called = _called(name)
    if not (state.recording and any(each.requires_grad for each in (out, *_tensors(arguments)))):
        return
    if called.startswith("aten::") and not _refuses_change(out):
        return  # see _without_derivative
    raise RuntimeError(_NO_OUT.format(called))


def check_forward(name: str, out: Any, arguments: Sequence[Any]) -> None:
    """Raise for out= in forward mode, after the result has been written, as in torch.

    Raises:
        NotImplementedError: an argument or an output has a tangent.
    """
    if not (levels and state.forward_grad and any(map(levels_of, _tensors((out, arguments))))):
        return
    called = _facts(name).operator or name
    if called.startswith("aten::"):
        raise NotImplementedError(_NO_OUT_FORWARD.format(called) + ".")
    function = called.removesuffix("_dim") + "_out"
    raise NotImplementedError(_NO_OUT_FORWARD.format(function) + " because it is an out= function")


def check_count(out: Any, count: int) -> None:
    """Check the number of tensors given for the results.

    Raises:
        TypeError: with torch's message.
    """
    if len(out) != count:
        raise TypeError(f"expected tuple of {count} elements but got {len(out)}")


def _refuses_change(out: Tensor) -> bool:
    """Whether the tensor may not be written in place; torch does not give the reason here."""
    try:
        check_inplace(out, True)
    except RuntimeError:
        return True
    return False


def _without_derivative(name: str, out: Sequence[Tensor], arguments: Sequence[Any]) -> Node | None:
    """The node of an out= form that torch's autograd does not implement (torch: autograd_not_implemented)."""
    called = _called(name)
    tensors = [each for each in (*_tensors(arguments), *out) if each.requires_grad]
    if not (called.startswith("aten::") and state.recording and tensors):
        return None
    node: NotImplementedNode = new_node(NotImplementedNode)
    node.operation = called
    node.next_edges = tuple(map(gradient_edge, tensors))
    node.input_metadata = tuple((each._array.shape, each._array.dtype) for each in out)
    return node


def _tensors(arguments: Sequence[Any]) -> Iterator[Tensor]:
    for each in arguments:
        if isinstance(each, Tensor):
            yield each
        elif isinstance(each, (list, tuple)):
            yield from _tensors(each)


def _check_dtype(name: str, out: Tensor, result: Array) -> None:
    """Check that the operation writes the tensor's dtype.

    Raises:
        RuntimeError: it does not.
        NotImplementedError: it does not, and torch's error is its own.
    """
    wanted, got = dtypes.BY_NUMPY[result.dtype], out.dtype
    refused = _facts(name).dtype
    if wanted is got or (refused in (None, "castable") and dtypes.can_cast(wanted, got)):
        return
    if refused == "same_dtype":
        names = dtypes.c_name(result.dtype), dtypes.c_name(got.numpy)
        raise RuntimeError("Expected out tensor to have dtype {}, but got {} instead".format(*names))
    if refused == "tensor_iterator":
        raise RuntimeError(f"Found dtype {got.legacy} but expected {wanted.legacy}")
    if refused:
        raise NotImplementedError(f"{_called(name)} with out= of another dtype")
    raise RuntimeError(f"result type {wanted.legacy} can't be cast to the desired output type {got.legacy}")


def check_asked(out: Tensor, dtype: dtypes.dtype | None) -> None:
    """Check that the tensor has the dtype given as ``dtype=``.

    Raises:
        RuntimeError: with torch's message.
    """
    if dtype is not None and out.dtype is not dtype:
        asked, got = (dtypes.c_name(each.numpy) for each in (dtype, out.dtype))
        raise RuntimeError(f"Expected out tensor to have dtype {asked}, but got {got} instead")


def _check_memory(name: str, out: Tensor, arguments: Sequence[Any]) -> None:
    memory = _facts(name).memory
    if memory == "unchecked":
        return
    check_no_overlap(out._array)
    for place, operand in enumerate(_tensors(arguments)):
        separate = memory == "separate" or (memory == "separate_self" and not place)
        if separate and operand._array is out._array:
            raise RuntimeError(SHARED_MEMORY)
        check_no_partial_overlap(out._array, operand._array)


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


def _is_contiguous(name: str, result: Array, arguments: Sequence[Any]) -> bool:
    """Whether a tensor that is resized for this result becomes contiguous."""
    contiguous = _facts(name).contiguous
    if contiguous == "of_complex":
        return any(each._array.dtype != result.dtype for each in _tensors(arguments))
    return contiguous


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
        resize_out(out, array.shape, None if _is_contiguous(name, array, arguments) else array)
    else:
        resize_impl(out, array.shape)
    if array.dtype.kind == "c" and out._array.dtype.kind not in "cb":
        if array.size:
            warn_of_lost_part(out.dtype)
        array = array.real
    node = _without_derivative(name, [out], arguments)
    write(out, array)
    if node is not None:
        rebase_history(out, node)
    return out


@composite(vmap="decompose")
def given(name: str, out: Tensor | None, found: Tensor) -> Tensor:
    """The result of a composite operation, written into out= if given."""
    if out is None:
        return found
    if _facts(name).copied and (found.requires_grad or out.requires_grad):
        resize_out(out, found._array.shape)
        return out.copy_(found)
    check_out(name, out, (found,))
    if found.requires_grad and state.recording and _called(name).startswith("aten::"):
        raise NotImplementedError(f"{name} with out=, of tensors that require grad")
    stored = store_out(name, out, found._array)
    check_forward(name, out, (found,))
    return stored


def given_several(name: str, out: Any, found: Sequence[Tensor]) -> Any:
    """``given`` for several results."""
    if out is None:
        return found
    check_count(out, len(found))
    for each in out:
        check_out(name, each, found)
    stored = [given(name, each, value.detach()) for each, value in zip(out, found, strict=True)]
    check_forward(name, out, found)
    return getattr(structseq, f"{name}_out", tuple)(stored)


def several(row: Row, out: Any, *arguments: Any) -> Any:
    """The results of a row with several outputs, written into out= if given."""
    if out is None:
        return row.call(*arguments)
    check_count(out, len(row.outputs))
    for each in out:
        check_out(row.name, each, arguments)
    values = row.evaluate(*arguments)
    if row.is_ordered:
        values = map(ordered, values)
    named = getattr(structseq, opname(row.name) + "_out", tuple)
    stored = [
        store_out(row.name, target, value, arguments) for target, value in zip(out, values, strict=True)
    ]
    check_forward(row.name, out, arguments)
    return named(stored)
