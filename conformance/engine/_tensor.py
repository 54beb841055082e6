"""torch._tensor: Tensor, as programs import it from there."""

from .tensor import Tensor

__all__ = ["Tensor"]
