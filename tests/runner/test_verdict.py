"""Three verdicts: the scenario on torch, the document against torch, the engine against torch."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.language.load import load_text
from conformance.language.scenario import Expectations, Scenario, Step, Tolerance
from conformance.runner.execute import run
from conformance.runner.verdict import Outcome, claim_fault, flaws_on_torch, judge
from tests.runner.broken import Namespace, broken, raising
from tests.runner.make import scenario, step, torch_engine

LEAF = "x = torch.ones(1)\nx.retain_grad()"
REFUSAL: dict[str, Any] = {"raises": "RuntimeError", "message": "can't retain_grad on Tensor that has"}


def _flaws(*steps: Step | str, **keys: Any) -> list[str]:
    made = scenario(*steps, **keys)
    return [str(flaw) for flaw in flaws_on_torch(made, run(made, torch_engine))]


def _holds(made: Scenario) -> bool:
    return claim_fault(made, run(made, torch_engine)) is None


def _judged(made: Scenario, engine: Any) -> Outcome:
    return judge(made, run(made, torch_engine), run(made, engine), engine.claims)


def test_a_scenario_that_torch_bears_out_is_sound() -> None:
    """Values, flags, errors, warnings and assertions as it does them."""
    assert (
        _flaws(step("a = torch.ones(2)\nassert a.is_leaf", expect={"a": [1, 1.0], "a.is_leaf": True})) == []
    )
    assert _flaws(step(LEAF, **REFUSAL)) == []
    assert (
        _flaws(step("b = torch.ones(1, requires_grad=True) * 1\nb.grad", warns=("The .grad attribute",)))
        == []
    )
    assert _flaws("a = torch.ones(1)\nb = a * 2") == []


@pytest.mark.parametrize(
    ("made", "flaw"),
    [
        (step("a = 1\n1 / 0\nb = 2"), "a.yaml:2: raises ZeroDivisionError: division by zero"),
        (
            step("a = 1\n1 / 0\nb = 2", raises="ZeroDivisionError"),
            "a.yaml:2: raises ZeroDivisionError: division by zero, before the step's last statement",
        ),
        (step("a = 1\nb = 2", raises="ValueError"), "a.yaml:2: raises nothing, expected ValueError"),
        (step("a = 1", message="no"), "a.yaml:1: raises nothing, expected an error: no"),
        (
            step("1 / 0", raises="ValueError"),
            "a.yaml:1: raises ZeroDivisionError: division by zero; expected ValueError",
        ),
        (
            step("1 / 0", raises="ZeroDivisionError", message="no"),
            "a.yaml:1: raises ZeroDivisionError: division by zero; expected a message that begins with 'no'",
        ),
        (step("1 / 0", raises=None), "a.yaml:1: raises ZeroDivisionError: division by zero"),
        (step("a = torch.ones(1)\nassert a == 2"), "a.yaml:2: on torch this does not hold: assert a == 2"),
        (step("a = torch.ones(2)", expect={"a": [1.0]}), "a.yaml:1: a is [1.0, 1.0], expected [1.0]"),
        (
            step("a = 1\n", expect={"a.nope": 1}),
            "a.nope raises AttributeError: 'int' object has no attribute 'nope'",
        ),
        (
            step("a = torch.ones(1)", expect={"a.grad": "None", "a.shape": [1]}),
            "a.grad is None, expected 'None'; `None` is a text; torch's value is written `null`",
        ),
        (
            step("a = torch.ones(2)", expect={"a": "tensor([1., 1.])"}),
            "`tensor([1., 1.])` is a text; torch's value is written `[1.0, 1.0]`",
        ),
        (step("a = 1\n1 / 0", expect={"b": 1}), "a.yaml:2: raises ZeroDivisionError: division by zero; if"),
        (
            step("a = 1", warns=("careful",)),
            "a.yaml:1: expected a warning that begins with 'careful'; the warnings are nothing",
        ),
        (step("def f(): pass"), "it shows nothing: its statements only name constants"),
        (step("a = 1\nb = a + 1"), "it shows nothing: its statements only name constants"),
        (step("torch.ones(1)"), "it shows nothing: no state differs between two of its statements"),
        (
            step("a = torch.tensor([1 + 2j])", expect={"a": "1-2j"}),
            "a is [(1+2j)], expected '1-2j'; `1-2j` is a text; torch's value is written `[1+2j]`",
        ),
        (
            step("a = torch.ones(2, 3)", expect={"a.shape": "(2, 3)"}),
            "`(2, 3)` is a text; torch's value is written `[2, 3]`",
        ),
        (step("pass"), "it shows nothing"),
    ],
)
def test_a_flaw_is_named_with_its_line(made: Step, flaw: str) -> None:
    """What torch does instead."""
    flaws = _flaws(made)
    assert len(flaws) == 1
    assert flaw in flaws[0].replace(":1:1:", ":1:").replace(":2:1:", ":2:")


def test_a_flaw_says_what_to_do() -> None:
    """An error that was not declared may be what the scenario is about."""
    declare = "declare it under this step: `raises: ZeroDivisionError`"
    assert _flaws("a = 1\n1 / 0")[0].endswith(f"division by zero; if that is intended, {declare}")
    assert _flaws("1 / 0\na = 1")[0].endswith(f"if that is intended, end the step here, and {declare}")


def test_an_error_may_be_anywhere_in_the_last_statement() -> None:
    """In the body of a `with` or of a loop."""
    assert _flaws(step("a = 1\nwith torch.no_grad():\n  b = 1\n  1 / 0", raises="ZeroDivisionError")) == []
    assert _flaws(step("for i in range(3):\n  1 / (1 - i)", raises="ZeroDivisionError")) == []


def test_an_expectation_has_a_place_of_its_own() -> None:
    """A flaw of it is reported at its key, also where a matrix, a second step or `claimed` has it."""
    text = (
        "scenarios:\n  - id: a\n    title: a\n    claim: doc/a\n    matrix: {n: [1]}\n    steps:\n"
        "      - run: a = torch.ones(${n})\n"
        "        expect:\n          a.is_leaf: true\n          a: [2]\n      - run: b = a * 2\n"
        "        expect: {b.shape: [1], b: [2]}\n        claimed: {expect: {b: [3]}}\n"
    )
    (made,) = load_text(text, "a.yaml").scenarios
    trace = run(made, torch_engine)
    assert [str(flaw) for flaw in flaws_on_torch(made, trace)] == [
        "a.yaml:10:11: a is [1.0], expected [2]; if this is what the document says, write it under `claimed`, "
        "and what torch does here"
    ]
    (sound,) = load_text(text.replace("a: [2]", "a: [1]"), "a.yaml").scenarios
    fault = claim_fault(sound, run(sound, torch_engine))
    assert str(fault) == "a.yaml:13:28: b is [2.0], expected [3]"


def test_steps_have_their_own_expectations() -> None:
    """An error of one does not excuse another."""
    failing = step("1 / 0", raises="ZeroDivisionError")
    assert _flaws(failing, step("a = 1", expect={"a": 1}), failing) == []
    assert len(_flaws(failing, "1 / 0")) == 1


def test_a_claim_needs_something_that_can_fail() -> None:
    """A scenario that only runs shows nothing about a document."""
    assert len(_flaws("a = torch.ones(1)\nb = a * 2", claims=("doc/one",))) == 1
    assert _flaws("a = torch.ones(1)\nassert a == 1", claims=("doc/one",)) == []
    assert _flaws(step("a = 1", expect={"a": 1}), claims=("doc/one",)) == []


def test_tolerance_is_for_expectations_too() -> None:
    """As the scenario says; by default as for the result's dtype."""
    third = {"a": [0.333]}
    assert len(_flaws(step("a = torch.ones(1) / 3", expect=third))) == 1
    assert _flaws(step("a = torch.ones(1) / 3", expect=third), tolerance=Tolerance(1e-2, 0, "")) == []
    assert _flaws(step("a = torch.ones(1) / 3", expect={"a": [0.33333334]})) == []
    assert len(_flaws(step("a = torch.ones(1).double() / 3", expect={"a": [0.33333334]}))) == 0
    assert len(_flaws(step("a = torch.ones(1).double() / 3", expect={"a": [0.3333330]}))) == 1
    assert len(_flaws(step("a = torch.ones(1) / 3\nb = a.double()", expect={"b": [0.3333337]}))) == 1


def test_a_claim_is_by_default_what_the_step_says() -> None:
    """It holds where the step's own keys do."""
    assert _holds(scenario(step(LEAF, **REFUSAL)))
    assert not _holds(scenario(step(LEAF)))


def test_what_the_document_claims_overrides_the_own_keys_that_it_names() -> None:
    """And must fail on torch, where the own keys hold."""
    refuted = step(LEAF, claimed=Expectations(raises=None), **REFUSAL)
    assert _flaws(refuted) == []
    assert not _holds(scenario(refuted))
    wording = step(LEAF, claimed=Expectations(message="cannot retain"), **REFUSAL)
    assert _flaws(wording) == []
    assert not _holds(scenario(wording))
    values = step(
        "a = torch.ones(1)\nb = a * 2",
        expect={"a": [1], "b": [2]},
        claimed=Expectations(expect=(("b", [3.0]),)),
    )
    assert _flaws(values) == []
    assert not _holds(scenario(values))


def test_a_claim_that_torch_bears_out_is_no_claimed() -> None:
    """`claimed` that holds on torch makes the scenario unsound; so do own keys that do not."""
    same = step("a = torch.ones(1)", expect={"a": [1]}, claimed=Expectations(expect=(("a", [1.0]),)))
    assert _flaws(same) == ["a.yaml:1:1: torch does what `claimed` says: move it to the step's own keys"]
    wrong = step("a = torch.ones(1)", expect={"a": [2]}, claimed=Expectations(expect=(("a", [3]),)))
    assert _flaws(wrong) == ["a.yaml:1:1: a is [1.0], expected [2]"]


def test_a_claimed_warning() -> None:
    """That torch does not give."""
    quiet = step(
        "a = torch.ones(1)\na.grad", expect={"a.grad": None}, claimed=Expectations(warns=("careful",))
    )
    assert _flaws(quiet) == []
    assert not _holds(scenario(quiet))


def test_the_engine_is_judged_by_torch_and_not_by_the_document() -> None:
    """A refuted claim does not count against an engine that agrees with torch."""
    refuted = scenario(step(LEAF, claimed=Expectations(raises=None), **REFUSAL))
    outcome = _judged(refuted, torch_engine)
    assert (outcome.verdict, outcome.differences) == ("agrees", ())
    assert outcome.claim_fault


def test_an_engine_that_differs() -> None:
    """With the differences in what it claims, and those beyond."""
    made = scenario("a = torch.ones(1, requires_grad=True)\nb = a * 2")
    outcome = _judged(made, broken(seen={"is_leaf": True, "_version": 3}, claims=("flags",)))
    assert outcome.verdict == "differs"
    assert {difference.facet for difference in outcome.differences} == {"is_leaf"}
    assert {difference.facet for difference in outcome.unclaimed} == {"_version"}
    assert _judged(made, broken(seen={"_version": 3}, claims=("flags",))).verdict == "agrees"


def test_an_unsound_scenario_is_no_verdict_on_the_engine() -> None:
    """Whatever the engine does."""
    assert _judged(scenario("1 / 0"), broken()).verdict == "unsound"


@pytest.mark.parametrize(
    ("program", "engine", "missing"),
    [
        ("a = torch.ones(1)\nb = torch.neg(a)", broken(without=["neg"]), "torch.neg"),
        ("a = torch.ones(1)\nfrom torch import neg", broken(without=["neg"]), "torch.neg"),
        (
            "import torch.nn as layers\na = layers.Linear(1, 1)",
            broken(nn=Namespace({}, ["Linear"])),
            "torch.nn.Linear",
        ),
        ("m = nn.Linear(1, 1)", broken(nn=Namespace({}, ["Linear"])), "torch.nn.Linear"),
        ("a = torch.ones(1)\no = optim.SGD", broken(without=["optim"]), "torch.optim"),
        (
            "b = torch.neg(torch.ones(1))",
            broken(neg=raising(NotImplementedError("neg of floats"))),
            "neg of floats",
        ),
        ("m = torch.nn.Linear(1, 1)", broken(nn=None), "torch.nn.Linear"),
        ("b = torch.neg(torch.ones(1), out=None)", broken(neg=lambda x: x), "<lambda>(out=...)"),
        ("b = torch.sum(torch.ones(1), 0)", broken(sum=lambda x: x), "<lambda>() with 2 arguments"),
    ],
)
def test_what_the_engine_lacks_is_named(program: str, engine: Any, missing: str) -> None:
    """And is neither a pass nor a difference."""
    outcome = _judged(scenario(program), engine)
    assert (outcome.verdict, outcome.missing) == ("unsupported", (missing,))


def test_a_tensors_missing_method_is_named() -> None:
    """By its class; likewise in an expectation."""

    class Tensor:
        def __init__(self, value: float) -> None:
            self.value = value

    bare = broken(ones=Tensor)
    bare.observe = lambda value: value if isinstance(value, Tensor) else None  # type: ignore[method-assign]
    bare.claims = frozenset({"errors"})
    assert _judged(scenario("a = torch.ones(1)\na.neg()"), bare).missing == ("Tensor.neg",)
    assert _judged(scenario(step("a = torch.ones(1)", expect={"a.neg()": [-1]})), bare).missing == (
        "Tensor.neg",
    )


@pytest.mark.parametrize(
    ("program", "missing"),
    [
        ("b = a / a", "Tensor / ..."),
        ("b = 2 ** a", "... ** Tensor"),
        ("a -= 1", "Tensor -= ..."),
        ("b = a > 0", "Tensor > ..."),
        ("b = +a", "+Tensor"),
        ("b = -a", "-Tensor"),
        ("b = a[0]", "Tensor[...]"),
        ("a[0] = 1.", "Tensor[...] = ..."),
        ("for each in a: pass", "Tensor in a loop"),
        ("b = len(a)", "len(Tensor)"),
    ],
)
def test_an_operator_that_tensors_lack_is_named(program: str, missing: str) -> None:
    """As a method would be; one that something else lacks, or that the engine's own code asks for, is not."""

    class Tensor:
        def __init__(self, *values: float) -> None:
            self.values = values

    bare = broken(ones=Tensor)
    bare.observe = lambda value: value if isinstance(value, Tensor) else None  # type: ignore[method-assign]
    bare.claims = frozenset({"errors"})
    outcome = _judged(scenario(f"a = torch.ones(2)\n{program}"), bare)
    assert (outcome.verdict, outcome.missing) == ("unsupported", (missing,))

    class Other(Tensor):
        pass

    other = broken(ones=Other)
    other.claims = bare.claims
    assert _judged(scenario(f"a = torch.ones(2)\n{program}"), other).verdict == "differs"


def test_a_difference_before_the_missing_name_is_a_difference() -> None:
    """The first that goes wrong counts."""
    engine = broken(without=["neg"], seen={"_version": 3})
    assert _judged(scenario("a = torch.ones(1)\nb = torch.neg(a)"), engine).verdict == "differs"


def test_a_name_that_torch_lacks_too_is_not_missing() -> None:
    """Where both raise, the engine agrees."""
    made = scenario(step("a = torch.ones(1)\na.nope", raises="AttributeError"))
    assert _judged(made, broken()).verdict == "agrees"


def test_an_engines_own_wrong_name_is_not_missing() -> None:
    """An AttributeError about what torch does not have is a mistake of the engine."""
    engine = broken(neg=lambda x: x._no_such_thing)
    assert _judged(scenario("a = torch.ones(1)\nb = torch.neg(a)"), engine).verdict == "differs"
    engine = broken(neg=lambda x: None, without=["linalg"])
    assert _judged(scenario("a = torch.ones(1)\nb = torch.neg(a).item()"), engine).verdict == "differs"
    engine = broken(neg=lambda x: {"y": x}.pop("y", default=x))  # type: ignore[call-overload]
    assert _judged(scenario("a = torch.ones(1)\nb = torch.neg(a)"), engine).verdict == "differs"
    engine = broken(neg=lambda x: x / "2")
    assert _judged(scenario("a = torch.ones(1)\nb = torch.neg(a)"), engine).verdict == "differs"
    engine = broken(neg=lambda x: None)
    assert _judged(scenario("a = torch.ones(1)\nb = torch.neg(a) / a"), engine).verdict == "differs"
    engine = broken(neg=lambda x: None.shape)  # type: ignore[attr-defined]
    assert _judged(scenario("a = torch.ones(1)\nb = torch.neg(a)"), engine).verdict == "differs"


RAISING = step("torch.ones(4) + torch.ones(2, 2)", raises="RuntimeError")


@pytest.mark.parametrize(
    ("steps", "claims", "verdict"),
    [
        ((RAISING,), {"values"}, "not observed"),
        ((RAISING,), {"values", "errors"}, "differs"),
        (("a = torch.ones(2)", RAISING), {"values"}, "agrees"),
        (("n = torch.ones(2).dtype", RAISING), {"values"}, "not observed"),
        (("n = torch.ones(2).dtype", RAISING), {"values", "dtypes"}, "agrees"),
    ],
)
def test_a_scenario_that_only_raises_says_nothing_about_an_engine_that_claims_no_errors(
    steps: tuple[Any, ...], claims: set[str], verdict: str
) -> None:
    """It may raise or not: nothing that it claims could differ."""
    engine = broken(ones=lambda *shape: torch_engine.torch.ones(2))
    engine.claims = frozenset(claims)
    assert _judged(scenario(*steps), engine).verdict == verdict
