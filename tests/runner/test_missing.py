"""What the errors of compiled engines say of what is missing."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from types import SimpleNamespace

import pytest

from conformance.adapters.module import ModuleEngine
from conformance.runner.engine import GROUPS
from conformance.runner.execute import run
from conformance.runner.verdict import judge
from tests.runner.broken import broken, raising
from tests.runner.make import scenario, torch_engine

OVERLOADS = [  # the text of the error, and the name
    (
        "add(): incompatible function arguments. The following argument types are supported:\n"
        "    1. (self: Tensor, other: Tensor) -> Tensor\n\nInvoked with: <Tensor>, 2",
        "add() with these arguments",
    ),
    (
        "__init__(): incompatible constructor arguments. The following argument types are supported:\n    1. X()",
        "__init__() with these arguments",
    ),
    (
        "neg(): incompatible function arguments. Invoked with types: mlx.core.array, int",
        "neg() with these arguments",
    ),
    ("argument 'dim': 'float' object cannot be interpreted as an integer", "neg(dim=...)"),
    ("Wrong number or type of arguments for overloaded function 'Tensor_neg'.", "neg() with these arguments"),
    ("No matching signature found", "neg() with these arguments"),
    (
        "Python argument types in\n    Tensor.neg(Tensor, int)\ndid not match C++ signature",
        "neg() with these arguments",
    ),
    ("no matching overload for `neg`", "neg() with these arguments"),
]


@pytest.mark.parametrize(("text", "name"), OVERLOADS, ids=[text[:24] for text, _ in OVERLOADS])
def test_an_overload_that_an_engine_lacks_is_missing(text: str, name: str) -> None:
    """As pybind11, nanobind, PyO3, SWIG, Cython and Boost.Python say it."""
    made = scenario("a = torch.ones(1)\nb = torch.ones(torch.neg(a).size(0))")
    engine = broken(neg=raising(TypeError(text)))
    outcome = judge(made, run(made, torch_engine), run(made, engine))
    assert (outcome.verdict, outcome.missing) == ("unsupported", (name,))


@pytest.mark.parametrize(
    "error",
    [
        TypeError("can't add these"),
        TypeError("argument of type 'int' is not iterable"),
        ValueError("No overload"),
    ],
)
def test_other_errors_are_the_engines(error: Exception) -> None:
    """An error of a kind that says nothing of overloads is a difference."""
    made = scenario("a = torch.neg(torch.ones(1))")
    engine = broken(neg=raising(error))
    assert judge(made, run(made, torch_engine), run(made, engine)).verdict == "differs"


def test_an_overload_that_torch_lacks_too_is_an_error() -> None:
    """Both raise a TypeError, so only the text differs."""
    made = scenario("a = torch.neg('text')")
    reference = run(made, torch_engine)
    engine = run(made, broken(neg=raising(TypeError(OVERLOADS[0][0]))))
    assert judge(made, reference, engine, {"values", "errors"}).missing == ()


def test_a_package_that_is_not_installed_is_one_name() -> None:
    """Which the engine imports when it needs it, in whatever scenario."""
    engine = broken(
        neg=raising(ModuleNotFoundError("No module named 'blas'", name="blas")),
        exp=raising(ModuleNotFoundError("No module named 'blas'", name="blas")),
    )
    for program in ("a = torch.neg(torch.ones(1))", "a = torch.exp(torch.ones(1))"):
        made = scenario(program)
        outcome = judge(made, run(made, torch_engine), run(made, engine))
        assert (outcome.verdict, outcome.missing) == (
            "unsupported",
            ("the module blas, which is not installed",),
        )


class _Plain:
    """A tensor without operators, as an engine of a few lines has it."""

    def __init__(self, data: object) -> None:
        self.data, self.shape = data, ()

    def tolist(self) -> object:
        """The number."""
        return self.data


def test_an_operator_of_a_tensor_that_no_variable_holds_is_missing() -> None:
    """Its class is that of the engine's tensors."""
    engine = ModuleEngine("plain", SimpleNamespace(tensor=_Plain, Tensor=_Plain), version="1")
    made = scenario("a = torch.tensor(3.) % 2")
    outcome = judge(made, run(made, torch_engine), run(made, engine), {"values"})
    assert (outcome.verdict, outcome.missing) == ("unsupported", ("Tensor % ...",))


@pytest.mark.parametrize("program", ["torch.tensor([3.])[0]", "[each for each in torch.tensor([3.])]"])
def test_what_a_tensor_of_compiled_code_lacks_is_missing(program: str) -> None:
    """Python names its type with the module: 'decimal.Decimal' object is not subscriptable."""
    engine = ModuleEngine(
        "decimals", SimpleNamespace(tensor=lambda data: Decimal(data[0]), Tensor=Decimal), version="1"
    )
    made = scenario(f"a = {program}")
    assert judge(made, run(made, torch_engine), run(made, engine), {"values"}).verdict == "unsupported"


class _Sealed(_Plain):
    """A tensor whose grad can be read, and a context manager's class without a method of one."""

    grad = property(lambda self: None)


@pytest.mark.parametrize(
    ("program", "missing"),
    [
        ("a = torch.tensor(3.)\na.grad = None", "Tensor.grad = ..."),
        ("a = torch.tensor(3.)\ndel a.grad", "del Tensor.grad"),
        ("with torch.no_grad():\n    n = 1", "with _Sealed"),
        ("n = torch.no_grad()(len)([])", "_Sealed() of the object"),
    ],
)
def test_what_an_object_of_the_engine_does_not_allow_is_missing(program: str, missing: str) -> None:
    """To set what can be read alone, to be called, and to be entered."""
    torch = SimpleNamespace(tensor=_Sealed, Tensor=_Sealed, no_grad=lambda: _Sealed(0))
    engine = ModuleEngine("sealed", torch, version="1")
    made = scenario(program)
    outcome = judge(made, run(made, torch_engine), run(made, engine), {"values"})
    assert (outcome.verdict, outcome.missing) == ("unsupported", (missing,))


def test_a_call_of_a_number_is_an_error() -> None:
    """Where an engine returns one instead of a function."""
    made = scenario("a = torch.neg(torch.ones(1)).size()")
    engine = broken(neg=lambda x: SimpleNamespace(size=3))
    assert judge(made, run(made, torch_engine), run(made, engine)).verdict == "differs"


@pytest.mark.parametrize(("claims", "verdict"), [(GROUPS, "differs"), (("values",), "agrees")])
def test_options_that_an_engines_optimizers_lack_and_that_a_program_does_not_name(
    claims: tuple[str, ...], verdict: str
) -> None:
    """Are a missing feature that it does not use; an engine that claims all has them."""
    made = scenario("p = nn.Parameter(torch.ones(1))\no = optim.SGD([p], lr=0.5)")
    reference = run(made, torch_engine)
    last = reference.moments[-1]
    state = {name: facets for name, facets in (last.state or {}).items() if not name.endswith(".foreach")}
    assert len(state) < len(last.state or {})
    other = replace(reference, moments=(*reference.moments[:-1], replace(last, state=state)))
    assert judge(made, reference, other, claims).verdict == verdict
    named = replace(made, steps=(replace(made.steps[0], run=f"{made.steps[0].run}\nf = 'foreach'"),))
    assert judge(named, reference, other, claims).verdict == "differs"
