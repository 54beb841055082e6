"""No scenario finds changed what another one did to the objects that all of them share."""

from __future__ import annotations

from itertools import pairwise

import pytest

from conformance.adapters.inhouse import engine as inhouse
from conformance.adapters.remote import RemoteEngine
from conformance.lint_deep.reproduce import leaving_state
from conformance.runner.engine import Engine
from conformance.runner.execute import run
from conformance.runner.processes import fresh
from conformance.runner.shared_state import SharedState
from tests.runner.make import scenario, step, torch_engine

LEAVING = {
    "clear": "torch.distributions.Normal.arg_constraints.clear()",
    "update": "torch.distributions.Normal.arg_constraints.update(loc=1)",
    "item": "torch.distributions.Normal.arg_constraints['loc'] = 1",
    "delete": "del torch.distributions.Normal.arg_constraints['loc']",
    "singleton": "torch.distributions.constraints.real.x = 1",
    "singleton-of-a-class": "torch.distributions.Normal.support.x = 1",
    "register": "torch.distributions.biject_to.register(torch.distributions.constraints.real, lambda c: 1)",
    "register-kl": """
        @torch.distributions.register_kl(torch.distributions.Normal, torch.distributions.Normal)
        def kl(p, q):
            return torch.zeros(())
        """,
    "prune": "nn.utils.prune.identity(F.softmax, 'x')",
    "scheduler-of-a-function": "optim.lr_scheduler.LRScheduler.load_state_dict(F.hardtanh, {'x': 1})",
    "scheduler-of-a-method": "optim.lr_scheduler.LRScheduler.load_state_dict(nn.Linear(1, 1).forward, {'x': 1})",
    "scheduler-of-a-member": "optim.lr_scheduler.LRScheduler.load_state_dict(nn.attention.SDPBackend.MATH, {'x': 1})",
    "module-of-a-function": "nn.Module.train(F.elu, False)",
    "optimizer-of-a-function": "optim.Optimizer.__init__(F.relu, [torch.ones(1)], {})",
    "hook-of-a-module": "nn.Linear(1, 1).register_state_dict_post_hook(F.relu)",
}


@pytest.mark.parametrize("engine", [torch_engine, inhouse], ids=lambda engine: engine.name)
@pytest.mark.parametrize("name", LEAVING)
def test_nothing_is_left(name: str, engine: Engine) -> None:
    """Whether it raises or not."""
    run(scenario("x = torch.distributions.Normal(0., 1.)"), engine)
    whole = SharedState(engine.torch.__name__)
    run(scenario(LEAVING[name]), engine)
    assert whole.changed() == []


@pytest.mark.parametrize("engine", [torch_engine, inhouse], ids=lambda engine: engine.name)
def test_the_next_scenario_finds_it_as_it_was(engine: Engine) -> None:
    """What a program can see of it."""
    looking = scenario(
        "print(len(torch.distributions.Normal.arg_constraints), hasattr(torch.distributions.constraints.real, 'x'))"
    )
    for name in ("clear", "singleton"):
        run(scenario(LEAVING[name]), engine)
        assert run(looking, engine).moments[-1].printed == "2 False\n"


def test_nothing_is_left_by_the_first_scenario_of_a_process() -> None:
    """Which is also the first to use the module: see Note [Made before it is copied]."""
    assert [*fresh([_printed_after_the_first], 1)] == [(0, "2\n")]


def _printed_after_the_first() -> str:
    run(scenario(LEAVING["clear"]), inhouse)
    looking = scenario("print(len(torch.distributions.Normal.arg_constraints))")
    return run(looking, inhouse).moments[-1].printed


@pytest.mark.parametrize(
    "word", ["deepcopy", "collect", "refuses", "iter", "range", "weakref", "partial", "OrderedDict"]
)
def test_nothing_is_left_on_the_words_of_the_language(word: str) -> None:
    """They exist for all scenarios."""
    for leaving in (
        f"nn.Module.train({word}, False)",
        f"optim.lr_scheduler.LRScheduler.load_state_dict({word}, {{'training': 1}})",
    ):
        run(scenario(leaving), inhouse)
        looking = scenario(f"print(hasattr({word}, 'training'))")
        assert run(looking, inhouse).moments[-1].printed == "False\n"


def test_nothing_is_left_by_an_expectation() -> None:
    """Its expressions are part of the program."""
    whole = SharedState("torch")
    run(
        scenario(step("x = 1", expect={"torch.distributions.Normal.arg_constraints.clear()": None})),
        torch_engine,
    )
    assert whole.changed() == []


def test_a_change_is_seen() -> None:
    """What the copies are compared for."""
    constraints = torch_engine.torch.distributions.constraints
    before = SharedState("torch", ("distributions",))
    constraints.real.x = 1
    assert "torch.distributions.constraints.real" in before.changed()
    before.restore()
    assert before.changed() == []
    assert not hasattr(constraints.real, "x")


def test_lint_reports_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing is put back."""
    leaving, harmless = (
        scenario(LEAVING["singleton"]),
        scenario("x = torch.ones(1, requires_grad=True)\nh = x.register_hook(print)"),
    )
    run(leaving, torch_engine)
    assert [*leaving_state([harmless, leaving], torch_engine)] == []
    monkeypatch.setattr("conformance.runner.shared_state.WORDS", ())
    try:
        (problem,) = leaving_state([harmless, leaving], torch_engine)
    finally:
        del torch_engine.torch.distributions.constraints.real.x
    assert problem.message.startswith("it leaves changed: torch.distributions.")


def test_sets_are_printed_alike() -> None:
    """Every process has the same hashes of texts."""
    program = scenario("print({'a', 'b', 'c', 'd', 'e'}, hash('text'))")
    engines = [RemoteEngine(name) for name in ("inhouse", "torch")]
    try:
        printed = [run(program, each).moments[-1].printed for each in engines]
    finally:
        for each in engines:
            each.close()
    assert all(one == other for one, other in pairwise(printed))
    assert printed[0]
