"""Programs that draw random numbers, and engines that draw others."""

from __future__ import annotations

import pytest

from conformance.runner.compare import differences
from conformance.runner.engine import GROUPS
from conformance.runner.execute import run
from conformance.runner.trace import Trace
from tests.runner.broken import broken
from tests.runner.make import scenario, torch_engine, traced

torch = torch_engine.torch
OTHER = broken(rand=lambda *size, **_: torch.full(size, 0.125), tensor=lambda data: torch.tensor(data) + 1)


@pytest.mark.parametrize(
    ("program", "first"),
    [
        ("a = torch.ones(1)\nb = a * 2", None),
        ("a = torch.ones(1)\nb = torch.rand(1)\nc = torch.rand(1)", 2),
        ("a = torch.rand(1)", 1),
        ("m = nn.Linear(1, 1)", 1),
        ("m = nn.Dropout()\nm.eval()\nx = m(torch.ones(9))\nm.train()\ny = m(torch.ones(9))", 5),
        ("g = torch.Generator()\na = torch.rand(1, generator=g)", 1),
        ("with torch.no_grad():\n  a = torch.randn(2)\nb = a", 2),
    ],
)
def test_the_first_statement_that_draws_is_marked(program: str, first: int | None) -> None:
    """Alone; a recording keeps it."""
    trace = traced(program)
    drew = [moment.statement.line for moment in trace.moments if moment.drew]
    assert drew == ([] if first is None else [first])
    assert Trace.from_json(trace.to_json()) == trace


def test_values_from_the_first_random_number_on_are_a_group_of_their_own() -> None:
    """Shapes, dtypes and what comes before stay where they are."""
    made = scenario("t = torch.tensor([1.])\na = torch.rand(2)\nb = a.double()\nprint(b)\nn = b.sum().item()")
    found = differences(made, run(made, torch_engine), run(made, OTHER))
    assert {(d.name, d.group) for d in found if d.statement.line == 1} == {("t", "values")}
    since = {(d.name, d.facet, d.group) for d in found if d.statement.line > 1}
    assert since == {(n, "value", "random") for n in "tabn"} | {("", "printed", "random")}


def test_an_engine_that_does_not_claim_random_is_compared_in_all_else() -> None:
    """Another shape is a difference all the same."""
    made = scenario("a = torch.rand(2)\nb = a + 1")
    claimed = {*GROUPS} - {"random"}
    reference = run(made, torch_engine)
    assert differences(made, reference, run(made, OTHER), claimed) == ()
    longer = broken(rand=lambda size: torch.full((size + 1,), 0.125))
    found = differences(made, reference, run(made, longer), claimed)
    assert {(d.name, d.facet) for d in found} == {("a", "shape"), ("b", "shape")}
    assert differences(made, reference, run(made, OTHER), {"values", "random"})
