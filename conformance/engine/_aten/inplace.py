"""In-place forms of the rows (torch: VariableType's generated code for ``name_``)."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from .._arguments.overloads import argument_error, opname
from .._arguments.positional import to_keyword_numbers
from .._autograd import conj_view
from .._autograd.conj_view import CONJUGATE_PAIRS
from .._autograd.inplace_checks import (
    check_mutable,
    check_no_overlap,
    check_no_partial_overlap,
    check_no_shared_memory,
    warn_of_overlap,
    write,
)
from .._autograd.node import Node, NotImplementedNode, gradient_edge
from .._autograd.saved_variable import save_output
from .._autograd.storage_impl import resize_impl
from .._autograd.tensor import Tensor
from .._autograd.views import check_inplace, increment_version, rebase_history
from .._c10 import dtypes, errors
from .._c10.fused_multiply_add import add_product
from .._c10.interpreter_stack import transforms
from .._c10.layout import LayoutError, Unstrided, elements_of
from .._c10.modes import state
from .._c10.shapes import broadcast_shapes
from .._c10.slots import on_first_use
from .._c10.zero_tensor import COPIED_INTO, IMMUTABLE
from .registry import ROWS, Array, Row
from .type_promotion import PLAIN, as_scalar, check_arguments, check_recorded, plain_number

in_place: Callable[..., Tensor] = on_first_use("in_place")  # see Note [Slots]


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
            given, numbers = to_keyword_numbers(row, given, kwargs, row.name + "_", True)
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
    found = argument_error(f"Tensor.{opname(row.name)}_", given[1:], named)
    if found is not None:
        raise found
    row.signature.bind(*given, **named)


def run_inplace(row: Row, arguments: list[Any]) -> Tensor:
    """Write ``row`` applied to the arguments into the first of them.

    Note [In place saves a clone]: where a formula needs the overwritten value, a clone of it is saved, which is
    itself recorded, after the node that saves it, so that the second derivative still finds its way.
    """
    if transforms.count:
        return in_place(row, arguments, lambda given: _run_unless_unstrided(row, given))
    if row.ufunc is not None and _at_once(row.ufunc, *arguments):
        written: Tensor = arguments[0]
        return written
    return _run_unless_unstrided(row, arguments)


def _run_unless_unstrided(row: Row, arguments: list[Any]) -> Tensor:
    try:
        return _run_inplace(row, arguments)
    except LayoutError:  # see Note [Sparse arrays]
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
    if (
        not isinstance(target, Tensor)
        or transforms.count
        or CONJUGATE_PAIRS
        or state.before_mutation is not None
    ):
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
        resize_impl(self, value.shape)
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
    if not CONJUGATE_PAIRS or not (
        conj_view.is_conjugate_view(target) or conj_view.is_conjugate_view(operand)
    ):
        return target, operand
    return (
        (conj_view.resolved(target), conj_view.resolved(operand)) if row.name == "copy" else (target, target)
    )


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


def placed(zeros: Tensor, method: str, *arguments: Any) -> Tensor:
    """A gradient put into zeros made for it; not in place while writes are watched, where torch writes into none."""
    found: Tensor = getattr(zeros, method if state.before_mutation is None else method[:-1])(*arguments)
    return found
