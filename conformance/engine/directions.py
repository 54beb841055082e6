"""How tangents pass through single operations where that is simpler than Note [Jacobian-vector products from derivatives].

torch's derivatives.yaml knows the same three kinds: "auto_linear", the product rule, and "auto_element_wise".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from .tensor import Tensor

Arguments = dict[str, Any]

# The operation itself, applied to the tangents (of all its inputs at once) as it was to the inputs.
LINEAR = frozenset(
    [
        "_adaptive_avg_pool2d",
        "_adaptive_avg_pool3d",
        "_fft_c2c",
        "_fft_c2r",
        "_fft_r2c",
        "_in_order",
        "_test_autograd_multiple_dispatch",
        "_to_copy",
        "_unsafe_view",
        "_upsample_bicubic2d_aa",
        "_upsample_bilinear2d_aa",
        "_upsample_lanczos2d_aa",
        "add",
        "alias_copy",
        "as_strided_copy",
        "as_strided_scatter",
        "avg_pool2d",
        "avg_pool3d",
        "block_diag",
        "cat",
        "channel_shuffle",
        "clone",
        "col2im",
        "cumsum",
        "diag_embed",
        "diagonal_backward",
        "diagonal_copy",
        "diagonal_scatter",
        "embedding",
        "embedding_dense_backward",
        "expand_copy",
        "flip",
        "gather",
        "im2col",
        "index",
        "index_add",
        "index_copy",
        "index_select",
        "masked_scatter",
        "masked_select",
        "max_unpool2d",
        "max_unpool3d",
        "mean",
        "mean_dim",
        "narrow_copy",
        "permute_copy",
        "pixel_shuffle",
        "pixel_unshuffle",
        "reflection_pad1d",
        "reflection_pad2d",
        "reflection_pad3d",
        "repeat",
        "replication_pad1d",
        "replication_pad2d",
        "replication_pad3d",
        "roll",
        "rot90",
        "rsub_tensor",
        "scatter",
        "scatter_add",
        "select_backward",
        "select_copy",
        "select_scatter",
        "slice_backward",
        "slice_copy",
        "slice_scatter",
        "squeeze_copy",
        "squeeze_dim_copy",
        "squeeze_dims_copy",
        "stack",
        "sub",
        "sum",
        "sum_dim",
        "t_copy",
        "take",
        "trace",
        "transpose_copy",
        "tril",
        "triu",
        "unfold_backward",
        "unfold_copy",
        "unsafe_split",
        "unsafe_split_with_sizes",
        "unsqueeze_copy",
        "upsample_bicubic2d",
        "upsample_bilinear2d",
        "upsample_linear1d",
        "upsample_nearest1d",
        "upsample_nearest2d",
        "upsample_nearest3d",
        "upsample_trilinear3d",
        "view_copy",
        "where",
    ]
)

# The sum, over the inputs that have a tangent, of the operation with that in the input's place.
BILINEAR = frozenset(["bmm", "dot", "linalg_cross", "mm", "mul", "mv", "vdot"])

# The formula of the gradient, applied to the tangent instead.
ELEMENTWISE = frozenset(
    [
        "abs",
        "acos",
        "acosh",
        "asin",
        "asinh",
        "atan",
        "atan2",
        "atanh",
        "ceil",
        "celu",
        "clamp",
        "clamp_max",
        "clamp_max_tensor",
        "clamp_min",
        "clamp_min_tensor",
        "clamp_tensors",
        "cos",
        "cosh",
        "deg2rad",
        "digamma",
        "div",
        "div_scalar",
        "elu",
        "erf",
        "erfc",
        "erfinv",
        "exp",
        "exp2",
        "expm1",
        "floor",
        "fmod",
        "gelu",
        "hardshrink",
        "hardsigmoid",
        "hardswish",
        "hardtanh",
        "hypot",
        "i0",
        "leaky_relu",
        "lgamma",
        "log",
        "log10",
        "log1p",
        "log2",
        "logaddexp",
        "logaddexp2",
        "logit",
        "maximum",
        "minimum",
        "mish",
        "mul_scalar",
        "nan_to_num",
        "neg",
        "pow",
        "pow_of_number",
        "pow_tensor",
        "rad2deg",
        "reciprocal",
        "relu",
        "remainder",
        "round",
        "rsqrt",
        "sigmoid",
        "sign",
        "silu",
        "sin",
        "sinc",
        "sinh",
        "softplus",
        "softshrink",
        "special_entr",
        "special_erfcx",
        "special_i0e",
        "special_i1",
        "special_i1e",
        "special_log_ndtr",
        "special_ndtri",
        "sqrt",
        "tan",
        "tanh",
        "threshold",
        "trunc",
        "xlogy",
        "xlogy_of_number",
        "xlogy_tensors",
    ]
)

# Linear in each input but those that are normalized or solved with: finite where a tangent is 0.
MULTILINEAR = frozenset(
    [
        "_linalg_solve_ex",
        "_prelu_kernel",
        "addbmm",
        "addcmul",
        "addmm",
        "addmv",
        "addr",
        "baddbmm",
        "convolution",
        "native_batch_norm",
        "native_group_norm",
        "native_layer_norm",
        "trilinear",
    ]
)


def _writes_reduced(given: Arguments) -> int:
    return int(given["reduction"] != 0)


def _writes_normalized(given: Arguments) -> int:
    if any(isinstance(given[name], Tensor) and given[name]._tangents for name in ("weight", "bias")):
        return 3
    return 2 if given["weight"] is None else 1


def _writes_norm(given: Arguments) -> int:
    return 2 if given["p"] == 2 else int(1 < given["p"] < math.inf)


# How often torch's own formula of forward mode writes to the tangent that it makes.
WRITES: dict[str, Callable[[Arguments], int]] = {
    **dict.fromkeys(("mse_loss", "smooth_l1_loss", "soft_margin_loss"), _writes_reduced),
    **dict.fromkeys(("native_layer_norm", "native_group_norm"), _writes_normalized),
    "native_batch_norm": lambda given: _writes_normalized(given) if given["training"] else 0,
    **dict.fromkeys(
        [
            "addcdiv",
            "addcmul",
            "addr",
            "cumprod",
            "fmod_tensor",
            "huber_loss",
            "index_fill_tensor",
            "index_put",
            "lerp",
            "lerp_tensor",
            "masked_fill_tensor",
            "put",
            "remainder_tensor",
            "renorm",
            "trilinear",
        ],
        lambda given: 0,
    ),
    **dict.fromkeys(("dist", "norm_along"), _writes_norm),
    **dict.fromkeys(("linalg_matrix_exp", "sgn", "std"), lambda given: 1),
}

# Of these, what torch computes otherwise: a level of torch.func is no plain tensor to it, and losses of batches are composed.
WRITTEN_BY_DUALS = frozenset(["native_batch_norm", "native_group_norm", "native_layer_norm"])
WRITTEN_BY_SINGLES = frozenset(["mse_loss", "smooth_l1_loss", "soft_margin_loss"])

# What torch has no forward mode of, under the name that its error has.
UNSUPPORTED = {
    "_cdist_forward": "_cdist_forward",
    "_ctc_loss": "_ctc_loss",
    "_embedding_bag": "_embedding_bag",
    "_euclidean_dist": "_euclidean_dist",
    "_flash_attention": "_scaled_dot_product_flash_attention_for_cpu",
    "_pdist_forward": "_pdist_forward",
    "_masked_softmax": "_masked_softmax",
    "_standard_gamma": "_standard_gamma",
    "_test_autograd_multiple_dispatch_view": "_test_autograd_multiple_dispatch_view",
    "_test_autograd_multiple_dispatch_view_copy": "_test_autograd_multiple_dispatch_view_copy",
    "_unique2": "_unique2",
    "_weight_norm_interface": "_weight_norm_interface",
    "unique_consecutive": "unique_consecutive",
    "_unique_dim": "unique_dim",
    "_unique_dim_consecutive": "unique_dim_consecutive",
    "cholesky": "cholesky",
    "conv_tbc": "conv_tbc",
    "geqrf": "geqrf",
    "grid_sampler_2d": "grid_sampler_2d",
    "grid_sampler_3d": "grid_sampler_3d",
    "igamma": "igamma",
    "igammac": "igammac",
    "index_reduce": "index_reduce",
    "mkldnn_rnn_layer": "mkldnn_rnn_layer",
    "multi_margin_loss": "multi_margin_loss",
    "multilabel_margin_loss_forward": "multilabel_margin_loss_forward",
    "ormqr": "ormqr",
    "segment_reduce": "segment_reduce",
    "soft_margin_loss_backward": "soft_margin_loss_backward",
    "special_zeta": "special_zeta",
    "special_zeta_of_number": "special_zeta",
    "special_zeta_with_number": "special_zeta",
}
UNSUPPORTED_IN_PLACE = frozenset(["acosh_", "asinh_", "atanh_", "embedding_renorm"])  # rows of their own
KERNELS = frozenset(
    ["logit_backward", "mish_backward", "silu_backward"]
)  # of first derivatives, which have none


def _cholesky(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
    """dL = L * phi(inv(L) dA inv(L)^T), where phi is the lower triangle with half the diagonal."""
    from .linalg import solve_triangular

    factor, change = results[0], tangents["self"]
    upper = arguments.get("upper", False)
    lower = factor.mH if upper else factor
    inner = solve_triangular(lower, solve_triangular(lower, change, upper=False).mH, upper=False).mH
    inner = inner.tril()
    inner = inner - inner.diagonal(0, -2, -1).diag_embed() * 0.5
    found = lower @ inner
    return [found.mH if upper else found, *[None] * (len(results) - 1)]


_EPS = 1e-13  # torch's, lest anything be divided by 0


def _logcumsumexp(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
    """A running mean of the tangents, weighted by the exponentials; the derivative's formula takes logarithms."""
    self, dim = arguments["self"], arguments["dim"]
    if not self._array.size:
        return [tangents["self"]]
    weights = self.exp() if self.is_complex() else (self - self.detach().amax(dim, keepdim=True)).exp()
    return [(tangents["self"] * weights).cumsum(dim).div_(weights.cumsum(dim) + _EPS)]


def _logsumexp_change(self: Tensor, change: Tensor, dim: Any, keepdim: bool) -> Tensor:
    """torch's logsumexp_jvp: a mean of the tangents, weighted by the exponentials, which are overwritten.

    So a derivative of the tangent by what is differentiated is refused; not where torch.func or vmap wraps tensors.
    """
    from .batching import BatchedTensor
    from .tangents import levels

    size = self.real if self.is_complex() else self
    shifted = self - size.amax(dim, True) if self._array.size else self
    weights = shifted.exp()
    total = weights.sum(dim, keepdim)
    wrapped = any(level.of_func for level in levels) or change.__class__ is BatchedTensor
    products = weights * change if wrapped else weights.mul_(change)
    return products.sum(dim, keepdim).div_(total)


def _logsumexp(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
    return [_logsumexp_change(arguments["self"], tangents["self"], arguments["dim"], arguments["keepdim"])]


def _log_softmax(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
    change = tangents["self"]
    return [change - _logsumexp_change(arguments["self"], change, arguments["dim"], True)]


def _softmax(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
    return [results[0] * _log_softmax(arguments, tangents, results)[0]]


def _cholesky_inverse(
    arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]
) -> list[Any]:
    """torch's product of inverse, change, inverse and factor, which is no derivative: two of them are exchanged."""
    factor, change, inverse = arguments["self"], tangents["self"], results[0]
    lower, of_lower = (factor, change.mH) if arguments["upper"] else (factor.mH, change)
    found = -inverse @ of_lower @ inverse @ lower
    return [found + found.mH]


def _triangular_solve(
    arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]
) -> list[Any]:
    """All of the matrix's change counts for torch, as it stands, whichever triangle is read and however."""
    from .ops.linear_algebra import triangular_solve

    given = {name: arguments[name] for name in ("upper", "transpose", "unitriangular")}
    side = tangents.get("self")
    if "A" in tangents:
        product = tangents["A"] @ results[0]
        side = -product if side is None else side - product
    return [triangular_solve(side, arguments["A"], **given)[0], tangents.get("A")]


def _vector_norm(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
    """torch's norm_jvp: the derivative's formula times the tangent, divided where the norm is not 0."""
    from .ops.norms import norm_backward

    self, norm, change = arguments["self"], results[0], tangents["self"]
    if arguments["dtype"] is not None:
        self, change = self.to(arguments["dtype"]), change.to(arguments["dtype"])
    order, dim, keepdim = arguments["ord"], arguments["dim"], arguments["keepdim"]

    def along(slope: Tensor) -> Any:
        products = (slope.conj() * change).real if self.is_complex() else slope * change
        return products.sum(dim or [*range(self.dim())], keepdim)

    if order == 2:
        return [along(self).div_(norm).masked_fill_(norm == 0, 0)]
    if 1 < order < math.inf:
        size = self.abs()
        scaled = self.sgn() * size.pow(order - 1) if order < 2 else self * size.pow(order - 2)
        return [(along(scaled) / norm.pow(order - 1)).masked_fill_(norm == 0, 0)]
    slope = norm_backward(norm.new_ones(norm.size()), self, order, norm, dim or (), keepdim)
    return [norm.new_zeros(norm.size()) if slope is None else along(slope)]


def _polar(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
    """By the product rule; the derivative's formula knows no direction where the absolute value is 0."""
    found = [] if "abs" not in tangents else [_times_direction(tangents["abs"], arguments["angle"])]
    if "angle" in tangents:
        found.append(tangents["angle"] * results[0] * 1j)
    return [found[0] if len(found) == 1 else found[0] + found[1]]


def _times_direction(size: Tensor, angle: Tensor) -> Tensor:
    from .ops.parts import complex

    return complex(size * angle.cos(), size * angle.sin())


def _binary_cross_entropy(
    arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]
) -> list[Any]:
    """By the kernel of the derivative, which bounds what it divides by; the second derivative's formula adds to it."""
    from .ops.entropy import binary_cross_entropy_backward
    from .ops.loss import MEAN, NONE
    from .views import increment_version

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
    found = each.mean() if arguments["reduction"] == MEAN else each.sum()
    increment_version(found)  # torch writes it into new memory
    return [found]


def _convolution_backward(
    arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]
) -> list[Any]:
    """The product rule: the input's gradient does not hang on the input, nor the weight's on the weight."""
    from .forward import zeros_beside
    from .ops.convolution import convolution_backward

    def changed(number: int, other: str) -> Any:
        wanted = [k == number for k in range(3)]
        given = zeros_beside(arguments, tangents, (other, "grad_output"))  # see Note [Absent tangents]
        terms = [
            convolution_backward(**{**arguments, name: given[name], "output_mask": wanted})[number]
            for name in (other, "grad_output")
            if name in given
        ]
        return terms[0] + terms[1] if terms[1:] else terms[0]

    asked = [number for number in range(3) if arguments["output_mask"][number]]
    found: list[Any] = [None, None, None]
    for number in asked:
        if number < 2 and tangents.keys() & {"grad_output", ("weight", "input")[number]}:
            found[number] = changed(number, ("weight", "input")[number])
        elif number == 2 and "grad_output" in tangents:
            grad = tangents["grad_output"]
            found[2] = grad.sum((0, *range(2, grad.dim())))
    return found


def _total(terms: Iterable[Tensor | None]) -> list[Any]:
    """The sum of those that there are."""
    first, *others = (each for each in terms if each is not None)
    for each in others:
        first = first + each
    return [first]


def _mul(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
    """The product rule, in torch's order."""
    of_self, of_other = tangents.get("self"), _of_number(arguments, tangents)
    terms = (
        None if of_other is None else of_other * arguments["self"],
        None if of_self is None else of_self * arguments["other"],
    )
    return _total(terms)


def _of_number(arguments: dict[str, Any], tangents: dict[str, Any]) -> Any:
    """The tangent of the second operand; a number beside a tensor has one, see Note [Absent tangents]."""
    from .tensor import make
    from .zero_tensor import zeros

    self, other = arguments["self"], arguments["other"]
    graph = any(isinstance(each, Tensor) and each.requires_grad for each in (self, tangents.get("self")))
    if isinstance(other, Tensor) or not graph:
        return tangents.get("other")
    return make(zeros((), self._array.dtype))


def _div(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
    """The quotient rule, by the quotient."""
    of_self, of_other = tangents.get("self"), _of_number(arguments, tangents)
    if of_other is None:
        return [of_self / arguments["other"]]
    lost = of_other * results[0]
    return [(-lost if of_self is None else of_self - lost) / arguments["other"]]


def _towards(share: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., list[Any]]:
    """The rule of what takes one operand or the other: ``other`` and a share of how far ``self`` is from it."""

    def tangent(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
        weight = share(arguments["self"], arguments["other"]).to(results[0].dtype)
        of_self, of_other = tangents.get("self"), tangents.get("other")
        if of_other is None:
            return [weight * of_self]
        return [of_other + weight * (-of_other if of_self is None else of_self - of_other)]

    return tangent


def _above(self: Tensor, other: Tensor) -> Tensor:
    """1 where self is the greater, a half where they are equal."""
    return ((self > other).to(self.dtype) + (self >= other)) * 0.5


def _clamp(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
    """torch's clamp_jvp: of one bound the tangent counts where self is as great, of two it does not."""
    from .ops.selection import where

    self, low, high = arguments["self"], arguments["min"], arguments["max"]
    of_self, of_low, of_high = (tangents.get(name, 0.0) for name in ("self", "min", "max"))
    if high is None:
        return [where(self > low, of_self, of_low)]
    if low is None:
        return [where(self < high, of_self, of_high)]
    inside = where(self < low, of_low, where(self > high, of_high, of_self))
    return [where(low > high, of_high, inside)]


def _atan2(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
    """nan at the origin, where the derivative is 0."""
    self, other = arguments["self"], arguments["other"]
    terms = [-self * tangents["other"]] if "other" in tangents else []
    terms += [other * tangents["self"]] if "self" in tangents else []
    return [_total(terms)[0] / (self.pow(2) + other.pow(2))]


def _copysign(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
    """Nothing comes from the operand that gives the sign."""
    from .ops.binary import _copysign_backward

    change = tangents.get("self")
    return [None if change is None else _copysign_backward(change, arguments["self"], results[0])]


def _std(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
    """The variance's tangent, divided where the deviation is not 0."""
    from .ops.moments import variance_backward

    self, dim, keepdim = arguments["self"], arguments["dim"], arguments["keepdim"]
    slopes = variance_backward(tangents["self"].conj(), self, dim, arguments["correction"], True)
    change, deviation = slopes.sum(dim or [*range(self.dim())], keepdim), results[0]
    change = change.real if change.is_complex() else change
    return [(change / (2.0 * deviation)).masked_fill_(deviation == 0, 0)]


def _std_mean(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
    mean = tangents["self"].mean(arguments["dim"], arguments["keepdim"])
    return [*_std(arguments, tangents, results), mean]


def _added_product(multiply: str, first: str, second: str) -> Callable[..., list[Any]]:
    """The rule of ``beta * self + alpha * first @ second``, of matrices, of batches or of a matrix and a vector."""

    def tangent(arguments: dict[str, Any], tangents: dict[str, Any], results: list[Tensor]) -> list[Any]:
        from .ops.scalars import maybe_times

        terms = [maybe_times(tangents["self"], arguments["beta"]) if "self" in tangents else None]
        for name in (first, second):
            if name in tangents:
                left, right = ({**arguments, name: tangents[name]}[each] for each in (first, second))
                terms.append(maybe_times(getattr(left, multiply)(right), arguments["alpha"]))
        return _total(terms)

    return tangent


OF_THEIR_OWN: dict[str, Callable[..., list[Any]]] = {
    "addmm": _added_product("mm", "mat1", "mat2"),
    "addmv": _added_product("mv", "mat", "vec"),
    "baddbmm": _added_product("bmm", "batch1", "batch2"),
    "atan2": _atan2,
    "clamp_tensors": _clamp,
    "copysign_tensor": _copysign,
    "div": _div,
    "fmax": _towards(lambda self, other: (self > other).logical_or(other.isnan())),
    "fmin": _towards(lambda self, other: (self <= other).logical_or(other.isnan())),
    "maximum": _towards(_above),
    "minimum": _towards(lambda self, other: _above(-self, -other)),
    "std": _std,
    "std_mean": _std_mean,
    "mul": _mul,
    "_log_softmax": _log_softmax,
    "_softmax": _softmax,
    "binary_cross_entropy": _binary_cross_entropy,
    "cholesky_inverse": _cholesky_inverse,
    "convolution_backward": _convolution_backward,
    "linalg_cholesky_ex": _cholesky,
    "linalg_vector_norm": _vector_norm,
    "logcumsumexp": _logcumsumexp,
    "logsumexp": _logsumexp,
    "polar": _polar,
    "triangular_solve": _triangular_solve,
}
