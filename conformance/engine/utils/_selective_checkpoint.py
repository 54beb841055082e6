"""Selective activation checkpointing, which saves the results of chosen operations (torch: utils/checkpoint.py)."""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from .._autograd.tensor import Tensor
from .._c10.pytree import tree_map
from .._dispatch.torch_dispatch import OpOverload, OpOverloadPacket, TorchDispatchMode, aten

__all__ = ["CheckpointPolicy", "SelectiveCheckpointContext", "create_selective_checkpoint_contexts"]

_RECOMPUTE, _CONSUMED = object(), object()
_MISMATCH = (
    "This can happen if the operations in the checkpointed region are nondeterministic or depend on global state that "
    "changed between forward and backward."
)
SAC_IGNORED_OPS = {aten.detach.default}


class CheckpointPolicy(enum.Enum):
    """Whether an operation's result is saved or recomputed."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


CheckpointPolicy.__module__ = "torch.utils.checkpoint"


class SelectiveCheckpointContext:
    """The context that a policy function receives as its first argument."""

    __module__ = "torch.utils.checkpoint"

    def __init__(self, *, is_recompute: bool, op_output: Any = None) -> None:
        self.is_recompute, self.op_output = is_recompute, op_output


class _VersionWrapper:
    """A saved result, with its version at that time."""

    def __init__(self, val: Any) -> None:
        self.val = val.detach() if isinstance(val, Tensor) else val
        self.version = val._version if isinstance(val, Tensor) else None

    def get_val(self, allow_cache_entry_mutation: bool) -> Any:
        """The saved result."""
        if self.version is not None and not allow_cache_entry_mutation and self.val._version != self.version:
            raise RuntimeError("Tensor cached during selective activation checkpoint has been mutated")
        return self.val


class _CachingTorchDispatchMode(TorchDispatchMode):
    """The mode around forward: saves the results that the policy selects."""

    def __init__(self, policy_fn: Callable[..., Any], storage: dict[Any, dict[int, Any]]) -> None:
        self.policy_fn, self.storage = policy_fn, storage
        self.func_counter: dict[Any, int] = defaultdict(int)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        if func in SAC_IGNORED_OPS:
            return out
        index = self.func_counter[func]
        self.func_counter[func] += 1
        policy = self.policy_fn(
            SelectiveCheckpointContext(is_recompute=False, op_output=out), func, *args, **kwargs
        )
        keep = policy in (True, CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE)
        self.storage[func][index] = tree_map(_VersionWrapper, out) if keep else _RECOMPUTE
        return out


class _CachedTorchDispatchMode(TorchDispatchMode):
    """The mode around the recomputation: returns the saved results."""

    def __init__(
        self, policy_fn: Any, storage: dict[Any, dict[int, Any]], allow_cache_entry_mutation: bool
    ) -> None:
        self.storage, self.allow_cache_entry_mutation = storage, allow_cache_entry_mutation
        self.func_counter: dict[Any, int] = defaultdict(int)

    def __enter__(self) -> TorchDispatchMode:
        self.func_counter.clear()
        return super().__enter__()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func in SAC_IGNORED_OPS:
            return func(*args, **(kwargs or {}))
        index = self.func_counter[func]
        self.func_counter[func] += 1
        kept = self.storage.get(func)
        if kept is None:
            raise RuntimeError(f"{func} encountered during backward but not found in storage. {_MISMATCH}")
        entry = kept.get(index)
        if entry is None:
            raise RuntimeError(
                f"{func} invocation index {index} encountered during backward but not found in storage. {_MISMATCH}"
            )
        if entry is _CONSUMED:
            raise RuntimeError(
                "Trying to backward an extra time. You are only allowed to backward once on any region computed under "
                "selective activation checkpoint."
            )
        if entry is _RECOMPUTE:
            return func(*args, **(kwargs or {}))
        kept[index] = _CONSUMED
        return tree_map(lambda each: each.get_val(self.allow_cache_entry_mutation), entry)


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Any, allow_cache_entry_mutation: bool = False
) -> tuple[TorchDispatchMode, TorchDispatchMode]:
    """The contexts of a checkpoint that saves the operations that a policy or list selects.

    Raises:
        ValueError: an element of the list is not an OpOverload.
        TypeError: the argument is neither a function nor a list.
    """
    if isinstance(policy_fn_or_list, list):
        for op in policy_fn_or_list:
            if not isinstance(op, OpOverload):
                more = (
                    "Please update the OpOverloadPacket to a specific OpOverload.For example, if you have "
                    "`torch.ops.aten.mm`, change it to `torch.ops.aten.mm.default`."
                )
                raise ValueError(
                    f"Expected op in `op_list` to be an OpOverload but got: {op} of type {type(op)}. "
                    + (more if isinstance(op, OpOverloadPacket) else "")
                )

        def policy_fn(ctx: Any, op: Any, *args: Any, **kwargs: Any) -> CheckpointPolicy:
            wanted = op in policy_fn_or_list
            return CheckpointPolicy.MUST_SAVE if wanted else CheckpointPolicy.PREFER_RECOMPUTE
    elif callable(policy_fn_or_list):
        policy_fn = policy_fn_or_list
    else:
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    storage: dict[Any, dict[int, Any]] = defaultdict(dict)
    return (
        _CachingTorchDispatchMode(policy_fn, storage),
        _CachedTorchDispatchMode(None, storage, allow_cache_entry_mutation),
    )
