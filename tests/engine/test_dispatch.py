"""TorchDispatchMode compared with torch's: scenarios may not define one, since it has a dunder method."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

import conformance.engine
import conformance.engine.utils

torch = pytest.importorskip("torch")
ENGINES = [pytest.param(torch, id="torch"), pytest.param(conformance.engine, id="engine")]


def log(module: Any, seen: list[Any], name: str = "") -> Any:
    class Log(module.utils._python_dispatch.TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if "detach" not in str(func):
                seen.append((name, str(func)))
            return func(*args, **(kwargs or {}))

    return Log()


@pytest.mark.parametrize("module", ENGINES)
def test_operations_and_writes(module: Any) -> None:
    seen: list[Any] = []
    x = module.tensor([1.0, 2.0], requires_grad=True)
    with log(module, seen):
        y = (x * 3).clone()
        version = y._version
        z = y.add_(x)
    assert seen == [("", "aten.mul.Tensor"), ("", "aten.clone.default"), ("", "aten.add_.Tensor")]
    assert z is y and y._version == version + 1 and y.tolist() == [4.0, 8.0]
    y.sum().backward()
    assert x.grad.tolist() == [4.0, 4.0]


@pytest.mark.parametrize("module", ENGINES)
def test_inner_mode_calls_outer(module: Any) -> None:
    seen: list[Any] = []
    x = module.tensor([1.0, 2.0], requires_grad=True)
    with log(module, seen, "outer"), log(module, seen, "inner"):
        x.clone().add_(x)
    names = ["aten.clone.default", "aten.add_.Tensor"]
    assert seen == [(mode, name) for name in names for mode in ("inner", "outer")]
    module.sin(x)
    assert len(seen) == 4


def test_creation_is_seen() -> None:
    """The inner and then the outer mode receive each function that creates tensors, under the dispatcher's name."""
    told = []
    for module in (torch, conformance.engine):
        seen: list[Any] = []

        class Tell(module.utils._python_dispatch.TorchDispatchMode):  # type: ignore[misc, name-defined]
            def __torch_dispatch__(
                self, func: Any, types: Any, args: Any = (), kwargs: Any = None, seen: Any = seen
            ) -> Any:
                sizes = [each for each in args if not hasattr(each, "dtype")]
                options = {key: str(value) for key, value in (kwargs or {}).items() if key != "generator"}
                seen.append((str(func), sizes, options))
                return func(*args, **(kwargs or {}))

        x = module.ones(2)
        with Tell(), Tell():
            made = [
                module.ones(2, requires_grad=True),
                module.zeros((2, 1), dtype=module.float64),
                module.empty(size=(2,)),
                module.rand(1, generator=module.Generator()),
                module.arange(1, 3, 0.5),
                module.eye(2, 3),
                module.full((2,), 3.0),
                module.randint(1, 3, (2,)),
                module.zeros_like(x, dtype=module.int32),
                module.tensor([1.0], requires_grad=True),
            ]
        seen.extend((each.requires_grad, tuple(each.shape), str(each.dtype)) for each in made)
        told.append(seen)
    assert told[0] == told[1]


@pytest.mark.parametrize("module", ENGINES)
def test_modes_in_force(module: Any) -> None:
    dispatch, seen = module.utils._python_dispatch, []  # type: ignore[var-annotated]
    x = module.tensor([1.0])
    outer, inner = log(module, seen, "outer"), log(module, seen, "inner")
    with outer, inner:
        assert dispatch._get_current_dispatch_mode() is inner
        assert dispatch._get_current_dispatch_mode_stack() == [outer, inner]
        with dispatch._disable_current_modes() as before:
            assert list(before) == [inner, outer]
            assert dispatch._get_current_dispatch_mode() is None
            x.cos()
        x.sin()
    assert seen == [("inner", "aten.sin.default"), ("outer", "aten.sin.default")]


@pytest.mark.parametrize("module", ENGINES)
def test_result_stands_in(module: Any) -> None:
    class Replace(module.utils._python_dispatch.TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if func is module.ops.aten.sin.default:
                return module.ops.aten.cos(*args)
            return func(*args, **(kwargs or {}))

    x = module.tensor([0.0], requires_grad=True)
    with Replace():
        y = x.sin()
    assert y.tolist() == [1.0] and type(y.grad_fn).__name__ == "SinBackward0"
    assert x.sin().tolist() == [0.0]


@pytest.mark.parametrize("module", ENGINES)
def test_backward_is_seen(module: Any) -> None:
    seen: list[Any] = []
    x = module.tensor([1.0, 2.0], requires_grad=True)
    y, weight = x.sin(), module.ones(2)
    with log(module, seen):
        module.autograd.grad(y, x, weight)
    assert seen == [("", "aten.cos.default"), ("", "aten.mul.Tensor")]


@pytest.mark.parametrize("module", ENGINES)
def test_not_implemented(module: Any) -> None:
    class Refuse(module.utils._python_dispatch.TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return NotImplemented

    x = module.tensor([1.0])
    with (
        Refuse(),
        pytest.raises(TypeError, match=r"Multiple dispatch failed for 'torch\._ops\.aten\.sin\.default'"),
    ):
        x.sin()
    with module.utils._python_dispatch.TorchDispatchMode(), pytest.raises(NotImplementedError):
        x.sin()
    assert module.utils._python_dispatch._get_current_dispatch_mode() is None


@pytest.mark.parametrize("module", ENGINES)
def test_overloads(module: Any) -> None:
    aten, x = module.ops.aten, module.tensor([1.0, 2.0])
    assert aten.mul.Tensor is aten.mul.Tensor
    assert aten.mul.Tensor.overloadpacket is aten.mul.Tensor._overloadpacket is aten.mul
    assert aten.mul.Tensor.__module__ == aten.mul.__module__ == "torch._ops.aten"
    assert [str(aten.mul), str(aten.sum.dim_IntList), aten.mul.Tensor.name()] == [
        "aten.mul",
        "aten.sum.dim_IntList",
        "aten::mul.Tensor",
    ]
    assert aten.mul.Tensor(x, x).tolist() == aten.mul(x, x).tolist() == [1.0, 4.0]
    assert aten.mul_.Tensor(x, x) is x and x.tolist() == [1.0, 4.0]
    with pytest.raises(AttributeError, match="object has no attribute 'nonsense'"):
        str(aten.nonsense)


@pytest.mark.parametrize("module", ENGINES)
def test_forms_of_one_operation(module: Any) -> None:
    seen: list[Any] = []
    x, number = module.tensor([1.0, 0.0]), module.tensor(3.0)
    with log(module, seen):
        module.fill(x, 3.0)
        module.fill(x, number)
        module.squeeze_copy(x, 0)
        module.squeeze_copy(x, (0,))
        module.bernoulli(x, 0.5)
        module.pow(2.0, x)
        module.isin(x, x)
        module.isin(2.0, x)
        module.isin(x, 2.0)
    assert [name for _, name in seen] == [
        *("aten.fill.Scalar", "aten.fill.Tensor", "aten.squeeze_copy.dim", "aten.squeeze_copy.dims"),
        *("aten.bernoulli.p", "aten.pow.Scalar"),
        *("aten.isin.Tensor_Tensor", "aten.isin.Scalar_Tensor", "aten.isin.Tensor_Scalar"),
    ]


@pytest.mark.parametrize("module", ENGINES)
def test_selective_checkpoint_by_a_list(module: Any) -> None:
    contexts = module.utils.checkpoint.create_selective_checkpoint_contexts
    sin = module.ops.aten.sin
    with pytest.raises(ValueError, match="update the OpOverloadPacket to a specific OpOverload"):
        contexts([sin])
    forward, again = contexts([sin.default])
    x = module.tensor([1.0, 2.0], requires_grad=True)
    with forward:
        y = x.sin() * 2
    with again:
        z = x.sin() * 2
    assert z.tolist() == y.tolist() and type(z.grad_fn).__name__ == "MulBackward0"
    with again, pytest.raises(RuntimeError, match="Trying to backward an extra time"):
        x.sin()


SEEN = {
    "made": "(t.ones(2), t.zeros(2, 3, dtype=t.float64), t.empty(1), t.full((2,), 1.0), t.arange(3), t.rand(2))",
    "made like others": "(t.zeros_like(x), t.ones_like(x, dtype=t.float64), t.empty_like(x), t.randn_like(x))",
    "made in a tensor's dtype": "(x.new_zeros(3), x.new_ones(2, 1), x.new_full((2,), 3.0), x.new_empty((1,)))",
    "made in order": """(t.linspace(0, 1, 3), t.logspace(0, 1, 2, dtype=t.float64), t.tril_indices(2, 3, offset=1),
        t.scalar_tensor(2.0))""",
    "drawn": """(t.randperm(3), t.normal(0.0, 2.0, (2,)), t.multinomial(m[0], 2),
        m.clone().bernoulli_(0.25), m.clone().bernoulli_(), m.clone().bernoulli_(m), F.gumbel_softmax(x))""",
    "dropout": "(F.dropout(x, 0.25), F.dropout(x), F.dropout2d(m[None, None], 0.5), F.dropout(m, 0.5, inplace=True))",
    "dropout that draws nothing": "(F.dropout(x, 0.0), F.dropout(x, 1.0), F.dropout(x, training=False))",
    "other shapes": "(m.t().reshape(4), m[:, :1].reshape(2), m.reshape(4), t.einsum('ij,kj->ik', m, m))",
    "from data": "(t.as_tensor([1.0]), t.as_tensor(x), t.tensor([1.0, 2.0]), t.tensor(1.0, requires_grad=True).exp())",
    "detached": "(x.detach(), x.data)",
    "outputs saved": "(x.exp(), x.relu(), x.max(), x.sort(), x.max(0), F.softmax(x, 0), x.prod())",
    "outputs unpacked": "(x * 2).exp().sum().backward()",
    "of other classes": "(P := t.nn.Parameter, P(m), t.Tensor._make_subclass(P, m), m.as_subclass(P))",
    "numbers read": "(x[0].item(), bool(x[0] > 5), float(x.detach()[1]), [1, 2][t.tensor(1)])",
    "first and second gradients": "((x * x).sum().backward(), (x * 3).sum().backward())",
    "gradients recorded": "t.autograd.grad((x * x).sum(), x, create_graph=True)",
    "gradients given": "(x * x).backward(t.ones(2))",
    "retained": "kept(x * 2)",
    "arguments": "(x.double(), t.cat([x, x])[0], m.t().contiguous(), F.pad(x, (1, 1)), F.log_softmax(m, 1))",
    "values written over, and saved": """(x.clone().mul_(x), x.clone().mul_(2), t.ones(2).mul_(x), x.clone().sin_(),
        x.clone().pow_(3), x.clone().hypot_(x), x.clone().atan2_(t.ones(2)))""",
    "results of writes saved": "(x.clone().exp_(), x.clone().sqrt_(), x.clone().relu_(), x.clone().cumprod_(0))",
    "taken by name alone": "(x.clone().cumsum_(0), x.cumsum(0), t.ones(2).cumsum_(0, dtype=t.float32))",
    "in hooks": "hooked(lambda: (x.exp(), x.sort()))",
    "layers": """(F.embedding(t.tensor([0, 1]), m), F.nll_loss(m, t.tensor([0, 1])), F.max_pool1d(m[None], 2),
        F.conv1d(m[None], m[None]), F.scaled_dot_product_attention(*[m[None, None]] * 3))""",
}


def _shown(given: Any) -> Any:
    if isinstance(given, (list, tuple)):
        return [_shown(each) for each in given]
    return tuple(given.shape) if hasattr(given, "shape") else str(given)


def _hooked(module: Any, work: Any) -> None:
    def pack(saved: Any) -> Any:
        return saved.detach() + 1 if saved.dtype.is_floating_point else saved.neg()

    with module.autograd.graph.saved_tensors_hooks(pack, lambda saved: saved):
        work()


def _kept(made: Any) -> None:
    made.retain_grad()
    made.sum().backward()


def _seen(module: Any, line: str) -> list[Any]:
    seen: list[Any] = []

    class Log(module.utils._python_dispatch.TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append((str(func), _shown(args), _shown([*(kwargs or {}).items()])))
            return func(*args, **(kwargs or {}))

    x, m = module.tensor([1.0, 2.0], requires_grad=True), module.ones(2, 2)
    scope = {
        "t": module,
        "F": module.nn.functional,
        "x": x,
        "m": m,
        "kept": _kept,
        "hooked": partial(_hooked, module),
    }
    with Log():
        eval(line, scope)
    return seen


@pytest.mark.parametrize("line", SEEN.values(), ids=SEEN.keys())
def test_what_is_seen(line: str) -> None:
    """The same operations, with the same arguments, in the same order."""
    assert _seen(conformance.engine, line) == _seen(torch, line)


@pytest.mark.parametrize("module", ENGINES)
def test_arguments_replaced(module: Any) -> None:
    """What a mode hands on in place of an argument is what the operation gets, whatever form the arguments have."""

    class Negated(module.utils._python_dispatch.TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if str(func) in ("aten.cat.default", "aten._softmax.default", "aten._to_copy.default"):
                first = [-each for each in args[0]] if isinstance(args[0], (list, tuple)) else -args[0]
                args = (first, *args[1:])
            return func(*args, **(kwargs or {}))

    x = module.tensor([0.0, float("inf")])
    with Negated():
        found = module.cat([x, x]), module.softmax(x, 0), x.double()
    assert [each.tolist() for each in found] == [[0.0, -float("inf")] * 2, [1.0, 0.0], [0.0, -float("inf")]]


@pytest.mark.parametrize("module", ENGINES)
def test_results_replaced(module: Any) -> None:
    """What a mode gives is the result, of quick operations too, whatever it has to do with the operands."""

    class Sevens(module.utils._python_dispatch.TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return module.full((3,), 7.0, dtype=module.float64)

    x, y = module.ones(2), module.ones(2, requires_grad=True)
    with Sevens():
        found = [x + 1, x + x, 2 * x, x - x, x / 2, y * y, y.exp()]
    assert all(each.tolist() == [7.0] * 3 and each.dtype is module.float64 for each in found)
    assert (x + x).tolist() == [2.0, 2.0] and (y * 2).dtype is module.float32


@pytest.mark.parametrize("module", ENGINES)
def test_refused_before_modes_are_asked(module: Any) -> None:
    seen: list[Any] = []
    x = module.ones(2, requires_grad=True)
    with log(module, seen), pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        x.add_(1)
    assert seen == []
