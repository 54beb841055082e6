"""What a step prints, compared with what is expected of it."""

from __future__ import annotations

import pytest

from conformance.language.load import load_text
from conformance.runner.execute import run
from conformance.runner.printed import misprint
from conformance.runner.values import bounds
from conformance.runner.verdict import claim_fault, flaws_on_torch
from tests.runner.make import torch_engine


@pytest.mark.parametrize(
    ("wanted", "printed", "wrong"),
    [
        ("a", "a\n", ""),
        ("a \n\n", "\na", ""),
        ("", "", ""),
        ("", "a", "prints 'a', expected nothing"),
        ("a", "", "prints nothing, expected 'a'"),
        ("a", "b", "prints 'b', expected 'a'"),
        ("0.3333333", "0.33333331", ""),
        ("0.3333", "0.3334", "prints '0.3334', expected '0.3333'"),
        ("a\nb", "a\nc\n", "line 2 of what it prints is 'c', expected 'b'"),
        ("a\nb", "a\n", "line 2 of what it prints is nothing, expected 'b'"),
        ("a", "a\nb\n", "line 2 of what it prints is 'b', expected nothing"),
        ("<Add object at ...>\nb", "<Add object at 0x...>\nb", ""),
        ("a\n...\nd", "a\nb\nc\nd\n", ""),
        ("a\n...\nd", "a\nb\n", "prints 'a\\nb', expected 'a\\n...\\nd'"),
        ("a ...\nd", "a b\nc", "line 2 of what it prints is 'c', expected 'd'"),
    ],
)
def test_what_is_wrong_with_a_printed_text(wanted: str, printed: str, wrong: str) -> None:
    """The first line that differs; white space, rounding and what `...` leaves open do not count."""
    assert misprint(wanted, printed, bounds(None, None)) == wrong


FILE = """\
scenarios:
  - id: prints-each-turn
    title: a title
    run: |
      x = torch.ones(2, requires_grad=True)
      for n in range(2):
          (x * 2).sum().backward()
          print(n, x.grad)
    prints: |
      0 tensor([2., 2.])
      1 tensor([4., 4.])
    claimed:
      prints: |
        0 tensor([2., 2.])
        1 tensor([2., 2.])
"""


def test_a_scenario_says_what_is_printed() -> None:
    """In every turn of a loop; what a document says instead is `claimed`, and its fault has its own place."""
    (scenario,) = load_text(FILE, "a.yaml").scenarios
    trace = run(scenario, torch_engine)
    assert flaws_on_torch(scenario, trace) == ()
    assert str(claim_fault(scenario, trace)) == (
        "a.yaml:13:15: line 2 of what it prints is '1 tensor([4., 4.])', expected '1 tensor([2., 2.])'"
    )
    (wrong,) = load_text(FILE.replace("      1 tensor([4", "      1 tensor([3", 1), "a.yaml").scenarios
    assert [str(flaw) for flaw in flaws_on_torch(wrong, trace)] == [
        "a.yaml:9:13: line 2 of what it prints is '1 tensor([4., 4.])', expected '1 tensor([3., 4.])'"
    ]


def test_a_number_is_printed_as_text() -> None:
    """`None`, `True` and numbers need no quotes, and a matrix replaces its names."""
    text = (
        "scenarios:\n  - id: a\n    title: t\n    matrix: {n: [None, 1.50, true]}\n"
        "    run: print(${n})\n    prints: ${n}\n"
    )
    loaded = load_text(text.replace("true", "True"), "a.yaml")
    assert [scenario.steps[0].own.prints for scenario in loaded.scenarios] == ["None", "1.50", "True"]
