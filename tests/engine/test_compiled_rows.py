"""Rows compile their functions when they are first called, and keep torch's signatures."""

from __future__ import annotations

import inspect
import threading

import pytest

import conformance.engine as torch
from conformance.engine._aten.registry import op


def test_a_row_is_compiled_by_its_first_call() -> None:
    @op("DoubledBackward0", name="doubled_for_this_test", self=lambda grad: grad * 2)
    def doubled(self):  # type: ignore[no-untyped-def]
        return self * 2

    before = doubled.__code__
    x = torch.tensor([1.0, -3.0], requires_grad=True)
    y = doubled(x)
    assert doubled.__code__ is not before
    assert list(inspect.signature(doubled).parameters) == ["input", "rest", "out"]
    y.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [2.0, 2.0]


def test_threads_may_make_the_first_call_together() -> None:
    @op("HalvedBackward0", name="halved_for_this_test", self=lambda grad: grad / 2)
    def halved(self):  # type: ignore[no-untyped-def]
        return self / 2

    found: list[float] = []
    start = threading.Barrier(8)

    def call() -> None:
        start.wait()
        found.append(halved(torch.tensor([4.0])).item())

    threads = [threading.Thread(target=call) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [2.0] * 8


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("torch.exp()", 'exp() missing 1 required positional arguments: "input"'),
        ("torch.maximum()", 'maximum() missing 2 required positional argument: "input", "other"'),
        ("torch.exp(x, 1)", "exp() takes 1 positional argument but 2 were given"),
        ("x.exp(1)", "TensorBase.exp() takes no arguments (1 given)"),
        ("torch.atan2(x, 1.)", "atan2(): argument 'other' (position 2) must be Tensor, not float"),
        ("x.atan2(1.)", "atan2(): argument 'other' (position 1) must be Tensor, not float"),
        ("x.add_('a')", "add_(): argument 'other' (position 1) must be Tensor, not str"),
        ("x - 'a'", "unsupported operand type(s) for -: 'Tensor' and 'str'"),
    ],
)
def test_arguments_that_do_not_fit(code: str, text: str) -> None:
    with pytest.raises(TypeError) as caught:
        eval(code, {"torch": torch, "x": torch.tensor([1.0, 2.0])})
    assert str(caught.value) == text
