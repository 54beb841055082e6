"""torch._functorch.eager_transforms: the derivatives of torch.func, for programs that import them from this module."""

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
