"""torch._functorch.vmap: vmap that returns the batch dimensions of its outputs."""

from .._transforms.vmapped_function import restore_vmap

__all__ = ["restore_vmap"]
