"""Names below torch's public ones, and errors on a machine without other devices, compared with torch's."""

from __future__ import annotations

import copy
import itertools
import warnings
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import pytest
import torch

from conformance import engine


def _outcome(call: Callable[[Any], Any], module: Any) -> Any:
    try:
        return call(module)
    except (AssertionError, AttributeError, RuntimeError, TypeError, ValueError) as error:
        return type(error), str(error)


def _weak(module: Any) -> Any:
    tensor = module.ones(1)
    weak = module._C._WeakTensorRef(tensor)
    before = weak.expired()
    del tensor
    return before, weak.expired()


def _delayed(*counts: int) -> Callable[[Any], Any]:
    def call(module: Any) -> Any:
        later = module._C._functions.DelayedError("later", counts[0])
        found = later(*(module.ones(2, requires_grad=True) for _ in range(counts[1])))
        first = found if counts[0] == 1 else found[0]
        return first.requires_grad, _outcome(lambda _: first.sum().backward(), module)

    return call


def _versions(module: Any) -> Any:
    x, y = module.ones(1), module.ones(1)
    module._C._increment_version([x, y, x])
    return x._version, y._version


def _copied(module: Any) -> Any:
    x = module.ones(2, requires_grad=True)
    y = copy.copy(x)
    with module.no_grad():
        y.add_(1)
    return x._version, y._version, x.tolist(), y.requires_grad


def _numerical(*targets: int) -> Callable[[Any], Any]:
    def call(module: Any) -> Any:
        from importlib import import_module

        jacobian = import_module(f"{module.__name__}.autograd.gradcheck").get_numerical_jacobian
        x, y = (module.tensor([n], dtype=module.float64, requires_grad=True) for n in (1.0, 2.0))
        given = (tuple((x, y)[n] for n in targets),) if targets else ()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = jacobian(lambda xs: xs[0] * xs[0] * xs[1], (x, y), *given, eps=0.5)
        return [each.tolist() for each in found]

    return call


def _analytical(call: Callable[[Any], Any], **options: Any) -> Callable[[Any], Any]:
    """What get_analytical_jacobian tells of a function, and how often it warns."""

    def tell(module: Any) -> Any:
        from importlib import import_module

        if module is torch:
            jacobian = import_module("torch.autograd.gradcheck").get_analytical_jacobian
        else:
            jacobian = import_module(
                "conformance.engine.autograd._gradcheck.jacobians"
            ).get_analytical_jacobian
        x, y = (module.tensor([n, 3.0], dtype=module.float64, requires_grad=True) for n in (1.0, 2.0))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = _outcome(lambda _: jacobian((x, y), call(x), **options), module)
        if isinstance(found[0], tuple):
            found = [each.tolist() for each in found[0]], *found[1:]
        places = [(each.filename == __file__ and each.lineno, str(each.message)[:40]) for each in caught]
        return found, [each for each in places if "jacobian" in each[1]]

    return tell


def _unsteady(x: Any) -> Any:
    """Twice x, whose gradient is another one at each pass."""
    passes = itertools.count(1)
    y = x * 2
    y.register_hook(lambda grad: grad * (1 + next(passes) / 1024))
    return y


def _linearized(call: Callable[[Any, Any, Any], Any]) -> Callable[[Any], Any]:
    def tell(module: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the graph that torch makes
            found = call(module.func.linearize, module, module.tensor([1.0, 2.0]))
        return [each.tolist() for each in found]

    return tell


def _calls_while_linearizing(linearize: Any, module: Any, x: Any) -> Any:
    seen: list[bool] = []

    def function(a: Any) -> Any:
        seen.append(a.requires_grad)
        return a**3

    value, push = linearize(function, x.requires_grad_())
    push(x.detach())
    return [push(x.detach()), value, module.tensor(seen)]


def _handle_of_several(module: Any) -> Any:
    x, y = (module.ones(2, requires_grad=True) for _ in range(2))
    seen: list[Any] = []
    handle = module.autograd.graph.register_multi_grad_hook((x, y), seen.append)
    other = module.autograd.graph.register_multi_grad_hook((x,), seen.append)
    other.__setstate__(handle.__getstate__())
    other.remove()
    (x * y).sum().backward()
    return [len(each) for each in seen], len(handle.__getstate__())


def _hooks_of_a_kind(module: Any) -> Any:
    layer = module.nn.Linear(1, 1)
    handles = [
        layer.register_forward_hook(lambda *given: None, with_kwargs=True, always_call=True),
        layer.register_forward_pre_hook(lambda *given: None, with_kwargs=True),
    ]
    kept = (
        layer._forward_hooks_with_kwargs,
        layer._forward_hooks_always_called,
        layer._forward_pre_hooks_with_kwargs,
    )
    before = [list(map(bool, each.values())) for each in kept]
    for each in handles:
        each.remove()
    hooks: OrderedDict[int, int] = OrderedDict()
    more: OrderedDict[int, int] = OrderedDict()
    handle = module.utils.hooks.RemovableHandle(hooks, extra_dict=more)
    hooks[handle.id] = more[handle.id] = 1
    with handle:
        there = len(hooks), len(more)
    return before, [len(each) for each in kept], there, len(hooks), len(more)


def _amounts(module: Any) -> Any:
    from importlib import import_module

    prune = import_module(f"{module.__name__}.nn.utils.prune")
    found = [prune._compute_nparams_toprune(0.5, 5), prune._compute_norm(module.ones(2, 4), 2, -1).tolist()]
    refusals: tuple[Callable[[], Any], ...] = (
        lambda: prune._validate_pruning_amount(3, 2),
        lambda: prune._validate_pruning_amount(0.5, 2),
        lambda: prune._validate_structured_pruning(module.ones(2)),
    )
    for refuse in refusals:
        try:
            found.append(refuse())
        except ValueError as error:
            found.append(str(error))
    return found


def _marked(module: Any) -> Any:
    def f() -> int:
        return 3

    disable = module.compiler.disable
    return (
        disable(f)(),
        disable()(f)(),
        disable(reason="slow")(f)(),
        callable(disable()),
        callable(disable(f)),
    )


CALLS: dict[str, Callable[[Any], Any]] = {
    "weak": _weak,
    "delayed": _delayed(1, 1),
    "delayed twice": _delayed(2, 2),
    "delayed too few": _delayed(2, 1),
    "delayed too many": _delayed(1, 2),
    "versions": _versions,
    "copied": _copied,
    "amounts to prune": _amounts,
    "handle of several": _handle_of_several,
    "hooks of a kind": _hooks_of_a_kind,
    "numerical": _numerical(),
    "numerical by one": _numerical(1),
    "numerical by both": _numerical(1, 0),
    "analytical": _analytical(lambda x: x * x),
    "analytical unsteady": _analytical(_unsteady),
    "analytical within tolerance": _analytical(_unsteady, nondet_tol=0.5),
    "analytical of complex": _analytical(lambda x: x * 1j),
    "analytical scaled": _analytical(lambda x: x * x, grad_out=2.0),
    "linearized": _linearized(lambda f, _, x: (f(lambda a: a**3, x)[0], f(lambda a: a**3, x)[1](x))),
    "linearized twice": _linearized(lambda f, _, x: (f(lambda a, b: a * b, x, x + 1)[1](x, x * 3),)),
    "linearized of other shape": _linearized(lambda f, module, x: f(module.sin, x)[1](module.ones(3))),
    "linearized of other dtype": _linearized(lambda f, module, x: f(module.sin, x)[1](x.double())),
    "linearized of too many": _linearized(lambda f, module, x: f(module.sin, x)[1](x, x)),
    "linearized in passing": _linearized(_calls_while_linearizing),
    "linearized nothing": _linearized(lambda f, module, x: f(lambda a: (a, module.ones(2)), x)[1](x)),
    "linearized in a map": _linearized(lambda f, module, x: module.vmap(lambda a: f(module.sin, a)[0])(x)),
    "linearized around jvp": _linearized(lambda f, m, x: f(lambda a: m.func.jvp(m.sin, (a,), (a,))[1], x)),
    "linearized without forward mode": _linearized(lambda f, m, x: f(lambda a: m.special.zeta(a, a), x)),
    "linearized of integers": _linearized(lambda f, module, x: f(module.sin, x.long())),
    "marked for the compiler": _marked,
    "generator of no device": lambda module: module.cuda.set_rng_state(module.get_rng_state()),
    "generators of no device": lambda module: module.cuda.set_rng_state_all([module.get_rng_state()]),
    "no generator": lambda module: module.cuda.set_rng_state(3),
    "acceptable to cudnn": lambda module: module.backends.cudnn.is_acceptable(module.ones(1)),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_below_the_public_names(call: Callable[[Any], Any]) -> None:
    assert _outcome(call, engine) == _outcome(call, torch)


ATEN: dict[str, Callable[[Any, Any], Any]] = {
    "new": lambda aten, x: aten.new_zeros(x, [2]),
    "other": lambda aten, x: aten.expand_as(x, aten.new_ones(x, [2, 2])),
    "in place": lambda aten, x: aten.mul_(x, 3),
    "size": lambda aten, x: aten.size(x, 0),
    "copied": lambda aten, x: aten.clone(x),
    "function": lambda aten, x: aten.add(x, x),
    "absent": lambda aten, x: aten.nosuch(x),
}


@pytest.mark.parametrize("call", ATEN.values(), ids=ATEN.keys())
def test_operations_by_the_dispatchers_names(call: Callable[[Any, Any], Any]) -> None:
    def outcome(module: Any) -> Any:
        from conformance.engine._dispatch.torch_dispatch import aten

        found = call(torch.ops.aten if module is torch else aten, module.tensor([1.0, 2.0]))
        return found.tolist() if isinstance(found, module.Tensor) else found

    assert _outcome(outcome, engine) == _outcome(outcome, torch)


REFUSED = {
    "accelerator": "current_device_index set_device_index synchronize",
    "cuda": """
        current_device current_stream default_stream get_device_capability get_device_name get_device_properties
        get_rng_state init initial_seed mem_get_info synchronize
        """,
}


@pytest.mark.skipif(
    torch.version.cuda is not None, reason="a torch built with CUDA has other texts for these errors"
)
@pytest.mark.skipif(
    torch.accelerator.is_available(), reason="this machine has another device, so that nothing is refused"
)
@pytest.mark.parametrize("path", [f"{on}.{name}" for on, names in REFUSED.items() for name in names.split()])
def test_what_needs_another_device(path: str) -> None:
    def outcome(module: Any) -> Any:
        on, name = path.split(".")
        function = getattr(getattr(module, on), name)
        assert function.__name__ == name
        given = (0,) if "set_" in name else ()
        return _outcome(lambda _: function(*given), module)

    kind, text = outcome(torch)
    assert outcome(engine) == (kind, text.splitlines()[0])


def test_what_is_absent_is_not_listed() -> None:
    """dir() of a tensor names what it has, and of torch's names no others."""
    x = engine.ones(1)
    assert "to_sparse_csr" not in dir(x)
    assert {"add", "grad", "tolist"} <= {*dir(x)} <= {*dir(type(x)), *vars(x)}


@pytest.mark.parametrize(
    "call",
    [
        "(x * y)",
        "(x * 2)",
        "(x ** 2)",
        "torch.cat([x, x])",
        "x.std()",
        "x.unbind()[0]",
        "x.sum(0)",
        "x.exp()",
    ],
)
def test_nodes_list_what_torch_shows(call: str) -> None:
    """dir() of a node, and of the leaf's node below it, names what torch's does."""

    def listed(module: Any) -> Any:
        x, y = module.ones(2, requires_grad=True), module.ones(2, requires_grad=True)
        node = eval(call, {"torch": module, "x": x, "y": y}).grad_fn
        return dir(node), dir(node.next_functions[0][0])

    assert listed(engine) == listed(torch)


@pytest.mark.parametrize(
    "call",
    [
        lambda module, x: module.autograd.gradcheck(
            module.exp, x, eps=0.5, atol=9, rtol=9, raise_exception=False, check_undefined_grad=False
        ),
        lambda module, x: module.cuda.amp.autocast(enabled=False),
        lambda module, x: module.cuda.amp.GradScaler(enabled=False),
        lambda module, x: module.cuda.amp.custom_bwd(lambda ctx, grad: grad),
    ],
    ids=["gradcheck", "autocast", "scaler", "backward"],
)
def test_warnings_name_the_line_that_they_are_about(call: Callable[[Any, Any], Any]) -> None:
    places = []
    for module in (torch, engine):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call(module, module.ones(1, requires_grad=True))
        places.append([(each.filename == __file__ and each.lineno, str(each.message)) for each in caught])
    assert places[1] == places[0]
    assert places[0]


def test_names_that_dir_lists_can_be_read() -> None:
    """dir() of the namespace torch has no name that raises."""
    assert [name for name in dir(engine) if not hasattr(engine, name)] == []
