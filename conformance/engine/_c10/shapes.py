"""Dimensions, sizes and strides (torch: c10/core/WrapDimMinimal.h, ATen/InferSize.h, TensorIterator.cpp)."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from .errors import typename, wrong_type
from .slots import unfilled

is_count: Callable[[Any], bool] = unfilled  # from overloads, see Note [Slots]


def wrap_dim(dim: Any, ndim: int, called: str = "") -> int:
    """Make a dimension non-negative (torch: maybe_wrap_dim).

    Args:
        called: the function of which it is the first argument, for errors.

    Raises:
        IndexError: out of range; a 0-dimensional tensor counts as having one dimension.
        TypeError: not an integer.
    """
    if dim.__class__ is not int:
        if not is_count(dim):
            found = wrong_type(called, "dim", "int", dim, int(bool(called)))
            raise TypeError(str(found).removeprefix("(): "))
        dim = dim.__index__()
    extent = max(ndim, 1)
    if not -extent <= dim < extent:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-extent}, {extent - 1}], but got {dim})"
        )
    return dim + extent if dim < 0 else dim


def existing_dim(dim: Any, ndim: int, called: str = "") -> int:
    """Like ``wrap_dim``, but raises for a 0-dimensional tensor."""
    if not ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return wrap_dim(dim, ndim, called)


def wrap_dims(dims: Any, ndim: int) -> tuple[int, ...]:
    """Make dimensions non-negative (torch: dim_list_to_bitset).

    Raises:
        RuntimeError: a dimension appears twice.
    """
    if not isinstance(dims, (tuple, list, Sequence)):
        dims = (dims,)
    found: list[int] = []
    for dim in dims:
        wrapped = wrap_dim(dim, ndim)
        if wrapped in found:
            raise RuntimeError(f"dim {wrapped} appears multiple times in the list of dims")
        found.append(wrapped)
    return tuple(found)


def sizes(arguments: tuple[Any, ...], called: str = "argument 'size'") -> tuple[int, ...]:
    """The sizes of ``f(2, 3)`` or ``f((2, 3))`` as a tuple of ints.

    Args:
        called: the name of the argument in errors.

    Raises:
        TypeError: a size is not an int, or there are no arguments.
    """
    if not arguments:
        raise _none_given(called)
    given = arguments
    if len(given) == 1 and not hasattr(given[0], "__index__"):
        given = given[0]
    try:
        return tuple([each.__index__() for each in given])
    except (AttributeError, TypeError):
        alone = len(arguments) == 1 and not isinstance(arguments[0], (tuple, list))
        raise _no_sizes(given, alone, called) from None


def _none_given(called: str) -> TypeError:
    function, _, name = called.partition(": argument ")
    if not name:  # the caller raises an error with the name of the function
        return TypeError(f"{called} is missing")
    return TypeError(f"{function} missing 1 required positional arguments: " + name.replace("'", '"'))


def _no_sizes(arguments: Any, alone: bool, called: str) -> TypeError:
    wanted = f"{called} (position 1) must be tuple of ints"
    if alone:
        given = arguments[0] if isinstance(arguments, tuple) else arguments
        return TypeError(f"{wanted}, not {typename(given)}")
    wrong = next((i for i, each in enumerate(arguments) if not hasattr(each, "__index__")), 0)
    kind = typename(arguments[wrong])
    if wrong == 0:
        return TypeError(f"{wanted}, but found element of type {kind} at pos 0")
    return TypeError(
        f'{called} failed to unpack the object at pos {wrong + 1} with error "type must be tuple of ints,but got {kind}"'
    )


def is_one_number(size: Any) -> bool:
    """Whether one size for all dimensions was passed: an int, or a 0-dimensional array or tensor."""
    return isinstance(size, int) or getattr(size, "ndim", 1) == 0


def new_sizes(arguments: tuple[Any, ...], name: str = "") -> tuple[int, ...]:
    """The sizes of a new tensor that the function with this name creates.

    Raises:
        RuntimeError: a size is negative.
        TypeError: a size is not an int.
    """
    shape = sizes(arguments, f"{name}(): argument 'size'" if name else "argument 'size'")
    if name == "zeros" and any(n < 0 for n in shape):
        raise RuntimeError("zeros: Dimension size must be non-negative.")
    refuse_negative(shape)
    return shape


def refuse_negative(shape: Sequence[int]) -> None:
    """Check that the shape of a new tensor has no negative size (torch: check_size_nonnegative).

    Raises:
        RuntimeError: it has; names the first one.
    """
    for n in shape:
        if n < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: {list(shape)}")


def infer_size(shape: Sequence[int], numel: int) -> tuple[int, ...]:
    """A shape with its -1 inferred (torch: infer_size).

    Raises:
        RuntimeError: the shape does not have this number of elements, or has two -1.
    """
    if math.prod(shape) == numel and min(shape, default=0) >= 0:
        return tuple(shape)
    unknown = [i for i, n in enumerate(shape) if n == -1]
    if len(unknown) > 1:
        raise RuntimeError("only one dimension can be inferred")
    for i, n in enumerate(shape):
        if n < -1:
            raise RuntimeError(f"invalid shape dimension {n} at index {i} of shape {list(shape)}")
    known = math.prod(n for n in shape if n != -1)
    if unknown:
        if known == 0 and numel == 0:
            raise RuntimeError(
                f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified dimension "
                "size -1 can be any value and is ambiguous"
            )
        if known and numel % known == 0:
            return tuple(numel // known if n == -1 else n for n in shape)
    raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")


def strides(array: np.ndarray[Any, Any]) -> tuple[int, ...]:
    """The strides of an array in elements. An empty array whose strides are all 0 gets contiguous ones, as in torch."""
    if array.size or any(array.strides):
        width = array.itemsize
        return tuple([step // width for step in array.strides])
    return steps_in_order([max(n, 1) for n in array.shape])


def steps_in_order(shape: Sequence[int], width: int = 1) -> tuple[int, ...]:
    """Contiguous strides; ``width`` is the last of them."""
    return tuple(accumulate(reversed(shape[1:]), operator.mul, initial=width))[::-1] if shape else ()


def broadcast_shapes(*shapes: Sequence[int]) -> tuple[int, ...]:
    """The broadcast shape (torch: infer_size_dimvector).

    Raises:
        RuntimeError: the shapes do not broadcast.
    """
    result: tuple[int, ...] = ()
    for shape in shapes:
        ndim = max(len(result), len(shape))
        a, b = (1,) * (ndim - len(result)) + result, (1,) * (ndim - len(shape)) + tuple(shape)
        for position in reversed(range(ndim)):
            if a[position] != b[position] and a[position] != 1 and b[position] != 1:
                raise RuntimeError(
                    f"The size of tensor a ({a[position]}) must match the size of tensor b ({b[position]}) at "
                    f"non-singleton dimension {position}"
                )
        result = tuple(m if n == 1 else n for m, n in zip(a, b, strict=True))
    return result


def ordered(result: Any) -> Any:
    """A contiguous result: those of torch's reductions are contiguous whatever the strides of the operand."""
    in_order = result.flags.c_contiguous  # but a dimension of size 1 may have any stride
    if in_order and (1 not in result.shape or (result.size > _SMALL and _has_steps_in_order(result))):
        return result
    return result.copy()


_SMALL = 1000  # up to this size, a copy is faster than a check of the strides


def _has_steps_in_order(array: np.ndarray[Any, Any]) -> bool:
    """Whether the strides are contiguous, also those of dimensions of size 1, which numpy ignores."""
    return array.strides == steps_in_order(array.shape, array.itemsize)


def is_expanded(array: np.ndarray[Any, Any]) -> bool:
    """Whether an empty array is expanded. Its strides alone do not show it: those of any new empty array are 0 in numpy."""
    owner: Any = array
    while getattr(owner, "base", None) is not None:  # numpy's as_strided puts another object between
        owner = owner.base
    return 0 in array.strides and getattr(owner, "size", 0) > 0


def still_expanded(result: np.ndarray[Any, Any], operand: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """An empty result, expanded if its operand is; such a gradient is not stolen."""
    if not is_expanded(operand):
        return result
    return np.ndarray(result.shape, result.dtype, np.empty(1, result.dtype), 0, (0,) * result.ndim)


def laid_out(result: np.ndarray[Any, Any], *operands: Any) -> np.ndarray[Any, Any]:
    """The result of an elementwise operation, with the strides that it has in torch.

    Note [Strides of an elementwise result]: if all operands have the same shape and are contiguous, so is the result; if they
    are dense with equal strides, the result has these strides. Otherwise dimensions are sorted by stride: for each pair, the
    first operand whose strides differ decides which is inner, and broadcast dimensions (stride 0) do not count (torch:
    TensorIterator, reorder_dimensions). numpy keeps the order of dimensions unless all operands agree, and computes
    other strides for dimensions of size 1.
    """
    steps = _steps_of_result(
        _geometry(result),
        tuple([_geometry(each) if isinstance(each, np.ndarray) else each is not None for each in operands]),
    )
    return result if steps is None else in_steps(result, steps)


_Geometry = tuple[tuple[int, ...], tuple[int, ...], int]  # shape, strides and itemsize


def _geometry(array: np.ndarray[Any, Any]) -> _Geometry:
    return array.shape, array.strides, array.itemsize


@lru_cache(10_000)  # a program has few combinations of shapes and strides
def _steps_of_result(result: _Geometry, operands: tuple[_Geometry | bool, ...]) -> tuple[int, ...] | None:
    """The strides of an elementwise result, None if it has them already; an operand that is not an array is a bool: not None."""
    shape, _, width = result
    arrays = [_without_memory(*each) for each in operands if isinstance(each, tuple) and each[0]]
    if all(each.shape == shape for each in arrays) and (
        1 not in shape or len(arrays) == sum(each is not False for each in operands)  # a number among them
    ):
        if all(each.flags.c_contiguous for each in arrays):
            return None
        alike = all(each.strides == arrays[0].strides for each in arrays)
        if alike and is_dense(arrays[0]):
            return strides(arrays[0])
    if 0 in shape:
        return None
    ndim = len(shape)
    steps = [
        [0] * (ndim - each.ndim)
        + [
            0 if n == 1 and m != 1 else s
            for s, n, m in zip(strides(each), each.shape, shape[ndim - each.ndim :], strict=True)
        ]
        for each in arrays
    ]
    wanted = _dense_steps(shape, steps)
    return None if result[1] == tuple([step * width for step in wanted]) else wanted


def _without_memory(shape: tuple[int, ...], steps: tuple[int, ...], width: int) -> np.ndarray[Any, Any]:
    """An array with these strides, whose elements must not be read."""
    return as_strided(np.empty(1, f"V{width}"), shape, steps)


def _dense_steps(shape: tuple[int, ...], steps: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Dense strides, with the dimensions in the order of ``from_innermost``."""
    wanted, extent = [0] * len(shape), 1
    for axis in from_innermost(shape, steps):
        wanted[axis] = extent
        extent *= shape[axis]
    return tuple(wanted)


def from_innermost(shape: tuple[int, ...], steps: Sequence[Sequence[int]]) -> list[int]:
    """The dimensions from the innermost to the outermost, by the strides of several operands.

    See Note [Strides of an elementwise result].
    """

    def outward(inner: int, outer: int) -> int:
        """1 if the dimensions have to be exchanged, -1 if not, 0 if the strides do not decide."""
        for step in steps:
            a, b = step[inner], step[outer]
            if a == 0 or b == 0 or (a == b and shape[inner] <= shape[outer]):
                continue
            return 1 if a > b or a == b else -1
        return 0

    order = list(reversed(range(len(shape))))
    for number in range(1, len(shape)):
        place = number
        for before in reversed(range(number)):
            comparison = outward(order[before], order[place])
            if comparison > 0:
                order[before], order[place] = order[place], order[before]
                place = before
            elif comparison < 0:
                break
    return order


def in_steps(array: np.ndarray[Any, Any], steps: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """The array, or a copy, with these dense strides (in elements)."""
    if not array.size or strides(array) == steps:
        return array
    found = empty_in_steps(array.shape, array.dtype, steps)
    found[...] = array
    return found


def empty_in_steps(shape: Any, kind: np.dtype[Any], steps: Sequence[int]) -> np.ndarray[Any, Any]:
    """A new array with these dense strides (in elements)."""
    memory = np.empty(math.prod(shape), kind)
    return np.ndarray(shape, kind, memory, 0, [step * kind.itemsize for step in steps])


def like_steps(array: np.ndarray[Any, Any], operand: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A result that torch creates by empty_like: with the strides of the operand; if it is not dense, in their order."""
    if not array.size and not any(operand.strides):
        return still_expanded(array, operand)
    if array.strides == operand.strides or array.shape != operand.shape:
        return array
    steps = strides(operand)
    if not array.size:
        return empty_in_steps(array.shape, array.dtype, steps)
    return in_steps(array, steps if is_dense(operand) else _dense_steps(array.shape, [steps]))


def viewed(array: np.ndarray[Any, Any], shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """A view with another shape (torch: computeStride); numpy has other strides for dimensions of size 1.

    Raises:
        ValueError: no strides give this shape without a copy.
    """
    found = array.reshape(shape, copy=False)
    if not (array.size and array.ndim and 1 in shape):
        return found
    steps = [0] * len(shape)
    axis, extent, seen, base = len(shape) - 1, 1, 1, array.strides[-1]
    for number in reversed(range(array.ndim)):
        extent *= array.shape[number]
        if number and (array.shape[number - 1] == 1 or array.strides[number - 1] == extent * base):
            continue
        while axis >= 0 and (seen < extent or shape[axis] == 1):
            steps[axis] = seen * base
            seen *= shape[axis]
            axis -= 1
        if number:
            base, extent, seen = array.strides[number - 1], 1, 1
    if found.strides == (wanted := tuple(steps)):
        return found
    return restrided(array, shape, wanted)


def restrided(
    array: np.ndarray[Any, Any], shape: Sequence[int], steps: Sequence[int]
) -> np.ndarray[Any, Any]:
    """A view with another shape and these strides in bytes."""
    if array.flags.c_contiguous and array.__class__ is np.ndarray:
        return np.ndarray(shape, array.dtype, array, 0, steps)
    return as_strided(array, shape, steps, subok=True)


def is_dense(array: np.ndarray[Any, Any]) -> bool:
    """Whether an array is non-overlapping and dense, in any order of dimensions (torch: is_non_overlapping_and_dense)."""
    if array.flags.c_contiguous:  # also any empty array
        return True
    expected = array.itemsize
    for step, n in sorted((abs(s), n) for s, n in zip(array.strides, array.shape, strict=True) if n > 1):
        if step != expected:
            return False
        expected *= n
    return True


Layout = tuple[tuple[int, ...], tuple[int, ...], int]


def blank(layout: Layout, kind: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Zeros with this shape and these strides in bytes."""
    shape, steps, size = layout
    if not size:
        return np.zeros(shape, kind)
    memory = np.zeros(size, np.uint8)
    return np.ndarray(shape, kind, memory, 0, steps)
