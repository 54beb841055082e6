"""torch.backends.cuda."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

from .._arguments.absent_names import look_up
from .._c10.context import attention
from ..cuda import is_available as is_built

matmul = SimpleNamespace(
    allow_tf32=False, allow_fp16_reduced_precision_reduction=True, allow_bf16_reduced_precision_reduction=True
)


def _switch(name: str) -> tuple[Callable[[bool], None], Callable[[], bool]]:
    """The setter and getter of whether a backend of scaled_dot_product_attention is enabled."""

    def enable(enabled: bool) -> None:
        attention[name] = enabled

    def is_enabled() -> bool:
        return attention[name]

    return enable, is_enabled


enable_flash_sdp, flash_sdp_enabled = _switch("FLASH_ATTENTION")
enable_math_sdp, math_sdp_enabled = _switch("MATH")
enable_mem_efficient_sdp, mem_efficient_sdp_enabled = _switch("EFFICIENT_ATTENTION")
enable_cudnn_sdp, cudnn_sdp_enabled = _switch("CUDNN_ATTENTION")

__all__ = [
    "cudnn_sdp_enabled",
    "enable_cudnn_sdp",
    "enable_flash_sdp",
    "enable_math_sdp",
    "enable_mem_efficient_sdp",
    "flash_sdp_enabled",
    "is_built",
    "math_sdp_enabled",
    "matmul",
    "mem_efficient_sdp_enabled",
]
__getattr__ = look_up("torch.backends.cuda")
