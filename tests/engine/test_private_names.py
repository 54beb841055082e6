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


def test_aliasing_corrected(name: str) -> None:
    """A wrapper's operation in place returns the wrapper."""
    torch = importlib.import_module(name)
    dispatch = importlib.import_module(f"{name}.utils._python_dispatch")
    pytree = importlib.import_module(f"{name}.utils._pytree")

    class Wrapper(torch.Tensor):  # type: ignore[misc, name-defined]
        @staticmethod
        def __new__(cls, inner: Any) -> Any:
            return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)

        def __init__(self, inner: Any) -> None:
            self.inner = inner

        def __tensor_flatten__(self) -> Any:
            return ["inner"], None

        @staticmethod
        def __tensor_unflatten__(inner: Any, context: Any, size: Any, stride: Any) -> Any:
            return Wrapper(inner["inner"])

        @classmethod
        def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            plain = pytree.tree_map_only(Wrapper, lambda each: each.inner, args)
            out = pytree.tree_map_only(torch.Tensor, Wrapper, func(*plain, **(kwargs or {})))
            return dispatch.return_and_correct_aliasing(func, args, kwargs or {}, out)

    held = Wrapper(torch.arange(6.0).view(2, 3))
    assert held.add_(1) is held and held.inner[0, 0].item() == 1
    product = held * 2
    assert type(product) is Wrapper and product.inner[0, 1].item() == 4
    assert dispatch.is_traceable_wrapper_subclass(held)
    assert not dispatch.is_traceable_wrapper_subclass(torch.ones(1))
    twice = dispatch.transform_subclass(held, lambda key, inner: inner * 2)
    assert type(twice) is Wrapper and twice.inner[0, 0].item() == 2
    with pytest.raises(AssertionError, match="args must be a tuple"):
        dispatch.return_and_correct_aliasing(torch.ops.aten.mul.Tensor, [held, 2], {}, held)


def test_old_functions(name: str) -> None:
    function = importlib.import_module(f"{name}.autograd.function")
    assert issubclass(function.NestedIOFunction, function.Function)
    assert function.NestedIOFunction.__module__ == "torch.autograd.function"


def _told(torch: Any) -> list[Any]:
    functorch, seen = torch._C._functorch, []

    def tell(x: Any) -> Any:
        seen.append(
            (
                functorch.is_batchedtensor(x),
                functorch.is_gradtrackingtensor(x),
                functorch.is_functorch_wrapped_tensor(x),
                functorch.maybe_get_level(x),
                functorch.maybe_get_bdim(x),
                functorch.maybe_current_level(),
            )
        )
        return x.sum()

    def unwrapped(x: Any) -> Any:
        seen.append(functorch.get_unwrapped(x).tolist())
        return x

    x = torch.ones(2, 3)
    tell(x)
    torch.vmap(tell)(x)
    torch.vmap(tell, in_dims=1)(x)
    torch.func.grad(tell)(x)
    torch.func.jvp(tell, (x,), (x,))
    torch.vmap(torch.func.grad(tell))(x)
    torch.func.grad(lambda x: torch.vmap(tell)(x).sum())(x)
    torch.vmap(lambda y: tell(x) + y.sum())(x)
    torch.vmap(unwrapped)(x)
    with pytest.raises(RuntimeError, match="No wrappers present!"):
        functorch.get_unwrapped(x)
    return seen


def test_wrappers() -> None:
    """What can be read of wrapped tensors is the same as in torch."""
    ours, theirs = (_told(importlib.import_module(each)) for each in ("conformance.engine", "torch"))
    assert ours == theirs
