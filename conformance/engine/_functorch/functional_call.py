"""torch._functorch.functional_call: modules as functions, as programs import them from there."""

from ..func import functional_call, stack_module_state

__all__ = ["functional_call", "stack_module_state"]
