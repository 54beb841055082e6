"""What no scenario can say, for its names begin with two underscores or give modules: the engine beside torch."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from conformance import engine

ENGINES = [torch, engine]


def _dispatched(library: Any, mode_class: Any, by_name: bool) -> list[Any]:
    """What a rule for a mode is asked, and what it and the mode make of an operator."""
    seen: list[Any] = []

    class Mode(mode_class):  # type: ignore[misc]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(("mode", str(func), kwargs))
            return func(*args, **kwargs)

    operator = library.custom_op(
        "mylib::ruled", lambda x, n=2: x * n, mutates_args=(), schema="(Tensor x, int n=2) -> Tensor"
    )
    operator.register_autograd(lambda ctx, grad: (grad * 7, None))

    def call() -> None:
        x = (torch if library is torch.library else engine).tensor([1.0], requires_grad=True)
        with Mode():
            y = operator(x, 3)
        y.sum().backward()
        seen.append((y.tolist(), x.grad.tolist(), y.grad_fn.name()))

    call()

    def rule(mode: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        seen.append(("rule", type(mode).__name__, str(func), kwargs))
        return func(*args, **kwargs) * 10

    if by_name:
        library.register_torch_dispatch("mylib::ruled", Mode, rule)
    else:
        operator.register_torch_dispatch(Mode)(rule)
    call()
    return seen


@pytest.mark.parametrize("by_name", [False, True])
def test_operators_below_modes(by_name: bool) -> None:
    from torch.utils._python_dispatch import TorchDispatchMode

    expected = _dispatched(torch.library, TorchDispatchMode, by_name)
    found = _dispatched(engine.library, engine.utils._python_dispatch.TorchDispatchMode, by_name)
    assert found == expected


def test_modules_of_devices() -> None:
    for module in ENGINES:
        for given in (None, "cpu", "cpu:0", module.device("cpu")):
            assert module.get_device_module(given) is module.cpu
        assert module.get_device_module("cuda") is module.cuda
    for given in ("gpu", "xla", 3):
        texts = []
        for module in ENGINES:
            with pytest.raises(RuntimeError) as raised:
                module.get_device_module(given)
            texts.append(str(raised.value))
        assert texts[0] == texts[1]


@pytest.mark.parametrize("value", [2.7, True, 0, -1.5])
def test_old_conversions(value: Any) -> None:
    one, other = (module.tensor(value) for module in ENGINES)
    assert other.__long__() == one.__long__()
    assert other.__nonzero__() is one.__nonzero__()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"stream": None},
        {"stream": 1},
        {"stream": "a"},
        {"max_version": (1, 0)},
        {"dl_device": (1, 0)},
        {"copy": True},
    ],
)
def test_exported_memory(options: dict[str, Any]) -> None:
    outcomes = []
    for module in ENGINES:
        x = module.tensor([1.0, 2.0])
        try:
            y = module.from_dlpack(x.__dlpack__(**options))
        except (AssertionError, TypeError) as error:
            outcomes.append([type(error), str(error)])
        else:
            outcomes.append([y.tolist(), y.data_ptr() == x.data_ptr(), x.__dlpack_device__()])
    assert outcomes[0] == outcomes[1]


def test_functions_and_methods_apart() -> None:
    """What torch has as a function alone, or as a method alone, the engine has nowhere else."""
    for name in {*dir(torch), *dir(torch.Tensor)}:
        assert hasattr(torch, name) or not callable(getattr(engine, name, None)), f"torch.{name}"
        assert hasattr(torch.Tensor, name) or not hasattr(engine.Tensor, name), f"Tensor.{name}"
