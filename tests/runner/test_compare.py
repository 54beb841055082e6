"""What differs between two traces: the statement, the name, the facet, and what each side says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conformance.adapters.module import ModuleEngine
from conformance.language.scenario import Tolerance
from conformance.runner.compare import Difference, differences
from conformance.runner.engine import GROUPS
from conformance.runner.execute import run
from conformance.runner.trace import Moment, Statement, Trace
from tests.runner.broken import broken, raising
from tests.runner.make import scenario, step, torch_engine

torch = torch_engine.torch
MODEL = """
a = torch.tensor([1., 2.], requires_grad=True)
b = a * 2
c = b.sum()
c.backward()
""".strip()


def _differences(program: str, engine: ModuleEngine, **keys: Any) -> tuple[Difference, ...]:
    made = scenario(program, **keys)
    return differences(made, run(made, torch_engine), run(made, engine), engine.claims)


def _first(program: str, engine: ModuleEngine) -> tuple[int, str, str, str, str, str]:
    found = _differences(program, engine)[0]
    return found.statement.line, found.name, found.facet, found.group, found.reference, found.engine


def test_torch_agrees_with_itself() -> None:
    """No differences, even through a proxy of every tensor."""
    assert _differences(MODEL, broken()) == ()


@pytest.mark.parametrize(
    ("facet", "value", "expected"),
    [
        (
            "tolist",
            lambda t: (t.detach() + 1).tolist,
            (1, "a", "value", "values", "[1.0, 2.0]", "[2.0, 3.0]"),
        ),
        ("shape", lambda t: (*t.shape, 1), (1, "a", "shape", "values", "[2]", "[2, 1]")),
        ("dtype", torch.float64, (1, "a", "dtype", "dtypes", "float32", "float64")),
        ("grad", None, (4, "a.grad", "value", "values", "[2.0, 2.0]", "None")),
        ("requires_grad", False, (1, "a", "requires_grad", "flags", "True", "False")),
        ("is_leaf", True, (2, "b", "is_leaf", "flags", "False", "True")),
        ("retains_grad", True, (1, "a", "retains_grad", "flags", "False", "True")),
        ("grad_fn", None, (2, "b", "grad_fn", "graph", "MulBackward0", "None")),
        ("output_nr", 1, (1, "a", "output_nr", "graph", "0", "1")),
        ("_version", 7, (1, "a", "_version", "graph", "0", "7")),
        ("storage", 1, (2, "b", "storage", "graph", "None", "a")),
    ],
)
def test_each_facet_of_a_tensor(facet: str, value: object, expected: tuple[object, ...]) -> None:
    """Names the first statement at which it shows, and both values."""
    assert _first(MODEL, broken(seen={facet: value})) == expected


def test_a_wrong_edge_is_one_difference_where_it_is() -> None:
    """The tensors after it refer to it by its name, and do not differ."""
    program = "a = torch.ones(2, requires_grad=True)\nb = torch.neg(a)\nc = b * 2\nd = c.sum()"
    found = _differences(program, broken(neg=lambda x: x.clone() * -1))
    assert {(d.statement.line, d.name, d.facet) for d in found} == {
        (line, "b", facet) for line in (2, 3, 4) for facet in ("grad_fn", "edges", "name()")
    }
    edges = next(d for d in found if d.facet == "edges")
    assert edges.reference == "(AccumulateGrad(a))"
    assert edges.engine == "(#1, None)\n#1 = CloneBackward0(AccumulateGrad(a))"


def test_a_wrong_base() -> None:
    """Who is a view of whom."""
    found = _differences("a = torch.ones(2)\nb = torch.t(a)", broken(t=lambda x: x.clone()))
    assert [(d.name, d.facet, d.reference, d.engine) for d in found] == [
        ("b", "_base", "a", "None"),
        ("b", "storage", "a", "None"),
    ]


def test_an_object_that_should_be_the_same() -> None:
    """And is another: the other facets are compared all the same."""
    engine = broken(relu_=lambda x: x.clone())
    found = _differences("a = -torch.ones(1)\nb = torch.relu_(a)", engine)
    assert [(d.name, d.facet, d.reference, d.engine) for d in found] == [
        ("a", "value", "[0.0]", "[-1.0]"),
        ("a", "_version", "1", "0"),
        ("b", "is", "the same object as a", "an object of its own"),
        ("b", "value", "[0.0]", "[-1.0]"),
        ("b", "_version", "1", "0"),
        ("b", "storage", "a", "None"),
    ]


def test_an_error_that_torch_does_not_raise() -> None:
    """Is a difference whatever the engine claims; the rest of the step, which it did not run, is none."""
    engine = broken(neg=raising(RuntimeError("no")), claims=())
    found = _differences("a = torch.ones(1)\nb = torch.neg(a)\nc = 1\nd = 2", engine)
    assert [(d.statement.line, d.facet, d.group, d.reference, d.engine) for d in found] == [
        (2, "raised", "errors", "nothing", "RuntimeError: no")
    ]


def test_an_error_that_only_torch_raises() -> None:
    """Where the engine goes on."""
    engine = broken(neg=lambda x: x, claims=("errors",))
    found = _differences("a = torch.tensor([True])\nb = torch.neg(a)\nc = 1", engine)
    assert [(d.statement.line, d.facet) for d in found] == [(2, "raised")]
    assert found[0].reference.startswith("RuntimeError: Negation, the `-` operator, on a bool tensor")
    assert found[0].engine == "nothing"


def test_another_type_and_another_text() -> None:
    """Of an error: two facets in two groups."""
    program = "a = torch.tensor([True])\nb = torch.neg(a)"
    assert _first(program, broken(neg=raising(TypeError("no"))))[2:4] == ("raised", "errors")
    assert _first(program, broken(neg=raising(RuntimeError("no"))))[2:4] == ("message", "messages")
    assert (
        _differences(program, broken(neg=raising(RuntimeError("no")), claims={*GROUPS} - {"messages"})) == ()
    )


def test_warnings_and_prints() -> None:
    """At their statement."""
    program = "b = torch.ones(1, requires_grad=True) * 1\nb.grad\nprint(torch.neg(b))"
    engine = broken(neg=lambda x: "quiet")
    found = _differences(program, engine)
    assert [(d.statement.line, d.facet, d.engine) for d in found] == [(3, "printed", "quiet")]


def test_an_assertion_that_fails_on_the_engine() -> None:
    """Is in the group of what it reads, and ends nothing."""
    program = "a = torch.ones(1)\nassert torch.neg(a).is_leaf\nassert torch.neg(a) == -1\nb = 1"
    engine = broken(neg=lambda x: x.requires_grad_() * 2)
    assert [
        (d.facet, d.group, d.reference, d.engine) for d in _differences(program, engine) if not d.name
    ] == [
        ("assert torch.neg(a).is_leaf", "flags", "holds", "fails"),
        ("assert torch.neg(a) == -1", "values", "holds", "fails"),
    ]


def test_expectations_are_compared_in_the_group_of_what_they_read() -> None:
    """A flag asked for is a flag, a value a value."""
    made = scenario(
        step(
            "a = torch.ones(2)", expect={"a.is_leaf": True, "torch.neg(a)": [-1, -1], "torch.neg(a).nope": 1}
        )
    )
    reference = run(made, torch_engine)
    found = differences(made, reference, run(made, broken(neg=lambda x: 5)))
    assert [(d.name, d.facet, d.group, d.reference, d.engine) for d in found] == [
        (
            "torch.neg(a).nope",
            "value",
            "values",
            "raises AttributeError: 'Tensor' object has no attribute 'nope'",
            "raises AttributeError: 'int' object has no attribute 'nope'",
        ),
        ("torch.neg(a)", "value", "values", "tensor([-1.0, -1.0])", "5"),
    ]


def test_a_name_that_one_side_does_not_have() -> None:
    """Is one difference, whatever it holds."""
    made = scenario("for i in range(3):\n  m = nn.Linear(1, 1)")
    whole = run(made, torch_engine)
    states = [{n: f for n, f in (m.state or {}).items() if not n.startswith("m")} for m in whole.moments]
    cut = replace(
        whole, moments=tuple(replace(m, state=s) for m, s in zip(whole.moments, states, strict=True))
    )
    found = differences(made, whole, cut)
    assert [(d.statement.turn, d.name, d.reference, d.engine) for d in found] == [
        ((0,), "m", "module", "not bound"),
        ((1,), "m", "module", "not bound"),
        ((2,), "m", "module", "not bound"),
        ((), "m", "module", "not bound"),
    ]


def test_a_tensor_where_torch_has_a_number() -> None:
    """And the other way round: one difference, its value."""
    found = _differences("a = torch.numel(torch.ones(3))", broken(numel=lambda x: torch.tensor(3)))
    assert [(d.facet, d.reference, d.engine) for d in found] == [("value", "3", "tensor(3)")]


def test_another_way_through_the_program() -> None:
    """A loop that turns once more, a branch not taken: at the statement that one side alone reached."""
    loop = "for i in range(torch.numel(torch.ones(2))):\n  b = i\n"
    program = loop + "if torch.numel(torch.ones(1)) == 1:\n  c = 1\nd = 1"
    found = _differences(program, broken(numel=lambda x: x.numel() + 1))
    reached = [
        (d.statement.line, d.statement.turn, d.reference, d.engine) for d in found if d.facet == "reached"
    ]
    assert reached == [(2, (2,), "not reached", "reached"), (4, (), "reached", "not reached")]
    assert found[0].statement == Statement(0, 2, (2,), 2)


def test_values_within_tolerance_are_no_difference() -> None:
    """By dtype, or as the scenario says."""
    engine = broken(neg=lambda x: -x * (1 + 1e-6))
    program = "a = torch.neg(torch.ones(1))"
    assert _differences(program + ".detach()", engine) == ()
    assert len(_differences("a = torch.neg(torch.ones(1, dtype=torch.float64))", engine)) == 1
    wide = Tolerance(1e-3, 0, "a test")
    assert _differences("a = torch.neg(torch.ones(1, dtype=torch.float64))", engine, tolerance=wide) == ()
    exact = _differences(program, engine, tolerance=Tolerance(0, 0, "exact"))
    assert [(d.reference, d.engine) for d in exact] == [("[-1.0]", "[-1.000001]")]


def test_only_claimed_groups() -> None:
    """What an engine does not claim is left out."""
    engine = broken(seen={"is_leaf": True, "grad_fn": None}, claims=("values", "flags"))
    assert {d.group for d in _differences(MODEL, engine)} == {"flags"}


def test_an_attribute_that_the_engine_does_not_have() -> None:
    """Has its error as its value, and only that facet differs."""
    engine = broken(seen={"output_nr": raising(AttributeError("no output_nr"))})
    found = _differences("a = torch.ones(1)", engine)
    assert [(d.facet, d.reference, d.engine) for d in found] == [
        ("output_nr", "0", "raises AttributeError: no output_nr")
    ]


def test_an_attribute_of_another_type_does_not_pass() -> None:
    """A method is not True."""
    found = _differences("a = torch.ones(1)", broken(seen={"is_leaf": lambda t: t.is_floating_point}))
    assert [(d.facet, d.engine) for d in found] == [
        ("is_leaf", "raises TypeError: a builtin_function_or_method, not a bool")
    ]


def test_texts_of_the_same_error_in_an_attribute_are_messages() -> None:
    """Where both sides raise the same type."""
    engine = broken(seen={"_version": raising(RuntimeError("other words"))})
    found = _differences("with torch.inference_mode():\n  a = torch.ones(1)", engine)
    assert {(d.facet, d.group) for d in found} == {("_version", "messages")}


@pytest.mark.parametrize(("error", "group"), [(RuntimeError, "messages"), (IndexError, "errors")])
def test_a_value_that_neither_side_can_tell(error: type[Exception], group: str) -> None:
    """Is no other value: only what the two errors say differs, or their types."""
    program = "kept = []\ny = torch.func.vmap(lambda a: kept.append(a) or a * 2)(torch.ones(2, 3))"
    made = scenario(program)
    reference = run(made, torch_engine)
    last = reference.moments[-1]
    state = {name: dict(facets) for name, facets in (last.state or {}).items()}
    state["kept[0]"]["value"] = f"raises {error.__name__}: gone"
    other = replace(reference, moments=(*reference.moments[:-1], replace(last, state=state)))
    assert [(each.name, each.group) for each in differences(made, reference, other)] == [("kept[0]", group)]


def test_a_trace_that_ends_in_a_time_out() -> None:
    """Differs in that, and not in all that it did not reach."""
    made = scenario("a = 1\nb = 2", "c = 3")
    reference = run(made, torch_engine)
    cut = Trace("an-id", "slow", "1", (*reference.moments[:1],))
    late = run(scenario("for i in iter(int, 1): pass"), torch_engine, seconds=0.1).moments[-1]
    place = reference.moments[1].statement
    found = differences(
        made, reference, replace(cut, moments=(*cut.moments, Moment(place, raised=late.raised))), ()
    )
    assert [(d.statement, d.facet, d.engine) for d in found] == [
        (place, "raised", "TimeLimit: still running after 0.1 s")
    ]


def test_numbers_within_the_tolerance_are_not_shortened(monkeypatch: pytest.MonkeyPatch) -> None:
    """A module's million weights that another processor rounds otherwise would take a minute."""
    whole = run(scenario("a = torch.tensor([0.5, 0.25])"), torch_engine)
    near = Trace.from_json(whole.to_json().replace("0.25", "0.2500001"))
    assert near != whole
    monkeypatch.setattr("conformance.runner.compare.shortened", lambda *_: pytest.fail("it is shortened"))
    assert differences(scenario("a = torch.tensor([0.5, 0.25])"), whole, near) == ()
