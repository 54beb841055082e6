"""What torch's own tests import from its private modules, which no scenario reaches: the same with torch and engine."""

import importlib
from typing import Any

import pytest

pytest.importorskip("torch")


@pytest.fixture(params=["torch", "conformance.engine"])
def name(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("_tensor", "Tensor"),
        ("_functorch.apis", "grad grad_and_value vmap"),
        ("_functorch.eager_transforms", "functionalize hessian jacfwd jacrev jvp linearize vjp"),
        ("_functorch.functional_call", "functional_call stack_module_state"),
    ],
)
def test_other_places(name: str, module: str, names: str) -> None:
    """These modules have torch's public functions."""
    torch = importlib.import_module(name)
    found = importlib.import_module(f"{name}.{module}")
    for each in names.split():
        public = torch.Tensor if each == "Tensor" else getattr(torch.func, each)
        assert getattr(found, each) is public


def test_restored_vmap(name: str) -> None:
    """restore_vmap takes the batch size and returns the outputs with their batch dimensions."""
    torch = importlib.import_module(name)
    restore_vmap = importlib.import_module(f"{name}._functorch.vmap").restore_vmap

    def f(x: Any, y: Any, z: Any) -> Any:
        return {"a": x[0] + x[1], "b": y, "c": z}

    x, y = (torch.ones(2, 3), torch.ones(2)), torch.ones(4, 2)
    outputs, dims = restore_vmap(f, ((0, 0), 1, None), 2, "error")(x, y, 5)
    assert dims == {"a": 0, "b": 1, "c": None} and outputs["c"] == 5
    assert outputs["a"].shape == (2, 3) and outputs["b"].shape == (4, 2)


def test_asking_one_by_one(name: str) -> None:
    torch = importlib.import_module(name)
    overrides = importlib.import_module(f"{name}.overrides")

    class Loud(torch.Tensor):  # type: ignore[misc, name-defined]
        pass

    plain, loud = torch.ones(1), torch.ones(1).as_subclass(Loud)
    unary, variadic = overrides.has_torch_function_unary, overrides.has_torch_function_variadic
    assert (unary(plain), unary(loud), variadic(plain, 1), variadic(plain, loud)) == (
        False,
        True,
        False,
        True,
    )
    overrides._push_mode(overrides.BaseTorchFunctionMode())
    assert (unary(plain), variadic(plain)) == (True, True)
    overrides._pop_mode()
    assert not unary(plain)


def test_texts_and_layers(name: str) -> None:
    module = importlib.import_module(f"{name}.nn.modules.module")
    transformer = importlib.import_module(f"{name}.nn.modules.transformer")
    nn = importlib.import_module(f"{name}.nn")
    assert module._addindent("one\ntwo\n three", 2) == "one\n  two\n   three"
    copies = transformer._get_clones(nn.Linear(1, 2), 2)
    assert type(copies) is nn.ModuleList and copies[0] is not copies[1]
    assert transformer._get_activation_fn("gelu") is nn.functional.gelu
    with pytest.raises(RuntimeError, match="activation should be relu/gelu, not tanh"):
        transformer._get_activation_fn("tanh")
    assert transformer._generate_square_subsequent_mask(2).tolist() == [[0.0, float("-inf")], [0.0, 0.0]]


def test_old_functions(name: str) -> None:
    function = importlib.import_module(f"{name}.autograd.function")
    assert issubclass(function.NestedIOFunction, function.Function)
    assert function.NestedIOFunction.__module__ == "torch.autograd.function"
