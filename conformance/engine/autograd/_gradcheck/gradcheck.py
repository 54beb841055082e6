"""torch.autograd.gradcheck: backward and forward mode derivatives compared with finite differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..._aten.creation.make_tensor import make_tensor
from ..._autograd import backward
from ..._autograd.tensor import Tensor
from ..._c10 import dtypes
from ..._c10.layout import Unstrided
from . import errors, slow
from . import fast as fast_check
from .batched import wrong_batched_gradients, wrong_batched_tangents
from .complex import Part, by_inputs, by_outputs, complex_places
from .criteria import Check, GradcheckError, differentiable
from .jacobians import (
    Function,
    Tensors,
    as_tuple,
    get_analytical_jacobian,
    get_numerical_jacobian,
    is_floating,
)
from .undefined import check_linear_in_gradient, check_undefined, check_undefined_tangents

__all__ = [
    "GradcheckError",
    "get_analytical_jacobian",
    "get_numerical_jacobian",
    "gradcheck",
    "gradgradcheck",
]


def gradcheck(
    func: Function,
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Compare the gradients of ``func`` with finite differences.

    Args:
        check_grad_dtypes: no effect, as in torch.
        check_batched_grad: compare one backward pass with a batch of gradients to one pass for each.
        check_batched_forward_grad: the same for a batch of tangents.

    Raises:
        GradcheckError: they differ, unless ``raise_exception`` is False.
        ValueError: no input requires grad.
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    check = Check(
        eps,
        atol,
        rtol,
        nondet_tol,
        check_undefined_grad,
        check_backward_ad,
        check_forward_ad,
        check_batched_grad,
        check_batched_forward_grad,
        bool(masked),
    )
    try:
        return _gradcheck(func, as_tuple(inputs), check, fast_mode)
    except GradcheckError:
        if raise_exception:
            raise
        return False


def gradgradcheck(
    func: Function,
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Compare the second derivatives of ``func`` with finite differences of the first.

    Raises:
        GradcheckError: they differ, unless ``raise_exception`` is False.
    """
    _check_modes(check_fwd_over_rev, check_rev_over_rev, check_undefined_grad, check_batched_grad)
    points = as_tuple(inputs)
    weights = _weights(func, points, grad_outputs, gen_non_contig_grad_outputs)
    count = len(weights)
    wanted = [isinstance(each, Tensor) and each.requires_grad for each in points]

    def first_derivative(*arguments: Any) -> Tensors:
        here = tuple(
            each.requires_grad_() if want else each
            for each, want in zip(arguments[:-count], wanted, strict=True)
        )
        outputs = differentiable(func(*here))
        by = tuple(each for each, want in zip(here, wanted, strict=True) if want)
        found = backward.grad(outputs, by, arguments[-count:], create_graph=True, allow_unused=True)
        return tuple(each for each in found if each is not None)

    return gradcheck(
        first_derivative,
        points + weights,
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
        masked=masked,
    )


def _check_modes(forward: bool, reverse: bool, undefined: bool, batched: bool) -> None:
    """Check the combination of modes: at least one for second derivatives, and reverse mode where it is required."""
    if not (forward or reverse):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    if undefined and not reverse:
        raise AssertionError("Setting check_undefined_grad=True requires check_rev_over_rev to be True")
    if batched and not reverse:
        raise AssertionError("Setting check_batched_grad=True requires check_rev_over_rev to be True")


def _weights(func: Function, points: Tensors, given: Any, non_contiguous: bool) -> Tensors:
    """The gradients of the outputs, random if none are given."""
    if given is not None:
        return as_tuple(given)
    return tuple(_random_weight(each, non_contiguous) for each in differentiable(func(*points)))


def _gradcheck(func: Function, points: Tensors, check: Check, fast: bool) -> bool:
    _check_inputs(points)
    results = as_tuple(func(*points))
    outputs = differentiable(results)
    if any(isinstance(each._array, Unstrided) for each in outputs):
        raise ValueError(
            "Sparse output is not supported at gradcheck yet. Please call to_dense(masked_grad=...) on the output of fn for "
            "gradcheck."
        )
    if fast and any(isinstance(each, Tensor) and each.is_sparse for each in points):
        raise NotImplementedError("gradcheck(fast_mode=True) of sparse inputs")
    if check.backward:
        compare = fast_check.check_backward if fast else slow.check_backward
        _check_backward(compare, func, results, points, outputs, check)
    if check.forward:
        compare = fast_check.check_forward if fast else slow.check_forward
        _check_forward(compare, func, results, points, outputs, check)
    if check.batched_forward:
        for text in wrong_batched_tangents(func, points):
            raise GradcheckError(text)
    if not check.backward:
        return True
    if check.batched:
        for number, output in enumerate(outputs):
            for text in wrong_batched_gradients(points, output, number):
                raise GradcheckError(text)
    check_linear_in_gradient(outputs, points, check.masked)
    if check.undefined:
        check_undefined(func, len(outputs), points)
    return True


_Compare = Callable[[Function, Tensors, Tensors, Tensors, Check], None]


def _check_backward(
    compare: _Compare, func: Function, results: Tensors, points: Tensors, outputs: Tensors, check: Check
) -> None:
    if not complex_places(results):
        compare(func, results, points, outputs, check)
        return
    for name, part in by_outputs(func):
        found = part(*points)
        compare(part, found, points, differentiable(found), _of_part(check, name, outputs))


def _check_forward(
    compare: _Compare, func: Function, results: Tensors, points: Tensors, outputs: Tensors, check: Check
) -> None:
    if not complex_places(points):
        compare(func, results, points, outputs, check)
        if check.undefined:
            check_undefined_tangents(func, points)
        return
    parts = list(by_inputs(func, points))
    for name, part, here in parts:
        found = part(*here)
        compare(part, found, here, differentiable(found), _of_part(check, name, points))
    if check.undefined:
        for _, part, here in parts:
            check_undefined_tangents(part, here)


def _of_part(check: Check, name: str, values: Tensors) -> Check:
    return replace(check, part=Part(name, complex_places(values)))


def _check_inputs(points: Tensors) -> None:
    wanted = False
    for index, each in enumerate(points):
        if not (isinstance(each, Tensor) and each.requires_grad):
            continue
        if each.dtype not in (dtypes.float64, dtypes.complex128):
            warnings.warn(errors.PRECISION.format(index), stacklevel=2)
        content = each._values() if each.is_sparse else each
        if not all(
            step > 0 or size <= 1 for step, size in zip(content.stride(), content.size(), strict=True)
        ):
            raise RuntimeError(errors.STRIDE.format(index))
        wanted = True
    if not wanted:
        raise ValueError(errors.NO_INPUT)


def _random_weight(output: Tensor, spread: bool) -> Tensor:
    """A gradient for an output, uniform in [-1, 1), and optionally non-contiguous."""
    kind = output.dtype if is_floating(output) else dtypes.float64
    return make_tensor(
        output.shape, dtype=kind, device="cpu", low=-1, high=1, requires_grad=True, noncontiguous=spread
    )
