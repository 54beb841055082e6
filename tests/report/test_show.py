"""A scenario shown statement by statement."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from conformance.report.show import ScenarioHeader, show
from conformance.report.statements import StatementReport, changes, described, statement_reports
from conformance.runner.compare import differences
from conformance.runner.execute import run
from conformance.runner.trace import Facets, State
from tests.runner.broken import Engine, Namespace, torch
from tests.runner.make import scenario, step, torch_engine, traced

TENSOR: Facets = {
    "value": "[1.0]",
    "shape": "[1]",
    "dtype": "float32",
    "requires_grad": False,
    "is_leaf": True,
    "retains_grad": False,
    "grad_fn": None,
    "output_nr": 0,
    "_version": 0,
    "_base": None,
    "storage": None,
}


def broken(replaced: dict[str, Any], seen: dict[str, Any] | None = None) -> Engine:
    """Torch but for these names, and these attributes of tensors."""
    return Engine(Namespace(replaced, ()), ("values", "flags", "graph", "errors", "messages"), seen or {})


def told(*steps: Any, engine: Engine | None = None) -> list[StatementReport]:
    """The text that `show` prints for these steps."""
    made = scenario(*steps)
    mine = run(made, torch_engine)
    if engine is None:
        return list(statement_reports(made, mine, None))
    its = run(made, engine)
    return list(statement_reports(made, mine, its, differences(made, mine, its)))


def text(*steps: Any, engine: Engine | None = None, width: int = 90) -> str:
    """The lines below the heading."""
    heads = ("torch", "broken" if engine else "")
    shown = ScenarioHeader(scenario(*steps), (), *heads, verdict="the verdict", agrees=False)
    lines = [
        "".join(piece for piece, _ in line) for line in show(shown, told(*steps, engine=engine), width=width)
    ]
    return "\n".join(lines[4:])


def test_what_is_notable_of_a_tensor_is_said() -> None:
    """The usual is left out: no gradient, version 0, storage of its own."""
    assert described(TENSOR) == "[1.0]  float32[1]  leaf"
    assert described({**TENSOR, "requires_grad": True, "_version": 2}).endswith(
        "requires_grad  leaf  _version 2"
    )
    computed = {**TENSOR, "is_leaf": False, "grad_fn": "MulBackward0", "edges": "(AccumulateGrad(a), None)"}
    assert described(computed).endswith("float32[1]  MulBackward0(AccumulateGrad(a), None)")
    assert described({**TENSOR, "_base": "a", "storage": "a"}).endswith("view of a  shares storage with a")
    assert described({**TENSOR, "is_leaf": "raises RuntimeError: stale"}).endswith(
        "is_leaf raises RuntimeError: stale"
    )
    assert described({"is": "a"}) == "the same object as a"


def test_only_what_changed_is_told() -> None:
    """With what it was before; what is gone, and a grad that is None again."""
    before: State = {"a": TENSOR, "b": TENSOR, "a.grad": TENSOR, "n": {"value": "1"}}
    after: State = {"a": {**TENSOR, "_version": 1, "value": "[2.0]"}, "n": {"value": "1"}}
    assert dict(changes(before, after)) == {
        "a": "[1.0] → [2.0], _version 0 → 1",
        "b": "gone",
        "a.grad": "None",
    }


def test_the_program_is_shown_whole_and_once() -> None:
    """Comments, blank lines, bodies and statements on one line: each line stands once, in order."""
    program = """
        # first

        a = torch.ones(2)
        with torch.no_grad():
            # inside
            b = a + (
                1
            )
        def f(x):
            return x
        c = f(a); d = 1
        # last
    """
    listed = [line for each in told(step(program, expect={"d": 1})) for line in each.lines]
    assert listed == step(program).run.splitlines()
    firsts = [each.first for each in told(step(program)) if each.lines]
    assert firsts == [1, 4, 9, 11]


def test_a_scenario_on_the_reference_alone() -> None:
    """Loops by their turns, what is printed, and what was expected."""
    program = """
        a = torch.ones(2, requires_grad=True)
        for i in range(2):
            (a * 2).sum().backward()
        print(a.grad)
    """
    assert (
        text(step(program, expect={"a.grad": [4, 4]}))
        == """\
             torch
1 | a = torch.ones(2, requires_grad=True)
     a       [1.0, 1.0] float32[2] requires_grad leaf
2 | for i in range(2):
3 |     (a * 2).sum().backward()
     a.grad  [2.0, 2.0] float32[2] leaf
     i       0
3, turn 2 | (a * 2).sum().backward()
     a.grad  [2.0, 2.0] → [4.0, 4.0], _version 0 → 1
     i       0 → 1
4 | print(a.grad)
     prints  tensor([4., 4.])
  | expected after the step:
     a.grad  [4.0, 4.0]"""
    )


def test_a_difference_is_marked_where_it_begins() -> None:
    """Both values of each facet; later statements do not say it again."""
    engine = broken({"ones": torch.zeros})
    program = "a = torch.ones(1)\nb = 2\nc = a + 1"
    assert (
        text(program, engine=engine)
        == """\
        torch                  broken
1 | a = torch.ones(1)
     a  [1.0] float32[1] leaf
  !  a  [1.0]                  [0.0]
2 | b = 2
     b  2                      =
3 | c = a + 1
     c  [2.0] float32[1] leaf
  !  c  [2.0]                  [1.0]"""
    )


def test_where_one_ends_early_the_other_is_not_reached() -> None:
    """What follows an error on the engine alone is not a further difference."""

    def refuse(*_: Any) -> None:
        raise RuntimeError("refused")

    shown = text("a = torch.ones(1)\nb = torch.exp(a)\nc = 1", engine=broken({"exp": refuse}))
    assert shown.splitlines()[3:] == [
        "2 | b = torch.exp(a)",
        "  !  raises  nothing                      RuntimeError: refused",
        "     b       [2.7182817] float32[1] leaf",
        "  !  b       tensor([2.7182817])          not bound",
        "3 | c = 1",
        "     c       1                            not reached",
    ]


def test_control_characters_are_shown() -> None:
    """A scenario cannot command the terminal."""
    assert "\\x1b[31m" in text("print('\\x1b[31mred')")
    made = replace(scenario("a = 1"), title="\x1b[31mred")
    lines = show(ScenarioHeader(made, ("\x1b",), "torch", "", "", True), told("a = 1"))
    assert "\x1b" not in "".join(piece for line in lines for piece, _ in line)


def test_long_values_are_cut_in_the_middle_unless_asked_for_whole() -> None:
    """With the number of characters left out."""
    made = scenario("a = torch.arange(400)")
    cut, full = (
        "".join(
            piece
            for line in show(
                ScenarioHeader(made, (), "torch", "", "", True), told("a = torch.arange(400)"), full=f
            )
            for piece, _ in line
        )
        for f in (False, True)
    )
    assert " ..." in cut and "250, 251" not in cut
    assert "250, 251" in full


def test_a_trace_without_states_tells_events() -> None:
    """As of `observe: end`, where statements have no state."""
    made = scenario("a = torch.ones(1)\nprint(a)\nb = 1", observe="end")
    rows = [row for each in statement_reports(made, run(made, torch_engine), None) for row in each.rows]
    assert [row.name for row in rows] == ["prints", "a", "b"]
    assert traced("a = 1").moments
