"""Normalization over a batch (torch: native/Normalization.cpp).

Note [Statistics]: mean and inverse standard deviation are computed first and passed to the kernel as arguments, since
they are not differentiable outputs: torch saves them (``_saved_result1``, ``_saved_result2``) and returns the rest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor, make, wrap
from ..._c10 import errors
from ..._c10.dtypes import is_half
from ..._c10.errors import expected_scalar_type, need_fitting
from ..._c10.layout import following
from ..._c10.operator_facts import composite
from ..._c10.shapes import wrap_dim
from ..kernels import need_floats
from ..registry import Array, OptionalArray, op
from ..scalar_operands import over, over_, plus, times, times_

PUBLIC = ("batch_norm",)


def check_kinds(input: Tensor, *parameters: Tensor | None) -> None:
    """Check that all dtypes are the same; for a half-precision input, parameters and statistics may all be float32.

    Raises:
        RuntimeError: the dtypes are mixed in any other way.
    """
    kind = input._array.dtype
    others = [each for each in parameters if each is not None]
    if not others:
        return
    if others[0]._array.dtype == kind:
        for each in others:
            if each._array.dtype != kind:
                raise expected_scalar_type(kind, each._array.dtype)
        return
    if any(each._array.dtype != np.float32 for each in others):
        raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")
    if not is_half(kind):
        raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")


def statistics_kind(input: Tensor, *parameters: Tensor | None) -> np.dtype[Any]:
    """The dtype of the statistics: that of the parameters, which may be float32 for a half-precision input."""
    given = next((each for each in parameters if each is not None), input)
    kind: np.dtype[Any] = given._array.dtype
    return kind


def _channels(values: Array, ndim: int) -> Array:
    """Reshape one value per channel so that it broadcasts against an input of ``ndim`` dimensions."""
    return values.reshape(1, -1, *(1,) * (ndim - 2))


def _others(ndim: int) -> tuple[int, ...]:
    """All dimensions except that of the channels."""
    return (0, *range(2, ndim))


# Over the batch -----------------------------------------------------------------------------------


def _batch_norm_backward(
    grad: Tensor, input: Tensor, weight: Any, running_mean: Any, running_var: Any, result1: Any, result2: Any,
    training: bool, eps: float, needed: Any,
) -> Any:  # fmt: skip
    return native_batch_norm_backward(
        grad, input, weight, running_mean, running_var, result1, result2, training, eps, tuple(needed)
    )


@op(
    "NativeBatchNormBackward0",
    name="native_batch_norm",
    tensors="running_mean running_var result1 result2",
    jvp="multilinear",
    tangent_writes="normalized",
    inputs={"input weight bias": _batch_norm_backward},
)
def _native_batch_norm(
    input: Array, weight: OptionalArray, bias: OptionalArray, running_mean: OptionalArray, running_var: OptionalArray,
    result1: OptionalArray, result2: OptionalArray, training: bool, eps: float,
) -> Array:  # fmt: skip
    kind = np.promote_types(input.dtype, np.float32)
    mean = (result1 if training else running_mean).astype(kind)
    invstd = result2.astype(kind) if training else 1 / np.sqrt(running_var.astype(kind) + kind.type(eps))
    gamma = np.ones_like(mean) if weight is None else weight.ravel().astype(kind)
    beta = np.zeros_like(mean) if bias is None else bias.ravel().astype(kind)
    values, ndim = input.astype(kind, copy=False), input.ndim
    centered = (values - _channels(mean, ndim)) * _channels(invstd, ndim)
    result = centered * _channels(gamma, ndim) + _channels(beta, ndim)
    return following(result.astype(input.dtype, copy=False), input)


def _wide(values: Tensor, ndim: int) -> Tensor:
    for _ in range(ndim - 2):
        values = values.unsqueeze(1)
    return values


def _total(each: Tensor, keepdim: bool = True) -> Tensor:
    """The sum over all dimensions except the channels, one dimension after the other."""
    each = each.sum(0, keepdim)
    for dim in range(each._array.ndim - 1, int(keepdim), -1):
        each = each.sum(dim, keepdim)
    return each


def plus_shift(grad: Tensor | None, shift: Tensor | None, given: Tensor | None) -> Tensor | None:
    """Add the bias's contribution ``shift`` to a gradient in place.

    Raises:
        RuntimeError: ``given`` is a tensor but ``shift`` is None: torch broadcasts it only where there is a weight.
    """
    if given is None or grad is None:
        return grad if given is None else shift
    if shift is None:
        raise RuntimeError(errors.UNDEFINED_ARGUMENT.format(1, "other"))
    return grad.add_(shift)


def _batch_norm_double_backward(
    grads: Any, grad_out: Tensor, input: Tensor, weight: Any, running_mean: Any, running_var: Any,
    save_mean: Any, save_invstd: Any, train: bool, eps: float, needed: Any,
) -> Any:  # fmt: skip
    """The gradients of grad_out, input and weight; the statistics have none.

    The steps are torch's (torch: FunctionsManual.cpp, batchnorm_double_backward), since higher derivatives expose them.
    """
    gg_input, gg_weight, gg_bias = grads
    ndim, shape = input._array.ndim, input._array.shape
    m = input._array.size // shape[1]
    one = make(np.ones((), input._array.dtype))
    gamma = one if weight is None else _wide(weight, ndim).expand(shape)
    spread = None if weight is None or gg_weight is None else _wide(gg_weight, ndim).expand(shape)
    shifted = None if weight is None or gg_bias is None else _wide(gg_bias, ndim).expand(shape)
    mean = save_mean.to(input.dtype) if train else running_mean
    centered = input - _wide(mean, ndim).unsqueeze(0)
    deviation = save_invstd.to(input.dtype) if train else plus(running_var, eps).pow(-0.5)
    invstd = _wide(deviation, ndim).unsqueeze(0)
    square, cube = invstd.pow(2), invstd.pow(3)
    cubed = centered * cube
    out_centered, out_total = _total(grad_out * centered), _total(grad_out)

    def first(each: Tensor, scale: Tensor) -> Tensor:
        """The gradient of the input."""
        h0 = over_(scale * invstd, m)
        h1 = times(each, m).sub_(_total(each))
        along = _total(each * centered)  # here and below: see Note [Right operands first]
        return h0 * h1.sub_(centered.mul(square) * along)

    g_input = g_weight = g_out = None
    if gg_input is not None and train:
        in_total, in_centered = _total(gg_input), _total(gg_input * centered)
        inner = over_(in_total * out_total, m).sub_(_total(grad_out * gg_input))
        inner = inner.add_(times_(square * out_centered * in_centered, 3.0 / m))
        result = over_(cubed * inner, m)
        right = over(out_total, m) - grad_out
        second = over_(in_centered * cube, m) * right
        right = over(in_total, m) - gg_input
        third = over_(out_centered * cube, m) * right
        g_input = gamma * result.add_(second).add_(third)
    if spread is not None:
        if train:
            term, second = grad_out * invstd, over_(invstd * out_total, -m)
            third = over_(cubed * _total(grad_out * centered), -m)
            term = spread * term.add_(second).add_(third)
        else:
            term = spread * invstd * grad_out
        g_input = term if g_input is None else g_input.add_(term)
    if weight is not None and gg_input is not None:
        along = gg_input * first(grad_out, one) if train else gg_input * grad_out * invstd
        g_weight = _total(along, False)
    if gg_input is not None:
        g_out = first(gg_input, gamma) if train else gg_input * invstd * gamma
    if spread is not None:
        term = spread * centered * invstd
        g_out = term if g_out is None else g_out.add_(term)
    g_out = plus_shift(g_out, shifted, gg_bias)
    return g_out, g_input, g_weight, None, None


@op(
    "NativeBatchNormBackwardBackward0",
    outputs="grad_input grad_weight grad_bias",
    tensors="running_mean running_var",
    inputs={"grad_out input weight save_mean save_invstd": _batch_norm_double_backward},
)
def native_batch_norm_backward(
    grad_out: Array, input: Array, weight: OptionalArray, running_mean: OptionalArray, running_var: OptionalArray,
    save_mean: OptionalArray, save_invstd: OptionalArray, train: bool, eps: float,
    output_mask: tuple[bool, ...],
) -> Any:  # fmt: skip
    """The gradients of input, weight and bias."""
    ndim, others = input.ndim, _others(input.ndim)
    count = input.size // input.shape[1]
    grads = grad_out.astype(np.float64)
    mean = (save_mean if train else running_mean).astype(np.float64)
    invstd = save_invstd.astype(np.float64) if train else 1 / np.sqrt(running_var.astype(np.float64) + eps)
    centered = input.astype(np.float64)
    centered -= _channels(mean, ndim)
    product, total = (grads * centered).sum(others), grads.sum(others)
    scale = invstd if weight is None else invstd * weight
    of_input = np.zeros(0)
    if output_mask[0]:
        if train:
            centered *= _channels(product * invstd * invstd / count, ndim)
            grads -= _channels(total / count, ndim)
            grads -= centered
        grads *= _channels(scale, ndim)
        of_input = following(grads.astype(input.dtype), input)
    kind = save_mean.dtype  # see statistics_kind
    sums = (product * invstd).astype(kind), total.astype(kind)
    asked = zip(sums, output_mask[1:], strict=True)
    return [of_input, *(each if needed else np.zeros(0, kind) for each, needed in asked)]


def _batch_statistics(
    array: Array, running_mean: Tensor | None, running_var: Tensor | None, momentum: float, eps: float,
    kind: np.dtype[Any],
) -> tuple[Array, Array]:  # fmt: skip
    """A batch's mean and inverse standard deviation; running statistics are updated without a version bump."""
    others = _others(array.ndim)
    count = array.size // array.shape[1]
    exact = array.astype(np.float64)
    mean = exact.mean(others)
    exact -= _channels(mean, array.ndim)
    squares = np.square(exact, out=exact).sum(others)
    if running_mean is not None:
        running_mean._array[...] = momentum * mean + (1 - momentum) * running_mean._array.astype(np.float64)
    if running_var is not None:
        unbiased = squares / (count - 1)
        running_var._array[...] = momentum * unbiased + (1 - momentum) * running_var._array.astype(np.float64)
    return mean.astype(kind), (1 / np.sqrt(squares / count + eps)).astype(kind)


@composite(vmap="decompose")
def batch_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None,
    running_var: Tensor | None, training: bool, momentum: float, eps: float, cudnn_enabled: bool,
) -> Tensor:  # fmt: skip
    """Normalize each channel to mean 0 and standard deviation 1, then scale and shift it."""
    array = input._array
    if not array.size:  # before any check
        out = input.clone()
        if weight is not None:
            out = out * weight.select(0, 0)
        return out if bias is None else out + bias.select(0, 0)
    _check_features(
        array, training, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias
    )
    return native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)[0]


def _check_features(array: Array, training: bool, **named: Tensor | None) -> None:
    features = array.shape[1] if array.ndim > 1 else 0
    for name, each in named.items():
        if each is not None and each._array.size != features:
            raise RuntimeError(f"{name} should contain {features} elements not {each._array.size}")
        if each is None and not training and name.startswith("running"):
            raise RuntimeError(f"{name} must be defined in evaluation mode")
        need_fitting(each is None or each._array.ndim == 1, "batch_norm")


def native_batch_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None,
    running_var: Tensor | None, training: bool, momentum: float, eps: float,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """batch_norm, with the batch's means and inverse standard deviations, which are empty in evaluation mode.

    Raises:
        RuntimeError: dtypes are mixed; a parameter does not have one element per channel, which torch does not check
            here (it reads out of bounds).
        NotImplementedError: the input is empty or has an integer dtype.
    """
    array = input._array
    wrap_dim(1, array.ndim)
    need_fitting(array.size, "native_batch_norm")
    _check_features(
        array, training, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias
    )
    need_fitting((running_mean is None) == (running_var is None), "batch_norm")
    need_floats("batch_norm", array)
    check_kinds(input, weight, bias, running_mean, running_var)
    kind = statistics_kind(input, weight, bias, running_mean, running_var)
    if training:
        statistics = _batch_statistics(array, running_mean, running_var, momentum, eps, kind)
    else:
        statistics = np.zeros(0, kind), np.zeros(0, kind)
    mean, invstd = (wrap(each) for each in statistics)
    result = _native_batch_norm(
        input, weight, bias, running_mean, running_var, mean, invstd, training, float(eps)
    )
    return result, mean, invstd
