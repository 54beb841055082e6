"""torch.func: modules as functions of their parameters (torch: _functorch/functional_call.py)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from .._aten.shape.cat_stack import stack
from .._autograd.tensor import Tensor
from ..nn.modules.module import Module
from ..nn.utils import stateless

__all__ = ["functional_call", "stack_module_state"]


def functional_call(
    module: Module, parameter_and_buffer_dicts: Any, args: Any = None, kwargs: dict[str, Any] | None = None, *,
    tie_weights: bool = True, strict: bool = False,
) -> Any:  # fmt: skip
    """Call a module with these tensors, by name, in place of its parameters and buffers.

    Raises:
        ValueError: not a dict or dicts, a name in two of them, or two values for one tied tensor of the module.
        RuntimeError: with ``strict``, names that the module does not have, or missing names.
    """
    dicts = parameter_and_buffer_dicts
    if not isinstance(dicts, (dict, Sequence)):
        raise ValueError(
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
            f"{type(dicts)}"
        )
    if not isinstance(dicts, dict):
        if not all(isinstance(each, dict) for each in dicts):
            raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
        repeated = [name for name, n in Counter(name for each in dicts for name in each).items() if n > 1]
        if repeated:
            raise ValueError(
                f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous"
            )
        dicts = {name: tensor for each in dicts for name, tensor in each.items()}
    return stateless.call(module, dicts, args, kwargs, tie_weights=tie_weights, strict=strict)


def stack_module_state(models: Any) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """The stacked parameters and buffers of modules of the same class, by name; parameters are new leaves.

    Raises:
        RuntimeError: the list is empty, or the modules differ in class or training mode.
    """
    if not len(models):
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({each.training for each in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if len({type(each) for each in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    parameters = [dict(each.named_parameters()) for each in models]
    buffers = [dict(each.named_buffers()) for each in models]
    return _stacked(parameters), _stacked(buffers)


def _stacked(states: list[dict[str, Tensor]]) -> dict[str, Tensor]:
    found = {}
    for name in states[0]:
        tensors = [each[name] for each in states]
        required = {each.requires_grad for each in tensors}
        if len(required) > 1:
            raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
        stacked = stack(tensors)
        found[name] = stacked.detach().requires_grad_() if required.pop() else stacked
    return found
