"""Errors of the in-place forms of particular operators, where torch's differ from those of the out-of-place forms."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._autograd.inplace_checks import check_castable, check_mutable
from .._autograd.tensor import Tensor
from .._c10 import dtypes, errors
from .._c10.shapes import broadcast_shapes
from .._c10.zero_tensor import COPIED_INTO, IMMUTABLE
from .registry import ROWS, Array, Row
from .type_promotion import check_history

_PRODUCTS = frozenset({"addmm", "addmv", "addr", "baddbmm"})  # the shape of the result is that of the factors


def check_source(target: Array, source: Array) -> None:
    """Check that masked_scatter has a source of the dtype of the tensor.

    Raises:
        RuntimeError: the dtypes differ.
    """
    if target.dtype != source.dtype:
        got, other = dtypes.BY_NUMPY[target.dtype].legacy, dtypes.BY_NUMPY[source.dtype].legacy
        raise RuntimeError(
            f"masked_scatter: expected self and source to have same dtypes but got{got} and {other}"
        )


def check_particular(row: Row, self: Tensor, arguments: list[Any]) -> None:
    """Check that a tensor has memory, in the words of the operator; and what one operator checks of its operands."""
    check_mutable(self, COPIED_INTO if row.name == "copy" else IMMUTABLE)
    if row.name == "masked_scatter":  # the mask is expanded, and not the tensor
        check_source(self._array, arguments[2]._array)
        ROWS["expand"].forward(arguments[1]._array, self._array.shape)


def raise_inplace_error(row: Row, self: Tensor, arguments: list[Any], error: RuntimeError) -> None:
    """Raise the error of torch's in-place form where the row's forward has failed, if it is a different one."""
    if error.args == (errors.COMPLEX_HALF,):
        return
    if row.name in _PRODUCTS and row.name != "baddbmm" and str(error).startswith(("expand(", "The expanded")):
        raise _misfit(row, self._array, arguments) from None
    if row.name.startswith("masked_fill") and str(error).startswith("The size"):
        # In the opposite order of the out-of-place form.
        broadcast_shapes(self._array.shape, np.shape(arguments[1]._array))
    if isinstance(error, NotImplementedError) or error.args == ("ZeroDivisionError",):
        _check_operands(row, self, arguments)  # a shape mismatch is reported before an unsupported dtype


def check_resizable(row: Row, self: Tensor, arguments: list[Any], value: Array) -> None:
    """Check that the result has the shape of the tensor; addbmm resizes it, since torch passes it as out=."""
    check_history(tuple(arguments))
    if row.name in _PRODUCTS:
        raise _misfit(row, self._array, arguments)
    if row.name != "addbmm":
        raise errors.output_shape_differs(self._array.shape, value.shape)


def _misfit(row: Row, array: Array, arguments: list[Any]) -> RuntimeError:
    """The error for a tensor whose shape differs from that of the product added to it."""
    first, second = (each._array.shape for each in arguments[1:3])
    if row.name == "addr":
        fits = array.ndim == 2
        text = f"size mismatch, input: {list(array.shape)}, v1: {list(first)}, v2: {list(second)}"
        return RuntimeError(text if fits else f"2D tensor expected, got {array.ndim}D tensor for input")
    got, wanted = list(array.shape), [*first[:-1], *second[2 if row.name == "baddbmm" else 1 :]]
    return RuntimeError(
        f"Bad in-place call: input tensor size {got} and output tensor size {wanted} should match"
    )


def _check_operands(row: Row, self: Tensor, arguments: list[Any]) -> None:
    met = [
        each
        for name, each in zip(row.parameters, arguments, strict=True)
        if name in row.promote and each is not None
    ]
    operands = [each._array if isinstance(each, Tensor) else each for each in met]
    if len(operands) < 2:
        return
    shape = broadcast_shapes(*(np.shape(each) for each in operands))
    if shape != self._array.shape:
        raise errors.output_shape_differs(self._array.shape, shape)
    if not row.facts.bool_result:
        check_castable(dtypes.result_dtype(*operands), self._array.dtype)
