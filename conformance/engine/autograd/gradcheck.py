"""torch.autograd.gradcheck: derivatives by backward and forward mode against finite differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from .. import dtypes, errors
from ..made_tensors import make_tensor
from ..node import Gradients, Node, gradient_edge, new_node
from ..tensor import Tensor
from .batched_check import wrong_batched_gradients, wrong_batched_tangents
from .complex_check import Part, by_inputs, by_outputs, complex_places
from .forward_check import forward_jacobian, forward_products, undefined_tangents
from .jacobians import (
    Function,
    Tensors,
    analytical_jacobian,
    as_tuple,
    basis,
    get_analytical_jacobian,
    get_numerical_jacobian,
    is_floating,
    moved,
    numerical_jacobian,
    places_wanted,
)

__all__ = [
    "GradcheckError",
    "get_analytical_jacobian",
    "get_numerical_jacobian",
    "gradcheck",
    "gradgradcheck",
]


class GradcheckError(RuntimeError):
    """The derivatives of a function are not what they should be."""

    __module__ = "torch.autograd.gradcheck"


@dataclass(frozen=True, slots=True)
class _Check:
    """What is compared, and how closely."""

    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    check_grad_dtypes: bool
    undefined: bool
    backward: bool
    forward: bool
    batched: bool
    batched_forward: bool
    part: Part | None = None  # of complex numbers


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
        check_batched_grad: whether one pass with a batch of gradients gives what one pass for each gives.
        check_batched_forward_grad: the same of a batch of tangents.

    Raises:
        GradcheckError: they differ, unless ``raise_exception`` is off.
        ValueError: no input requires grad.
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    check = _Check(
        eps,
        atol,
        rtol,
        nondet_tol,
        check_grad_dtypes,
        check_undefined_grad,
        check_backward_ad,
        check_forward_ad,
        check_batched_grad,
        check_batched_forward_grad,
    )
    try:
        return _gradcheck(func, as_tuple(inputs), check, fast_mode, bool(masked))
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
        GradcheckError: they differ, unless ``raise_exception`` is off.
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    if check_undefined_grad and not check_rev_over_rev:
        raise AssertionError("Setting check_undefined_grad=True requires check_rev_over_rev to be True")
    if check_batched_grad and not check_rev_over_rev:
        raise AssertionError("Setting check_batched_grad=True requires check_rev_over_rev to be True")
    points = as_tuple(inputs)
    if grad_outputs is None:
        outputs = _differentiable(func(*points))
        weights = tuple(_random_weight(each, gen_non_contig_grad_outputs) for each in outputs)
    else:
        weights = as_tuple(grad_outputs)
    count = len(weights)
    wanted = [isinstance(each, Tensor) and each.requires_grad for each in points]
    weighted = [each.requires_grad for each in weights]

    def first_derivative(*arguments: Any) -> Tensors:
        from . import grad

        here = tuple(
            each.requires_grad_() if want else each
            for each, want in zip(arguments[:-count], wanted, strict=True)
        )
        outputs = _differentiable(func(*here))
        given = tuple(
            each.requires_grad_() if want else each
            for each, want in zip(arguments[-count:], weighted, strict=True)
        )
        by = tuple(each for each, want in zip(here, wanted, strict=True) if want)
        found = grad(outputs, by, given, create_graph=True, allow_unused=True)
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


def _gradcheck(func: Function, points: Tensors, check: _Check, fast: bool, masked: bool) -> bool:
    _check_inputs(points)
    results = as_tuple(func(*points))
    outputs = _differentiable(results)
    if check.backward:
        _check_backward(_check_fast if fast else _check_slowly, func, results, points, outputs, check)
    if check.forward:
        _check_forward(
            _check_forward_fast if fast else _check_forward_slowly, func, results, points, outputs, check
        )
    if check.batched_forward:
        for text in wrong_batched_tangents(func, points):
            raise GradcheckError(text)
    if not check.backward:
        return True
    if check.batched:
        for number, output in enumerate(outputs):
            for text in wrong_batched_gradients(points, output, number):
                raise GradcheckError(text)
    _check_linear_in_gradient(outputs, points, masked)
    if check.undefined:
        _check_undefined(func, len(outputs), points)
    return True


_Compare = Callable[[Function, Tensors, Tensors, Tensors, _Check], None]


def _check_backward(
    compare: _Compare, func: Function, results: Tensors, points: Tensors, outputs: Tensors, check: _Check
) -> None:
    if not complex_places(results):
        compare(func, results, points, outputs, check)
        return
    for name, part in by_outputs(func):
        found = part(*points)
        compare(part, found, points, _differentiable(found), _of_part(check, name, outputs))


def _check_forward(
    compare: _Compare, func: Function, results: Tensors, points: Tensors, outputs: Tensors, check: _Check
) -> None:
    if not complex_places(points):
        compare(func, results, points, outputs, check)
        if check.undefined:
            _check_undefined_tangents(func, points)
        return
    parts = list(by_inputs(func, points))
    for name, part, here in parts:
        found = part(*here)
        compare(part, found, here, _differentiable(found), _of_part(check, name, points))
    if check.undefined:
        for _, part, here in parts:
            _check_undefined_tangents(part, here)


def _of_part(check: _Check, name: str, values: Tensors) -> _Check:
    return replace(check, part=Part(name, complex_places(values)))


def _check_inputs(points: Tensors) -> None:
    wanted = False
    for index, each in enumerate(points):
        if not (isinstance(each, Tensor) and each.requires_grad):
            continue
        if each.dtype not in (dtypes.float64, dtypes.complex128):
            warnings.warn(errors.GRADCHECK_PRECISION.format(index), stacklevel=5)
        if not all(step > 0 or size <= 1 for step, size in zip(each.stride(), each.size(), strict=True)):
            raise RuntimeError(errors.GRADCHECK_STRIDE.format(index))
        wanted = True
    if not wanted:
        raise ValueError(errors.GRADCHECK_NO_INPUT)


# Element by element -------------------------------------------------------------------------------


def _numerical(
    func: Function, results: Tensors, points: Tensors, outputs: Tensors, check: _Check
) -> list[list[Tensor]]:
    """The Jacobians of all floating results by each point; without an output to differentiate they must be zero."""
    numerical = [
        numerical_jacobian(func, index, points, results, check.eps) for index in places_wanted(points)
    ]
    if not outputs and any((each._array != 0).any() for row in numerical for each in row):
        raise GradcheckError("Numerical gradient for function expected to be zero")
    return numerical


def _check_forward_slowly(
    func: Function, results: Tensors, points: Tensors, outputs: Tensors, check: _Check
) -> None:
    numerical = _numerical(func, results, points, outputs, check)
    if not outputs:
        return
    analytical = forward_jacobian(func, points, results)
    floating = [each for each in results if is_floating(each)]
    kept = [number for number, each in enumerate(floating) if each.requires_grad]
    for place, number in enumerate(kept):
        for index, rows in enumerate(numerical):
            exact, estimate = analytical[index][place], rows[number]
            if not _close(exact, estimate, check.rtol, check.atol):
                raise GradcheckError(_mismatch(exact, estimate, place, index, check, forward=True))


def _check_slowly(func: Function, results: Tensors, points: Tensors, outputs: Tensors, check: _Check) -> None:
    numerical = _numerical(func, results, points, outputs, check)
    floating = [each for each in results if is_floating(each)]
    kept = [number for number, each in enumerate(floating) if each.requires_grad]
    for place, output in enumerate(outputs):
        analytical = _analytical(points, output, partial(basis, output), check)
        for index, (exact, row) in enumerate(zip(analytical, numerical, strict=True)):
            estimate = row[kept[place]]
            if not _close(exact, estimate, check.rtol, check.atol):
                raise GradcheckError(_mismatch(exact, estimate, place, index, check))


def _analytical(
    points: Tensors, output: Tensor, weights: Callable[[], Iterable[Tensor]], check: _Check
) -> list[Tensor]:
    """For each input the Jacobian of one output by backward, computed twice."""
    first, types_fit, sizes_fit = analytical_jacobian(points, output, weights())
    second, _, _ = analytical_jacobian(points, output, weights())
    if not types_fit and check.check_grad_dtypes:
        raise GradcheckError("Gradient has dtype mismatch")
    if not sizes_fit:
        raise GradcheckError("Analytical gradient has incorrect size")
    for one, other in zip(first, second, strict=True):
        if one.numel() and abs(one._array - other._array).max() > check.nondet_tol:
            raise GradcheckError(errors.GRADCHECK_NONDETERMINISTIC.format(check.nondet_tol))
    return first


# Along random directions --------------------------------------------------------------------------


def _check_fast(func: Function, results: Tensors, points: Tensors, outputs: Tensors, check: _Check) -> None:
    """Compare one product v J u for each pair of input and output."""
    from ..random import Generator

    generator = Generator()
    wanted = places_wanted(points)
    directions = [_directions(points[index], generator) for index in wanted]
    weights = [_direction(each, generator) for each in outputs]
    estimates = []
    for index, direction in zip(wanted, directions, strict=True):
        products = _moved_along(func, points, index, direction, check.eps)
        if not outputs:
            if any(each.numel() and abs(each._array).max() > check.nondet_tol for each in products):
                raise GradcheckError("Numerical gradient for function expected to be zero")
            continue
        floating = [each for each, result in zip(products, results, strict=True) if is_floating(result)]
        estimates.append([(v * each).sum() for v, each in zip(weights, floating, strict=False)])
    exact = []
    for output, weight in zip(outputs, weights, strict=True):
        whole = weight.reshape(output.shape)
        rows = _analytical(points, output, partial(list, (whole,)), check)
        exact.append([_along(row.reshape(-1), u) for row, u in zip(rows, directions, strict=True)])
    for index, row in enumerate(estimates):
        for place, estimate in enumerate(row):
            atol = check.atol * float(directions[index][0].sum()) * float(weights[place].sum())
            if not _close(exact[place][index], estimate, check.rtol, atol):
                slow = _slow_message(func, results, points, outputs, (index, place), check)
                text = _mismatch(exact[place][index], estimate, place, index, check)
                raise GradcheckError(text + slow)


def _check_forward_fast(
    func: Function, results: Tensors, points: Tensors, outputs: Tensors, check: _Check
) -> None:
    """Compare the products J u for each input."""
    from ..random import Generator

    generator = Generator()
    wanted = places_wanted(points)
    directions = [_directions(points[index], generator) for index in wanted]
    products = forward_products(func, points, [each[0] for each in directions])
    for place, (index, direction) in enumerate(zip(wanted, directions, strict=True)):
        found = _moved_along(func, points, index, direction, check.eps)
        floating = [each for each, result in zip(found, results, strict=True) if is_floating(result)]
        atol = check.atol * float(direction[0].sum())
        for number, (exact, estimate) in enumerate(zip(products[place], floating, strict=True)):
            if not _close(exact, estimate, check.rtol, atol):
                text = _mismatch(exact, estimate, number, place, check, forward=True)
                raise GradcheckError(
                    text + _slow_forward_message(func, results, points, (place, number), check)
                )


def _slow_forward_message(
    func: Function, results: Tensors, points: Tensors, pair: tuple[int, int], check: _Check
) -> str:
    index, place = pair
    where = places_wanted(points)[index]
    estimate = numerical_jacobian(func, where, points, results, check.eps)[place]

    def alone(point: Any) -> Any:
        return as_tuple(func(*points[:where], point, *points[where + 1 :]))[place]

    exact = forward_jacobian(alone, (points[where],), (results[place],))[0][0]
    return _slow_text(exact, estimate, check)


def _moved_along(
    func: Function, points: Tensors, index: int, direction: tuple[Tensor, ...], eps: float
) -> list[Tensor]:
    memory = points[index].data
    step = tuple(each.reshape(memory.shape) * eps for each in direction)
    return moved(func, points, memory, step, eps, None)


def _along(gradient: Tensor, direction: tuple[Tensor, ...]) -> Tensor:
    if len(direction) == 1:
        return (gradient * direction[0]).sum()
    return (gradient.real * direction[0]).sum() + (gradient.imag * direction[1]).sum() * 1j


def _directions(tensor: Tensor, generator: Any) -> tuple[Tensor, ...]:
    """A direction; of a complex tensor, one for each axis."""
    like = tensor.real
    return tuple(_direction(like, generator) for _ in range(1 + tensor.is_complex()))


def _direction(tensor: Tensor, generator: Any) -> Tensor:
    from ..random import rand

    found = rand(tensor.numel(), generator=generator).to(dtype=tensor.dtype)
    return found / found.norm()


def _slow_message(
    func: Function, results: Tensors, points: Tensors, outputs: Tensors, pair: tuple[int, int], check: _Check
) -> str:
    index, place = pair
    estimate = numerical_jacobian(func, places_wanted(points)[index], points, results, check.eps)[place]
    loose = replace(check, nondet_tol=float("inf"), check_grad_dtypes=False)
    exact = _analytical(points, outputs[place], lambda: basis(outputs[place]), loose)[index]
    return _slow_text(exact, estimate, check)


def _slow_text(exact: Tensor, estimate: Tensor, check: _Check) -> str:
    text = errors.GRADCHECK_SLOW.format(estimate, exact, (estimate - exact).abs().max())
    return text + (errors.GRADCHECK_SLOW_OK if _close(exact, estimate, check.rtol, check.atol) else "")


# Zero and undefined gradients ---------------------------------------------------------------------


def _check_linear_in_gradient(outputs: Tensors, points: Tensors, masked: bool) -> None:
    """A zero gradient must give zero gradients."""
    from . import grad

    by = [points[index] for index in places_wanted(points)]
    if not by:
        raise GradcheckError("no Tensors requiring grad found in input")
    found = grad(outputs, by, [each.detach() * 0 for each in outputs], allow_unused=True)
    for gradient, point in zip(found, by, strict=True):
        if gradient is None:
            continue
        if (abs(gradient._array) > (1e-8 if masked else 0)).any():
            raise GradcheckError("backward not multiplied by grad_output")
        if gradient.dtype is not point.dtype:
            raise GradcheckError("grad is incorrect type")
        if gradient.size() != point.size():
            raise GradcheckError("grad is incorrect size")


class UndefinedGradBackward(Node):
    """Lets no gradient through: what comes out is undefined."""

    __slots__ = ()

    def name(self) -> str:
        return "torch::autograd::UndefinedGradBackward"

    def apply(self, grads: Gradients) -> Gradients:
        return (None,)


def undefined_gradient(tensor: Tensor) -> Tensor:
    """The tensor behind a node that lets no gradient through."""
    node = new_node(UndefinedGradBackward)
    node.next_edges = (gradient_edge(tensor),)
    node.input_metadata = ((tensor._array.shape, tensor._array.dtype),)
    result = tensor.detach()
    result._node, result._requires_grad = node, True
    return result


def _check_undefined(func: Function, count: int, points: Tensors) -> None:
    """Backward must take undefined gradients, of all outputs and of each one."""
    _check_undefined_case([undefined_gradient(each) for each in _differentiable(func(*points))], points)
    if count > 1:
        for number in range(count):
            outputs = _differentiable(func(*points))
            _check_undefined_case(
                [undefined_gradient(each) if place == number else each for place, each in enumerate(outputs)],
                points,
            )


def _check_undefined_case(outputs: list[Tensor], points: Tensors) -> None:
    from . import grad

    by = [points[index] for index in places_wanted(points)]
    try:
        found = grad(outputs, by, [each.detach() * 0 for each in outputs], allow_unused=True)
    except RuntimeError as error:
        warnings.warn(errors.GRADCHECK_UNDEFINED_BC, stacklevel=7)
        raise GradcheckError(errors.GRADCHECK_UNDEFINED) from error
    for each in found:
        if each is not None and each._array.any():
            warnings.warn(errors.GRADCHECK_UNDEFINED_BC, stacklevel=7)
            raise GradcheckError(errors.GRADCHECK_UNDEFINED_NOT_ZERO)


def _check_undefined_tangents(func: Function, points: Tensors) -> None:
    """A point without tangent must be as good as one with zeros."""
    from ..random import Generator

    generator = Generator()
    directions = [_direction(points[index], generator) for index in places_wanted(points)]
    for number, point, got, expected in undefined_tangents(func, points, directions):
        raise GradcheckError(
            "Mismatch in tangent values for output with index: ", number, " when input: ", point,
            " has an undefined tangent value. ", " Got: ", got, " but expected: ", expected,
        )  # fmt: skip


# Small things -------------------------------------------------------------------------------------


def _differentiable(value: Any) -> Tensors:
    return tuple(each for each in as_tuple(value) if each.requires_grad)


def _close(a: Tensor, b: Tensor, rtol: float, atol: float) -> bool:
    """torch.allclose after promotion to one dtype."""
    kind = dtypes.promote_types(a.dtype, b.dtype)
    first, second = a.to(dtype=kind)._array, b.to(dtype=kind)._array
    close = abs(first - second) <= atol + rtol * abs(second)
    return bool(((first == second) | close).all())


def _mismatch(
    exact: Tensor, estimate: Tensor, place: int, index: int, check: _Check, forward: bool = False
) -> str:
    mode = "computed with forward mode " if forward else ""
    considered = "" if check.part is None else check.part.considered(index if forward else place, forward)
    return (
        f"{considered}Jacobian {mode}mismatch for output {place:d} with respect to input {index:d},\nnumerical:{estimate}\n"
        f"analytical:{exact}\n"
    )


def _random_weight(output: Tensor, spread: bool) -> Tensor:
    """A gradient for an output: uniform between -1 and 1; not contiguous if so wanted."""
    from ..creation import empty

    kind = output.dtype if is_floating(output) else dtypes.float64
    if kind.is_complex:
        return make_tensor(
            output.shape, dtype=kind, device="cpu", low=-1, high=1, requires_grad=True, noncontiguous=spread
        )
    found = empty(output.shape, dtype=kind).uniform_(-1, 1)
    if spread and found.numel() > 1 and found.ndim:
        found = found.repeat_interleave(2, -1)[..., ::2]
    return found.requires_grad_()
