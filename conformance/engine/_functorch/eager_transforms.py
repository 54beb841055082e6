"""torch._functorch.eager_transforms: the derivatives of torch.func, as programs import them from there."""

from ..func import functionalize, hessian, jacfwd, jacrev, jvp, linearize, vjp

__all__ = [
    "functionalize",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "vjp",
]
