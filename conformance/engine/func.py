"""torch.func: function transforms such as grad and vmap, and functional_call."""

from __future__ import annotations

from ._arguments.absent_names import look_up
from ._functorch.batch_norm_replacement import replace_all_batch_norm_modules_
from ._functorch.functional_call import functional_call, stack_module_state
from ._transforms.debug_unwrap import debug_unwrap
from ._transforms.derivatives import functionalize, grad, grad_and_value, jvp, linearize, vjp
from ._transforms.jacobians import hessian, jacfwd, jacrev
from ._transforms.vmap import vmap

__all__ = [
    "debug_unwrap",
    "functional_call",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
    "vjp",
    "vmap",
]

__getattr__ = look_up("torch.func")
