"""The language's ``refuses``: whether a call raises an error."""

from __future__ import annotations

import pytest

from conformance.runner.execute import run
from conformance.runner.verdict import judge
from tests.runner.broken import broken, raising
from tests.runner.make import facets, last, scenario, torch_engine

PROGRAM = """
x = torch.ones(2)
fine = x.neg()
refused = [refuses(x.view, 3), refuses(x.view, 2), refuses(lambda: x.neg() + torch.ones(3)), refuses(x.sum, dim=1)]
"""


def test_errors_of_any_type() -> None:
    """An error is a refusal, whatever its type and text; it is not recorded as one of the statement."""
    moment = last(PROGRAM)
    assert facets(moment, "refused")["value"] == "[True, False, True, True]"
    assert moment.raised is None


def test_an_engine_with_words_of_its_own() -> None:
    """It agrees if it raises another error; what it takes where torch raises differs, and so does the opposite."""
    program = scenario("x = torch.ones(2)\nrefused = [refuses(torch.neg, x), refuses(torch.reshape, x, [3])]")
    reference = run(program, torch_engine)
    other = broken(reshape=raising(ValueError("of another size")))
    assert judge(program, reference, run(program, other)).verdict == "agrees"
    for engine in (broken(reshape=lambda *args: None), broken(neg=raising(ValueError("no")))):
        assert judge(program, reference, run(program, engine)).verdict == "differs"


def test_a_function_that_an_engine_lacks() -> None:
    """It is missing, as elsewhere, rather than refused."""
    engine = broken(without=["relu"])
    moment = run(scenario("x = torch.ones(2)\nrefused = refuses(lambda: torch.relu(x))"), engine).moments[-1]
    assert moment.raised is not None
    assert moment.raised.missing == "torch.relu"


@pytest.mark.parametrize(
    ("call", "error"),
    [("list, iter(int, 1)", "TimeLimit"), ("lambda: torch.hub.load('a', 'b')", "Refused")],
)
def test_what_ends_a_program(call: str, error: str) -> None:
    """The limit of time, and what a program may not do, end the program inside of it, too."""
    moment = run(scenario(f"refused = refuses({call})"), torch_engine, seconds=1.0).moments[-1]
    assert moment.raised is not None
    assert moment.raised.type == error
