"""Texts are compared without what differs from process to process, or from engine to engine for no reason."""

from __future__ import annotations

import warnings
from types import SimpleNamespace

import pytest

from conformance.adapters.module import ModuleEngine
from conformance.runner.execute import run
from conformance.runner.normalize import error_text, normalised
from tests.runner.make import last, scenario


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("<object object at 0x7f3b5bc79580>", "<object object at 0x...>"),
        ("once. (Triggered internally at /a/b/c.cpp:12.)", "once."),
        ("a\n (Triggered internally at ../x.cpp:1.)\n  return y", "a\n\n  return y"),
        (
            'T:\n  File "/a.py", line 1, in f\n    x()\n    ^^^\n  File "<program>", line 2, in f\nEnd',
            'T:\n  File "<program>", line 2, in f\nEnd',
        ),
        ('File "a" is missing', 'File "a" is missing'),
        (
            "f() got an unexpected keyword argument 'vectorized'. Did you mean 'vectorize'?",
            "f() got an unexpected keyword argument 'vectorized'",
        ),
        (
            "module has no attribute 'sums'. Did you mean: 'sum'?",
            "module has no attribute 'sums'. Did you mean: 'sum'?",
        ),
    ],
)
def test_normalised(text: str, expected: str) -> None:
    """Addresses, places in torch's own source, frames outside of the program and Python's suggestions go."""
    assert normalised(text) == expected


def test_a_traceback_in_a_warning_is_the_programs() -> None:
    """Anomaly mode tells where the forward call was: in the program, whoever runs it."""
    program = "with autograd.detect_anomaly():\n  torch.sqrt(x).backward()"
    moment = last("x = torch.tensor([-1.], requires_grad=True)", program)
    assert [warning.message for warning in moment.warned][1:] == [
        "Error detected in SqrtBackward0. Traceback of forward call that caused the error:\n"
        '  File "<program>", line 2, in <module>\n'
    ]


def test_an_error_that_cannot_say_what_it_is() -> None:
    """Does not take the run with it."""

    class BrokenError(Exception):
        def __str__(self) -> str:
            raise ValueError

    assert error_text(BrokenError()) == "<ValueError while reading this message>"


def test_python_may_warn_of_how_a_library_is_written() -> None:
    """That depends on the release of Python, and is not the engine's warning; others of the same kind are."""

    def tensor(values: list[float]) -> list[float]:
        for text in (
            "the (type, exc, tb) signature of throw() is deprecated, use one argument",
            "throw() is old",
        ):
            warnings.warn(text, DeprecationWarning, stacklevel=1)
        return values

    engine = ModuleEngine("warning", SimpleNamespace(tensor=tensor, Tensor=list))
    (moment,) = run(scenario("a = torch.tensor([1.])"), engine).moments
    assert [warning.message for warning in moment.warned] == ["throw() is old"]
