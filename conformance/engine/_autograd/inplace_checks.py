"""Checks before writing to the memory of a tensor (torch: MemoryOverlap.cpp)."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from .._c10 import dtypes
from .._c10.modes import state
from .._c10.shapes import is_dense, strides
from .._c10.warn_once import warn_once
from .._c10.zero_tensor import IMMUTABLE, ZeroTensor
from .storage_impl import address
from .tensor import Tensor
from .views import increment_version

Array = np.ndarray[Any, Any]

SHARED_MEMORY = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
    "location. Please clone() the tensor before performing the operation."
)


def overlaps(array: Array) -> bool:
    """Whether several elements share a memory location, as in an expanded tensor."""
    return (
        bool(array.size)
        and 0 in array.strides
        and any(step == 0 and n > 1 for step, n in zip(array.strides, array.shape, strict=True))
    )


def check_no_overlap(array: Array) -> None:
    """Check that no elements share a memory location (torch: assert_no_internal_overlap).

    Raises:
        RuntimeError: for an expanded tensor.
    """
    if overlaps(array):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory "
            "location. Please clone() the tensor before performing the operation."
        )


def warn_of_overlap(name: str, array: Array) -> None:
    """Warn of writing to an expanded tensor, which some operations of torch still allow."""
    if not overlaps(array):
        return
    warnings.warn(
        f"Use of {name}_ on expanded tensors is deprecated. Please clone() the tensor before performing this "
        "operation. This also applies to advanced indexing e.g. tensor[mask] = scalar"
        if name != "index_put"
        else "Use of index_put_ on expanded tensors is deprecated. Please clone() the tensor before performing this "
        "operation. This also applies to advanced indexing e.g. tensor[indices] = tensor",
        stacklevel=4,
    )


def check_no_partial_overlap(target: Array, operand: Array) -> None:
    """Check that an operand has either the same elements as the target or no memory in common with it.

    Raises:
        RuntimeError: they overlap partially (torch: assert_no_partial_overlap).
    """
    if not np.may_share_memory(target, operand):
        return
    if (
        address(target) == address(operand)
        and target.nbytes == operand.nbytes
        and strides(target) == strides(operand)  # in elements, whatever the dtypes
    ):
        return
    check_no_shared_memory(target, operand)


def check_no_shared_memory(target: Array, operand: Array) -> None:
    """Check that an operand has no memory in common with the target.

    Raises:
        RuntimeError: they overlap (torch: assert_no_overlap).
    """
    if not np.may_share_memory(target, operand):
        return
    if is_dense(target) and is_dense(operand):  # torch: MemOverlapStatus::TooHard otherwise
        raise RuntimeError(SHARED_MEMORY)


def check_mutable(target: Tensor, text: str = IMMUTABLE) -> None:
    """Check that a tensor has memory to write to.

    Raises:
        RuntimeError: see Note [ZeroTensor].
        LayoutError: see Note [Sparse arrays].
    """
    if target._array.__class__ is not np.ndarray:
        if isinstance(target._array, ZeroTensor):
            raise RuntimeError(text)
        np.asarray(target._array)  # raises for another layout


def check_castable(result: np.dtype[Any], target: np.dtype[Any]) -> None:
    """Check that a result can be cast to the dtype of the tensor that is written.

    Raises:
        RuntimeError: with torch's message, if the result's category is higher.
    """
    if result is target:
        return
    got, wanted = dtypes.BY_NUMPY[result], dtypes.BY_NUMPY[target]
    if not dtypes.can_cast(got, wanted):
        raise RuntimeError(
            f"result type {got.legacy} can't be cast to the desired output type {wanted.legacy}"
        )


def write(target: Tensor, value: Any, where: Any = ...) -> None:
    """Write values, or those at the places ``where``, to a tensor and increment its version."""
    check_mutable(target)
    if state.before_mutation is not None:
        state.before_mutation(target)
    # Faster than np.copyto.
    target._array[where] = value if where is ... else value[where]
    increment_version(target)  # after the write: a refused write to an inference tensor has happened


def warn_of_lost_part(kind: dtypes.dtype) -> None:
    """Warn that imaginary parts are discarded; torch does not warn for bool."""
    if kind is not dtypes.bool_:
        warn_once("Casting complex values to real discards the imaginary part")
