"""What all optimizers share: groups of parameters, their state, its dictionary (torch: optim/optimizer.py)."""

from __future__ import annotations

import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain
from typing import Any

from ..hooks import RemovableHandle
from ..modes import enable_grad, no_grad
from ..tensor import Tensor


class _Required:
    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()


class Optimizer:
    """Base of all optimizers; a subclass defines ``update(group, parameters)``, which runs under no_grad.

    ``differentiable`` and ``foreach`` are kept in the groups, as torch keeps them; they choose no other code here.
    """

    __module__ = "torch.optim.optimizer"

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self.state: Any = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        self._optimizer_step_pre_hooks: OrderedDict[int, Callable[..., Any]] = OrderedDict()
        self._optimizer_step_post_hooks: OrderedDict[int, Callable[..., Any]] = OrderedDict()
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                f"torch.{params.dtype.legacy}Tensor"
            )
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(dict(group) if isinstance(group, dict) else group)

    def add_param_group(self, param_group: Any) -> None:
        """Add parameters with settings of their own.

        Raises:
            TypeError: not a dict, a set, or not tensors.
            ValueError: a non-leaf, or a parameter that another group has.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, Tensor):
            params = [params]
        elif isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
                "will change between runs. Please use a list instead."
            )
        params = list(params)
        if params and isinstance(params[0], tuple):
            param_group["param_names"] = [name for name, _ in params]
            params = [value for _, value in params]
        param_group["params"] = params
        for param in params:
            if not isinstance(param, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {_typename(param)}")
            if not (param.is_leaf or param.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        if len(params) != len(set(params)):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
                "see github.com/pytorch/pytorch/issues/40967 for more information",
                stacklevel=3,
            )
        known = set(chain.from_iterable(group["params"] for group in self.param_groups))
        if not known.isdisjoint(set(params)):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or set them to 0."""
        for group in self.param_groups:
            for param in group["params"]:
                if param._grad is None:
                    continue
                if set_to_none:
                    param._grad = None
                else:
                    if param._grad.grad_fn is not None:
                        param._grad.detach_()
                    else:
                        param._grad.requires_grad_(False)
                    param._grad.zero_()

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the parameters that have a gradient; returns what ``closure`` returned."""
        for pre in self._optimizer_step_pre_hooks.values():
            pre(self, (), {})
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad():
            for group in self.param_groups:
                self.update(group, [each for each in group["params"] if each._grad is not None])
        for post in self._optimizer_step_post_hooks.values():
            post(self, (), {})
        return loss

    def update(self, group: dict[str, Any], params: list[Tensor]) -> None:
        """One step for the parameters of a group that have a gradient."""
        raise NotImplementedError

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Run ``hook(optimizer, args, kwargs)`` before each step."""
        return RemovableHandle(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Run ``hook(optimizer, args, kwargs)`` after each step."""
        return RemovableHandle(self._optimizer_step_post_hooks, hook)

    def state_dict(self) -> dict[str, Any]:
        """State and groups, with parameters as numbers in the order of the groups."""
        numbers: dict[int, int] = {}
        groups = []
        for group in self.param_groups:
            for param in group["params"]:
                numbers.setdefault(id(param), len(numbers))
            packed = {key: value for key, value in group.items() if key != "params"}
            packed["params"] = [numbers[id(param)] for param in group["params"]]
            groups.append(packed)
        state = {numbers[id(k)] if isinstance(k, Tensor) else k: v for k, v in self.state.items()}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over state and settings.

        Raises:
            ValueError: the groups do not match this optimizer's.
        """
        saved = deepcopy(state_dict["param_groups"])
        if len(saved) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        for ours, theirs in zip(self.param_groups, saved, strict=True):
            if len(ours["params"]) != len(theirs["params"]):
                raise ValueError(
                    "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
                )
        by_number = dict(
            zip(
                chain.from_iterable(group["params"] for group in saved),
                chain.from_iterable(group["params"] for group in self.param_groups),
                strict=True,
            )
        )
        state: Any = defaultdict(dict)
        for key, value in deepcopy(state_dict["state"]).items():
            param = by_number.get(key, key)
            state[param] = {k: _like(k, v, param) for k, v in value.items()} if isinstance(value, dict) else value
        self.state = state
        for ours, theirs in zip(self.param_groups, saved, strict=True):
            theirs["params"] = ours["params"]
        self.param_groups = saved

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __repr__(self) -> str:
        text = type(self).__name__ + " ("
        for number, group in enumerate(self.param_groups):
            text += f"\nParameter Group {number}\n"
            for key in sorted(group):
                if key != "params":
                    text += f"    {key}: {group[key]}\n"
        return text + ")"


def _typename(value: Any) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def _like(key: str, value: Any, param: Any) -> Any:
    if isinstance(value, Tensor) and key != "step" and isinstance(param, Tensor) and param.is_floating_point():
        return value.to(param.dtype)
    return value


def check(name: str, value: Any, valid: bool) -> None:
    """Refuse a setting out of range.

    Raises:
        ValueError: naming the setting and its value.
    """
    if not valid:
        raise ValueError(f"Invalid {name}: {value}")


def check_betas(betas: tuple[float, float]) -> None:
    """Refuse decay rates outside [0, 1)."""
    for index, beta in enumerate(betas):
        check(f"beta parameter at index {index}", beta, 0.0 <= beta < 1.0)


def decayed(param: Tensor, group: dict[str, Any]) -> Tensor:
    """The gradient to descend along: negated when maximizing, with the weights' decay added."""
    grad: Tensor = param._grad  # type: ignore[assignment]
    if group.get("maximize"):
        grad = -grad
    if group.get("weight_decay"):
        grad = grad.add(param, alpha=group["weight_decay"])
    return grad


Params = Iterable[Any]
