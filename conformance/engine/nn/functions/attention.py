"""scaled_dot_product_attention: by torch's two ways of computing it on the CPU."""

from __future__ import annotations

import math
import warnings
from typing import Any, NoReturn

import numpy as np

from ...dtypes import c_name, float16, float32
from ...ops.dropout import dropout
from ...ops.scalars import times
from ...ops.softmax import _softmax_backward
from ...ops.undefined import unsupported
from ...rows import Array, op
from ...settings import attention
from ...shapes import strides
from ...tensor import Tensor, make

Mask = Array | None


@op(
    "SafeSoftmaxBackward0",
    name="_safe_softmax",
    self=lambda grad, result, dim: _softmax_backward(grad, result, dim),
)
def _safe_softmax(self: Array, dim: int) -> Array:
    """softmax, and zeros where everything is masked."""
    highest = np.max(self, axis=dim, keepdims=True, initial=-np.inf)
    weights = np.exp(self - np.where(np.isinf(highest), 0, highest))
    total = weights.sum(dim, keepdims=True)
    return np.divide(weights, total, out=np.zeros_like(weights), where=total != 0)


# Half precision is computed in single precision; what is multiplied by a matrix is rounded first.
def _accumulated(*arrays: Array) -> tuple[Array, ...]:
    return tuple(each.astype(np.float32) if each.dtype == np.float16 else each for each in arrays)


def _rounded(array: Array, kind: np.dtype[Any]) -> Array:
    return array.astype(kind, copy=False).astype(array.dtype, copy=False)


_NO_SECOND = unsupported("_scaled_dot_product_flash_attention_for_cpu_backward")


def _weights(query: Array, key: Array, mask: Mask, scale: float) -> Array:
    scores = query @ np.swapaxes(key, -1, -2) * query.dtype.type(scale)
    return _safe_softmax(make(scores if mask is None else scores + mask), -1)._array


def _by_length(array: Array) -> Array:
    """A gradient (batch, heads, length, features) in memory as torch makes it: (batch, length, heads, features)."""
    batch, heads, length, features = array.shape
    found = np.empty_like(np.empty((batch, length, heads, features), array.dtype).swapaxes(1, 2))
    found[...] = array
    return found


@op(
    "NotImplemented",
    name="_flash_attention_backward",
    outputs="grad_query grad_key grad_value",
    grad_output=_NO_SECOND,
    query=_NO_SECOND,
    key=_NO_SECOND,
    value=_NO_SECOND,
    attended=_NO_SECOND,
)
def _flash_backward(
    grad_output: Array, query: Array, key: Array, value: Array, attended: Array, mask: Mask, scale: float
) -> tuple[Array, ...]:
    kind = query.dtype
    grad_output, query, key, value = _accumulated(grad_output, query, key, value)
    weights = _weights(query, key, mask, scale)
    of_weights = grad_output @ np.swapaxes(value, -1, -2)
    weighed = (grad_output * _rounded(weights @ value, kind)).sum(-1, keepdims=True)
    of_scores = _rounded(weights * (of_weights - weighed), kind)
    factor = query.dtype.type(scale)
    found = (
        of_scores @ key * factor,
        np.swapaxes(of_scores, -1, -2) @ query * factor,
        np.swapaxes(_rounded(weights, kind), -1, -2) @ grad_output,
    )
    return tuple(_by_length(each.astype(kind, copy=False)) for each in found)


@op(
    "ScaledDotProductFlashAttentionForCpuBackward0",
    name="_flash_attention",
    inputs={
        "query key value": lambda grad, query, key, value, result, _mask, scale: tuple(
            _flash_backward(grad, query, key, value, result, _mask, scale)
        )
    },
)
def _flash(query: Array, key: Array, value: Array, _mask: Mask, scale: float) -> Array:
    found = np.empty_like(query)  # laid out as it is
    query, key, value = _accumulated(query, key, value)
    return np.matmul(_weights(query, key, _mask, scale), value, out=found, casting="same_kind")


def _added(query: Tensor, key: Tensor, attn_mask: Tensor | None, is_causal: bool) -> Tensor | None:
    """What is added to the scores: minus infinity where they do not count."""
    if is_causal:
        if attn_mask is not None:
            raise RuntimeError(
                "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True"
            )
        shape = (query._array.shape[-2], key._array.shape[-2])
        attn_mask = make(np.tril(np.ones(shape, np.bool_)))
    if attn_mask is None or attn_mask._array.dtype.kind != "b":
        return attn_mask
    return make(np.where(attn_mask._array, 0, -np.inf).astype(query._array.dtype))


def _check_mask(query: Tensor, attn_mask: Tensor) -> None:
    if attn_mask._array.dtype.kind != "b" and attn_mask.dtype not in (query.dtype, float32):
        mask, kind = (c_name(each._array.dtype) for each in (attn_mask, query))
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{mask} and  query.dtype: {kind} instead."
        )


def _refuse(query: Tensor, key: Tensor, value: Tensor, dropout_p: float) -> NoReturn:
    """Tell why flash attention, if it is enabled, does not compute what nothing else may."""
    if not attention["FLASH_ATTENTION"]:
        raise RuntimeError(
            "No viable backend for scaled_dot_product_attention was found. This is likely due to turning off both the math "
            "kernel and the fused kernels."
        )
    warnings.warn("Flash attention kernel not used because:", stacklevel=4)
    inputs = {"Query": query, "Key": key, "Value": value}
    dims = [f"{name} dim: {each.dim()}" for name, each in inputs.items()]
    sizes = [f"{name}.size(-1): {each._array.shape[-1]}" for name, each in inputs.items()]
    if dropout_p:
        warnings.warn("Both fused kernels do not support non-zero dropout.", stacklevel=4)
    elif any(each.dim() != 4 for each in inputs.values()):
        warnings.warn(
            f"All fused kernels requires query, key and value to be 4 dimensional, but got {', '.join(dims)} instead.",
            stacklevel=4,
        )
    elif len({each._array.shape[-1] for each in inputs.values()}) > 1:
        warnings.warn(
            f"Flash attention requires q,k,v to have the same last dimension. Got {', '.join(sizes)} instead.",
            stacklevel=4,
        )
    raise RuntimeError("No available kernel.  Aborting execution.")


def _check_inputs(*inputs: Tensor) -> None:
    names = ("query", "key", "value")
    if len({each.dtype for each in inputs}) > 1:
        q, k, v = (
            f"{name}.dtype: {c_name(each._array.dtype)}" for name, each in zip(names, inputs, strict=True)
        )
        raise RuntimeError(
            f"Expected query, key, and value to have the same dtype, but got {q} {k} and {v} instead."
        )
    if any(each._array.ndim < 2 for each in inputs):
        q, k, v = (f"{name}.dim: {each._array.ndim}" for name, each in zip(names, inputs, strict=True))
        raise RuntimeError(
            f"Expected query, key, and value to all be  at least 2 dimensional, but got {q} {k} and {v} instead."
        )
    if not (inputs[0].is_floating_point() or inputs[0].is_complex()):
        if all(each._array.ndim == 2 for each in inputs):
            kind = c_name(inputs[0]._array.dtype)
            raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: float != {kind}")
        raise RuntimeError(f"expected scalar type Float but found {inputs[0].dtype.legacy}")


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """F.scaled_dot_product_attention: softmax(query keyᵀ scale + mask) value; of shapes (..., length, features).

    Raises:
        RuntimeError: a mask beside is_causal; or no kernel that may be used.
        NotImplementedError: enable_gqa.
    """
    if enable_gqa:
        raise NotImplementedError("torch.nn.functional.scaled_dot_product_attention with enable_gqa")
    _check_inputs(query, key, value)
    if attn_mask is not None:
        _check_mask(query, attn_mask)
    mask = _added(query, key, attn_mask, is_causal)
    factor = 1 / math.sqrt(query._array.shape[-1]) if scale is None else scale
    arrays = (query._array, key._array, value._array)
    together = all(a.ndim == 4 and a.shape[:2] == arrays[0].shape[:2] and a.size for a in arrays)
    same_features = len({a.shape[-1] for a in arrays}) == 1 and all(strides(a)[-1] == 1 for a in arrays)
    if (
        attention["FLASH_ATTENTION"]
        and query.is_floating_point()
        and together
        and same_features
        and not dropout_p
        and not (mask is not None and mask.requires_grad)
    ):
        return _flash(query, key, value, None if mask is None else mask._array, factor)
    if not attention["MATH"]:
        _refuse(query, key, value, dropout_p)
    kind = query.dtype
    if kind is float16:
        query, key, value = (each.to(float32) for each in (query, key, value))
    root = math.sqrt(abs(factor))
    scores = times(query, -root if factor < 0 else root).matmul(times(key.transpose(-2, -1), root))
    weights = _safe_softmax(scores if mask is None else scores + mask, -1)
    if dropout_p:
        weights = dropout(weights, dropout_p, True)
    return weights.matmul(value).to(kind)
