"""Which statements are observed, and what a program's text becomes."""

from __future__ import annotations

import pytest

from conformance.runner.program import compile_step
from tests.runner.make import at, facets, last, step, torch_engine, traced


def _places(program: str) -> list[tuple[int, tuple[int, ...]]]:
    return [(moment.statement.line, moment.statement.turn) for moment in traced(program).moments]


def test_each_statement_of_the_program_is_observed() -> None:
    """One moment per statement; two statements of one line differ by their column."""
    trace = traced("a = 1; b = 2\nc = (a +\n  b)\nd = 4")
    places = [(m.statement.line, m.statement.column) for m in trace.moments]
    assert places == [(1, 0), (1, 7), (2, 0), (4, 0)]


def test_statements_in_with_if_and_for_are_observed() -> None:
    """And their ends: a `with` or a loop is a statement too."""
    assert _places("with torch.no_grad():\n  a = 1\n  b = 2") == [(2, ()), (3, ()), (1, ())]
    assert _places("if True:\n  a = 1\nelse:\n  b = 2") == [(2, ()), (1, ())]
    assert _places("for i in range(2):\n  a = i\nelse:\n  b = 2") == [(2, (0,)), (2, (1,)), (4, ()), (1, ())]


def test_bodies_of_functions_and_classes_are_not_observed() -> None:
    """Their definition is one statement, a call of them another."""
    program = "def f(x):\n  y = x\n  return y\nclass C:\n  z = 1\nf(1)"
    assert _places(program) == [(1, ()), (4, ()), (6, ())]


def test_the_first_twenty_turns_and_the_end_of_a_loop_are_observed() -> None:
    """Later turns run unobserved."""
    trace = traced("n = 0\nfor i in range(50):\n  n += 1")
    turns = [moment.statement.turn for moment in trace.moments]
    assert turns == [(), *((i,) for i in range(20)), ()]
    assert facets(trace.moments[-1], "n")["value"] == "50"


def test_turns_of_a_loop_in_a_loop_count_anew() -> None:
    """The inner loop's turns start again with each turn of the outer one."""
    program = "for i in range(2):\n  for j in range(2):\n    a = (i, j)"
    inner = [moment for moment in traced(program).moments if moment.statement.line == 3]
    assert [(m.statement.turn, facets(m, "a")["value"]) for m in inner] == [
        ((0, 0), "(0, 0)"),
        ((0, 1), "(0, 1)"),
        ((1, 0), "(1, 0)"),
        ((1, 1), "(1, 1)"),
    ]


def test_what_is_in_a_late_turn_is_not_observed() -> None:
    """Of the loop around, of the loop inside, of either."""
    trace = traced("for i in range(22):\n  for j in range(22):\n    a = i")
    turns = [moment.statement.turn for moment in trace.moments if moment.statement.line == 3]
    assert turns == [(i, j) for i in range(20) for j in range(20)]


@pytest.mark.parametrize(
    ("program", "line", "turn"),
    [
        ("a = 1\nb = [\n  1,\n  a / 0,\n]\nc = 2", 2, ()),
        ("def f():\n  return 1 / 0\na = 1\nf()", 4, ()),
        ("for i in range(3):\n  a = 1 / (1 - i)", 2, (1,)),
        ("with torch.no_grad():\n  a = 1\n  b = 1 / 0\n  c = 3", 3, ()),
        ("with 1 / 0:\n  a = 1", 1, ()),
        ("def f():\n  yield 1\n  1 / 0\nfor i in f():\n  a = i", 4, ()),
        ("for i in range(30):\n  a = 1 / (25 - i)", 2, (25,)),
        ("a = 1; b = 1 / 0; c = 1", 1, ()),
    ],
)
def test_an_error_is_at_the_innermost_statement_that_raised(
    program: str, line: int, turn: tuple[int, ...]
) -> None:
    """Wherever in a statement it is, and in whatever function."""
    moment = last(program)
    assert moment.raised is not None
    assert moment.raised.type == "ZeroDivisionError" or "1 / 0" in program
    assert (moment.statement.line, moment.statement.turn) == (line, turn)


def test_after_an_error_the_next_step_runs() -> None:
    """The rest of the step does not; the state lives on."""
    trace = traced("a = 1\n1 / 0\nb = 2", "c = a")
    assert [moment.statement.step for moment in trace.moments] == [0, 0, 1]
    assert trace.moments[-1].state == {"a": {"value": "1"}, "c": {"value": "1"}}


def test_an_assertion_is_an_expectation() -> None:
    """It ends nothing; that it does not hold is noted at its statement, from within functions too."""
    trace = traced("a = 1\nassert a == 2, 'message'\ndef f():\n  assert a is None\nf()\nb = 2")
    assert [moment.failed for moment in trace.moments] == [(), ("a == 2",), (), ("a is None",), ()]
    assert all(moment.raised is None for moment in trace.moments)


def test_print_is_recorded_where_it_happens() -> None:
    """In functions too; nothing reaches the terminal."""
    trace = traced("print(1, 2, sep='-')\ndef f():\n  print(torch.ones(1))\nf()")
    assert [moment.printed for moment in trace.moments] == ["1-2\n", "", "tensor([1.])\n"]


def test_imports_are_of_the_engine() -> None:
    """Every form of `import torch` gives the engine's parts."""
    program = """
        import torch
        import torch.nn.functional
        import torch.nn as layers, torch.utils.checkpoint as ck
        from torch.nn.functional import relu as r, mse_loss
        from torch import optim as o
        assert layers is torch.nn
        assert r is torch.nn.functional.relu
        assert ck.checkpoint is torch.utils.checkpoint.checkpoint
        assert o is optim
        def f():
            import torch.nn as inner
            return inner
        assert f() is nn
    """
    trace = traced(step(program))
    assert all(moment.raised is None and not moment.failed for moment in trace.moments)


def test_a_step_is_compiled_once() -> None:
    """Reference and engine run the same code."""
    assert compile_step("a = 1") is compile_step("a = 1")


def test_a_line_is_the_line_of_the_text() -> None:
    """What the recorder adds does not move the program."""
    trace = traced("a = 1\n\n# a comment\nfor i in range(1):\n    b = 2\n\n    c = 3")
    assert [moment.statement.line for moment in trace.moments] == [1, 5, 7, 4]
    assert at(trace, 7, 0).statement.turn == (0,)
    assert torch_engine.name == "torch"
