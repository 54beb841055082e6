"""AccumulateGrad::apply: adds a gradient to the grad of a leaf (torch: autograd/functions/accumulate_grad.h)."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

from .._c10 import errors
from .._c10.interpreter_stack import transforms
from .._c10.layout import Unstrided
from .._c10.modes import state
from .._c10.shapes import is_dense, is_expanded, like_steps, strides
from .._c10.slots import on_first_use
from .._c10.version_counter import counter_at
from .hooks import check_result
from .node import AccumulateGrad, Gradients
from .tensor import Tensor, wrap
from .views import increment_version

accumulated: Callable[..., Tensor] = on_first_use("sparse_accumulated")  # see Note [Slots]

_UNSHARED = 3  # reference count of a gradient that only the pass refers to; see Note [Stealing a gradient]


def accumulate_grad(node: AccumulateGrad, grads: Gradients) -> Gradients:
    """Add the incoming gradient to the leaf's ``grad``, then run the post accumulate grad hooks.

    Note [Stealing a gradient]: the first gradient becomes ``grad`` itself if nothing else refers to the tensor (torch: "steal
    the gradient"). Otherwise it is cloned, so that a gradient that the user passed or a hook stored is never written to.
    As in torch, the reference count decides. So no variable of the pass may keep a reference to a gradient that it has
    passed on.

    Later gradients are added in place; with create_graph the sum is a new tensor.

    Raises:
        RuntimeError: the leaf has got a grad_fn since, or a hook returned a tensor.
    """
    variable = node.variable
    (gradient,) = grads
    if variable._node is not None:  # after detach_() and an in-place operation
        raise RuntimeError("leaf variable has been moved into the graph interior")
    current = variable._grad
    if gradient is not None and variable.requires_grad:  # the hooks run in any case
        alone = current is None and sys.getrefcount(gradient) <= _UNSHARED
        if _is_any_unstrided(variable, current, gradient):
            variable._grad = accumulated(variable, current, gradient, alone)
        elif current is not None:
            if state.grad_enabled:
                variable._grad = current + gradient
            else:
                accumulate_in_place(current, gradient)
        elif (
            alone
            and not state.grad_enabled
            and (obeys_layout_contract(gradient, variable) or not state.layout_enforced)
        ):
            variable._grad = gradient.detach()
        else:
            variable._grad = clone_obey_contract(gradient, variable)
        if current is not None and state.layout_enforced:
            warn_layout_contract(variable)
    if variable._post_accumulate_hooks:
        if state.graph_task is not None:
            state.graph_task.enter_python(node)
        value, replaced = variable, False  # a hook gets what the previous one returned
        for hook in list(variable._post_accumulate_hooks.values()):
            result = hook(value)
            if result is not None and result is not value:
                value, replaced = check_result(value, result, hook), True
        if replaced:
            raise RuntimeError("Tensor post accumulate grad hooks should return None.")
    return ()


def _is_any_unstrided(variable: Tensor, current: Tensor | None, gradient: Tensor) -> bool:
    """Whether the leaf, its grad or the gradient is sparse; see Note [Sparse arrays]."""
    return (
        isinstance(gradient._array, Unstrided)
        or isinstance(variable._array, Unstrided)
        or (current is not None and isinstance(current._array, Unstrided))
    )


def accumulate_in_place(target: Tensor, gradient: Tensor) -> None:
    """``target.add_(gradient)``; by numpy alone if shapes and dtypes agree and neither modes nor transforms are active."""
    array, added = target._array, gradient._array
    if (
        array.dtype is not added.dtype
        or array.shape != added.shape
        or not array.flags.c_contiguous
        or array.dtype.kind == "c"  # the kernel multiplies by a complex 1, which turns infinities into nan
        or state.before_mutation is not None
        or transforms.count
    ):
        target.add_(gradient)
        return
    np.add(array, added, out=array)
    increment_version(target)


def sum_of_layouts(first: Tensor, gradient: Tensor) -> Tensor:
    """The sum of two gradients of one tensor, which may be sparse; the sparse one is added to the dense one.

    Torch adds it in place if only the pass has the dense one and its memory: then the sum has its next version.
    """
    sparse = isinstance(first._array, Unstrided), isinstance(gradient._array, Unstrided)
    if state.grad_enabled or not any(sparse):
        return first + gradient
    if all(sparse):
        return gradient + first
    dense, other = (gradient, first) if sparse[0] else (first, gradient)
    result = dense + other
    if dense._view is None and sys.getrefcount(dense) <= _PASSED and sys.getrefcount(dense._array) <= _OWN:
        result._version_counter = counter_at(dense._version + 1)
    return result


_OWN = 2  # reference count of an array that only its tensor refers to
_PASSED = 5  # and of a gradient in sum_of_layouts that only the pass refers to


def obeys_layout_contract(gradient: Tensor, variable: Tensor) -> bool:
    """Whether the strides of a gradient are those of its leaf, or contiguous if the leaf is not dense.

    torch: utils::obeys_layout_contract in grad_layout_contract.h.
    """
    array, leaf = gradient._array, variable._array
    if (
        array.shape == leaf.shape
        and array.size
        and array.flags.c_contiguous
        and leaf.flags.c_contiguous
        and (array.base is None or 0 not in array.strides)
    ):
        return True
    if not array.size and is_expanded(array) is not is_expanded(leaf):
        return False
    if not is_dense(leaf):
        return array.flags.c_contiguous
    steps = zip(
        array.shape, strides(array), strides(leaf), strict=False
    )  # .data = x may have changed the leaf
    return all(a == b if n != 1 else a != 0 for n, a, b in steps)  # stride 0: expanded


def clone_obey_contract(gradient: Tensor, variable: Tensor) -> Tensor:
    """A copy with the strides of the leaf; contiguous if the leaf is not dense (torch: utils::clone_obey_contract).

    The copy is made by copy_ into new memory, as in torch: it is recorded as CopyBackwards and has version 1.
    """
    array, leaf = gradient._array, variable._array
    if not is_dense(leaf):
        return gradient.clone() if array.flags.c_contiguous else gradient.contiguous()
    return wrap(like_steps(np.empty(leaf.shape, array.dtype), leaf)).copy_(gradient)


def warn_layout_contract(variable: Tensor) -> None:
    """Warn if the strides of a leaf's grad, which the user may have set, are not those of the leaf."""
    grad = variable._grad
    assert grad is not None
    if _is_any_unstrided(variable, None, grad) or obeys_layout_contract(grad, variable):
        return
    places = [list(each) for t in (grad, variable) for each in (t._array.shape, strides(t._array))]
    state.graph_task.warnings.append(errors.LAYOUT.format(*places))
