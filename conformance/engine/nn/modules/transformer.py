"""Transformer, its encoder and decoder (torch: nn/modules/transformer.py)."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

from ..._aten.creation.factories import full
from ..._autograd.tensor import Tensor
from ..._c10.device import check_device
from ..._c10.modes import state
from ..._nn.multi_head_attention import canonical_mask
from .. import functional, init
from ._multihead_attention import MultiheadAttention
from .activation import GELU, ReLU
from .container import ModuleList
from .dropout import Dropout
from .linear import Linear
from .module import Module
from .normalization import LayerNorm

Mask = Tensor | None
_NESTED = (
    "The PyTorch API of nested tensors is in prototype stage and will change in the near future. We recommend "
    "specifying layout=torch.jagged when constructing a nested tensor, as this layout receives active development, has "
    "better operator coverage, and works with torch.compile."
)
Activation = str | Callable[[Tensor], Tensor]


def _get_activation_fn(activation: str | Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    if not isinstance(activation, str):
        return activation
    if activation not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    found: Callable[[Tensor], Tensor] = getattr(functional, activation)
    return found


def _number_of(activation: Callable[[Tensor], Tensor]) -> int:
    if activation is functional.relu or isinstance(activation, ReLU):
        return 1
    return 2 * (activation is functional.gelu or isinstance(activation, GELU))


def _generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
    """A causal mask: minus infinity where a query would attend to a later position."""
    made: Tensor = full((sz, sz), float("-inf"), dtype=dtype, device=device)
    return made.triu(1)


def _is_causal(mask: Mask, given: bool | None, tensor: Tensor, batch_first: bool) -> bool:
    """``is_causal``, or if it is None whether the mask is the causal one."""
    if given is not None or mask is None:
        return given is True
    size = tensor.size(0) if tensor.dim() == 2 else tensor.size(1 if batch_first else 0)
    causal = _generate_square_subsequent_mask(size, dtype=mask.dtype)
    return mask.size() == causal.size() and bool((mask == causal).all())


def _get_clones(module: Module, N: int) -> ModuleList:
    return ModuleList([copy.deepcopy(module) for _ in range(N)])


class TransformerEncoderLayer(Module):
    """Self-attention and a feedforward network, each with a residual connection and layer normalization."""

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = functional.relu, layer_norm_eps: float = 1e-5,
        batch_first: bool = False, norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        check_device(device)
        super().__init__()
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, dtype=dtype
        )
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, dtype=dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, dtype=dtype)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, dtype=dtype)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, dtype=dtype)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.activation = _get_activation_fn(activation)
        self.activation_relu_or_gelu = _number_of(self.activation)  # torch passes it to its fast path

    def forward(
        self, src: Tensor, src_mask: Mask = None, src_key_padding_mask: Mask = None, is_causal: bool = False
    ) -> Tensor:
        src_key_padding_mask = canonical_mask(
            src_key_padding_mask, "src_key_padding_mask", src_mask, "src_mask", src.dtype
        )
        src_mask = canonical_mask(src_mask, "src_mask", None, "", src.dtype)
        alone = self._uses_fast_path(src)
        if alone:
            src_mask, src_key_padding_mask = self._fast_path_masks(src_mask, src_key_padding_mask, src)

        def attention(x: Tensor) -> Tensor:
            found = self.self_attn(
                x, x, x, attn_mask=src_mask, key_padding_mask=src_key_padding_mask, need_weights=False,
                is_causal=is_causal and not alone,
            )  # fmt: skip
            return self.dropout1(found[0])

        def feed_forward(x: Tensor) -> Tensor:
            return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))

        if "cpu" in state.autocast and alone:
            return self._in_lower_precision(src, attention, feed_forward)
        if self.norm_first:
            src = src + attention(self.norm1(src))
            return src + feed_forward(self.norm2(src))
        src = self.norm1(src + attention(src))
        return self.norm2(src + feed_forward(src))

    def _fast_path_masks(self, mask: Mask, padding: Mask, src: Tensor) -> tuple[Mask, Mask]:
        """Both masks for the fast path, which masks every nonzero element and does not add masks."""
        merged, kind = self.self_attn.merge_masks(mask, padding, src)
        if merged is None:
            return None, None
        left_out = merged != 0
        return (None, left_out) if kind == 1 else (left_out.flatten(0, 1), None)

    def _uses_fast_path(self, src: Tensor) -> bool:
        """Whether torch uses its fast path for the layer, which matters for autocast and masks."""
        if self.training or src.dim() != 3 or _without_kernel(self):
            return False
        return not (
            state.grad_enabled and (src.requires_grad or any(p.requires_grad for p in self.parameters()))
        )

    def _in_lower_precision(
        self, src: Tensor, attention: Callable[[Tensor], Tensor], feed_forward: Callable[[Tensor], Tensor]
    ) -> Tensor:
        """The fast path within autocast: residual sums have the dtype of their second operand."""

        def added(x: Tensor, residual: Tensor) -> Tensor:
            return (x + residual).to(x.dtype)

        if self.norm_first:
            src = added(attention(self.norm1(src)), src)
            return added(feed_forward(self.norm2(src)), src)
        src = self.norm1(added(attention(src), src))
        return self.norm2(added(feed_forward(src), src))


def _why_not_fast_path(layer: Any) -> str:
    """Why torch cannot use the fast path for a layer with padding; empty if it can."""
    if not isinstance(layer, TransformerEncoderLayer):
        return "encoder_layer was not TransformerEncoderLayer"
    if layer.norm_first:
        return "encoder_layer.norm_first was True"
    return _without_kernel(layer)


def _without_kernel(layer: TransformerEncoderLayer) -> str:
    attention: Any = layer.self_attn
    if not attention.batch_first:
        return "encoder_layer.self_attn.batch_first was not True(use batch_first for better inference performance)"
    if attention.in_proj_bias is None:
        return "encoder_layer.self_attn was passed bias=False"
    plain = (functional.relu, functional.gelu)
    if layer.activation not in plain and not isinstance(layer.activation, ReLU):
        return "encoder_layer.activation_relu_or_gelu was not True"
    if layer.norm1.eps != layer.norm2.eps:
        return "encoder_layer.norm1.eps was not equal to encoder_layer.norm2.eps"
    return "encoder_layer.self_attn.num_heads is odd" if attention.num_heads % 2 else ""


class TransformerEncoder(Module):
    """A stack of encoder layers.

    Note [Padding without a graph]: in eval mode and without grad torch removes padded elements by nested tensors in all
    layers, and fills zeros in the output.
    """

    def __init__(
        self, encoder_layer: Module, num_layers: int, norm: Module | None = None, enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.layers = _get_clones(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        why = _why_not_fast_path(encoder_layer)
        self.use_nested_tensor = enable_nested_tensor and not why
        self.mask_check = mask_check
        if enable_nested_tensor and why:
            warnings.warn(
                f"enable_nested_tensor is True, but self.use_nested_tensor is False because {why}",
                stacklevel=2,
            )

    def forward(
        self, src: Tensor, mask: Mask = None, src_key_padding_mask: Mask = None, is_causal: bool | None = None
    ) -> Tensor:
        padding = canonical_mask(src_key_padding_mask, "src_key_padding_mask", mask, "mask", src.dtype)
        mask = canonical_mask(mask, "mask", None, "", src.dtype)
        first: Any = self.layers[0]
        causal = _is_causal(mask, is_causal, src, first.self_attn.batch_first)
        output = src
        for layer in self.layers:
            output = layer(output, src_mask=mask, is_causal=causal, src_key_padding_mask=padding)
        if padding is not None and mask is None and self._removes_padding(src, padding, first):
            warnings.warn(_NESTED, stacklevel=2)
            output = output.masked_fill((padding != 0).unsqueeze(-1), 0.0)
        return output if self.norm is None else self.norm(output)

    def _removes_padding(self, src: Tensor, padding: Tensor, first: Module) -> bool:
        """Whether torch removes padded elements, see Note [Padding without a graph]."""
        if not self.use_nested_tensor or first.training or src.dim() != 3:
            return False
        if state.recording and any(each.requires_grad for each in (src, *first.parameters())):
            return False
        hidden = padding._array != 0
        return not self.mask_check or bool((hidden[:, 1:] >= hidden[:, :-1]).all())


class TransformerDecoderLayer(Module):
    """Self-attention, cross-attention to a memory and a feedforward network, each with residual and layer normalization."""

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: Activation = functional.relu, layer_norm_eps: float = 1e-5, batch_first: bool = False,
        norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        check_device(device)
        super().__init__()
        self.self_attn, self.multihead_attn = (
            MultiheadAttention(
                d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, dtype=dtype
            )
            for _ in range(2)
        )
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, dtype=dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, dtype=dtype)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, dtype=dtype)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, dtype=dtype)
        self.norm3 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, dtype=dtype)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.dropout3 = Dropout(dropout)
        self.activation = _get_activation_fn(activation)

    def forward(
        self, tgt: Tensor, memory: Tensor, tgt_mask: Mask = None, memory_mask: Mask = None,
        tgt_key_padding_mask: Mask = None, memory_key_padding_mask: Mask = None, tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        def attention(x: Tensor) -> Tensor:
            found = self.self_attn(
                x, x, x, attn_mask=tgt_mask, key_padding_mask=tgt_key_padding_mask, is_causal=tgt_is_causal,
                need_weights=False,
            )  # fmt: skip
            return self.dropout1(found[0])

        def recall(x: Tensor) -> Tensor:
            found = self.multihead_attn(
                x, memory, memory, attn_mask=memory_mask, key_padding_mask=memory_key_padding_mask,
                is_causal=memory_is_causal, need_weights=False,
            )  # fmt: skip
            return self.dropout2(found[0])

        def feed_forward(x: Tensor) -> Tensor:
            return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))

        x = tgt
        if self.norm_first:
            x = x + attention(self.norm1(x))
            x = x + recall(self.norm2(x))
            return x + feed_forward(self.norm3(x))
        x = self.norm1(x + attention(x))
        x = self.norm2(x + recall(x))
        return self.norm3(x + feed_forward(x))


class TransformerDecoder(Module):
    """A stack of decoder layers."""

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = _get_clones(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self, tgt: Tensor, memory: Tensor, tgt_mask: Mask = None, memory_mask: Mask = None,
        tgt_key_padding_mask: Mask = None, memory_key_padding_mask: Mask = None, tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        first: Any = self.layers[0]
        causal = _is_causal(tgt_mask, tgt_is_causal, tgt, first.self_attn.batch_first)
        output = tgt
        for layer in self.layers:
            output = layer(
                output, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask, memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=causal, memory_is_causal=memory_is_causal,
            )  # fmt: skip
        return output if self.norm is None else self.norm(output)


class Transformer(Module):
    """An encoder, and a decoder that attends to the encoder's output."""

    def __init__(
        self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6, num_decoder_layers: int = 6,
        dim_feedforward: int = 2048, dropout: float = 0.1, activation: Activation = functional.relu,
        custom_encoder: Any = None, custom_decoder: Any = None, layer_norm_eps: float = 1e-5,
        batch_first: bool = False, norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        given = (
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            activation,
            layer_norm_eps,
            batch_first,
            norm_first,
            bias,
        )
        if custom_encoder is not None:
            self.encoder = custom_encoder
        else:
            layer = TransformerEncoderLayer(*given, device=device, dtype=dtype)
            norm = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, device=device, dtype=dtype)
            self.encoder = TransformerEncoder(layer, num_encoder_layers, norm)
        if custom_decoder is not None:
            self.decoder = custom_decoder
        else:
            other = TransformerDecoderLayer(*given, device=device, dtype=dtype)
            norm = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, device=device, dtype=dtype)
            self.decoder = TransformerDecoder(other, num_decoder_layers, norm)
        for each in self.parameters():
            if each.dim() > 1:
                init.xavier_uniform_(each)
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self, src: Tensor, tgt: Tensor, src_mask: Mask = None, tgt_mask: Mask = None, memory_mask: Mask = None,
        src_key_padding_mask: Mask = None, tgt_key_padding_mask: Mask = None, memory_key_padding_mask: Mask = None,
        src_is_causal: bool | None = None, tgt_is_causal: bool | None = None, memory_is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        batch = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(batch) != tgt.size(batch):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(
            src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal
        )
        found: Tensor = self.decoder(
            tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask, tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )  # fmt: skip
        return found

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """The causal mask, in which no position attends to a later one."""
        return _generate_square_subsequent_mask(sz, device, dtype)
