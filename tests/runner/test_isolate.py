"""No scenario leaves anything for the next, nor for the process it runs in."""

from __future__ import annotations

import gc
import subprocess
import sys
import warnings
import weakref
from types import SimpleNamespace

import pytest

from conformance.adapters.inhouse import engine as inhouse
from conformance.adapters.module import ModuleEngine
from conformance.runner import isolate
from conformance.runner.engine import Engine
from conformance.runner.execute import run
from tests.runner.make import facets, last, scenario, step, torch_engine, traced

torch = torch_engine.torch

PROBE = """
state = (
    torch.is_grad_enabled(), torch.is_inference_mode_enabled(), torch.is_anomaly_enabled(),
    torch.is_anomaly_check_nan_enabled(), torch.autograd.is_multithreading_enabled(),
    torch.autograd.is_view_replay_enabled(), torch._C._is_grad_layout_enforcement_enabled(),
    str(torch.get_default_dtype()), str(torch.tensor([1/3])), torch.backends.cuda.math_sdp_enabled(),
)
r = torch.rand(3)
a = torch.ones(1, requires_grad=True)
b = a * a
saved = b.grad_fn._saved_self
b.backward()
t = torch.ones(2, 3, 1)
t.T
b.grad
""".strip()
"""A program that sees the state it starts from."""

LEAKS = {
    "nothing": "pass",
    "grad mode": "torch.set_grad_enabled(False)",
    "default dtype": "torch.set_default_dtype(torch.float64)",
    "anomaly mode": "torch.autograd.set_detect_anomaly(True)",
    "anomaly mode without check": "torch.autograd.set_detect_anomaly(False, check_nan=False)",
    "generator": "torch.manual_seed(7); torch.rand(3)",
    "generator, directly": "torch.default_generator.manual_seed(3)",
    "threads": "torch.set_num_threads(torch.get_num_threads() + 1)",
    "print options": "torch.set_printoptions(precision=2)",
    "deterministic": "torch.use_deterministic_algorithms(True)",
    "multithreading": "torch.autograd.set_multithreading_enabled(False)",
    "layout policy": "torch.autograd.enforce_grad_layout_policy(False)",
    "view replay": "torch.autograd._force_original_view_tracking(True)",
    "a kernel of attention": "torch.backends.cuda.enable_math_sdp(False)",
    "a level of forward mode": "torch.autograd.forward_ad.enter_dual_level()",
    "a failing with": "with torch.no_grad():\n  1 / 0",
    "a warning": "a = torch.ones(2, 3, 1).T\n(torch.ones(1, requires_grad=True) * 1).grad",
}

FORGOTTEN = {
    "no_grad": "torch.no_grad()",
    "inference mode": "torch.inference_mode()",
    "saved-tensor hooks": "autograd.graph.saved_tensors_hooks(lambda x: 1, lambda x: torch.zeros(1))",
    "anomaly mode": "autograd.detect_anomaly()",
    "no saved-tensor hooks": "autograd.graph.disable_saved_tensors_hooks('not now')",
}


@pytest.fixture
def fresh() -> object:
    """What the probe sees at first."""
    return traced(PROBE).moments


@pytest.mark.parametrize("leak", LEAKS)
def test_what_a_scenario_sets_is_unset_for_the_next(leak: str, fresh: object) -> None:
    """Each global setting of torch."""
    before = _process()
    traced(LEAKS[leak])
    assert traced(PROBE).moments == fresh
    assert _process() == before


@pytest.mark.parametrize("leak", LEAKS)
def test_the_engine_too_begins_each_scenario_anew(leak: str) -> None:
    """Its settings have torch's names, by which they are put back."""
    first = run(scenario(PROBE), inhouse).moments
    leaking = run(scenario(LEAKS[leak]), inhouse)
    assert not any(moment.raised for moment in leaking.moments) or leak == "a failing with"
    assert run(scenario(PROBE), inhouse).moments == first


@pytest.mark.parametrize("engine", [torch_engine, inhouse], ids=["torch", "inhouse"])
def test_hooks_of_all_modules_and_optimizers_end_with_their_scenario(engine: Engine) -> None:
    """Each kind of them; what comes next has none."""
    every = ["forward_pre", "forward", "full_backward_pre", "full_backward", "parameter_registration"]
    leaving = "def hook(*_):\n  raise ValueError\n"
    leaving += "\n".join(f"torch.nn.modules.module.register_module_{kind}_hook(hook)" for kind in every)
    leaving += "\ntorch.optim.optimizer.register_optimizer_step_pre_hook(hook)\nnn.Linear(1, 1)"
    assert run(scenario(leaving), engine).moments[-1].raised is not None
    using = "m = nn.Linear(1, 1)\nm(torch.ones(1)).sum().backward()\noptim.SGD(m.parameters()).step()"
    assert not any(moment.raised for moment in run(scenario(using), engine).moments)


def test_warnings_show_in_every_scenario(fresh: object) -> None:
    """Those that torch gives once per process, too."""
    moments = traced(PROBE).moments
    assert [len(moment.warned) for moment in moments[-2:]] == [1, 1]
    assert moments == fresh


@pytest.mark.parametrize("mode", FORGOTTEN)
@pytest.mark.parametrize("way", ["in a name", "in a cycle", "beyond reach"])
def test_a_with_in_an_unfinished_generator_ends_with_the_scenario(mode: str, way: str, fresh: object) -> None:
    """Wherever the generator is kept: a cycle through a node is never collected."""
    keep = {
        "in a name": "pass",
        "in a cycle": "l = [g]; l.append(l)",
        "beyond reach": "x = torch.ones(1, requires_grad=True) * 1; x.register_hook(lambda _, g=g, x=x: g)",
    }[way]
    before = _process()
    trace = traced(f"def f():\n  with {FORGOTTEN[mode]}:\n    yield 1\ng = f()\n{keep}\nnext(g)")
    assert all(moment.raised is None for moment in trace.moments)
    assert traced(PROBE).moments == fresh
    assert _process() == before


@pytest.mark.parametrize(
    "store",
    [
        "torch.hub2 = 1",
        "m = nn\nm.functional = 1",
        "T = torch.Tensor\nT.extra = 1",
        "def f(c):\n  c.extra = 1\nf(nn.Linear)",
        "for nn.Linear.extra in [1]: pass",
        "type(torch.ones(1)).extra = 1",
        "class M(nn.Linear): pass\nclass N(M): pass\n[c for c in type(N).mro(N)][2].extra = 1",
        "del torch.nn.Linear",
        "torch.Tensor.extra += 1",
        "a, torch.Tensor.extra = 1, 2",
        "with torch.no_grad() as nn.Module.extra: pass",
        "F.relu.extra = 1",
        "torch.exp.extra = 1",
    ],
)
def test_no_attribute_is_set_on_torch(store: str) -> None:
    """On its modules and classes, under whatever name the program has them."""
    before = [dict(vars(one)) for one in (torch, torch.nn, torch.Tensor, torch.nn.Linear, torch.nn.Module)]
    raised = last(store).raised
    assert raised is not None
    assert raised.message.startswith("a program sets no attributes of")
    assert [
        dict(vars(one)) for one in (torch, torch.nn, torch.Tensor, torch.nn.Linear, torch.nn.Module)
    ] == before


def test_a_program_sets_attributes_of_its_own() -> None:
    """Of its classes, of its modules and tensors."""
    trace = traced(
        "class M(nn.Module): pass\nM.count = 1\nm = M()\nm.x = 2",
        "t = torch.ones(1)\nt.mine = 3\nt.requires_grad = True",
    )
    assert [moment.raised for moment in trace.moments] == [None] * 7


OPERATORS = {
    "of a function": (
        "def own(x: torch.Tensor) -> torch.Tensor: return x * 2\n"
        "op = torch.library.custom_op('mylib::own', own, mutates_args=())"
    ),
    "without a library": "torch.library.define('mylib::own', '(Tensor x) -> Tensor')",
    "of a library": "lib = torch.library.Library('mylib', 'DEF')\nlib.define('own(Tensor x) -> Tensor')",
    "of a library in a cycle": (
        "lib = torch.library.Library('mylib', 'DEF')\nlib.define('own(Tensor x) -> Tensor')\nlib.me = lib"
    ),
}


@pytest.mark.parametrize("define", OPERATORS.values(), ids=OPERATORS)
@pytest.mark.parametrize("engine", [torch_engine, inhouse])
def test_operators_end_with_their_scenario(define: str, engine: Engine) -> None:
    program = f"{define}\nprint(torch.ops.mylib.own.default)"
    first, second = (run(scenario(program), engine) for _ in range(2))
    assert first.moments == second.moments
    assert first.moments[-1].raised is None
    gone = run(scenario("torch.ops.mylib.own.default"), engine)
    assert "no attribute 'own'" in str(gone.moments[-1].raised)


def test_names_do_not_live_on() -> None:
    """Each scenario has a namespace of its own; steps share theirs."""
    traced("leaked = 1", "assert leaked == 1")
    raised = last("leaked").raised
    assert raised is not None
    assert raised.type == "NameError"


def test_the_process_keeps_its_settings() -> None:
    """A caller's own grad mode, dtype, generator and filters are as they were."""
    torch.manual_seed(5)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("error")
        torch.set_default_dtype(torch.float64)
        torch.set_printoptions(precision=2)
        try:
            before = _process()
            moment = last("a = torch.ones(1, requires_grad=True)\nb = a * 2\nr = torch.rand(1)")
            assert _process() == before
        finally:
            torch.set_default_dtype(torch.float32)
            torch.set_printoptions(profile="default")
    assert facets(moment, "b")["requires_grad"] is True
    assert facets(moment, "b")["dtype"] == "float32"


def test_an_engine_without_settings_runs_all_the_same() -> None:
    """What it lacks is not set."""
    bare = ModuleEngine("bare", SimpleNamespace(Tensor=type("Tensor", (), {}), __version__="1"))
    trace = run(scenario("a = 1", "b = a"), bare)
    assert [moment.raised for moment in trace.moments] == [None, None]


def test_a_package_that_finds_paths_for_einsum_is_not_asked() -> None:
    """Where it is installed, torch multiplies in its order, and the graph is another one."""
    seen: list[bool] = []
    paths = SimpleNamespace(enabled=True)
    asking = SimpleNamespace(
        backends=SimpleNamespace(opt_einsum=paths), look=lambda: seen.append(paths.enabled)
    )
    run(scenario("torch.look()"), ModuleEngine("asking", asking))
    assert seen == [False] and paths.enabled


def test_a_setting_that_fails_costs_its_scenario_alone() -> None:
    """An engine whose setter raises has that error in its trace."""

    def fails(value: object) -> None:
        raise RuntimeError("no setting")

    broken = SimpleNamespace(is_grad_enabled=lambda: False, set_grad_enabled=fails)
    trace = run(scenario("a = 1"), ModuleEngine("broken", broken))
    assert [str(moment.raised) for moment in trace.moments] == ["RuntimeError: no setting"]


def _process() -> list[object]:
    return [
        torch.is_grad_enabled(),
        torch.is_inference_mode_enabled(),
        torch.is_anomaly_enabled(),
        torch.is_anomaly_check_nan_enabled(),
        torch.get_default_dtype(),
        torch.get_num_threads(),
        torch.are_deterministic_algorithms_enabled(),
        torch._C._is_multithreading_enabled(),
        torch.is_warn_always_enabled(),
        torch._C._autograd._saved_tensors_hooks_is_enabled(),
        torch._C._autograd._top_saved_tensors_default_hooks(True),
        torch.autograd.forward_ad._current_level,
        torch.get_rng_state().tolist(),
        torch._tensor_str.get_printoptions(),
        list(warnings.filters),
        warnings.showwarning,
    ]


def test_steps_share_one_state() -> None:
    """What one step sets holds in the next of the same scenario."""
    trace = traced("torch.set_grad_enabled(False)", step("g = torch.is_grad_enabled()"))
    assert facets(trace.moments[-1], "g")["value"] == "False"


def test_every_scenario_starts_at_seed_zero() -> None:
    """Whatever the generator of the process is at, which stays there."""
    torch.manual_seed(0)
    numbers = str(torch.rand(3).tolist())
    torch.manual_seed(5)
    before = _process()
    assert facets(last("r = torch.rand(3)"), "r")["value"] == numbers
    assert _process() == before


def test_nothing_that_a_scenario_left_is_ended_later() -> None:
    """A generator in a cycle ends with its scenario: later it would switch a setting of somebody else's."""
    with torch.no_grad():
        traced("def f():\n  with torch.no_grad():\n    yield 1\ng = f()\nnext(g)\nl = [g]\nl.append(l)")
        gc.collect()
        assert not torch.is_grad_enabled()


def test_a_collection_is_of_what_the_scenario_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Garbage of the process is left to the process: looking at all its objects takes too long."""

    class Cycle:
        def __init__(self) -> None:
            self.own = self

    monkeypatch.setattr(
        isolate, "_is_frozen", False
    )  # as runs of scenarios inside other tests may have left it
    gc.unfreeze()
    gc.disable()
    try:
        garbage = weakref.ref(Cycle())
        traced("collect()")
        assert garbage() is not None
    finally:
        gc.enable()
    gc.collect()
    assert garbage() is None
    assert gc.get_freeze_count() == 0


def test_isolation_loads_no_operators() -> None:
    """Nearly no program defines any, and each process would wait for the packages that they need."""
    program = (
        "import sys; from conformance import engine; from conformance.runner.isolate import isolated\n"
        "with isolated(engine): print('conformance.engine.library' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "False\n", done.stderr
