"""Full backward hooks of modules (torch: utils/hooks.py, BackwardHook)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...modes import state
from ...tensor import Tensor


class BackwardHooks:
    """The hooks of one call of a module.

    Two identity Functions stand before and after forward; the hooks run on their nodes, which see the gradients of
    all inputs and all outputs together.
    """

    def __init__(
        self, module: Any, hooks: list[Callable[..., Any]], pre_hooks: list[Callable[..., Any]]
    ) -> None:
        self.module, self.hooks, self.pre_hooks = module, hooks, pre_hooks
        self.grad_outputs: Any = None
        self.input_places: list[int] = []
        self.output_places: list[int] = []
        self.input_count = 0
        self.output_count = 0
        self.waits_for_input = False

    def enter(self, args: Any) -> Any:
        """Put the identity before forward."""
        self.input_count = len(args)
        found, places, node = self._identity(args)
        self.input_places = places
        self.waits_for_input = node is not None
        if node is not None:
            node.register_prehook(self._on_inputs)
        return found

    def leave(self, result: Any) -> Any:
        """Put the identity after forward."""
        single = not isinstance(result, (tuple, list))
        values = (result,) if single else tuple(result)
        self.output_count = len(values)
        found, places, node = self._identity(values)
        self.output_places = places
        if node is not None:
            node.register_prehook(self._on_outputs)
        return found[0] if single else type(result)(found)

    def _identity(self, values: Any) -> tuple[Any, list[int], Any]:
        from ...autograd.function import Function

        places = [i for i, each in enumerate(values) if isinstance(each, Tensor)]
        if not state.recording or not any(values[i].requires_grad for i in places):
            return values, places, None

        class BackwardHookFunction(Function):
            @staticmethod
            def forward(ctx: Any, *tensors: Any) -> Any:
                ctx.mark_non_differentiable(*[t for t in tensors if not t.requires_grad])
                return tensors

            @staticmethod
            def backward(ctx: Any, *grads: Any) -> Any:
                return grads

        passed = BackwardHookFunction.apply(*(values[i] for i in places))
        node = next(each.grad_fn for each in passed if each.grad_fn is not None)
        replaced = list(values)
        for place, each in zip(places, passed, strict=True):
            replaced[place] = each
        return tuple(replaced), places, node

    def _on_outputs(self, grads: Any) -> Any:
        full = [None] * self.output_count
        for place, each in zip(self.output_places, grads, strict=True):
            full[place] = each
        self.grad_outputs = tuple(full)
        for hook in self.pre_hooks:
            replaced = hook(self.module, self.grad_outputs)
            if replaced is not None:
                self.grad_outputs = replaced if isinstance(replaced, tuple) else (replaced,)
        changed = tuple(self.grad_outputs[i] for i in self.output_places)
        if not self.waits_for_input:
            for hook in self.hooks:
                if hook(self.module, (None,) * self.input_count, self.grad_outputs) is not None:
                    raise RuntimeError(
                        "Backward hook for Modules where no input requires gradient should always return None or None "
                        "for all gradients."
                    )
            self.grad_outputs = None
        return changed

    def _on_inputs(self, grads: Any) -> Any:
        full: list[Any] = [None] * self.input_count
        for place, each in zip(self.input_places, grads, strict=True):
            full[place] = each
        for hook in self.hooks:
            replaced = hook(self.module, tuple(full), self.grad_outputs)
            if replaced is not None:
                replaced = replaced if isinstance(replaced, tuple) else (replaced,)
                if len(replaced) != len(full):
                    raise RuntimeError(
                        "Backward hook returned an invalid number of grad_input, "
                        f"got {len(replaced)}, but expected {len(full)}"
                    )
                full = list(replaced)
        self.grad_outputs = None
        return tuple(full[i] for i in self.input_places)
