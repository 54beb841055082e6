"""torch.optim.Optimizer: parameter groups, state and hooks (torch: optim/optimizer.py)."""

from __future__ import annotations

import functools
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain
from typing import Any

import numpy as np

from .._arguments.absent_names import AbsentError
from .._aten.creation.legacy_constructors import typename
from .._autograd.conj_view import CONJUGATE_PAIRS, update_conjugate
from .._autograd.hooks import RemovableHandle, add_hook
from .._autograd.tensor import Tensor, version_counter
from .._c10 import pickling
from .._c10.layout import LAYOUTS, Unstrided
from .._c10.modes import enable_grad, set_grad_enabled
from .._optim.optimizer_base import OptimizerBase

Params = Iterable[Any]
Array = np.ndarray[Any, Any]


class _Required:
    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()

_HOOKS = (
    "_optimizer_step_pre_hooks", "_optimizer_step_post_hooks", "_optimizer_state_dict_pre_hooks",
    "_optimizer_state_dict_post_hooks", "_optimizer_load_state_dict_pre_hooks",
    "_optimizer_load_state_dict_post_hooks",
)  # fmt: skip


_global_optimizer_pre_hooks: OrderedDict[int, Callable[..., Any]] = OrderedDict()
_global_optimizer_post_hooks: OrderedDict[int, Callable[..., Any]] = OrderedDict()


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Run ``hook(optimizer, args, kwargs)`` before each step of every optimizer."""
    return add_hook(_global_optimizer_pre_hooks, hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Run ``hook(optimizer, args, kwargs)`` after each step of every optimizer."""
    return add_hook(_global_optimizer_post_hooks, hook)


class Optimizer(OptimizerBase):
    """The base class of optimizers. Those of torch define ``_record(param, grad, group)``, custom ones may define ``step``.

    ``foreach``, ``fused`` and ``capturable`` are stored in the groups as in torch. They select no other implementation,
    but ``fused`` does not bump version counters.
    """

    __module__ = "torch.optim.optimizer"
    _sparse_error = "{} does not support sparse gradients"

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self._make_hooks()
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                + typename(params)
            )
        self.state: Any = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def _make_hooks(self) -> None:
        for name in _HOOKS:
            self.__dict__.setdefault(name, OrderedDict())
        if not hasattr(type(self).step, "hooked"):
            type(self).step = _hooked(type(self).step)  # type: ignore[method-assign]

    def add_param_group(self, param_group: Any) -> None:
        """Add a parameter group with its own settings.

        Raises:
            TypeError: the group is not a dict, or the parameters are a set or not tensors.
            ValueError: a parameter is not a leaf or is in another group.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        given = param_group["params"]
        if isinstance(given, Tensor):
            given = [given]
        elif isinstance(given, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
                "will change between runs. Please use a list instead."
            )
        given = list(given)
        params = [each[1] if isinstance(each, tuple) else each for each in given]
        names = [each[0] for each in given if isinstance(each, tuple)]
        param_group["params"] = params
        if names and len(names) != len(params):
            raise ValueError(
                "all optimizer params should be with/without names. Some param names are missing"
            )
        if names:
            param_group["param_names"] = names
        for param in params:
            if not isinstance(param, Tensor):
                raise TypeError(
                    f"optimizer can only optimize Tensors, but one of the params is {typename(param)}"
                )
            if not self.defaults.get("differentiable") and not (param.is_leaf or param.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(
                    f"parameter group didn't specify a value of required optimization parameter {name}"
                )
            param_group.setdefault(name, default)
        if len(params) != len(set(params)):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
                "see github.com/pytorch/pytorch/issues/40967 for more information",
                stacklevel=3,
            )
        for group in self.param_groups:
            if ("param_names" in param_group) != ("param_names" in group):
                kind = "with names" if "param_names" in param_group else "without names"
                raise ValueError(
                    "all optimizer param groups should be with/without names. cannot add param group "
                    f"{kind} to the optimizer"
                )
        known = set(chain.from_iterable(group["params"] for group in self.param_groups))
        if not known.isdisjoint(set(params)):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set the gradients of all parameters to None or to 0."""
        self.defaults.get("foreach")  # torch reads it, and a custom class may not have it
        for group in self.param_groups:
            for param in group["params"]:
                zero_grad(param, set_to_none)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the parameters that have a gradient; returns the result of ``closure``."""
        recorded = bool(self.defaults.get("differentiable"))
        with set_grad_enabled(recorded):
            loss = None
            if closure is not None:
                with enable_grad():
                    loss = closure()
            for group in self.param_groups:
                params = [each for each in group["params"] if each.grad is not None]
                if LAYOUTS and any(isinstance(each.grad._array, Unstrided) for each in params):
                    self._step_sparse(group, params)
                else:
                    (self._fused if group.get("fused") else self._update)(group, params)
                if CONJUGATE_PAIRS:  # see Note [Conjugate views]
                    for each in params:
                        update_conjugate(each._array)
        return loss

    def _step_sparse(self, group: dict[str, Any], params: list[Tensor]) -> None:
        """One step of a group with a sparse gradient, which most optimizers do not support."""
        for param in params:
            if isinstance(param.grad._array, Unstrided):  # type: ignore[union-attr]
                # the name of torch's class, even for a subclass
                name = next(
                    each.__name__ for each in type(self).__mro__ if each.__module__.startswith("torch.")
                )
                raise RuntimeError(self._sparse_error.format(name))
            self._started(param, group)

    def _fused(self, group: dict[str, Any], params: list[Tensor]) -> None:
        """_update without bumping version counters, except those of the step counts."""
        for each in params:
            if each.is_complex():
                raise RuntimeError(
                    "`fused=True` requires all the params to be floating point Tensors of supported devices: ['mps', "
                    f"'cuda', 'xpu', 'hpu', 'cpu', 'mtia', 'privateuseone'] but {each.dtype} and {each.device.type}"
                )

        def tensors() -> list[Tensor]:
            states = [item for each in params for item in self.state.get(each, {}).items()]
            return [*params, *(each for name, each in states if name != "step" and isinstance(each, Tensor))]

        before = [(each, each._version) for each in tensors()]  # keeps them alive, and hence their ids valid
        self._update(group, params)
        versions = {id(each): version for each, version in before}
        for each in tensors():
            version_counter(each).value = versions.get(id(each), 0)

    def _take(self, param: Tensor, group: dict[str, Any]) -> None:
        """One step of a parameter by operations."""
        grad: Any = param.grad
        self._record(param, -grad if group["maximize"] else grad, group)

    def _update(self, group: dict[str, Any], params: list[Tensor]) -> None:
        """One step for the parameters of a group that have a gradient."""
        if type(self)._record is Optimizer._record:
            raise NotImplementedError
        if group["differentiable"] and group["foreach"] and self._each_refuses_grad:
            raise AssertionError("_foreach ops don't support autograd")
        for param in params:
            self._take(param, group)

    _each_refuses_grad = True

    def _record(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        """One step of a parameter, see Note [Recorded steps]."""
        raise NotImplementedError

    def _started(self, param: Tensor, group: dict[str, Any]) -> Any:
        """The state of a parameter, created before its first step."""
        own = self.state[param]
        if not own:
            own.update(self._start(param, group))
        return own

    def _start(self, param: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        """Create a parameter's initial state."""
        raise NotImplementedError

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Run ``hook(optimizer, args, kwargs)`` before each step; it may replace the arguments."""
        return self._register("_optimizer_step_pre_hooks", hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Run ``hook(optimizer, args, kwargs)`` after each step."""
        return self._register("_optimizer_step_post_hooks", hook)

    def register_state_dict_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Run ``hook(optimizer)`` before state_dict."""
        return self._register("_optimizer_state_dict_pre_hooks", hook, prepend)

    def register_state_dict_post_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Run ``hook(optimizer, state_dict)`` after state_dict; it may replace the dictionary."""
        return self._register("_optimizer_state_dict_post_hooks", hook, prepend)

    def register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Run ``hook(optimizer, state_dict)`` before load_state_dict; it may replace the dictionary."""
        return self._register("_optimizer_load_state_dict_pre_hooks", hook, prepend)

    def register_load_state_dict_post_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Run ``hook(optimizer)`` after load_state_dict."""
        return self._register("_optimizer_load_state_dict_post_hooks", hook, prepend)

    def _register(self, table: str, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        hooks = self.__dict__[table]
        handle = add_hook(hooks, hook)
        if prepend:
            hooks.move_to_end(handle.id, last=False)
        return handle

    def state_dict(self) -> dict[str, Any]:
        """State and groups, with parameters numbered in the order of the groups."""
        for pre in self.__dict__["_optimizer_state_dict_pre_hooks"].values():
            pre(self)
        numbers: dict[int, int] = {}
        groups = []
        count = 0
        for group in self.param_groups:
            packed = {key: value for key, value in group.items() if key != "params"}
            fresh = {id(p): n for n, p in enumerate(group["params"], count) if id(p) not in numbers}
            numbers.update(fresh)  # a parameter that occurs twice has its last number
            packed["params"] = [numbers[id(param)] for param in group["params"]]
            count += len(group["params"])
            groups.append(packed)
        states = {numbers[id(k)] if isinstance(k, Tensor) else k: v for k, v in self.state.items()}
        found: dict[str, Any] = {"state": states, "param_groups": groups}
        for post in self.__dict__["_optimizer_state_dict_post_hooks"].values():
            replaced = post(self, found)
            found = found if replaced is None else replaced
        return found

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load state and settings.

        Raises:
            ValueError: the groups do not match.
        """
        state_dict = state_dict.copy()
        for pre in self.__dict__["_optimizer_load_state_dict_pre_hooks"].values():
            replaced = pre(self, state_dict)
            state_dict = state_dict if replaced is None else replaced
        saved = deepcopy(state_dict["param_groups"])
        if len(saved) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(a["params"]) != len(b["params"]) for a, b in zip(self.param_groups, saved, strict=True)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        numbers = chain.from_iterable(group["params"] for group in saved)
        params = chain.from_iterable(group["params"] for group in self.param_groups)
        by_number = dict(zip(numbers, params, strict=True))
        states: Any = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in by_number:
                states[by_number[key]] = _like(by_number[key], value)
            else:
                states[key] = value
        for ours, theirs in zip(self.param_groups, saved, strict=True):
            theirs["params"] = ours["params"]
            if "param_names" in ours:
                theirs.setdefault("param_names", ours["param_names"])
        self.__setstate__({"state": states, "param_groups": saved})
        for post in self.__dict__["_optimizer_load_state_dict_post_hooks"].values():
            post(self)

    __reduce_ex__ = pickling.reduce

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._make_hooks()
        self.defaults.setdefault("differentiable", False)
        # Where torch fills in what states of earlier releases lack. Adafactor has the default that was just set only.
        filled = type(self).__module__.startswith("torch.") and "foreach" in self.defaults
        known = self.defaults.keys() - {"differentiable"}
        if filled and any(known - group.keys() for group in self.param_groups):
            raise AbsentError("conformance.engine has no optimizer states of earlier releases; torch has")

    def __repr__(self) -> str:
        text = type(self).__name__ + " ("
        for number, group in enumerate(self.param_groups):
            text += f"\nParameter Group {number}\n"
            for key in sorted(group):
                if key != "params":
                    text += f"    {key}: {group[key]}\n"
        return text + ")"


def _hooked(step: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a step with its hooks."""

    @functools.wraps(step)
    def run(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
        given: Any = (self, *args)
        pre_hooks: Any = self._optimizer_step_pre_hooks  # type: ignore[attr-defined]
        for pre in [*_global_optimizer_pre_hooks.values(), *pre_hooks.values()]:
            replaced = pre(self, given, kwargs)
            if replaced is not None:
                if not (isinstance(replaced, tuple) and len(replaced) == 2):
                    name = f"<function {type(self).__name__}.step at {id(step):#x}>"
                    raise RuntimeError(
                        f"{name} must return None or a tuple of (new_args, new_kwargs), but got {replaced}."
                    )
                given, kwargs = replaced
        found = step(*given, **kwargs)
        post_hooks: Any = self._optimizer_step_post_hooks  # type: ignore[attr-defined]
        for post in [*post_hooks.values(), *_global_optimizer_post_hooks.values()]:
            post(self, given, kwargs)
        return found

    run.hooked = True  # type: ignore[attr-defined]
    return run


def zero_grad(param: Tensor, set_to_none: bool) -> None:
    """Set a gradient to None or to 0."""
    gradient = param.grad
    if gradient is None:
        return
    if set_to_none:
        param.grad = None
        return
    if gradient.grad_fn is not None:
        gradient.detach_()
    else:
        gradient.requires_grad_(False)
    gradient.zero_()


def _like(param: Tensor, value: Any, key: Any = None) -> Any:
    """A loaded state converted to the parameter's dtype, except for the step count."""
    if isinstance(value, Tensor):
        return value.to(param.dtype) if key != "step" and param.is_floating_point() else value
    if isinstance(value, dict):
        return {k: _like(param, v, k) for k, v in value.items()}
    if isinstance(value, Iterable):
        return type(value)(_like(param, each) for each in value)  # type: ignore[call-arg]
    return value
