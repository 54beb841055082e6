"""The outputs of a custom Function: gives them the node as grad_fn (torch: autograd/custom_function.cpp)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._c10 import errors
from .._c10.layout import Unstrided
from .._c10.modes import no_grad, state
from .forward_grad import DualOutput
from .node import Error, Node, gradient_edge, new_node
from .saved_variable import SavedTensor, save, save_output
from .tensor import Tensor, make
from .views import check_inplace, increment_version, last_written_by, rebase_history

if TYPE_CHECKING:
    from .custom_function import BackwardCFunction

UNDEFINED = ((), np.dtype(np.float32))  # the input metadata for an output that is not a differentiable tensor


class Outputs:
    """Gives the outputs of forward their grad_fn (torch: _process_backward_mode_ad).

    ``inputs``, ``held`` (tensors to save), ``dirty`` and ``constant`` (non-differentiable) are sets of ids of tensors.
    """

    def __init__(
        self,
        node: BackwardCFunction | None,
        inputs: list[Tensor],
        held: set[int],
        dirty: set[int],
        constant: set[int],
    ) -> None:
        self.node, self.inputs, self.held = node, {id(each) for each in inputs}, held
        self.dirty, self.constant = dirty, constant

    def wrap(self, outputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """The outputs that ``apply`` returns.

        Raises:
            RuntimeError: an input marked as dirty is not returned, or cannot be modified in place; or an input is both
                returned and saved in setup_context.
        """
        found: list[Any] = []
        metadata = []
        differentiable = 0
        for number, value in enumerate(outputs):
            if not isinstance(value, Tensor):
                found.append(value)
                metadata.append(UNDEFINED)
                continue
            differs = (
                self.node is not None and id(value) not in self.constant and value._array.dtype.kind in "fcV"
            )
            differentiable += differs
            metadata.append((value._array.shape, value._array.dtype) if differs else UNDEFINED)
            result = self._tie(value, number, differs, len(outputs))
            changed = id(value) in self.inputs and id(value) in self.dirty
            if result._view is not None and not changed:
                result._view.creation = "custom_function"
            found.append(result)
        if self.node is not None:
            self.node.input_metadata = tuple(metadata)
        if differentiable > 1:
            for each in found:
                if isinstance(each, Tensor) and each._view is not None:
                    each._view.creation = "multi_output"
        if not self.dirty <= {id(each) for each in outputs}:
            raise RuntimeError(errors.DIRTY_NOT_RETURNED)
        return tuple(found)

    def _tie(self, value: Tensor, number: int, differs: bool, count: int) -> Tensor:
        is_input, changed = id(value) in self.inputs, id(value) in self.dirty
        kept = is_input and id(value) in self.held
        if kept and not (changed and (differs or not value.requires_grad)):
            raise RuntimeError(errors.INPUT_RETURNED_AND_SAVED)
        if not differs:
            if not value.requires_grad:
                return alias_outside_graph(value) if is_input and not changed else value
            if is_input:
                return value.detach()
            return value if value._view is not None else value.detach_()
        if changed:
            self._tie_changed(value, number, is_input, count)
            return value
        if is_input:
            value = alias_outside_graph(value)
        value._node, value._output_nr, value._requires_grad = self.node, number, True
        if value._view is not None:
            value._view.attr_version = value._version
        return value

    def _tie_changed(self, value: Tensor, number: int, is_input: bool, count: int) -> None:
        if value.requires_grad and value._node is None:
            raise RuntimeError(errors.LEAF_CHANGED_BY_FUNCTION)
        if not is_input and value._view is not None:
            raise RuntimeError(errors.DIRTY_NOT_AN_INPUT)
        if not is_input:
            warnings.warn(errors.DIRTY_NOT_AN_INPUT, stacklevel=4)
        if value._view is not None and count > 1:
            raise RuntimeError(errors.DIRTY_VIEW_OF_SEVERAL)
        value._grad = None
        check_inplace(value, True)
        assert self.node is not None
        rebase_history(value, self.node, number)


def alias_outside_graph(tensor: Tensor) -> Tensor:
    """A view of a tensor made under no_grad: the output for an input that forward returns unchanged."""
    with no_grad():
        return tensor.view_as(tensor)


def delayed_error(message: str, tensors: tuple[Any, ...]) -> tuple[Any, ...]:
    """New tensors whose grad_fn raises this message in backward (torch: DelayedError, functions/basic_ops.h)."""
    results = tuple(each if each is None else make(each._array) for each in tensors)
    if not any(each is not None and each.requires_grad for each in tensors):
        return results
    next(state.recorder.sequence_nrs)  # torch's DelayedError is a node itself and takes a number
    node: Error = new_node(Error)
    node.message = message
    node.next_edges = tuple((None, 0) if each is None else gradient_edge(each) for each in tensors)
    node.input_metadata = tuple(
        UNDEFINED if each is None else (each._array.shape, each._array.dtype) for each in tensors
    )
    for number, each in enumerate(results):
        if each is not None:
            each._node, each._output_nr, each._requires_grad = node, number, True
    return results


def save_for_backward(value: Any, number: int, node: Node) -> SavedTensor | None:
    if value is None:
        return None
    if not isinstance(value, Tensor):
        raise TypeError(
            f"save_for_backward can only save variables, but argument {number} is of type {typename(value)}"
        )
    is_output = value.grad_fn is node or (value._view is not None and last_written_by(value._view.base, node))
    if not is_output:
        return save(value, state.recorder)
    saved = save_output(value, value._output_nr)
    if value._tangents:  # see Note [Tangents of saved outputs]
        saved.view_node = DualOutput(value, saved.view_node)
    return saved


def dirty_inputs(node: BackwardCFunction) -> set[int]:
    """The ids of the tensors marked as dirty; increments their versions."""
    marked = checked_tuple(node.dirty_tensors, "dirty_tensors") or ()
    for each in marked:
        if not isinstance(each, Tensor):
            raise RuntimeError("mark_dirty can only accept variables, but argument ")
        increment_version(each)
    node.dirty_tensors = None
    return {id(each) for each in marked}


def non_differentiable_outputs(node: BackwardCFunction) -> set[int]:
    """The ids of the tensors marked as non-differentiable."""
    marked = checked_tuple(node.non_differentiable, "non_differentiable") or ()
    for each in marked:
        if not isinstance(each, Tensor):
            raise RuntimeError("mark_non_differentiable only accepts variable arguments, but got ")
    return {id(each) for each in marked}


def checked_tuple(value: Any, what: str) -> Any:
    if value is not None and not isinstance(value, tuple):
        raise RuntimeError(f"autograd internal error: {what} attribute is expected to be a tuple but is ")
    return value


def typename(value: Any) -> str:
    cls = type(value)
    return cls.__name__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__name__}"


class VariableInfo(NamedTuple):
    """What makes zeros in place of an undefined gradient of an output (torch: VariableInfo)."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    requires_grad: bool
    zeros: Callable[..., Any]  # of the output's layout


def variable_info(output: Tensor) -> VariableInfo:
    """That of an output."""
    array = output._array
    zeros = array.zeros if isinstance(array, Unstrided) else np.zeros
    return VariableInfo(array.shape, array.dtype, output.requires_grad, zeros)
