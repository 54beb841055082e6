"""In-place forms of the rows (torch: VariableType's generated code for ``name_``)."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from . import dtypes, errors, twins
from .formats import LayoutError, Unstrided, elements_of
from .fused import add_product
from .memory import address, lay_out
from .modes import state
from .node import Node, NotImplementedNode, gradient_edge
from .operands import PLAIN, as_scalar, check_arguments, check_recorded, plain_number
from .positional import by_name
from .rows import ROWS, Array, Row
from .saved import save_output
from .shapes import broadcast_shapes, is_dense
from .tensor import Tensor
from .transforms import transforms
from .twins import PAIRS
from .views import check_inplace, increment_version, rebase_history
from .zero_tensor import COPIED_INTO, IMMUTABLE, ZeroTensor


def check_castable(result: np.dtype[Any], target: np.dtype[Any]) -> None:
    """Refuse a result's dtype whose category is above the target's.

    Raises:
        RuntimeError: as torch words it.
    """
    if result is target:
        return
    got, wanted = dtypes.BY_NUMPY[result], dtypes.BY_NUMPY[target]
    if not dtypes.can_cast(got, wanted):
        raise RuntimeError(
            f"result type {got.legacy} can't be cast to the desired output type {wanted.legacy}"
        )


def inplace(row: Row) -> Callable[..., Tensor]:
    """The in-place method of a row: computes out of place, writes into the tensor, rebases its history."""

    def method(self: Tensor, /, *args: Any, **kwargs: Any) -> Tensor:
        given = (self, *args)
        if not kwargs and row.fewest <= len(given) <= row.most:  # nothing to bind, which is slow
            return run_inplace(row, [*given, *row.defaults[len(given) :]])
        if len(given) > row.most:
            given, numbers = by_name(row, given, kwargs, row.name + "_", True)
            kwargs = kwargs | numbers
        return run_inplace(row, _bound(row, given, kwargs))

    method.__name__ = method.__qualname__ = row.name.removesuffix("_") + "_"
    functools.update_wrapper(method, row.forward, assigned=("__doc__",))
    method.facts = row.facts if row.name.endswith("_") else row.facts._replace(vmap=None)  # type: ignore[attr-defined]
    method.inplace_of = row  # type: ignore[attr-defined]
    return method


def _bound(row: Row, given: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
    """All arguments, in order.

    Raises:
        TypeError: one is missing, unknown, or given twice.
    """
    arguments = [*given, *row.defaults[len(given) :]]
    for name, value in named.items():
        place = row.places.get(name, 0)
        if place < len(given):
            _refuse(row, given, named)
        arguments[place] = value
    if any(each is inspect.Parameter.empty for each in arguments):
        _refuse(row, given, named)
    return arguments


def _refuse(row: Row, given: tuple[Any, ...], named: dict[str, Any]) -> None:
    """Say what is wrong with the arguments, which takes longer than the operation.

    Raises:
        TypeError: as torch words it.
    """
    from .overloads import opname, refusal

    found = refusal(f"Tensor.{opname(row.name)}_", given[1:], named)
    if found is not None:
        raise found
    row.signature.bind(*given, **named)


def run_inplace(row: Row, arguments: list[Any]) -> Tensor:
    """Write ``row`` applied to the arguments into the first of them.

    Note [In place saves a clone]: where a formula needs the overwritten value, a clone of it is saved, which is
    itself recorded, after the node that saves it, so that the second derivative still finds its way.
    """
    if transforms.count:
        from .forward import in_place

        return in_place(row, arguments, lambda given: _run_unless_unstrided(row, given))
    if row.ufunc is not None and _at_once(row.ufunc, *arguments):
        written: Tensor = arguments[0]
        return written
    return _run_unless_unstrided(row, arguments)


def _run_unless_unstrided(row: Row, arguments: list[Any]) -> Tensor:
    try:
        return _run_inplace(row, arguments)
    except LayoutError:  # see Note [Arrays of other layouts]
        target = arguments[0]._array
        if not isinstance(target, Unstrided):
            raise
        return target.written(row, arguments)


def is_free(target: Any) -> bool:
    """Whether numpy may write into a tensor's memory at once.

    Note [Written at once]: to compute a result, look at it and copy it takes three times as long as numpy does to write
    it where it belongs. So it does where there is nothing to look at: the tensor holds floating numbers, what is written
    is a number, or has its shape and dtype and lies apart; and nothing is recorded, watched, or kept as conjugates.
    """
    if not isinstance(target, Tensor) or transforms.count or PAIRS or state.before_mutation is not None:
        return False
    array = target._array
    plain = array.__class__ is np.ndarray and array.dtype in dtypes.FULL_PRECISION and 0 not in array.strides
    return plain and not (state.recording and target.requires_grad)


def lies_apart(target: Tensor, operand: Tensor) -> bool:
    """Whether an operand has the target's shape and dtype and none of its memory, and is not recorded."""
    ours, its = target._array, operand._array
    if its.shape != ours.shape or its.dtype is not ours.dtype or its.__class__ is not np.ndarray:
        return False
    return not np.may_share_memory(its, ours) and not (state.recording and operand.requires_grad)


def _at_once(ufunc: np.ufunc, target: Any, other: Any, alpha: Any = 1) -> bool:
    """Write a sum, a difference, a product or a quotient, if that may be; whether it was."""
    if alpha.__class__ not in (int, float) or not is_free(target):
        return False
    array: Array = target._array
    if isinstance(other, Tensor) and lies_apart(target, other):
        if alpha == 1:
            ufunc(array, other._array, array)
        else:
            factor = array.dtype.type(dtypes.number_within(array.dtype, alpha))
            add_product(array, other._array, factor if ufunc is np.add else -factor)
    elif other.__class__ in (int, float) and alpha == 1:
        ufunc(array, other, array)
    else:
        return False
    increment_version(target)
    return True


def _run_inplace(row: Row, arguments: list[Any]) -> Tensor:
    self: Tensor = arguments[0]
    for name in row.scalars:
        place = row.places[name]
        if arguments[place].__class__ not in PLAIN:
            arguments[place] = as_scalar(row, name, arguments[place], "_")
    arguments = [each if isinstance(each, Tensor) else plain_number(each) for each in arguments]
    recorded = (
        state.recording
        and row.recorded
        and (row.name != "copy" or self._array.dtype.kind in "fcV")
        and any(
            isinstance(each, Tensor) and each.requires_grad
            for name, each in zip(row.parameters, arguments, strict=True)
            if name in row.inputs
        )
    )
    try:
        check_inplace(self, bool(recorded))
        check_mutable(self, COPIED_INTO if row.name == "copy" else IMMUTABLE)
        if row.check is not None:
            row.check(
                *(each._array if isinstance(each, Tensor) else each for each in arguments[: len(row.meet)])
            )
        onto_itself = row.name == "copy" and arguments[1] is self
        if (row.meet or row.name == "copy") and not onto_itself:
            check_no_overlap(self._array)
            for each in arguments[1:]:
                if isinstance(each, Tensor):
                    check_no_partial_overlap(*_met_in_memory(row, self._array, each._array))
        # The mask is expanded, and not the tensor.
        if row.name == "masked_scatter" and self.dtype is arguments[2].dtype:
            ROWS["expand"].forward(arguments[1]._array, self._array.shape)
    except (AttributeError, NotImplementedError, RuntimeError, TypeError):
        check_arguments(row, arguments)  # what is no operand at all is said before
        raise
    try:
        value = row.evaluate(*arguments)
        if value.__class__ is not np.ndarray:
            value = elements_of(value)
    except RuntimeError as error:
        _said_before(row, self, arguments, error)
        raise
    fits = value.shape == self._array.shape
    if not fits:
        _check_resizable(row, self, arguments, value)
    check_castable(value.dtype, self._array.dtype)
    node: Node | None = None
    edge = gradient_edge(self) if recorded else None
    if not fits:
        lay_out(self, value.shape)
    if edge is not None:
        node = row.record_inplace(*arguments, self, state.recorder)
        if isinstance(node, NotImplementedNode):
            node.operation += "_"
        else:
            node.next_edges = (edge, *node.next_edges[1:])
    overlap = row.facts.overlap or ""
    if "refuse_inputs" in overlap:
        for each in arguments[1:]:
            if isinstance(each, Tensor):
                check_no_shared_memory(self._array, each._array)
    if "warn" in overlap:
        warn_of_overlap(row.name, self._array)
    elif overlap != "allow" and not onto_itself:
        check_no_overlap(self._array)
    write(self, value)
    if node is not None:
        rebase_history(self, node)
        if "result" in row.saved:
            regenerated = self._node if self._view is not None else None
            node.saved_result = save_output(self, 0, regenerated)  # type: ignore[attr-defined]
    return self


def _said_before(row: Row, self: Tensor, arguments: list[Any], error: RuntimeError) -> None:
    """Raise what torch says of the form in place where the row's forward has failed, if that is something else."""
    if error.args == (errors.COMPLEX_HALF,):
        return
    if row.name.startswith("random") or (
        row.facts.overlap == "check_first" and isinstance(error, NotImplementedError)
    ):
        check_no_overlap(self._array)
    if row.name in _PRODUCTS and row.name != "baddbmm" and str(error).startswith("expand("):
        raise _misfit(row, self._array, arguments) from None
    if row.name == "masked_fill":  # named in the other order than out of place
        broadcast_shapes(self._array.shape, np.shape(arguments[1]._array))
    if isinstance(error, NotImplementedError) or error.args == ("ZeroDivisionError",):
        _check_operands(row, self, arguments)  # what does not fit is said before what a kernel cannot do


def _check_resizable(row: Row, self: Tensor, arguments: list[Any], value: Array) -> None:
    """Refuse a result of another shape; but torch gives addbmm the tensor as out=, which is resized.

    Raises:
        RuntimeError: as torch words it.
    """
    check_recorded(row, tuple(arguments))
    if row.name in _PRODUCTS:
        raise _misfit(row, self._array, arguments)
    if row.name != "addbmm":
        raise errors.output_shape_differs(self._array.shape, value.shape)


def _met_in_memory(row: Row, target: Array, operand: Array) -> tuple[Array, Array]:
    """What a change in place writes to and reads: what is conjugated is copied first, but for copy_ itself."""
    if not PAIRS or not (twins.is_twin(target) or twins.is_twin(operand)):
        return target, operand
    return (twins.original(target), twins.original(operand)) if row.name == "copy" else (target, target)


_PRODUCTS = frozenset({"addmm", "addmv", "addr", "baddbmm"})  # whose result has its shape from the factors


def _misfit(row: Row, array: Array, arguments: list[Any]) -> RuntimeError:
    """The error for a tensor that has not the shape of the product to be added to it."""
    first, second = (each._array.shape for each in arguments[1:3])
    got, wanted = list(array.shape), [*first[:-1], *second[2 if row.name == "baddbmm" else 1 :]]
    if row.name != "addr":
        return RuntimeError(
            f"Bad in-place call: input tensor size {got} and output tensor size {wanted} should match"
        )
    if array.ndim != 2:
        return RuntimeError(f"2D tensor expected, got {array.ndim}D tensor for input")
    return RuntimeError(f"size mismatch, input: {got}, v1: {list(first)}, v2: {list(second)}")


def _check_operands(row: Row, self: Tensor, arguments: list[Any]) -> None:
    met = [
        each
        for name, each in zip(row.parameters, arguments, strict=True)
        if name in row.meet and each is not None
    ]
    operands = [each._array if isinstance(each, Tensor) else each for each in met]
    if len(operands) < 2:
        return
    shape = broadcast_shapes(*(np.shape(each) for each in operands))
    if shape != self._array.shape:
        raise errors.output_shape_differs(self._array.shape, shape)
    if not row.facts.bool_result:
        check_castable(dtypes.result_dtype(*operands), self._array.dtype)


SHARED_MEMORY = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
    "location. Please clone() the tensor before performing the operation."
)


def overlaps(array: Array) -> bool:
    """Whether several elements share one place in memory."""
    return (
        array.size > 1
        and 0 in array.strides
        and any(step == 0 and n > 1 for step, n in zip(array.strides, array.shape, strict=True))
    )


def check_no_overlap(array: Array) -> None:
    """Refuse memory that several elements share.

    Raises:
        RuntimeError: for an expanded tensor.
    """
    if overlaps(array):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory "
            "location. Please clone() the tensor before performing the operation."
        )


def warn_of_overlap(name: str, array: Array) -> None:
    """Warn where torch still writes to an expanded tensor; index_put_ by one mask goes on to masked_fill_."""
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
    """Refuse an operand that shares some of the memory written to, unless it is the very same elements.

    Raises:
        RuntimeError: as torch words it.
    """
    if not np.may_share_memory(target, operand):
        return
    if (
        address(target) == address(operand)
        and target.nbytes == operand.nbytes
        and target.strides == operand.strides
    ):
        return
    check_no_shared_memory(target, operand)


def check_no_shared_memory(target: Array, operand: Array) -> None:
    """Refuse an operand that shares any of the memory written to.

    Raises:
        RuntimeError: as torch words it.
    """
    if not np.may_share_memory(target, operand):
        return
    if not (is_dense(target) and is_dense(operand)):  # with gaps it is too hard to tell
        return
    first, second = address(target), address(operand)
    if first < second + operand.nbytes and second < first + target.nbytes:
        raise RuntimeError(SHARED_MEMORY)


def placed(zeros: Tensor, method: str, *arguments: Any) -> Tensor:
    """A gradient put into zeros made for it; not in place while writes are watched, where torch writes into none."""
    found: Tensor = getattr(zeros, method if state.before_mutation is None else method[:-1])(*arguments)
    return found


def check_mutable(target: Tensor, text: str = IMMUTABLE) -> None:
    """Refuse to write to what has no memory.

    Raises:
        RuntimeError: see Note [Zeros without memory].
    """
    if target._array.__class__ is not np.ndarray:
        if isinstance(target._array, ZeroTensor):
            raise RuntimeError(text)
        np.asarray(target._array)  # which raises of another layout


def write(target: Tensor, value: Any) -> None:
    """Put values into a tensor's memory and count the change."""
    check_mutable(target)
    if state.before_mutation is not None:
        state.before_mutation(target)
    # Assigned, which is faster than np.copyto.
    target._array[...] = value
    increment_version(target)  # after the write: a refused write to an inference tensor has happened
