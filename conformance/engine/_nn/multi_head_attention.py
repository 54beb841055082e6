"""torch.nn.functional.multi_head_attention_forward (torch: nn/functional.py)."""

from __future__ import annotations

import math
from typing import Any

from .._aten.blas.bmm import baddbmm, bmm
from .._aten.blas.matmul import linear
from .._aten.creation.factories import zeros, zeros_like
from .._aten.random.dropout import dropout
from .._aten.shape.cat_stack import cat
from .._autograd.tensor import Tensor
from .._c10.dtypes import dtype
from .._c10.errors import need_fitting
from .._c10.operator_facts import composite
from .._c10.warn_once import warn_program
from .activation import softmax
from .padding import pad
from .scaled_dot_product_attention import scaled_dot_product_attention

Mask = Tensor | None
_NAME = "multi_head_attention_forward"


def canonical_mask(mask: Mask, name: str, other: Mask, other_name: str, target: dtype) -> Mask:
    """A mask in additive form: a bool mask becomes minus infinity where it is True."""
    if mask is None:
        return None
    need_fitting(mask._array.dtype.kind in "fbV", name)
    if other is not None and mask.dtype != other.dtype:
        warn_program(
            f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both instead.",
        )
    if mask._array.dtype.kind == "b":
        mask = zeros_like(mask, dtype=target).masked_fill_(mask, -math.inf)
    return mask


def _split(many: Tensor, count: int, features: int) -> list[Tensor]:
    """Split projections that one matmul computed."""
    apart = many.unflatten(-1, (count, features)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
    return [apart[each] for each in range(count)]


def _in_projection(
    query: Tensor, key: Tensor, value: Tensor, weight: Any, apart: tuple[Tensor, ...] | None, bias: Mask
) -> list[Tensor]:
    """Project query, key and value by a packed weight or by one weight each."""
    features = query.size(-1)
    if apart is None and query is key is value:
        return _split(linear(query, weight, bias), 3, features)
    if apart is None and key is value:
        first, rest = weight.split([features, 2 * features])
        own, others = (None, None) if bias is None else bias.split([features, 2 * features])
        projected = linear(query, first, own)
        return [projected, *_split(linear(key, rest, others), 2, features)]
    weights = apart or weight.chunk(3)
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    triples = zip((query, key, value), weights, biases, strict=True)
    return [linear(each, own, shift) for each, own, shift in triples]


def _check_dimensions(query: Tensor, key: Tensor, value: Tensor, padding: Mask, mask: Mask) -> bool:
    """Check the dimensions of all inputs, and return whether there is a batch."""
    ndim = query.dim()
    fits = ndim in (2, 3) and key.dim() == value.dim() == ndim
    fits = fits and (padding is None or padding.dim() == ndim - 1)
    need_fitting(fits and (mask is None or mask.dim() in (2, 3)), _NAME)
    return ndim == 3


def _check_mask(mask: Tensor, plane: tuple[int, int], count: int) -> Tensor:
    """An attention mask as (batch * heads or 1, target, source), after checks."""
    need_fitting(mask.shape == (plane if mask.dim() == 2 else (count, *plane)), _NAME)
    return mask.unsqueeze(0) if mask.dim() == 2 else mask


@composite(vmap="decompose")
def multi_head_attention_forward(
    query: Tensor, key: Tensor, value: Tensor, embed_dim_to_check: int, num_heads: int, in_proj_weight: Mask,
    in_proj_bias: Mask, bias_k: Mask, bias_v: Mask, add_zero_attn: bool, dropout_p: float, out_proj_weight: Tensor,
    out_proj_bias: Mask, training: bool = True, key_padding_mask: Mask = None, need_weights: bool = True,
    attn_mask: Mask = None, use_separate_proj_weight: bool = False, q_proj_weight: Any = None,
    k_proj_weight: Any = None, v_proj_weight: Any = None, static_k: Mask = None, static_v: Mask = None,
    average_attn_weights: bool = True, is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:  # fmt: skip
    """The attention output (length, batch, features), and the weights if they are requested.

    Raises:
        NotImplementedError: dimensions or sizes do not match, or static_k or static_v is given.
    """
    need_fitting(static_k is None and static_v is None, f"{_NAME} (static_k, static_v)")
    batched = _check_dimensions(query, key, value, key_padding_mask, attn_mask)
    if not batched:
        query, key, value = query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    length, batch, features = query.shape
    key_padding_mask, attn_mask, is_causal = _canonical_masks(
        key_padding_mask, attn_mask, is_causal, need_weights, query.dtype
    )
    size = features // num_heads
    apart = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else None
    q, k, v = _in_projection(query, key, value, in_proj_weight, apart, in_proj_bias)
    count = batch * num_heads
    if attn_mask is not None:
        attn_mask = _check_mask(attn_mask, (length, key.shape[0]), count)
    if bias_k is not None and bias_v is not None:
        k, v = cat([k, bias_k.repeat(1, batch, 1)]), cat([v, bias_v.repeat(1, batch, 1)])
        attn_mask, key_padding_mask = _extended_by_one(attn_mask), _extended_by_one(key_padding_mask)
    q = q.view(length, count, size).transpose(0, 1)
    k = k.view(k.shape[0], count, size).transpose(0, 1)
    v = v.view(v.shape[0], count, size).transpose(0, 1)
    if add_zero_attn:
        k = cat([k, zeros(count, 1, size, dtype=k.dtype)], 1)
        v = cat([v, zeros(count, 1, size, dtype=v.dtype)], 1)
        attn_mask, key_padding_mask = _extended_by_one(attn_mask), _extended_by_one(key_padding_mask)
    source = k.size(1)
    if key_padding_mask is not None:
        padding = _expanded_padding_mask(key_padding_mask, batch, num_heads, source)
        attn_mask = padding if attn_mask is None else attn_mask + padding
    dropout_p = dropout_p if training else 0.0
    weights: Tensor | None = None
    if need_weights:
        attended, weights = _attention_with_weights(q, k, v, attn_mask, dropout_p)
        attended = attended.transpose(0, 1).reshape(length * batch, features)
    else:
        attended = _fused_attention(q, k, v, attn_mask, num_heads, dropout_p, is_causal)
        attended = attended.permute(2, 0, 1, 3).reshape(batch * length, features)
    output = linear(attended, out_proj_weight, out_proj_bias)
    output = output.view(length, batch, output.size(1))
    if weights is not None:
        weights = weights.view(batch, num_heads, length, source)
        weights = weights.mean(1) if average_attn_weights else weights
    if batched:
        return output, weights
    return output.squeeze(1), None if weights is None else weights.squeeze(0)


def _canonical_masks(
    padding: Mask, mask: Mask, causal: bool, need_weights: bool, kind: dtype
) -> tuple[Mask, Mask, bool]:
    """The key padding mask, the attention mask, and whether ``is_causal`` makes the latter unnecessary."""
    padding = canonical_mask(padding, "key_padding_mask", mask, "attn_mask", kind)
    need_fitting(not causal or mask is not None, f"{_NAME} (is_causal)")
    if causal and padding is None and not need_weights:
        return None, None, True
    return padding, canonical_mask(mask, "attn_mask", None, "", kind), causal and padding is None


def _expanded_padding_mask(hidden: Tensor, batch: int, heads: int, source: int) -> Tensor:
    """Expand a key padding mask (batch, source) to (batch * heads, 1, source)."""
    need_fitting(hidden.shape == (batch, source), f"{_NAME} (key_padding_mask)")
    each_head = hidden.view(batch, 1, 1, source).expand(-1, heads, -1, -1)
    return each_head.reshape(batch * heads, 1, source)


def _fused_attention(
    q: Tensor, k: Tensor, v: Tensor, mask: Mask, heads: int, dropout_p: float, is_causal: bool
) -> Tensor:
    """Attention by scaled_dot_product_attention, from (batch * heads, length, size) to (batch, heads, length, size)."""
    count, _, size = q.shape
    batch = count // heads
    if mask is not None and mask.size(0) == 1 and mask.dim() == 3:
        mask = mask.unsqueeze(0)
    elif mask is not None:
        mask = mask.view(batch, heads, -1, k.size(1))
    q, k, v = (each.view(batch, heads, each.shape[1], size) for each in (q, k, v))
    return scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal)


def _attention_with_weights(
    q: Tensor, k: Tensor, v: Tensor, mask: Mask, dropout_p: float
) -> tuple[Tensor, Tensor]:
    """Attention by matmuls, (batch * heads, length, size), and its weights (batch * heads, length, source)."""
    scaled = q * math.sqrt(1.0 / float(q.shape[-1]))
    turned = k.transpose(-2, -1)
    scores = bmm(scaled, turned) if mask is None else baddbmm(mask, scaled, turned)
    weights = softmax(scores, dim=-1)
    if dropout_p > 0.0:
        weights = dropout(weights, dropout_p, True)
    return bmm(weights, v), weights


def _extended_by_one(mask: Mask) -> Mask:
    """Extend a mask by one key that is never masked."""
    return None if mask is None else pad(mask, (0, 1))
