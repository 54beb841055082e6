"""What is to be fixed first: a small engine with six planted faults, each of which is named with its count."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.check.checker import Checker
from conformance.report.causes import beyond, causes, lines, operations
from conformance.report.result import Result
from conformance.report.terminal import early, mostly_red, summary
from tests.report.faulty import Faulty
from tests.report.test_claims import finding
from tests.runner.make import scenario, torch_engine

A = "a = torch.tensor([1., 2.], requires_grad=True)\n"
B = "b = torch.tensor([[1., 2.]])\n"
PROGRAMS = {
    "a reduction": [
        A + "b = a.sum()",
        A + "b = (a * a).sum()",
        A + "b = a * 2\nc = b.sum()",
        A + "s = (a * 3).sum()",
    ],
    "overwritten": [
        A + "b = a * a\nb.backward(a)\n(a * 2).backward(a)",
        A + "for i in range(2):\n  (a * a).backward(a)",
        A + "(a * 2).backward(a)\n(a * 2).backward(a)",
    ],
    "broadcasting": [A + B + "c = a * b", A + B + "c = b * a", B + "c = b * torch.tensor([3., 4.])"],
    "a dtype": ["n = torch.tensor([1])", "n = torch.tensor([2, 3])", "n = torch.tensor(5)\nm = n * 1"],
    "hooks": [
        A
        + "seen = []\na.register_hook(lambda g: seen.append(1))\na.register_hook(lambda g: seen.append(2))\n"
        "(a * 2).backward(a)",
        A + "seen = []\nb = a * 2\nb.register_hook(lambda g: seen.append('x'))\n"
        "b.register_hook(lambda g: seen.append('y'))\nb.backward(a)",
    ],
    "missing": ["a = torch.arange(2)", "a = torch.arange(3)"],
    "fine": [A + "b = a * a", A + "b = a * a\nb.backward(a)"],
}
EXPECTED = {
    "a reduction": (4, "sum() gives shape [1] for []"),
    "overwritten": (3, "a grad is overwritten, where torch adds to it"),
    "broadcasting": (3, "* raises ValueError: shapes must match"),
    "a dtype": (3, "tensor() gives dtype int32 for int64"),
    "hooks": (2, "backward() gives the same in another order"),
}


@pytest.fixture(scope="module")
def results() -> list[Result]:
    """Of all programs."""
    check = Checker(torch_engine)
    made = [scenario(program) for programs in PROGRAMS.values() for program in programs]
    named = [replace(each, id=f"s{number}") for number, each in enumerate(made)]
    return [check(each, Faulty()).result for each in named]


def test_each_planted_fault_is_one_of_the_first_causes(results: list[Result]) -> None:
    """With the number of its scenarios; what is fine and what is missing is not among them."""
    found = [(len(each.results), each.text) for each in causes(results)]
    assert sorted(found) == sorted(EXPECTED.values())


def test_the_summary_ends_with_them(results: list[Result]) -> None:
    """The most frequent first, each with its shortest scenario; then the names that are missing."""
    text = [*summary(results, {}, [])]
    at = next(number for number, line in enumerate(text) if "fix this first" in line)
    assert (
        " ".join(text[at + 1].split())
        == f"4 {causes(results)[0].key} sum() gives shape [1] for [] as in s0: b = a.sum()"
    )
    assert text[-1] == "  missing: torch.arange (2)"
    assert len(text) - at == len(EXPECTED) + 2


def test_what_is_beyond_the_first_causes_is_counted(results: list[Result]) -> None:
    """In one line."""
    many = [replace(result, cause=f"cause {number}") for number, result in enumerate(results)]
    assert [*lines(many)][-1] == f"    and {len(many) - 12} more, of {len(many) - 12} causes"
    assert [*lines([])] == []


def test_a_run_that_fails_throughout_says_so(results: list[Result]) -> None:
    """After its first scenarios, with what to do; not if few were compared, or many agree."""
    dtype = next(result for result in results if result.cause.endswith("for int64"))
    text = early([dtype] * 30)
    assert text.startswith(
        "30 of the first 30 scenarios that faulty supports differ in dtype: if that is by design, "
    )
    assert "leave dtypes out of its `claims`" in text
    fine = replace(dtype, verdict="agrees", differences=())
    assert early([dtype] * 5) == early([dtype] * 20 + [fine] * 20) == ""
    assert mostly_red([dtype] * 20)
    assert not mostly_red([dtype] * 20 + [fine] * 20)
    claim = finding("refuted", replace(fine, scenario="a", claim_holds=False), scenarios=("a",))
    for red, shown in ((True, False), (False, True)):
        told = [*summary([dtype if red else fine] * 20, {claim.claim.document: "A title"}, [claim])]
        assert ("Refuted by torch:" in told) == shown, "what torch refutes says nothing of an engine"
        assert any(line.split()[:1] == ["claims"] for line in told)


def test_where_most_differs_the_shortest_of_each_first_cause_is_shown(results: list[Result]) -> None:
    """The others are counted, and listed with ``-v``."""
    differing = {(result.scenario, result.engine) for result in results if result.verdict == "differs"}
    shown = differing - beyond(results)
    assert shown == {(each.results[0].scenario, "faulty") for each in causes(results)[:3]}


@pytest.mark.parametrize(
    ("statement", "done"),
    [
        ("(a * b).sum().backward()", ["backward()", "sum()", "*"]),
        ("c = a // b", ["//"]),
        ("a += F.relu(b)", ["+=", "relu()"]),
        ("a[0] = 1", ["writing to an index"]),
        ("x, y = b[0], 2", ["indexing"]),
        ("with torch.no_grad():", ["no_grad()"]),
        ("d = a.grad", []),
        ("y = torch.cat([", []),
    ],
)
def test_operations_of_a_statement(statement: str, done: list[str]) -> None:
    """The outermost comes first; a line that ends within brackets has none."""
    assert list(operations(statement)) == done
