"""A trace is plain data: through JSON and back it is the same."""

from __future__ import annotations

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.runner.trace import Moment, Raised, Statement, Trace, Warned
from tests.runner.make import step, traced

_texts = st.text(st.characters(codec=None), max_size=20)
_facets = st.dictionaries(_texts, st.none() | st.booleans() | st.integers() | _texts, max_size=3)
_statements = st.builds(
    Statement,
    step=st.integers(0, 5),
    line=st.integers(1, 50),
    turn=st.lists(st.integers(0, 30), max_size=3).map(tuple),
    column=st.integers(0, 80),
    kind=st.sampled_from(("run", "expect")),
)
_moments = st.builds(
    Moment,
    statement=_statements,
    state=st.none() | st.dictionaries(st.sampled_from(("a", "a.grad", "b")), _facets),
    raised=st.none() | st.builds(Raised, _texts, _texts, _texts),
    warned=st.lists(st.builds(Warned, _texts, _texts), max_size=2).map(tuple),
    printed=_texts,
    values=st.lists(st.tuples(_texts, _texts), max_size=2).map(tuple),
    failed=st.lists(_texts, max_size=2).map(tuple),
)


@given(st.builds(Trace, _texts, _texts, _texts, st.lists(_moments, max_size=6).map(tuple)))
def test_any_trace_survives_json(trace: Trace) -> None:
    """Whatever a trace holds, lone surrogates and states that come and go, is there again."""
    text = trace.to_json()
    assert "\n" not in text
    assert Trace.from_json(text.encode("utf-8").decode("utf-8")) == trace


def test_numbers_without_a_json_form_survive() -> None:
    """nan, inf, -0.0 and float64's last digit are text."""
    trace = traced("x = torch.tensor([float('nan'), float('-inf'), -0.0, 0.1], dtype=torch.float64)")
    again = Trace.from_json(trace.to_json())
    assert again == trace
    assert again.moments[0].state is not None
    assert again.moments[0].state["x"]["value"] == "[nan, -inf, -0.0, 0.1]"


def test_json_holds_only_what_changed() -> None:
    """A state is written as what differs from the state before."""
    trace = traced("a = torch.ones(2)\nb = 1\nc = 2\ndel a")
    moments = json.loads(trace.to_json())["moments"]
    assert [sorted(moment["state"]) for moment in moments] == [["a"], ["b"], ["c"], []]
    assert [moment["gone"] for moment in moments] == [[], [], [], ["a"]]


def test_a_trace_cannot_be_changed() -> None:
    """Traces are frozen."""
    trace = traced("a = 1")
    with pytest.raises(dataclasses.FrozenInstanceError):
        trace.engine = "other"  # type: ignore[misc]


def test_two_runs_give_the_same_trace() -> None:
    """A trace depends on the scenario alone, random numbers and addresses in texts included."""
    program = """
        x = torch.rand(3, requires_grad=True)
        print(object(), x)
        y = (x * torch.randn(3)).sum()
        y.backward()
        y.grad
    """
    assert traced(step(program)) == traced(step(program))
