"""torch._functorch.apis: vmap and grad, for programs that import them from this module."""

from ..func import grad, grad_and_value, vmap

__all__ = ["grad", "grad_and_value", "vmap"]
