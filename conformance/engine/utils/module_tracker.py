"""torch.utils.module_tracker: the modules that forward or backward is currently running."""

from __future__ import annotations

import logging
import weakref
from collections.abc import Callable, MutableMapping, MutableSet
from typing import Any

from .._autograd.tensor import Tensor
from .._c10.pytree import flatten
from ..autograd.graph import _current_graph_task_id, register_multi_grad_hook
from ..autograd.variable import Variable
from ..nn.modules.module import Module, register_module_forward_hook, register_module_forward_pre_hook

__all__ = ["ModuleTracker"]

_logger = logging.getLogger("torch.utils.module_tracker")


class ModuleTracker:
    """A context in which ``parents`` has the names of the running modules, and "Global"."""

    __module__ = "torch.utils.module_tracker"

    def __init__(self) -> None:
        self.parents = {"Global"}
        self._names: MutableMapping[Module, str] = weakref.WeakKeyDictionary()
        self._seen: MutableSet[Module] = weakref.WeakSet()
        self._has_callback = False
        self._handles: list[Any] = []

    @property
    def is_bw(self) -> bool:
        """Whether a backward pass is running."""
        return _current_graph_task_id() != -1

    def __enter__(self) -> ModuleTracker:
        self._own = [
            register_module_forward_pre_hook(self._before),
            register_module_forward_hook(self._after),
        ]
        return self

    def __exit__(self, *error: object) -> None:
        for each in (*self._own, *self._handles):
            each.remove()
        self._handles.clear()

    def _name(self, module: Module) -> str:
        """A module's qualified name, beginning with the class of the root module that ran; also names its submodules."""
        name = self._names.setdefault(module, type(module).__name__)
        if module not in self._seen:
            for part, child in module.named_children():
                self._names[child] = f"{name}.{part}"
                self._name(child)
            self._seen.add(module)
        return name

    def _begin(self, name: str, backward: bool) -> None:
        if backward and not self._has_callback:
            Variable._execution_engine.queue_callback(self._end_of_pass)
            self._has_callback = True
        if name in self.parents:
            _logger.info(
                "The module hierarchy tracking seems to be broken as this Module was already entered. %s during %s",
                name,
                "backward" if backward else "forward",
            )
        self.parents.add(name)

    def _end(self, name: str, backward: bool) -> None:
        if name not in self.parents:
            _logger.info(
                "The Module hierarchy tracking is confused as we're exiting a Module that was never entered. %s during %s",
                name,
                "backward" if backward else "forward",
            )
        self.parents.discard(name)

    def _end_of_pass(self) -> None:
        self.parents = {"Global"}
        self._has_callback = False

    def _before(self, module: Module, inputs: Any) -> None:
        name = self._name(module)
        self._begin(name, backward=False)
        self._watch(inputs, lambda *grads: self._end(name, backward=True))

    def _after(self, module: Module, inputs: Any, output: Any) -> None:
        name = self._name(module)
        self._end(name, backward=False)
        self._watch(output, lambda *grads: self._begin(name, backward=True))

    def _watch(self, values: Any, hook: Callable[..., None]) -> None:
        """Call the hook when the gradients of the tensors among these values have been computed."""
        tensors = [each for each in flatten(values)[0] if isinstance(each, Tensor) and each.requires_grad]
        if tensors:
            self._handles.append(register_multi_grad_hook(tensors, hook))
