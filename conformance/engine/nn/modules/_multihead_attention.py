"""torch.nn.MultiheadAttention (torch: nn/modules/activation.py)."""

from __future__ import annotations

from typing import Any

from ..._aten.creation.factories import empty
from ..._autograd.tensor import Tensor
from ..._c10.device import check_device
from ..._c10.modes import state
from ..._nn.multi_head_attention import canonical_mask, multi_head_attention_forward
from ..._nn.parameter import Parameter
from .. import init
from .linear import Linear
from .module import Module

Mask = Tensor | None


class NonDynamicallyQuantizableLinear(Linear):
    """torch's class of the output projection, the same as Linear."""


class MultiheadAttention(Module):
    """Multi-head attention with input and output projections.

    Note [Attention without a graph]: in eval mode and without grad torch computes self-attention by a fused kernel (the
    fast path). Here it is composed of the same steps: values agree except for rounding, and the output is contiguous. The
    kernel supports masks but not is_causal; a row that is masked completely is nan, as with ``need_weights``.
    """

    bias_k: Parameter | None
    bias_v: Parameter | None

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True, add_bias_kv: bool = False,
        add_zero_attn: bool = False, kdim: int | None = None, vdim: int | None = None, batch_first: bool = False,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        check_device(device)
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} "
                "instead"
            )
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        apart = ("q_proj_weight", "k_proj_weight", "v_proj_weight")
        if self._qkv_same_embed_dim:
            self.in_proj_weight = Parameter(empty((3 * embed_dim, embed_dim), dtype=dtype))
            for name in apart:
                self.register_parameter(name, None)
        else:
            for name, features in zip(apart, (embed_dim, self.kdim, self.vdim), strict=True):
                self.register_parameter(name, Parameter(empty((embed_dim, features), dtype=dtype)))
            self.register_parameter("in_proj_weight", None)
        self.register_parameter(
            "in_proj_bias", Parameter(empty(3 * embed_dim, dtype=dtype)) if bias else None
        )
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, dtype=dtype)
        if add_bias_kv:
            self.bias_k = Parameter(empty((1, 1, embed_dim), dtype=dtype))
            self.bias_v = Parameter(empty((1, 1, embed_dim), dtype=dtype))
        else:
            self.bias_k = self.bias_v = None
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for name in ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"):
            weight = self._parameters[name]
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Mask = None, need_weights: bool = True,
        attn_mask: Mask = None, average_attn_weights: bool = True, is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:  # fmt: skip
        batched = query.dim() == 3
        whole = query is key is value and batched and self._uses_fast_path(query, key_padding_mask, attn_mask)
        key_padding_mask = canonical_mask(
            key_padding_mask, "key_padding_mask", attn_mask, "attn_mask", query.dtype
        )
        attn_mask = canonical_mask(attn_mask, "attn_mask", None, "", query.dtype)
        if self.batch_first and batched:
            turned: dict[int, Tensor] = {}  # keep the identity of equal arguments
            for each in (query, key, value):
                if id(each) not in turned:
                    turned[id(each)] = each.transpose(1, 0)
            query, key, value = (turned[id(each)] for each in (query, key, value))
        output, weights = multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight, self.in_proj_bias, self.bias_k,
            self.bias_v, self.add_zero_attn, self.dropout, self.out_proj.weight, self.out_proj.bias,
            training=self.training, key_padding_mask=key_padding_mask, need_weights=need_weights or whole, attn_mask=attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim, q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight, v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights, is_causal=is_causal and not whole,
        )  # fmt: skip
        if self.batch_first and batched:
            output = output.transpose(1, 0)
        return (output.contiguous() if whole else output), weights if need_weights else None

    def merge_masks(self, attn_mask: Mask, key_padding_mask: Mask, query: Tensor) -> tuple[Mask, int | None]:
        """Merge both masks to (batch, heads, steps, steps); the type is 1 for a padding mask alone, 2 for others."""
        if attn_mask is None:
            return key_padding_mask, None if key_padding_mask is None else 1
        batch, steps, _ = query.shape
        if attn_mask.dim() == 3:
            merged = attn_mask.view(batch, -1, steps, steps)
        else:
            merged = attn_mask.view(1, 1, steps, steps).expand(batch, self.num_heads, -1, -1)
        if key_padding_mask is not None:
            merged = merged + key_padding_mask.view(batch, 1, 1, steps).expand(-1, self.num_heads, -1, -1)
        return merged, 2

    def _uses_fast_path(self, query: Tensor, *masks: Mask) -> bool:
        """Whether torch uses its fast path; see Note [Attention without a graph]."""
        plain = self._qkv_same_embed_dim and self.in_proj_bias is not None and self.bias_k is None
        if not (plain and self.batch_first) or self.training or self.add_zero_attn or self.num_heads % 2:
            return False
        if any(mask is not None and mask._array.dtype.kind in "fV" for mask in masks):
            return False
        return not state.grad_enabled or not any(each.requires_grad for each in (query, *self.parameters()))
