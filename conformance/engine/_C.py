"""torch._C: the few names of torch's core that programs about autograd reach for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from . import modes
from .autograd.gradcheck import undefined_gradient
from .autograd.graph import _current_graph_task_id, _will_engine_execute_node, saved_tensors_hooks
from .autograd.outputs import delayed_error
from .execution import execution_order
from .modes import state
from .node import Node
from .saved import SavedTensor, save, save_output
from .views import increment_version

__all__ = [
    "_autograd",
    "_current_autograd_node",
    "_current_graph_task_execution_order",
    "_current_graph_task_id",
    "_functions",
    "_set_grad_enabled",
    "_will_engine_execute_node",
    "is_grad_enabled",
]

is_grad_enabled = modes.is_grad_enabled


def _set_grad_enabled(mode: bool) -> None:
    modes.set_grad_enabled(mode)


def _current_autograd_node() -> Node | None:
    """The node whose hooks or backward run now."""
    return None if state.graph_task is None else state.graph_task.running


def _current_graph_task_execution_order() -> list[Node]:
    """The nodes that the running backward pass has before it, in order."""
    if state.graph_task is None:
        return []
    if state.multithreading:
        raise RuntimeError(
            "get_current_graph_task_execution_order expects the current backward to be executed with multithreading "
            "disabled, e.g. by running:\n\n>>> with torch.autograd.set_multithreading_enabled(False):\n...     "
            "torch.autograd.grad(...)\n"
        )
    return execution_order(state.graph_task)


def _push_hooks(pack: Any, unpack: Any) -> None:
    saved_tensors_hooks(pack, unpack).__enter__()


def _pop_hooks() -> None:
    state.saved_hooks = state.saved_hooks[:-1]


def _make_saved_tensor(tensor: Any, is_output: bool) -> SavedTensor:
    return save_output(tensor) if is_output else save(tensor)


_autograd = SimpleNamespace(
    SavedTensor=SavedTensor,
    _make_saved_tensor=_make_saved_tensor,
    _pop_saved_tensors_default_hooks=_pop_hooks,
    _push_saved_tensors_default_hooks=_push_hooks,
    _saved_tensors_hooks_is_enabled=lambda: state.saved_hooks_disabled is None,
    _saved_tensors_hooks_get_disabled_error_message=lambda: state.saved_hooks_disabled,
)


class _UndefinedGrad:
    """A function that lets no gradient through."""

    def __call__(self, *tensors: Any) -> Any:
        found = tuple(undefined_gradient(each) for each in tensors)
        return found[0] if len(found) == 1 else found


class _DelayedError:
    """A function whose derivative raises."""

    def __init__(self, message: Any, count: int) -> None:
        self.message = message.decode() if isinstance(message, bytes) else message

    def __call__(self, *tensors: Any) -> Any:
        found = delayed_error(self.message, tensors)
        return found[0] if len(found) == 1 else found


_functions = SimpleNamespace(DelayedError=_DelayedError, UndefinedGrad=_UndefinedGrad)


def _increment_version(tensors: Any) -> None:
    for each in tensors:
        increment_version(each)
