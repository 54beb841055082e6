"""torch._functorch.apis: vmap and grad, as programs import them from there."""

from ..func import grad, grad_and_value, vmap

__all__ = ["grad", "grad_and_value", "vmap"]
