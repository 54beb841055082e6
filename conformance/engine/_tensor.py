"""torch._tensor: Tensor, for programs that import it from this module."""

from ._autograd.tensor import Tensor

__all__ = ["Tensor"]
