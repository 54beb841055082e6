"""Forward-mode formulas of operations that have one of their own (torch: ``result`` in derivatives.yaml)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from .._aten.linalg.decompositions import pairwise_differences
from .._aten.linalg.functions import solve_triangular
from .._aten.linalg.torch_level_functions import triangular_solve
from .._aten.nn.convolution import convolution_backward
from .._aten.nn.cross_entropy import binary_cross_entropy_backward
from .._aten.nn.losses import MEAN, NONE
from .._aten.pointwise import complex_parts as parts
from .._aten.pointwise.binary import _copysign_backward
from .._aten.pointwise.where_clamp import where
from .._aten.reduction.norm import norm_backward
from .._aten.reduction.var_std import variance_backward
from .._aten.scalar_operands import maybe_times
from .._autograd.batched_tensor import BatchedTensor
from .._autograd.forward_grad import levels, materialized_tangents
from .._autograd.tensor import Tensor, make
from .._autograd.views import increment_version
from .._c10.zero_tensor import zeros

FORMULAS: dict[str, Callable[..., list[Any]]] = {}  # by row


def jvp_formula(row: str) -> Callable[[Callable[..., list[Any]]], Callable[..., list[Any]]]:
    """Register a row's forward-mode formula: a function of its arguments, the existing tangents, and its results."""

    def declare(formula: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
        FORMULAS[row] = formula
        return formula

    return declare


@jvp_formula("linalg_cholesky_ex")
def _cholesky(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
    """dL = L * phi(inv(L) dA inv(L)^T), where phi is the lower triangle with half the diagonal."""
    factor, change = results[0], tangents["self"]
    upper = arguments.get("upper", False)
    lower = factor.mH if upper else factor
    inner = solve_triangular(lower, solve_triangular(lower, change, upper=False).mH, upper=False).mH
    inner = inner.tril()
    inner = inner - inner.diagonal(0, -2, -1).diag_embed() * 0.5
    result = lower @ inner
    return [result.mH if upper else result, *[None] * (len(results) - 1)]


@jvp_formula("_linalg_eigh")
def _eigh(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
    """Of the whole tangent, though of the matrix one triangle is read (torch: linalg_eig_jvp)."""
    values, vectors = results
    inner = vectors.mH @ (tangents["A"] @ vectors)
    turned = inner / pairwise_differences(values)
    turned.diagonal(0, -2, -1).zero_()
    return [parts.real(inner.diagonal(0, -2, -1)), vectors @ turned]


_EPS = 1e-13  # torch's constant, which prevents a division by 0


@jvp_formula("logcumsumexp")
def _logcumsumexp(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
    """A cumulative mean of the tangents, weighted by the exponentials; the backward formula uses logarithms instead."""
    self, dim = arguments["self"], arguments["dim"]
    if not self._array.size:
        return [tangents["self"]]
    weights = self.exp() if self.is_complex() else (self - self.detach().amax(dim, keepdim=True)).exp()
    return [(tangents["self"] * weights).cumsum(dim).div_(weights.cumsum(dim) + _EPS)]


def _logsumexp_change(self: Tensor, change: Tensor, dim: Any, keepdim: bool) -> Tensor:
    """torch's logsumexp_jvp: a mean of the tangents, weighted by the exponentials, which are overwritten in place.

    exp saves its result, so backward through this tangent fails; not where torch.func or vmap wraps the tensors.
    """
    size = self.real if self.is_complex() else self
    shifted = self - size.amax(dim, True) if self._array.size else self
    weights = shifted.exp()
    total = weights.sum(dim, keepdim)
    wrapped = any(level.of_func for level in levels) or change.__class__ is BatchedTensor
    products = weights * change if wrapped else weights.mul_(change)
    return products.sum(dim, keepdim).div_(total)


@jvp_formula("logsumexp")
def _logsumexp(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
    return [_logsumexp_change(arguments["self"], tangents["self"], arguments["dim"], arguments["keepdim"])]


@jvp_formula("_log_softmax")
def _log_softmax(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
    change = tangents["self"]
    return [change - _logsumexp_change(arguments["self"], change, arguments["dim"], True)]


@jvp_formula("_softmax")
def _softmax(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
    return [results[0] * _log_softmax(arguments, tangents, results)[0]]


@jvp_formula("cholesky_inverse")
def _cholesky_inverse(
    arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]
) -> list[Any]:
    """torch's formula, which is not the derivative: it multiplies the factors of the product in another order."""
    factor, change, inverse = arguments["self"], tangents["self"], results[0]
    lower, of_lower = (factor, change.mH) if arguments["upper"] else (factor.mH, change)
    result = -inverse @ of_lower @ inverse @ lower
    return [result + result.mH]


@jvp_formula("triangular_solve")
def _triangular_solve(
    arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]
) -> list[Any]:
    """torch multiplies by the full tangent of ``A``, whatever ``upper``, ``transpose`` and ``unitriangular`` are."""
    given = {name: arguments[name] for name in ("upper", "transpose", "unitriangular")}
    side = tangents.get("self")
    if "A" in tangents:
        product = tangents["A"] @ results[0]
        side = -product if side is None else side - product
    return [triangular_solve(side, arguments["A"], **given)[0], tangents.get("A")]


@jvp_formula("linalg_vector_norm")
def _vector_norm(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
    """torch's norm_jvp: the backward formula times the tangent, divided by the norm, and 0 where the norm is 0."""
    self, norm, change = arguments["self"], results[0], tangents["self"]
    order, dim, keepdim = arguments["ord"], arguments["dim"], arguments["keepdim"]

    def along(slope: Tensor) -> Any:
        products = (slope.conj() * change).real if self.is_complex() else slope * change
        return products.sum(dim or [*range(self.dim())], keepdim)

    if order == 2:
        return [along(self).div_(norm).masked_fill_(norm == 0, 0)]
    if order == 1:
        return [along(self.sgn())]
    if 0 < order < 1:
        slope = (self.sgn() * self.abs().pow(order - 1)).masked_fill_(self == 0, 0)
        return [along(slope) * norm.pow(1 - order)]
    if 1 < order < math.inf:
        size = self.abs()
        scaled = self.sgn() * size.pow(order - 1) if order < 2 else self * size.pow(order - 2)
        return [(along(scaled) / norm.pow(order - 1)).masked_fill_(norm == 0, 0)]
    slope = norm_backward(norm.new_ones(norm.size()), self, order, norm, dim or (), keepdim)
    return [norm.new_zeros(norm.size()) if slope is None else along(slope)]


@jvp_formula("polar")
def _polar(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
    """The product rule; the backward formula would use the sign of the result, which is lost where ``abs`` is 0."""
    result = [] if "abs" not in tangents else [_times_direction(tangents["abs"], arguments["angle"])]
    if "angle" in tangents:
        result.append(tangents["angle"] * results[0] * 1j)
    return [result[0] if len(result) == 1 else result[0] + result[1]]


def _times_direction(size: Tensor, angle: Tensor) -> Tensor:
    return parts.complex(size * angle.cos(), size * angle.sin())


@jvp_formula("binary_cross_entropy")
def _binary_cross_entropy(
    arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]
) -> list[Any]:
    """By the kernel of binary_cross_entropy_backward, which clamps its denominator."""
    self, target, weight = arguments["self"], arguments["target"], arguments["weight"]
    parts = []
    if "self" in tangents:
        parts.append(binary_cross_entropy_backward(tangents["self"], self, target, weight, NONE))
    if "target" in tangents:
        slope = -self.logit() * tangents["target"]
        parts.append(slope if weight is None else slope * weight)
    each = parts[0] if len(parts) == 1 else parts[0] + parts[1]
    if arguments["reduction"] == NONE:
        return [each]
    result = each.mean() if arguments["reduction"] == MEAN else each.sum()
    increment_version(result)  # torch writes it into an out= tensor
    return [result]


@jvp_formula("convolution_backward")
def _convolution_backward(
    arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]
) -> list[Any]:
    """The product rule: the gradient of the input depends on weight and grad_output, that of the weight on input."""

    def changed(number: int, other: str) -> Any:
        wanted = [k == number for k in range(3)]
        # See Note [Absent tangents].
        given = materialized_tangents(arguments, tangents, (other, "grad_output"))
        terms = [
            convolution_backward(**{**arguments, name: given[name], "output_mask": wanted})[number]
            for name in (other, "grad_output")
            if name in given
        ]
        return terms[0] + terms[1] if terms[1:] else terms[0]

    asked = [number for number in range(3) if arguments["output_mask"][number]]
    result: list[Any] = [None, None, None]
    for number in asked:
        if number < 2 and tangents.keys() & {"grad_output", ("weight", "input")[number]}:
            result[number] = changed(number, ("weight", "input")[number])
        elif number == 2 and "grad_output" in tangents:
            grad = tangents["grad_output"]
            result[2] = grad.sum((0, *range(2, grad.dim())))
    return result


def _total(terms: Iterable[Tensor | None]) -> list[Any]:
    """The sum of the terms that are not None."""
    first, *others = (each for each in terms if each is not None)
    for each in others:
        first = first + each
    return [first]


@jvp_formula("mul")
def _mul(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
    """The product rule, in torch's order: of the sum's terms it computes the second one first."""
    of_self, of_other = tangents.get("self"), _of_number(arguments, tangents)
    second = None if of_self is None else of_self * arguments["other"]
    return _total((None if of_other is None else of_other * arguments["self"], second))


def _of_number(arguments: dict[str, Any], tangents: dict[str, Any]) -> Any:
    """The tangent of the second operand; zeros for a number if the first requires grad, see Note [Absent tangents]."""
    self, other = arguments["self"], arguments["other"]
    graph = any(isinstance(each, Tensor) and each.requires_grad for each in (self, tangents.get("self")))
    if isinstance(other, Tensor) or "other" in tangents or not graph:
        return tangents.get("other")
    return make(zeros((), self._array.dtype))


@jvp_formula("div")
def _div(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
    """The quotient rule, written with the result of the division."""
    of_self, of_other = tangents.get("self"), _of_number(arguments, tangents)
    if of_other is None:
        return [of_self / arguments["other"]]
    lost = of_other * results[0]
    return [(-lost if of_self is None else of_self - lost) / arguments["other"]]


def _towards(share: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., list[Any]]:
    """The formula of maximum, minimum, fmax and fmin: ``other_t + share * (self_t - other_t)``."""

    def tangent(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
        weight = share(arguments["self"], arguments["other"]).to(results[0].dtype)
        of_self, of_other = tangents.get("self"), tangents.get("other")
        if of_other is None:
            return [weight * of_self]
        return [of_other + weight * (-of_other if of_self is None else of_self - of_other)]

    return tangent


def _above(self: Tensor, other: Tensor) -> Tensor:
    """1 where ``self`` is greater, 0.5 where both are equal, 0 elsewhere."""
    return ((self > other).to(self.dtype) + (self >= other)) * 0.5


@jvp_formula("clamp_tensors")
def _clamp(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
    """torch's clamp_jvp: where ``self`` equals a bound, a single bound's tangent counts; with two bounds ``self``'s."""
    self, low, high = arguments["self"], arguments["min"], arguments["max"]
    of_self, of_low, of_high = (tangents.get(name, 0.0) for name in ("self", "min", "max"))
    if high is None:
        return [where(self > low, of_self, of_low)]
    if low is None:
        return [where(self < high, of_self, of_high)]
    inside = where(self < low, of_low, where(self > high, of_high, of_self))
    return [where(low > high, of_high, inside)]


@jvp_formula("atan2")
def _atan2(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
    """nan at the origin, unlike the backward formula, which yields 0 there."""
    self, other = arguments["self"], arguments["other"]
    terms = [-self * tangents["other"]] if "other" in tangents else []
    terms += [other * tangents["self"]] if "self" in tangents else []
    return [_total(terms)[0] / (self.pow(2) + other.pow(2))]


@jvp_formula("copysign_tensor")
def _copysign(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
    """The tangent of ``other``, which only provides the sign, does not contribute."""
    change = tangents.get("self")
    return [None if change is None else _copysign_backward(change, arguments["self"], results[0])]


@jvp_formula("std")
def _std(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
    """The tangent of the variance, divided by twice the result; 0 where the result is 0."""
    (change,), deviation = _var(arguments, tangents, results), results[0]
    return [(change / (2.0 * deviation)).masked_fill_(deviation == 0, 0)]


@jvp_formula("var")
def _var(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
    self, dim, keepdim = arguments["self"], arguments["dim"], arguments["keepdim"]
    slopes = variance_backward(tangents["self"].conj(), self, dim, arguments["correction"], True)
    change = slopes.sum(dim or [*range(self.dim())], keepdim)
    return [change.real if change.is_complex() else change]


@jvp_formula("std_mean")
def _std_mean(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
    mean = tangents["self"].mean(arguments["dim"], arguments["keepdim"])
    return [*_std(arguments, tangents, results), mean]


@jvp_formula("var_mean")
def _var_mean(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
    mean = tangents["self"].mean(arguments["dim"], arguments["keepdim"])
    return [*_var(arguments, tangents, results), mean]


def _added_product(multiply: str, first: str, second: str) -> Callable[..., list[Any]]:
    """The formula of addmm, addmv and baddbmm: ``beta * self + alpha * first @ second``."""

    def tangent(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
        terms = [maybe_times(tangents["self"], arguments["beta"]) if "self" in tangents else None]
        for name in (first, second):
            if name in tangents:
                left, right = ({**arguments, name: tangents[name]}[each] for each in (first, second))
                terms.append(maybe_times(getattr(left, multiply)(right), arguments["alpha"]))
        return _total(terms)

    return tangent


jvp_formula("addmm")(_added_product("mm", "mat1", "mat2"))
jvp_formula("addmv")(_added_product("mv", "mat", "vec"))
jvp_formula("baddbmm")(_added_product("bmm", "batch1", "batch2"))
jvp_formula("fmax")(_towards(lambda self, other: (self > other).logical_or(other.isnan())))
jvp_formula("fmin")(_towards(lambda self, other: (self <= other).logical_or(other.isnan())))
jvp_formula("maximum")(_towards(_above))
jvp_formula("minimum")(_towards(lambda self, other: _above(-self, -other)))
