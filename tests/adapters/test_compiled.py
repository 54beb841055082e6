"""Torch under torch.compile: what is compiled, what is counted, and what is compared."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import pytest

from conformance.adapters.compiled import TOO_LONG, CompiledEngine
from conformance.adapters.registry import EngineNotFoundError, find
from conformance.adapters.remote import RemoteEngine
from conformance.check.checker import Checker
from conformance.language.scenario import Scenario
from conformance.report.terminal import summary
from conformance.runner.engine import Terms
from conformance.runner.execute import run
from conformance.runner.regions import bound, compiled_texts, parts
from conformance.runner.trace import Moment, Raised, Statement, Trace
from conformance.runner.verdict import judge
from tests.runner.make import scenario, step, torch_engine

FORWARD = """
a = torch.tensor([1., 2.], requires_grad=True)
b = a * a
c = b.sin()
c.sum().backward()
"""


@pytest.fixture(scope="module")
def compiled() -> Iterator[RemoteEngine]:
    """The backend that runs the captured graph as it is."""
    engine = RemoteEngine("torch-compile:eager")
    yield engine
    engine.close()


def verdict(made: Scenario, engine: RemoteEngine) -> str:
    """The verdict on a scenario."""
    return Checker(torch_engine)(made, engine).result.verdict


def test_leaves_and_backward_are_not_compiled() -> None:
    """What is between them is one region; definitions and constants are outside."""
    found = [(len(statements), region) for statements, region in parts(FORWARD)]
    assert found == [(1, False), (2, True), (1, False)]
    assert [region for _, region in parts("def f(x):\n    return x * 2\nk = 1\nb = f(a)")] == [False, True]


def test_names_are_bound_in_the_program_s_order() -> None:
    """What is assigned is computed first; names of comprehensions are not bound."""
    program = ast.parse("for x in (y := a):\n    c = (b := x)\nd = [k for k in c]\na = 1").body
    assert bound(program) == ["y", "x", "b", "c", "d", "a"]


def test_a_program_to_paste_has_a_function_for_each_region() -> None:
    """Compiled alone are statements that bind what a function reads; a name that an `if` leaves out is None."""
    text = (
        "a = torch.ones(2)\nif a.sum() > 5:\n    c = a * 2\ndef f(x):\n    return x * b\nb = a * 2\nb = f(b)"
    )
    (made,) = compiled_texts([text], "eager")
    assert [line for line in made.splitlines() if "region" in line and "def" not in line] == [
        "a, c = region_1()",
        "b = region_2(a)",
        "b = region_3(b)",
    ]
    namespace: dict[str, Any] = {"torch": torch_engine.torch}
    exec(made.replace('@torch.compile(backend="eager")', ""), namespace)
    assert namespace["b"].tolist() == [4.0, 4.0]
    assert namespace["c"] is None


def test_a_forward_region_is_captured(compiled: RemoteEngine) -> None:
    """Its operations are counted, and what they give is compared."""
    made = scenario(FORWARD)
    trace = run(made, compiled)
    assert trace.counts["operations captured"] == 2
    assert (trace.counts["statements compiled"], trace.counts["statements"]) == (2, 4)
    assert (trace.counts["operations run"], trace.counts["graph breaks"]) == (5, 0)  # tensor, sum, backward
    result = Checker(torch_engine)(made, compiled).result
    assert result.verdict == "agrees"
    assert any("2 operations captured" in line for line in summary([result], {}, []))


def test_names_of_a_comprehension_are_not_bound(compiled: RemoteEngine) -> None:
    """Statements that an `if` leaves out bind nothing either."""
    program = "a = torch.ones(2)\nb = [x * 2 for x in [a, a]]\nif len(b) > 2:\n    c = a * 2"
    assert verdict(scenario(program), compiled) == "agrees"


def test_what_is_not_captured_is_not_observed(compiled: RemoteEngine) -> None:
    """A program without a region says nothing about a compiler."""
    assert verdict(scenario("a = torch.tensor([1.], requires_grad=True)"), compiled) == "not observed"


def test_breaks_of_the_graph_are_counted(compiled: RemoteEngine) -> None:
    """A number decides, outside the graph."""
    trace = run(scenario("a = torch.ones(2)\nb = a * 2 if (a * 3).sum().item() > 0 else a"), compiled)
    assert trace.counts["graph breaks"] > 0


def test_a_step_that_raises_is_compared_by_its_error(compiled: RemoteEngine) -> None:
    """And by the names of earlier steps: those of its own need not be bound."""
    first = step("a = torch.ones(2)\nb = a * 2")
    assert verdict(
        scenario(first, step("c = a + 1\nd = a @ torch.ones(3)", raises="RuntimeError")), compiled
    ) in (
        "agrees",
        "differs",  # the compiler's own type of error
    )
    lost = scenario(first, step("b = a + 1\nb @ torch.ones(3)", raises="RuntimeError"), "c = b * 2")
    found = Checker(torch_engine)(lost, compiled).result
    assert {each.facet for each in found.differences} <= {"raised"}  # nothing of b, nor of what reads it
    trace = run(scenario(first, step("c = a + 1\nd = nothing", raises="NameError")), compiled)
    assert [moment.raised.type for moment in trace.moments if moment.raised] == ["NameError"]


def test_a_compilation_that_takes_too_long_is_unsupported() -> None:
    """A compiler that is slow may be right; its process starts again."""
    engine = CompiledEngine.__new__(CompiledEngine)
    engine._counts = {}
    made = scenario("a = torch.ones(2)\nb = a * 2")
    late = Moment(Statement(0, 2), raised=Raised("TimeLimit", "still running after 1 s"))
    for engine._in_region, names in ((True, (TOO_LONG,)), (False, ())):
        trace = engine.finish(Trace(made.id, "mine", "1", (late,)))
        assert engine.spoilt
        assert (
            judge(made, run(made, torch_engine), trace, ("values",), Terms(compiled="mine")).missing == names
        )


@pytest.mark.parametrize(
    ("name", "said"),
    [("torch-compile:inducter", "torch has no backend 'inducter' for compile: there are")],
)
def test_an_unknown_backend_is_refused(name: str, said: str) -> None:
    """With those that there are."""
    with pytest.raises(EngineNotFoundError, match=said):
        find(name)


def test_inductor_needs_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """One message says so."""
    monkeypatch.setattr("conformance.adapters.compiled.shutil.which", lambda _: None)
    with pytest.raises(EngineNotFoundError, match="inductor needs a C\\+\\+ compiler, and finds none"):
        find("torch-compile:inductor")
