"""What the errors of compiled engines say of what is missing."""

from __future__ import annotations

import pytest

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
