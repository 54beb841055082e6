"""torch._tensor: Tensor, as programs import it from there."""

from ._autograd.tensor import Tensor

__all__ = ["Tensor"]
