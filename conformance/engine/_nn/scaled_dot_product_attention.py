"""scaled_dot_product_attention, with torch's two CPU backends: flash attention and math."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from .._aten.nn.softmax import _softmax_backward
from .._aten.random.dropout import dropout
from .._aten.registry import Array, op
from .._aten.scalar_operands import times
from .._autograd.tensor import Tensor, make
from .._autograd.undefined_gradient import unsupported
from .._c10.context import attention
from .._c10.dtypes import complex128, float32, is_half
from .._c10.errors import need_fitting
from .._c10.operator_facts import composite, without_defaults
from .._c10.shapes import strides
from .._c10.warn_once import warn_program

Mask = Array | None


@op(
    "SafeSoftmaxBackward0",
    name="_safe_softmax",
    no_complex="softmax_lastdim_kernel_impl",
    vmap="along_dim",
    self=lambda grad, result, dim: _softmax_backward(grad, result, dim),
)
def _safe_softmax(self: Array, dim: int, dtype: Any = None) -> Array:
    """softmax with zeros in rows that are masked completely."""
    if dtype is not None:
        self = self.astype(dtype.numpy)
    highest = np.max(self, axis=dim, keepdims=True, initial=-np.inf)
    weights = np.exp(self - np.where(np.isinf(highest), 0, highest))
    total = weights.sum(dim, keepdims=True)
    return np.divide(weights, total, out=np.zeros_like(weights), where=total != 0)


# Half precision is computed in single precision; operands of a matmul are rounded first.
def _accumulated(*arrays: Array) -> tuple[Array, ...]:
    return tuple(each.astype(np.float32) if is_half(each.dtype) else each for each in arrays)


def _rounded(array: Array, kind: np.dtype[Any]) -> Array:
    return array.astype(kind, copy=False).astype(array.dtype, copy=False)


_NO_DOUBLE_BACKWARD = unsupported("_scaled_dot_product_flash_attention_for_cpu_backward")


def _scores(query: Array, key: Array, mask: Mask, is_causal: bool, scale: float | None) -> Array:
    """The scaled scores of queries and keys, minus infinity where they are masked."""
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    found: Array = query @ np.swapaxes(key, -1, -2) * query.dtype.type(factor)
    if is_causal:
        found = found + _causal(query.shape[-2], key.shape[-2], query.dtype)
    return found if mask is None else (found + mask).astype(query.dtype, copy=False)


def _causal(queries: int, keys: int, kind: np.dtype[Any]) -> Array:
    return np.where(np.tril(np.ones((queries, keys), np.bool_)), 0, -np.inf).astype(kind)


def _weights(scores: Array) -> Array:
    return _safe_softmax(make(scores), -1)._array


def _length_major(array: Array) -> Array:
    """A copy of (batch, heads, length, ...) with torch's strides: contiguous as (batch, length, heads, ...)."""
    batch, heads, length, *rest = array.shape
    found = np.empty((batch, length, heads, *rest), array.dtype).swapaxes(1, 2)
    found[...] = array
    return found


def _repeated_heads(heads: int, *arrays: Array) -> tuple[Array, ...]:
    """Repeat keys or values so that each query head has its own (grouped-query attention)."""
    return tuple(
        each if each.shape[1] == heads else np.repeat(each, heads // each.shape[1], 1) for each in arrays
    )


@op(
    "NotImplemented",
    name="_flash_attention_backward",
    operator="_scaled_dot_product_flash_attention_for_cpu_backward",
    vmap="fallback",
    outputs="grad_query grad_key grad_value",
    tensors="attn_mask",
    grad_output=_NO_DOUBLE_BACKWARD,
    query=_NO_DOUBLE_BACKWARD,
    key=_NO_DOUBLE_BACKWARD,
    value=_NO_DOUBLE_BACKWARD,
    attended=_NO_DOUBLE_BACKWARD,
)
def _flash_backward(
    grad_output: Array, query: Array, key: Array, value: Array, attended: Array, is_causal: bool,
    attn_mask: Mask = None, scale: float | None = None,
) -> tuple[Array, ...]:  # fmt: skip
    kind, (batch, groups, length, features) = query.dtype, key.shape
    grad_output, query, key, value = _accumulated(grad_output, query, key, value)
    key, value = _repeated_heads(query.shape[1], key, value)
    weights = _weights(_scores(query, key, attn_mask, is_causal, scale))
    of_weights = grad_output @ np.swapaxes(value, -1, -2)
    weighed = (grad_output * _rounded(weights @ value, kind)).sum(-1, keepdims=True)
    of_scores = _rounded(weights * (of_weights - weighed), kind)
    factor = query.dtype.type(1 / math.sqrt(features) if scale is None else scale)
    of_keys = np.swapaxes(of_scores, -1, -2) @ query * factor
    of_values = np.swapaxes(_rounded(weights, kind), -1, -2) @ grad_output
    shared = (batch, groups, -1, length, features)  # by the query heads of a group
    of_keys, of_values = of_keys.reshape(shared).sum(2), of_values.reshape(shared).sum(2)
    found = (of_scores @ key * factor, of_keys, of_values)
    return tuple(_length_major(each.astype(kind, copy=False)) for each in found)


@op(
    "ScaledDotProductFlashAttentionForCpuBackward0",
    name="_flash_attention",
    outputs="output logsumexp",
    constants="logsumexp",
    tensors="attn_mask",
    jvp="not_implemented",
    operator="_scaled_dot_product_flash_attention_for_cpu",
    vmap="fallback",
    schema_args=lambda query, key, value, dropout_p, is_causal, attn_mask=None, scale=None: (
        (query, key, value, *without_defaults((0.0, False), (dropout_p, is_causal))),
        {name: given for name, given in (("attn_mask", attn_mask), ("scale", scale)) if given is not None},
    ),
    inputs={
        "query key value": lambda grads, query, key, value, output, logsumexp, dropout_p, is_causal, attn_mask, scale: (
            tuple(_flash_backward(grads[0], query, key, value, output, is_causal, attn_mask, scale))
        )
    },
)
def _flash(
    query: Array, key: Array, value: Array, dropout_p: float, is_causal: bool, attn_mask: Mask = None,
    scale: float | None = None,
) -> tuple[Array, Array]:  # fmt: skip
    need_fitting(not dropout_p, "scaled_dot_product_attention")  # a negative one
    found = np.empty_like(query)  # with the query's strides
    query, key, value = _accumulated(query, key, value)
    key, value = _repeated_heads(query.shape[1], key, value)
    scores = _scores(query, key, attn_mask, is_causal, scale)
    np.matmul(_weights(scores), value, out=found, casting="same_kind")
    highest = scores.max(-1)
    highest[np.isneginf(highest)] = 0  # rows that are masked completely
    total = np.exp(scores - highest[..., None]).sum(-1)
    return found, _length_major(highest + np.log(np.where(total, total, 1)))


def _additive_mask(query: Tensor, attn_mask: Tensor | None) -> Tensor | None:
    """A mask in additive form: a bool mask becomes minus infinity where it is False."""
    if attn_mask is None or attn_mask._array.dtype.kind != "b":
        return attn_mask
    return make(np.where(attn_mask._array, 0, -np.inf).astype(query._array.dtype))


def _refuse_backends(reason: str | None) -> NoReturn:
    """Raise an error, with warnings why flash attention is not usable, since no backend is left."""
    if not attention["FLASH_ATTENTION"]:
        raise RuntimeError(
            "No viable backend for scaled_dot_product_attention was found. This is likely due to turning off both the "
            "math kernel and the fused kernels."
        )
    warn_program("Flash attention kernel not used because:")
    if reason:
        warn_program(reason)
    raise RuntimeError("No available kernel.  Aborting execution.")


_MASKS = (
    "Please use the following attn mask shapes: 2d - ({Q_seq_len, 1}  x {KV_seq_len, 1}); 4d - ({Batch, 1} x {Num_heads, 1} "
    "x {Q_seq_len, 1}  x {KV_seq_len, 1})"
)


def _check_inputs(mask: Tensor | None, *inputs: Tensor) -> None:
    kind = inputs[0].dtype
    fits = all(each.dtype is kind and each._array.ndim >= 2 and each._array.size for each in inputs)
    fits = fits and (mask is None or mask._array.dtype.kind == "b" or mask.dtype in (kind, float32))
    need_fitting(fits and (kind.is_floating_point or kind.is_complex), "scaled_dot_product_attention")


@composite(vmap="decompose", autocast="lower_precision_fp")
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
    """softmax(query @ keyᵀ * scale + mask) @ value, for shapes (..., length, features).

    With ``enable_gqa`` groups of query heads share a head of keys and values.

    Raises:
        RuntimeError: no backend that is enabled supports the arguments.
        NotImplementedError: the inputs are empty, or do not fit one another.
    """
    _check_inputs(attn_mask, query, key, value)
    mask = _additive_mask(query, attn_mask)
    scale = None if scale is None else float(scale)
    reason = _flash_refusal(query, key, value, mask, dropout_p, enable_gqa)
    if attention["FLASH_ATTENTION"] and reason is None:
        found: Tensor = _flash(query, key, value, float(dropout_p), is_causal, mask, scale)[0]
        return found
    if not attention["MATH"]:
        _refuse_backends(reason)
    need_fitting(mask is None or not is_causal, "scaled_dot_product_attention")
    if enable_gqa:
        _check_groups(query, key, value)
        key, value = _repeated_keys_values(query, key, value)
    if is_causal:
        mask = make(_causal(query.size(-2), key.size(-2), query._array.dtype))
    factor = 1 / math.sqrt(query.size(-1)) if scale is None else scale
    kind = query.dtype
    if is_half(kind.numpy):
        query, key, value = (each.to(float32) for each in (query, key, value))
    root = math.sqrt(abs(factor))
    scores = times(query, -root if factor < 0 else root).matmul(times(key.transpose(-2, -1), root))
    weights = _safe_softmax(scores if mask is None else _masked(scores, mask), -1)
    if dropout_p > 0:
        weights = dropout(weights, dropout_p, True)
    return weights.matmul(value).to(kind)


def _masked(scores: Tensor, mask: Tensor) -> Tensor:
    found = scores + mask
    need_fitting(found._array.shape == scores._array.shape, "scaled_dot_product_attention")
    return found


def _flash_refusal(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout_p: float, grouped: bool
) -> str | None:
    """Why flash attention does not support these inputs, or None (torch: sdp_utils_cpp.cpp, use_flash_attention_cpp).

    Raises:
        IndexError: the mask has fewer than two dimensions.
    """
    inputs = {"Query": query, "Key": key, "Value": value}

    def each(text: str, of: Callable[[Tensor], Any]) -> str:
        return ", ".join(text.format(name, of(given)) for name, given in inputs.items())

    if dropout_p > 0:
        return "Both fused kernels do not support non-zero dropout."
    if {given.dim() for given in inputs.values()} != {4}:
        dims = each("{} dim: {}", lambda given: given.dim())
        return f"All fused kernels requires query, key and value to be 4 dimensional, but got {dims} instead."
    q, k, v = (list(given._array.shape) for given in inputs.values())
    to_broadcast = (
        "To broadcast dense inputs, try using unsqueeze and expand_to before passing them into the kernel."
    )
    if not q[0] == k[0] == v[0]:
        return (
            "For dense inputs, both fused kernels require query, key and value to have the same batch_size. "
            f"Query.sizes(): {q}, Key.sizes(): {k}, Value.sizes(): {v} instead. {to_broadcast}"
        )
    if grouped and k[1] != v[1]:
        return (
            "Both fused kernels require key and value to have the same num_heads and batch_size but got: Key sizes: "
            f"{k}, Value sizes: {v}, Query sizes: {q} instead."
        )
    if grouped and q[1] % k[1]:
        return (
            "The number of heads in key/value must divide number of heads in query.Got input Key sizes(): "
            f"{k[1]}, Value sizes(): {v[1]}, Query sizes(): {q[1]} instead."
        )
    if not grouped and not q[1] == k[1] == v[1]:
        return (
            "For dense input, both fused kernels require query, key and value to have the same num_heads. "
            f"Query.sizes(): {q}, Key sizes(): {k}, Value sizes(): {v} instead. {to_broadcast}"
        )
    if mask is not None:
        if mask.requires_grad or mask.size(-2) not in (1, q[2]) or mask.size(-1) not in (1, k[2]):
            return ""  # torch does not say why
        ndim, lead = mask.dim(), mask._array.shape[:2]
        if ndim != 2 and (ndim != 4 or lead[0] not in (1, q[0]) or lead[1] not in (1, q[1])):
            return _MASKS
    if not q[3] == k[3] == v[3]:
        sizes = each("{}.size(-1): {}", lambda given: given.size(-1))
        return f"Flash attention requires q,k,v to have the same last dimension. Got {sizes} instead."
    if any(strides(given._array)[-1] != 1 for given in inputs.values()):
        steps = each("{}.stride(-1): {}", lambda given: given.stride(-1))
        return f"All fused kernels require the last dimension of the input to have stride 1. Got {steps}"
    if query.is_complex():
        kind = "c10::complex<double>" if query.dtype is complex128 else "c10::complex<float>"
        return (
            "Expected query, key and value to all be of dtype: {Float, Double, BFloat16, Half}. Got Query dtype: "
            f"{kind}, Key dtype: {kind}, and Value dtype: {kind} instead."
        )
    return None


def _check_groups(*inputs: Tensor) -> None:
    queries, keys, values = (each.size(-3) for each in inputs)
    need_fitting(queries % keys == queries % values == 0, "scaled_dot_product_attention")


def _repeated_keys_values(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    """Keys and values repeated for each query head."""
    queries, keys, values = (each.size(-3) for each in (query, key, value))
    if queries == keys == values:
        return key, value
    return key.repeat_interleave(queries // keys, -3), value.repeat_interleave(queries // values, -3)
