"""Subclasses of Tensor below autograd, compared with torch: no scenario may define a special method."""

from __future__ import annotations

from typing import Any

import pytest

import conformance.engine
import conformance.engine.utils

torch = pytest.importorskip("torch")
ENGINES = (torch, conformance.engine)


def _classes(module: Any, seen: list[Any]) -> tuple[type, type]:
    """A class whose tensors use the storage of the tensors that they hold, and one whose tensors have no storage."""

    def dispatch(cls: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        seen.append((str(func), [each.__name__ for each in types], _kinds(args), module.is_grad_enabled()))
        found = func(*_each(args, _held), **_each(kwargs or {}, _held))
        return _each(found, lambda x: cls(x) if isinstance(x, module.Tensor) else x)

    class Over(module.Tensor):  # type: ignore[misc]
        __torch_function__ = module._C._disabled_torch_function_impl
        __torch_dispatch__ = classmethod(dispatch)

        def __new__(cls, held: Any) -> Any:
            made = module.Tensor._make_subclass(cls, held, held.requires_grad)
            made.held = held.detach()
            return made

    class Around(module.Tensor):  # type: ignore[misc]
        __torch_function__ = module._C._disabled_torch_function_impl
        __torch_dispatch__ = classmethod(dispatch)

        def __new__(cls, held: Any) -> Any:
            options = {"strides": held.stride(), "dtype": held.dtype, "requires_grad": held.requires_grad}
            return module.Tensor._make_wrapper_subclass(cls, held.size(), **options)

        def __init__(self, held: Any) -> None:
            self.held = held

    return Over, Around


def _held(value: Any) -> Any:
    return getattr(value, "held", value)


def _each(value: Any, made: Any) -> Any:
    if isinstance(value, dict):
        return {key: _each(each, made) for key, each in value.items()}
    if isinstance(value, (tuple, list)):
        return type(value)(_each(each, made) for each in value)
    return made(value)


def _kinds(args: Any) -> list[Any]:
    return [_kinds(each) if isinstance(each, (tuple, list)) else type(each).__name__ for each in args]


def _told(value: Any) -> Any:
    """What is to be the same: of a tensor its class, its numbers and its place in the graph."""
    if isinstance(value, (tuple, list)):
        return [_told(each) for each in value]
    if not hasattr(value, "grad_fn"):
        return value
    node = value.grad_fn.name() if value.grad_fn is not None else None
    place = (node, value.output_nr, value.requires_grad, value._is_view(), value._version)
    return type(value).__name__, _held(value).tolist(), value.shape, place


PROGRAMS = {
    "results": "(x * 2, 3 + x, x.exp().sum(), t.cat([x, t.ones(1)]), t.add(t.ones(2), x))",
    "views": "(m.view(4), m[0], m.t(), m.split(1), m[0]._base is m, m.expand(1, 2, 2).stride())",
    "outside the graph": "(x.detach(), x.data, x.clone().detach().requires_grad, t.ones_like(x))",
    "without grad": "no_grad(lambda: (x * 2, x.add_(1)))",
    "gradients": "(backward((x * x).relu().sum()), x.grad)",
    "gradients added": "(backward((x + x * 3).sum()), backward(x.sum()), x.grad)",
    "gradients of gradients": "t.autograd.grad(t.autograd.grad((x * x * x).sum(), x, create_graph=True)[0].sum(), x)",
    "gradients through a view": "(backward((m.view(4) * 2).sum()), m.grad)",
    "writes": "write(x.clone())",
    "writes refused": "caught(lambda: x.add_(1))",
    "hooks": "hooked(x)",
    "functions": "(y := Twice.apply(x), backward(y.sum()), x.grad)",
    "layers": "(y := F.linear(m, t.ones(3, 2)), backward(F.relu(y).sum()), m.grad)",
    "softmax": "(backward(F.softmax(m, -1).sum()), m.grad)",
    "parameters": "(p := nn.Parameter(x.detach()), isinstance(p, nn.Parameter), p.requires_grad)",
    "no class asked": "unasked(lambda: type(x.held * 2).__name__)",
    "plain results": "(y := Plain(t.ones(2)) + 1, type(y).__name__)",
    "nobody knows": "caught(lambda: t.exp(Unknowing(t.ones(2))))",
    "no tensor": "caught(lambda: t.exp(Wordy(t.ones(2))))",
    "modes before classes": "below(lambda: (x.detach() * 2).sum())",
    "shape of a wrapper": "(s := strided(t.ones(2, 3).t()), s.stride(), s.shape, s.is_contiguous())",
    "no rule": "caught(lambda: t.Tensor._make_wrapper_subclass(t.Tensor, (2,)))",
}


def _run(module: Any, kind: int, line: str) -> Any:
    seen: list[Any] = []
    made = _classes(module, seen)[kind]

    def caught(call: Any) -> Any:
        try:
            return call()
        except (RuntimeError, TypeError) as error:
            return type(error), str(error)

    def write(y: Any) -> Any:
        z = y.mul_(3)
        z.sum().backward()
        return z is y, y

    def hooked(x: Any) -> Any:
        kinds: list[str] = []
        x.register_hook(lambda grad: kinds.append(type(grad).__name__))
        (x * 2).sum().backward()
        return kinds

    def no_grad(call: Any) -> Any:
        with module.no_grad():
            return call()

    def unasked(call: Any) -> Any:
        with module._C._DisableTorchDispatch():
            return call()

    class Twice(module.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            seen.append(_kinds((*ctx.saved_tensors, grad)))
            return grad * 2

    def of(name: str, answer: Any) -> Any:
        rule = classmethod(lambda cls, func, types, args=(), kwargs=None: answer(func, args))
        parts = {"__torch_dispatch__": rule, "__torch_function__": module._C._disabled_torch_function_impl}
        cls = type(name, (module.Tensor,), parts)
        return lambda held: module.Tensor._make_subclass(cls, held)

    class Below(module.utils._python_dispatch.TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(("mode", str(func)))
            return func(*args, **(kwargs or {}))

    def below(call: Any) -> Any:
        with Below():
            return call()

    scope = {
        "t": module,
        "nn": module.nn,
        "F": module.nn.functional,
        "x": made(module.tensor([1.0, 2.0])).requires_grad_(),
        "m": made(module.tensor([[1.0, 2.0], [3.0, 4.0]])).requires_grad_(),
        "Plain": of("Plain", lambda func, args: module.ones(2)),
        "Unknowing": of("Unknowing", lambda func, args: NotImplemented),
        "Wordy": of("Wordy", lambda func, args: "words"),
        "strided": _classes(module, seen)[1],
        "backward": lambda loss: loss.backward(),
        "caught": caught,
        "write": write,
        "hooked": hooked,
        "no_grad": no_grad,
        "unasked": unasked,
        "Twice": Twice,
        "below": below,
    }
    return _told(eval(line, scope)), seen


@pytest.mark.parametrize("kind", [0, 1], ids=["over-memory", "wrapper"])
@pytest.mark.parametrize("line", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_classes_are_asked(line: str, kind: int) -> None:
    """The same results, of the same classes, after the same questions."""
    expected, found = (_run(module, kind, line) for module in ENGINES)
    assert str(found).replace("conformance.engine", "torch") == str(expected)
