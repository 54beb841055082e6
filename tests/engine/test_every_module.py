"""Backward hooks for every module are of one kind: the engine compared with torch."""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any

import pytest
import torch

from conformance import engine
from conformance.engine.nn.modules._module_call import EveryModule


@pytest.fixture(autouse=True)
def _kind(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kind is chosen once in a process, so it is taken back after each test."""
    monkeypatch.setattr(torch.nn.modules.module, "_global_is_full_backward_hook", None)
    monkeypatch.setattr(EveryModule, "is_full_backward", None)


def _seen(module: Any, first: str, second: str) -> list[Any]:
    """What hooks of both kinds see of two layers, and what is said where they cannot meet."""
    hooks = importlib.import_module(f"{module.__name__}.nn.modules.module")
    seen: list[Any] = []

    def hook(layer: Any, grad_input: Any, grad_output: Any) -> None:
        shown = [None if each is None else each.tolist() for each in (*grad_input, *grad_output)]
        seen.append([type(layer).__name__, len(grad_input), shown])

    handle = getattr(hooks, first)(hook)
    layers = module.nn.Sequential(module.nn.ReLU(), module.nn.Tanh())
    x = module.zeros(2, requires_grad=True)
    layers(x).sum().backward()
    layers[1].register_backward_hook(hook)
    layers(x).sum().backward()
    handle.remove()
    layers(x).sum().backward()
    try:
        getattr(hooks, second)(hook).remove()
    except RuntimeError as error:
        seen.append(str(error))
    return seen


@pytest.mark.filterwarnings("ignore:Using a non-full backward hook")
@pytest.mark.parametrize("first", ["register_module_backward_hook", "register_module_full_backward_hook"])
@pytest.mark.parametrize("second", ["register_module_backward_hook", "register_module_full_backward_hook"])
def test_kinds_of_hooks(first: str, second: str) -> None:
    expected = _seen(torch, first, second)
    assert _seen(engine, first, second) == expected
    assert len(expected) == 8 + (first != second)


def test_replicas() -> None:
    shown = []
    for module in (torch, engine):
        layer = module.nn.BatchNorm1d(2)
        replica = layer._replicate_for_data_parallel()
        replica.weight, replica.bias = layer.weight * 2, layer.bias * 2
        result = replica(module.arange(4.0).view(2, 2))
        shown.append([result.grad_fn.name(), [*replica.state_dict()], vars(replica)["_is_replica"]])
        shown[-1].append(layer.num_batches_tracked.item())
    assert shown[0] == shown[1]


@pytest.fixture(params=["swap", "overwrite"])
def conversion(request: pytest.FixtureRequest) -> Any:
    """Modules convert their parameters in another way than usual, on both engines."""
    name = f"set_{request.param}_module_params_on_conversion"
    setters = [getattr(module.__future__, name) for module in (torch, engine)]
    for each in setters:
        each(True)
    yield request.param
    for each in setters:
        each(False)


def test_conversions(conversion: str) -> None:
    outcomes = []
    for module in (torch, engine):
        assert getattr(module.__future__, f"get_{conversion}_module_params_on_conversion")()
        layer = module.nn.Linear(1, 1)
        layer(module.ones(1)).sum().backward()
        seen: list[Any] = []
        weight, gradient = layer.weight, layer.weight.grad
        layer.double()
        seen.append(
            [layer.weight is weight, layer.weight.grad is gradient, str(weight.dtype), str(gradient.dtype)]
        )
        seen.append([type(layer.weight).__name__, layer.weight._version, layer.weight.grad.tolist()])
        weight = layer.weight
        state = {"weight": module.ones(1, 1), "bias": module.ones(1)}
        for assign in (False, True):
            layer.load_state_dict(state, assign=assign)
            seen.append([layer.weight is weight, str(layer.weight.dtype), layer.weight.tolist()])
            seen.append(layer.weight.requires_grad)
        held = (layer.weight * 1, layer.weight.view(1))
        for call in (layer.float, layer.half, partial(layer.load_state_dict, state)):
            try:
                call()
                seen.append([str(layer.weight.dtype), layer.weight._version])
            except RuntimeError as error:
                seen.append(str(error))
        outcomes.append([seen, [each.requires_grad for each in held]])
    assert outcomes[0] == outcomes[1]
