"""torch._C: the few names of torch's C++ bindings that programs about autograd use."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from ._aten.registry import ROWS
from ._aten.shape.clone_to import _parse_to
from ._aten.view_replay import _force_original_view_tracking, is_view_replay_enabled
from ._autograd.custom_function_outputs import delayed_error
from ._autograd.engine import execution_order
from ._autograd.node import AccumulateGrad, Error, Node, NotImplementedNode
from ._autograd.saved_variable import SavedTensor, save, save_output
from ._autograd.tensor import Tensor, version_counter
from ._autograd.torch_dispatch_subclass import DisableTorchDispatch, disabled_torch_dispatch
from ._autograd.torch_function import (
    DisableTorchFunction,
    DisableTorchFunctionSubclass,
    _is_torch_function_all_disabled,
    disabled_torch_function,
)
from ._autograd.views import AsStridedBackward0, CopySlices, increment_version
from ._c10 import context, modes
from ._c10.dispatch_state import below_autograd
from ._c10.modes import state
from ._library.schema import parse_schema
from .autograd import graph
from .autograd._gradcheck.undefined import UndefinedGradBackward, undefined_gradient
from .autograd.graph import _current_graph_task_id, _will_engine_execute_node, saved_tensors_hooks

__all__ = [
    "DisableTorchFunction",
    "DisableTorchFunctionSubclass",
    "_autograd",
    "_current_autograd_node",
    "_current_graph_task_execution_order",
    "_current_graph_task_id",
    "_functions",
    "_is_torch_function_all_disabled",
    "_set_grad_enabled",
    "_will_engine_execute_node",
    "is_grad_enabled",
    "parse_schema",
]

is_grad_enabled = modes.is_grad_enabled
is_inference_mode_enabled, is_anomaly_enabled = modes.is_inference_mode_enabled, modes.is_anomaly_enabled
TensorBase = _TensorBase = Tensor
_disabled_torch_function_impl = disabled_torch_function
_disabled_torch_dispatch_impl, _DisableTorchDispatch = disabled_torch_dispatch, DisableTorchDispatch
_AutoDispatchBelowAutograd = below_autograd


def _flag(attribute: str) -> tuple[Callable[[], bool], Callable[[bool], None]]:
    """A getter and a setter of a thread-local flag."""
    return lambda: getattr(state, attribute), lambda value: setattr(state, attribute, value)


_is_multithreading_enabled, _set_multithreading_enabled = _flag("multithreading")
_is_grad_layout_enforcement_enabled, _set_grad_layout_enforcement_enabled = _flag("layout_enforced")
_OF_AUTOCAST = ("_autocast_supported_devices", "_is_any_autocast_enabled", "_is_autocast_available")
_is_view_replay_enabled = is_view_replay_enabled


def __getattr__(name: str) -> Any:
    from ._dispatch import autocast

    found = getattr(autocast, name, None) if name in _OF_AUTOCAST else autocast.public(name)
    if found is None:
        raise AttributeError(f"module 'torch._C' has no attribute '{name}'")
    return found


def _set_view_replay_enabled(mode: bool) -> None:
    _force_original_view_tracking(mode)


_check_sparse_tensor_invariants = context.checks_invariants
_set_check_sparse_tensor_invariants = context.set_checks_invariants


def _set_grad_enabled(mode: bool) -> None:
    modes.set_grad_enabled(mode)


def _set_fwd_grad_enabled(mode: bool) -> None:
    state.forward_grad = mode


def _is_fwd_grad_enabled() -> bool:
    return state.forward_grad


def _current_autograd_node() -> Node | None:
    """The node whose backward or hooks are running."""
    return None if state.graph_task is None else state.graph_task.running


def _current_graph_task_execution_order() -> list[Node]:
    """The nodes that the running backward pass will execute, in order."""
    if state.graph_task is None:
        raise RuntimeError(
            "_current_graph_task_execution_order should only be called during the backward pass"
        )
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
    saved_tensors_hooks(_push_hooks, _push_hooks).__exit__()


def _make_saved_tensor(tensor: Any, is_output: bool) -> SavedTensor:
    return save_output(tensor) if is_output else save(tensor, state.recorder)


_autograd = SimpleNamespace(
    SavedTensor=SavedTensor,
    _make_saved_tensor=_make_saved_tensor,
    _pop_saved_tensors_default_hooks=_pop_hooks,
    _push_saved_tensors_default_hooks=_push_hooks,
    _get_current_graph_task_keep_graph=lambda: state.graph_task is None or state.graph_task.keep_graph,
    _saved_tensors_hooks_is_enabled=lambda: state.saved_hooks_disabled is None,
    _saved_tensors_hooks_get_disabled_error_message=lambda: state.saved_hooks_disabled,
)
_nn = SimpleNamespace(_parse_to=_parse_to)


def _set_version_counters(tensors: Any, versions: Any) -> None:
    """Set the version counters of tensors to the given numbers."""
    if len(tensors) != len(versions):
        raise RuntimeError(f"tensors_len={len(tensors)}, versions_len={len(versions)}")
    for tensor, version in zip(tensors, versions, strict=True):
        if version < 0:
            raise RuntimeError(f"Cannot set a version_counter to a value below 0: {version}")
        version_counter(tensor).value = version


_autograd._unsafe_set_version_counter = _set_version_counters


class _WeakTensorRef:
    """A weak reference to a tensor that reports whether the tensor is gone."""

    def __init__(self, tensor: Tensor) -> None:
        self._reference = weakref.ref(tensor)

    def expired(self) -> bool:
        """Whether the tensor is gone."""
        return self._reference() is None


class _UndefinedGrad:
    """A function whose output has an undefined gradient."""

    def __call__(self, *tensors: Any) -> Any:
        found = tuple(undefined_gradient(each) if each.requires_grad else each.data for each in tensors)
        return found[0] if len(found) == 1 else found


class _DelayedError:
    """A function whose backward raises an error."""

    def __init__(self, message: Any, count: int) -> None:
        self.message = message.decode() if isinstance(message, bytes) else message
        self.count = count

    def __call__(self, *tensors: Any) -> Any:
        if len(tensors) != self.count:
            raise TypeError(f"expected {self.count} arguments, got {len(tensors)} instead")
        found = delayed_error(self.message, tensors)
        return found[0] if len(found) == 1 else found


class _Functions:
    """torch._C._functions: the node classes by name."""

    DelayedError = graph.Node.register(_DelayedError)
    UndefinedGrad = _UndefinedGrad

    def __getattr__(self, name: str) -> type[Node]:
        """The node class of this name."""
        from . import nn  # noqa: F401  it has rows of its own

        rows = {row.node for row in ROWS.values() if row.node_name == name and row.node is not None}
        found = {cls for cls in WRITTEN_OUT if cls.__name__ == name} | rows
        if len(found) != 1:
            raise AttributeError(f"module 'torch._C._functions' has no attribute '{name}'")
        return found.pop()


WRITTEN_OUT: tuple[type[Node], ...] = (
    AccumulateGrad, AsStridedBackward0, CopySlices, Error, NotImplementedNode, UndefinedGradBackward,
)  # fmt: skip
_functions = _Functions()


def _increment_version(tensors: Any) -> None:
    for each in tensors:
        increment_version(each)
