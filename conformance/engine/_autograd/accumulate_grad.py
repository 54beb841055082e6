"""What AccumulateGrad does (torch: autograd/functions/accumulate_grad.h)."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

from .._c10 import errors
from .._c10.interpreter_stack import transforms
from .._c10.layout import LayoutError, Unstrided
from .._c10.modes import state
from .._c10.shapes import is_dense, is_expanded, like_steps, strides
from .._c10.slots import on_first_use
from .hooks import check_result
from .node import AccumulateGrad, Gradients
from .tensor import Tensor, wrap
from .views import increment_version

accumulated: Callable[..., Tensor] = on_first_use("sparse_accumulated")  # see Note [Slots]

_UNSHARED = 3  # references to a gradient that only the running pass holds; see Note [Stealing a gradient]


def accumulate_grad(node: AccumulateGrad, grads: Gradients) -> Gradients:
    """Add the incoming gradient to the leaf's grad.

    Note [Stealing a gradient]: the first gradient becomes ``grad`` itself where nobody else holds the tensor,
    and is cloned otherwise, so that a gradient given by the user or kept by a hook is never written to. Who
    holds it is asked of the reference count, as torch does.

    With create_graph the sum is a new tensor; without, it is written into the tensor that is there.
    """
    variable = node.variable
    gradient = grads[0]
    if variable._node is not None:  # detached in place, then changed in place
        raise RuntimeError("leaf variable has been moved into the graph interior")
    current = variable._grad
    if gradient is None or not variable.requires_grad:
        pass  # the hooks run all the same
    elif current is None:
        alone = sys.getrefcount(gradient) <= _UNSHARED
        try:
            if state.grad_enabled:
                variable._grad = clone_obey_contract(gradient, variable)
            elif alone and (obeys_layout_contract(gradient, variable) or not state.layout_enforced):
                variable._grad = gradient.detach()
            else:
                variable._grad = clone_obey_contract(gradient, variable)
        except LayoutError:
            variable._grad = _accumulate_sparse(variable, None, gradient, alone)
    else:
        try:
            if not state.grad_enabled:
                accumulate_in_place(current, gradient)
            elif isinstance(current._array, Unstrided):
                current = _accumulate_sparse(variable, current, gradient, False)
            else:
                current = current + gradient
        except LayoutError:
            current = _accumulate_sparse(variable, current, gradient, False)
        variable._grad = current
        try:
            if not obeys_layout_contract(current, variable) and state.layout_enforced:
                warn_layout_contract(current, variable)
        except LayoutError:
            pass  # which has none to obey
    if variable._post_accumulate_hooks:
        if state.graph_task is not None:
            state.graph_task.enter_python(node)
        value, replaced = variable, False  # what a hook returns is what the next one is given
        for hook in list(variable._post_accumulate_hooks.values()):
            result = hook(value)
            if result is not None and result is not value:
                value, replaced = check_result(value, result, hook), True
        if replaced:
            raise RuntimeError("Tensor post accumulate grad hooks should return None.")
    return ()


def _accumulate_sparse(variable: Tensor, current: Tensor | None, gradient: Tensor, alone: bool) -> Tensor:
    """The grad where something is sparse, see Note [Arrays of other layouts]."""
    return accumulated(variable, current, gradient, alone)


def accumulate_in_place(target: Tensor, gradient: Tensor) -> None:
    """``target.add_(gradient)``; where nothing has to be converted, checked or told, without a temporary array."""
    array, added = target._array, gradient._array
    if (
        array.dtype is not added.dtype
        or array.shape != added.shape
        or not array.flags.c_contiguous
        or state.before_mutation is not None
        or transforms.count
    ):
        target.add_(gradient)
        return
    np.add(array, added, out=array)
    increment_version(target)


def obeys_layout_contract(gradient: Tensor, variable: Tensor) -> bool:
    """Whether a gradient lies in memory as its leaf does; where the leaf has gaps, without."""
    array, leaf = gradient._array, variable._array
    if (
        array.shape == leaf.shape
        and array.flags.c_contiguous
        and leaf.flags.c_contiguous
        and (array.base is None or (array.size and 0 not in array.strides))
    ):
        return True
    if not array.size:
        return array.shape == leaf.shape and is_expanded(array) == is_expanded(leaf)
    if not is_dense(leaf):
        return array.flags.c_contiguous
    wanted = leaf.strides
    # New data may have fewer dimensions: torch reads what stands behind their steps.
    if array.ndim > leaf.ndim:
        wanted = (*(wanted or (leaf.itemsize,)), *(0,) * array.ndim)
    steps = zip(array.shape, array.strides, wanted, strict=False)
    return all(
        a // array.itemsize == b // leaf.itemsize if n != 1 else a != 0  # stride 0: expanded
        for n, a, b in steps
    )


def clone_obey_contract(gradient: Tensor, variable: Tensor) -> Tensor:
    """A copy laid out as the leaf, by copy_ into new memory: recorded as CopyBackwards, and at version 1.

    For a leaf with gaps in its memory it is a clone in order.
    """
    array, leaf = gradient._array, variable._array
    if isinstance(array, Unstrided):
        return gradient.clone()
    if not is_dense(leaf):
        return gradient.clone() if array.flags.c_contiguous else gradient.contiguous()
    return wrap(like_steps(np.empty(leaf.shape, array.dtype), leaf)).copy_(gradient)


def warn_layout_contract(grad: Tensor, variable: Tensor) -> None:
    """Say that a grad lies otherwise than its leaf, as one does that the user has set."""
    places = [list(each) for t in (grad, variable) for each in (t._array.shape, strides(t._array))]
    state.graph_task.warnings.append(errors.LAYOUT.format(*places))
