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
from .._autograd.batched_tensor import same_memory
from .._autograd.conj_view import CONJUGATE_PAIRS
from .._autograd.inplace_checks import (
    check_castable,
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
from .._c10 import dtypes
from .._c10.interpreter_stack import transforms
from .._c10.layout import LayoutError, Unstrided, elements_of
from .._c10.modes import state
from .._c10.slots import on_first_use
from .inplace_errors import check_particular, check_resizable, raise_inplace_error
from .registry import Array, Row
from .type_promotion import PLAIN, as_scalar, check_arguments, plain_number

in_place: Callable[..., Tensor] = on_first_use("in_place")  # see Note [Slots]


def inplace(row: Row) -> Callable[..., Tensor]:
    """The in-place method of a row: it computes out of place, writes into the tensor, and rebases its history."""

    def method(self: Tensor, /, *args: Any, **kwargs: Any) -> Tensor:
        given = (self, *args)
        if len(given) > row.most:
            given, numbers = to_keyword_numbers(row, given, kwargs, row.name + "_", True)
            kwargs |= numbers
        try:
            arguments = _bound(row, given, kwargs)
            if row.plain and any(
                arguments[row.places[name]].__class__.__name__ != kind for name, kind in row.plain.items()
            ):
                refused = argument_error(f"Tensor.{opname(row.name)}_", given[1:], kwargs)
                if refused is not None:
                    raise refused
            return run_inplace(row, arguments)
        except TypeError:  # torch's text depends on which arguments have names
            if (refused := argument_error(f"Tensor.{opname(row.name)}_", given[1:], kwargs)) is not None:
                raise refused from None
            raise

    method.__name__ = method.__qualname__ = row.name.removesuffix("_") + "_"
    functools.update_wrapper(method, row.forward, assigned=("__doc__",))
    method.facts = row.facts  # type: ignore[attr-defined]
    method.inplace_of = row  # type: ignore[attr-defined]
    return method


def _bound(row: Row, given: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
    """Bind the arguments, in order.

    Raises:
        TypeError: one is missing, unknown, or given twice.
    """
    arguments = [*given, *row.defaults[len(given) :]]
    for name, value in named.items():
        if row.places.get(name, 0) < len(given):
            raise TypeError(f"{row.name}_ takes no argument '{name}', or has it already")
        arguments[row.places[name]] = value
    if any(each is inspect.Parameter.empty for each in arguments):
        raise TypeError(f"{row.name}_ lacks an argument")
    return arguments


def run_inplace(row: Row, arguments: list[Any]) -> Tensor:
    """Write ``row`` applied to the arguments into the first of them.

    Note [In place saves a clone]: if a formula needs the overwritten value, a clone of it is saved. The clone is
    recorded after the node that saves it, so second derivatives flow through it.
    """
    if transforms.count:
        return in_place(row, arguments, lambda given: _run_unless_unstrided(row, given))
    if row.ufunc is not None and _write_at_once(row.ufunc, *arguments):
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
    """Whether NumPy may write directly into the tensor's memory.

    Note [Written at once]: computing a result, checking it and copying it takes three times as long as letting NumPy
    write it in place. So NumPy does that if nothing has to be checked: the tensor is of a floating dtype, the operand
    is a number or has the same shape and dtype and other memory, and nothing is recorded, intercepted or conjugated.
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


def is_separate(target: Tensor, operand: Tensor) -> bool:
    """Whether an operand has the shape and dtype of the tensor, shares no memory with it, and is not recorded."""
    ours, its = target._array, operand._array
    if its.shape != ours.shape or its.dtype is not ours.dtype or its.__class__ is not np.ndarray:
        return False
    return not np.may_share_memory(its, ours) and not (state.recording and operand.requires_grad)


def _write_at_once(ufunc: np.ufunc, target: Any, other: Any, alpha: Any = 1) -> bool:
    """Write a sum, difference, product or quotient directly if possible; returns whether it did."""
    if alpha.__class__ not in (int, float) or not is_free(target):
        return False
    array: Array = target._array
    if isinstance(other, Tensor) and is_separate(target, other):
        if alpha == 1:
            ufunc(array, other._array, array)
        else:
            factor = array.dtype.type(dtypes.number_within(array.dtype, alpha))
            ufunc(array, other._array * factor, array)
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
    onto_itself = row.name == "copy" and _is_same_data(self, arguments[1])
    try:
        _check_before(row, self, arguments, bool(recorded), onto_itself)
    except (AttributeError, NotImplementedError, RuntimeError, TypeError):
        check_arguments(row, arguments)  # an invalid operand is reported first
        raise
    try:
        value = row.evaluate(*arguments)
        if value.__class__ is not np.ndarray:
            value = elements_of(value)
    except RuntimeError as error:
        raise_inplace_error(row, self, arguments, error)
        raise
    fits = value.shape == self._array.shape
    if not fits:
        check_resizable(row, self, arguments, value)
    check_castable(value.dtype, self._array.dtype)
    node: Node | None = None
    edge = gradient_edge(self) if recorded else None  # of the shape before resizing
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
        warn_of_overlap(opname(row.name), self._array)
    elif overlap != "allow" and not onto_itself:
        check_no_overlap(self._array)
    if overlap.endswith(("allow", "warn")) and 0 in self._array.strides and self._array.size:
        write(self, value, _changed(self._array, value))  # no element overwrites what another has changed
    else:
        write(self, value)
    if node is not None:
        rebase_history(self, node)
        if "result" in row.saved:
            regenerated = self._node if self._view is not None else None
            node.saved_result = save_output(self, 0, regenerated)  # type: ignore[attr-defined]
    return self


def _is_same_data(one: Tensor, other: Tensor) -> bool:
    """Whether two tensors are the same elements, which torch does not copy (torch: native/Copy.cpp, copy_impl)."""
    a, b = one._array, other._array
    return a is b or (
        isinstance(a, np.ndarray)
        and isinstance(b, np.ndarray)
        and (a.dtype, type(a)) == (b.dtype, type(b))
        and same_memory(a, b)
    )


def _changed(array: Array, value: Array) -> Array:
    """Where the value has other bits than the array, so that nan is nan and the two zeros differ."""
    before, after = (np.array(each, array.dtype)[..., None].view(np.uint8) for each in (array, value))
    return np.asarray((before != after).any(-1))


def _check_before(row: Row, self: Tensor, arguments: list[Any], recorded: bool, onto_itself: bool) -> None:
    """The checks before anything is computed."""
    check_inplace(self, recorded)
    check_particular(row, self, arguments)
    if row.check is not None:
        row.check(
            *(each._array if isinstance(each, Tensor) else each for each in arguments[: len(row.promote)])
        )
    if (row.promote or row.name == "copy") and not onto_itself:
        check_no_overlap(self._array)
        for each in arguments:
            if isinstance(each, Tensor):
                check_no_partial_overlap(*_arrays_in_memory(row, self._array, each._array))


def _arrays_in_memory(row: Row, target: Array, operand: Array) -> tuple[Array, Array]:
    """The arrays that an in-place operation writes and reads; conjugate views are copied first, except by copy_."""
    if not CONJUGATE_PAIRS or not (
        conj_view.is_conjugate_view(target) or conj_view.is_conjugate_view(operand)
    ):
        return target, operand
    return (
        (conj_view.resolved(target), conj_view.resolved(operand)) if row.name == "copy" else (target, target)
    )
