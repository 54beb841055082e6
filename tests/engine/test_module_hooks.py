"""Hooks of all modules, and of what modules register, compared with torch's: scenarios may not import them."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

import pytest
import torch

from conformance import engine

ENGINES = [torch, engine]


def test_hooks_of_every_module() -> None:
    outcomes = []
    for module in ENGINES:
        nn, seen = module.nn, []  # type: ignore[var-annotated]
        hooks = importlib.import_module(f"{module.__name__}.nn.modules.module")
        one = hooks.register_module_forward_hook(
            lambda m, args, y, s=seen: s.append([type(m).__name__, len(args)])
        )
        two = hooks.register_module_forward_hook(
            lambda m, args, kwargs, y, s=seen: s.append([type(m).__name__, [*kwargs]]) or y * 2,
            with_kwargs=True,
        )
        m = nn.Sequential(nn.Identity(), nn.ReLU())
        seen.append(m(module.ones(1)).tolist())
        seen.append(nn.Identity()(input=module.ones(1)).tolist())
        one.remove()
        two.remove()
        seen.append(m(module.ones(1)).tolist())
        outcomes.append(seen)
    assert outcomes[0] == outcomes[1]


def test_hooks_of_every_module_are_always_called() -> None:
    outcomes = []
    for module in ENGINES:
        seen: list[Any] = []
        hooks = importlib.import_module(f"{module.__name__}.nn.modules.module")

        def stop(m: Any, args: Any, result: Any) -> None:
            raise ValueError("no")

        handles = [
            hooks.register_module_forward_hook(
                lambda m, args, y, s=seen: s.append([len(args), y is None]), always_call=True
            ),
            hooks.register_module_forward_hook(stop, always_call=True),
        ]
        layer = module.nn.Linear(2, 2)
        for size in (3, 2):
            with (
                pytest.raises((RuntimeError, ValueError)) as error,
                warnings.catch_warnings(record=True) as told,
            ):
                warnings.simplefilter("always")
                layer(module.ones(size))
            seen.append([type(error.value).__name__, [str(each.message)[:70] for each in told]])
        for each in handles:
            each.remove()
        outcomes.append(seen)
    assert outcomes[0] == outcomes[1] and len(outcomes[0]) > 3


def test_hooks_of_registrations() -> None:
    outcomes = []
    for module in ENGINES:
        nn, seen = module.nn, []  # type: ignore[var-annotated]
        hooks = importlib.import_module(f"{module.__name__}.nn.modules.module")

        def other(m: Any, name: str, value: Any, module: Any = module) -> Any:
            return module.nn.Parameter(module.zeros(1, 1)) if name == "weight" and value.dim() > 1 else None

        handles = [
            hooks.register_module_parameter_registration_hook(other),
            hooks.register_module_parameter_registration_hook(lambda m, name, value, s=seen: s.append(name)),
            hooks.register_module_buffer_registration_hook(lambda m, name, value: value + 7),
            hooks.register_module_module_registration_hook(
                lambda m, name, child, nn=nn: nn.ReLU() if name == "1" else None
            ),
        ]
        m = nn.Sequential(nn.Linear(2, 3), nn.Identity())
        norm = nn.BatchNorm1d(1)
        for handle in handles:
            handle.remove()
        plain = nn.BatchNorm1d(1).running_mean.tolist()
        outcomes.append(
            [repr(m), [*m[0].weight.shape], m[0].bias is None, norm.running_mean.tolist(), plain, seen]
        )
    assert outcomes[0] == outcomes[1]


def test_marked_hooks() -> None:
    for module in ENGINES:
        hooks = importlib.import_module(f"{module.__name__}.utils.hooks")

        def hook(grad: Any) -> None:
            return None

        assert hooks.unserializable_hook(hook) is hook
        assert vars(hook) == {"__torch_unserializable__": True}
