"""What an engine is to the suite: a torch-like module as it is, or one small class around anything else."""

from __future__ import annotations

import contextlib
import signal
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from conformance.adapters.module import ModuleEngine
from conformance.check.checker import Checker
from conformance.language.scenario import Scenario
from conformance.report.share import cell
from conformance.runner.engine import Engine
from conformance.runner.execute import run
from conformance.runner.verdict import Outcome, judge
from tests.runner.broken import broken, raising
from tests.runner.make import facets, scenario, step, torch_engine

torch = torch_engine.torch

MODEL = "a = torch.tensor([2.], requires_grad=True)\nb = a * a\nb.backward()"


class Value:
    """A number that knows its derivative: an engine in a few lines."""

    def __init__(
        self, data: Any, requires_grad: bool = False, parents: tuple[tuple[Value, float], ...] = ()
    ) -> None:
        self.data = data[0] if isinstance(data, list) else data
        self.grad = 0.0
        self.parents = parents
        self.wants = requires_grad or bool(parents)

    def __mul__(self, other: Value) -> Value:
        return Value(self.data * other.data, parents=((self, other.data), (other, self.data)))

    def backward(self, flow: float = 1.0) -> None:
        """Along every path."""
        if not self.parents:
            self.grad += flow
        for parent, local in self.parents:
            parent.backward(flow * local)


class ValueEngine:
    """An adapter with every method that the suite calls; its Value has the attributes of torch's tensors."""

    name, version = "value", "0.1"
    claims = frozenset({"values", "errors"})
    torch = SimpleNamespace(tensor=Value)

    def observe(self, value: Any, /) -> Any | None:
        """A Value as a tensor of one number."""
        if not isinstance(value, Value):
            return None
        return SimpleNamespace(
            tolist=lambda: [value.data],
            shape=(1,),
            dtype="float32",
            is_leaf=not value.parents,
            requires_grad=value.wants,
            grad=None if value.parents or not value.grad else Value(value.grad),
            storage=id(value),
        )


def _judged(made: Scenario, engine: Engine) -> Outcome:
    return judge(made, run(made, torch_engine), run(made, engine), engine.claims)


def test_an_adapter_is_a_few_lines() -> None:
    """And the engine is graded in what it claims."""
    engine = ValueEngine()
    assert isinstance(engine, Engine)
    outcome = _judged(scenario(MODEL), engine)
    assert outcome.verdict == "agrees"
    assert {difference.group for difference in outcome.unclaimed} == {"graph", "flags"}


class Gradless:
    """A tensor of an engine that gives gradients in another way."""

    shape, dtype = (1,), "float32"

    def __init__(self, values: list[float], requires_grad: bool = False) -> None:
        self.values = values

    def tolist(self) -> list[float]:
        """The numbers."""
        return self.values

    def backward(self) -> None:
        """Whatever it does, it leaves no grad."""


def test_an_engine_that_keeps_no_grads_has_none() -> None:
    """As torch, until a pass fills one."""
    names = SimpleNamespace(Tensor=Gradless, tensor=Gradless)
    engine = ModuleEngine("gradless", names, version="1", claims={"values"})
    assert _judged(scenario("a = torch.tensor([2.], requires_grad=True)"), engine).verdict == "agrees"
    outcome = _judged(scenario("a = torch.tensor([2.], requires_grad=True)\na.backward()"), engine)
    assert [(each.name, each.engine) for each in outcome.differences] == [("a.grad", "None")]
    assert _judged(scenario("a = torch.tensor([2.])\nb = a.grad"), engine).missing == ("Tensor.grad",)


SCALAR = "a = torch.tensor(2., requires_grad=True)\nb = a * a\nb.backward()"


@pytest.mark.parametrize(
    ("grad", "program", "differs"),
    [
        (np.array([4.0], np.float32), MODEL, []),
        (np.array([4.5], np.float32), MODEL, ["value"]),
        (np.array([4.0]), MODEL, ["dtype"]),
        (np.array([4]), MODEL, ["dtype"]),
        (np.array(4.0, np.float32), MODEL, ["value", "shape"]),
        (np.float32(4.0), SCALAR, []),
        (np.float32(4.5), SCALAR, ["value"]),
        (np.float64(4.0), SCALAR, ["dtype"]),
        (4.0, SCALAR, ["value"]),
    ],
    ids=repr,
)
def test_a_grad_need_not_be_a_tensor(grad: Any, program: str, differs: list[str]) -> None:
    """A numpy array or number has all that is compared of values; a Python number is not a tensor."""

    class Grad(ValueEngine):
        claims = ValueEngine.claims | {"dtypes"}

        def observe(self, value: Any, /) -> Any | None:
            seen = super().observe(value)
            if seen is not None:
                alone = program == SCALAR
                seen.shape, seen.tolist = () if alone else (1,), lambda: value.data if alone else [value.data]
                seen.grad = seen.grad and grad
            return seen

    outcome = _judged(scenario(program), Grad())
    assert [(difference.name, difference.facet) for difference in outcome.differences] == [
        ("a.grad", facet) for facet in differs
    ]
    if type(grad) is float:
        assert (outcome.differences[0].engine, outcome.differences[0].reference) == ("4.0", "tensor(4.0)")


def test_what_the_engine_does_wrong_is_found() -> None:
    """It never resets its grad and has no way to free its graph."""
    outcome = _judged(scenario(MODEL, step("b.backward()", raises="RuntimeError")), ValueEngine())
    first = outcome.differences[0]
    assert (outcome.verdict, first.facet, first.engine) == ("differs", "raised", "nothing")


def test_what_the_engine_lacks_is_named() -> None:
    """Of the module, of its tensors."""
    assert _judged(scenario("a = torch.zeros(1)"), ValueEngine()).missing == ("torch.zeros",)
    retain = scenario("a = torch.tensor([2.], requires_grad=True)\nb = a * a\nb.retain_grad()")
    assert _judged(retain, ValueEngine()).missing == ("Tensor.retain_grad",)


def test_an_engine_that_cannot_say_what_is_a_leaf_shows_its_grads() -> None:
    """Values are graded without flags."""

    class Flagless(ValueEngine):
        def observe(self, value: Any, /) -> Any | None:
            seen = super().observe(value)
            if seen is not None:
                del seen.is_leaf
            return seen

    made = scenario(MODEL)
    trace = run(made, Flagless())
    assert facets(trace.moments[-1], "a.grad")["value"] == "[4.0]"
    assert str(facets(trace.moments[-1], "a")["is_leaf"]).startswith("raises AttributeError")
    assert _judged(made, Flagless()).verdict == "agrees"


@pytest.mark.parametrize("leaf", [None, NotImplementedError("is_leaf"), AttributeError("is_leaf")])
def test_a_flag_that_is_none_or_raises_hides_no_grad(leaf: Any) -> None:
    """Where it cannot be said what is a leaf, grads are read all the same."""

    class Seen(SimpleNamespace):
        @property
        def is_leaf(self) -> Any:
            if isinstance(leaf, Exception):
                raise leaf
            return leaf

    class Partial(ValueEngine):
        def observe(self, value: Any, /) -> Any | None:
            seen = super().observe(value)
            if seen is None:
                return None
            return Seen(**{name: item for name, item in vars(seen).items() if name != "is_leaf"})

    trace = run(scenario(MODEL), Partial())
    assert facets(trace.moments[-1], "a.grad")["value"] == "[4.0]"
    assert str(facets(trace.moments[-1], "a")["is_leaf"]).startswith("raises ")


def test_a_storage_of_none_is_shared_with_nobody() -> None:
    """An adapter says so of tensors that share no memory."""

    class Alone(ValueEngine):
        def observe(self, value: Any, /) -> Any | None:
            seen = super().observe(value)
            if seen is not None:
                seen.storage = None
            return seen

    trace = run(scenario(MODEL), Alone())
    assert [facets(trace.moments[-1], name)["storage"] for name in ("a", "b", "a.grad")] == [None] * 3


def test_a_torch_like_module_is_an_engine() -> None:
    """Torch itself, as any module."""
    engine = ModuleEngine("again", torch)
    assert isinstance(engine, Engine)
    assert (engine.version, repr(engine)) == (torch.__version__, f"<engine again {torch.__version__}>")
    assert _judged(scenario(step(MODEL, expect={"a.grad": [4]})), engine).verdict == "agrees"


def test_a_module_may_say_what_it_claims() -> None:
    """And where its divergences are declared, as an adapter does."""
    module = SimpleNamespace(tensor=torch.tensor, claims={"values"}, divergences="known.yaml")
    engine = ModuleEngine("partial", module)
    assert engine.claims == {"values"}
    assert engine.divergences == "known.yaml"
    assert ModuleEngine("partial", module, claims=("values", "flags")).claims == {"values", "flags"}


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("x"),
        SystemExit(3),
        GeneratorExit(),
        MemoryError(),
        Exception(),
        KeyboardInterrupt(),
    ],
)
def test_whatever_an_engine_raises_is_in_its_trace(error: BaseException) -> None:
    """In a call, and where it is looked at; the next run is none the worse."""
    made = scenario(MODEL)
    calls = run(made, broken(tensor=raising(error)))
    assert calls.moments[-1].raised is not None
    assert (calls.moments[-1].raised.type, calls.moments[-1].statement.line) == (type(error).__name__, 1)
    engine = broken()
    engine.observe = raising(error)  # type: ignore[method-assign]
    looked = run(made, engine)
    assert looked.moments[-1].raised is not None
    own = "AdapterError" if isinstance(error, Exception) else type(error).__name__
    assert looked.moments[-1].raised.type == own
    assert all(moment.raised is None for moment in run(made, torch_engine).moments)


def test_an_interrupt_is_the_users() -> None:
    """It ends the run without a verdict, even if the engine swallows it or raises something else from it."""

    def interrupted(*_: object, **options: object) -> None:
        signal.raise_signal(signal.SIGINT)

    def swallowing(*_: object, **options: object) -> None:
        with contextlib.suppress(KeyboardInterrupt):
            interrupted()

    def converting(*_: object, **options: object) -> None:
        try:
            interrupted()
        except BaseException as error:
            raise ValueError from error

    before = signal.getsignal(signal.SIGINT)
    for tensor in (interrupted, swallowing, converting):
        with pytest.raises(KeyboardInterrupt):
            run(scenario(MODEL), broken(tensor=tensor))
    assert signal.getsignal(signal.SIGINT) is before


def test_an_engine_that_raises_in_everything_differs_everywhere() -> None:
    """Also where a scenario expects an error: its type and its text are torch's."""
    engine = broken(tensor=raising(RuntimeError("no")), ones=raising(RuntimeError("no")))
    expecting = step("x = torch.ones(1)\nx.retain_grad()", raises="RuntimeError", message="can't retain_grad")
    for made in (scenario(MODEL), scenario(expecting), scenario("a = torch.ones(1)\nassert a == 1")):
        assert _judged(made, engine).verdict == "differs"


def test_an_engine_that_raises_is_graded_in_what_it_claims() -> None:
    """A crash counts whatever it claims, and makes no group of errors that it does not."""
    engine = broken(neg=raising(TypeError("no")))
    engine.claims = frozenset({"values"})
    result = Checker(torch_engine)(scenario("a = torch.neg(torch.ones(1))"), engine).result
    assert result.verdict == "differs"
    assert set(result.groups) == {"values"}
    assert [(name, cell([result]).group(name)) for name in ("values", "errors")] == [
        ("values", "0%"),
        ("errors", ""),
    ]
