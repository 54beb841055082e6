"""torch.backends.cuda."""

from __future__ import annotations

from types import SimpleNamespace

from ..absent import look_up
from ..cuda import is_available as is_built

matmul = SimpleNamespace(
    allow_tf32=False, allow_fp16_reduced_precision_reduction=True, allow_bf16_reduced_precision_reduction=True
)

__all__ = ["is_built", "matmul"]
__getattr__ = look_up("torch.backends.cuda")
