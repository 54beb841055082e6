"""Answers do not stay in `print`: a draft says what torch prints, and what a page shows instead."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from conformance.adapters.torch import engine as torch
from conformance.language.load import load_text
from conformance.language.scenario import Scenario, Unset
from conformance.runner.execute import run
from conformance.runner.verdict import claim_fault, flaws_on_torch
from conformance.scaffold.make import Made, NotAScenarioError, make
from conformance.scaffold.printed import MOST_LINES, constant, shortened

REFUSED = {
    "dataloader_training": "3:30: `torch.utils.data.DataLoader` is not in the vocabulary; write `for x, y in zip(",
    "numpy_breaks_graph": "1:8: `numpy` may not be imported; torch.tensor and torch.arange make the same arrays",
    "numpy_input": "1:8: `numpy` may not be imported; torch.tensor and torch.arange make the same arrays",
    "timing_with_random": "1:8: `random` may not be imported; torch.rand, torch.randint and torch.randperm",
}
"""The posts that need another package, with the hint for it."""
POSTS = sorted(path for path in (Path(__file__).parent / "posts").glob("*.py") if path.stem not in REFUSED)


def drafted(made: Made) -> Scenario:
    """The scenario of a draft."""
    (scenario,) = load_text(made.text, "made.yaml").scenarios
    return scenario


def calls_print(program: str) -> bool:
    """Whether a program, apart from its functions, prints."""
    tree = ast.parse(program)
    tree.body = [node for node in tree.body if not isinstance(node, ast.FunctionDef | ast.ClassDef)]
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return any(isinstance(function, ast.Name) and function.id == "print" for function in calls)


@pytest.mark.parametrize("path", POSTS, ids=lambda path: path.stem)
def test_a_post_becomes_expectations(path: Path) -> None:
    """As people post them: no print without what it prints, and something is expected that holds on torch."""
    scenario = drafted(make(path.read_text(), path.name, None, torch))
    for step in scenario.steps:
        assert isinstance(step.own.prints, str) or not calls_print(step.run)
    said = [(step.own.expect, step.own.raises, step.own.warns, step.own.prints) for step in scenario.steps]
    assert any(expect or not all(isinstance(each, Unset) for each in others) for expect, *others in said)
    assert not flaws_on_torch(scenario, run(scenario, torch))


@pytest.mark.parametrize("name", REFUSED)
def test_a_post_that_needs_another_package(name: str) -> None:
    """The first answer says what to write instead, and where."""
    with pytest.raises(NotAScenarioError) as refused:
        make((Path(__file__).parent / "posts" / f"{name}.py").read_text(), "a.py", None, torch)
    line = str(refused.value).splitlines()[0]
    assert line.startswith(f"a.py:{REFUSED[name]}")


def test_every_turn_of_a_loop_is_reported() -> None:
    """Not the last one alone."""
    program = (
        "x = torch.ones(2, requires_grad=True)\nfor n in (0, 1):\n    x.sum().backward(); print(n, x.grad)\n"
    )
    (step,) = drafted(make(program, "a.py", None, torch)).steps
    assert step.own.prints == "0 tensor([1., 1.])\n1 tensor([2., 2.])\n"


@pytest.mark.parametrize("shown", ["print('grad', y.grad)", "print(y.grad)", "y.grad"])
def test_a_grad_that_is_none_is_reported(shown: str) -> None:
    """With the warning that says why."""
    program = f"x = torch.ones(2, requires_grad=True)\ny = x * 2\ny.sum().backward()\n{shown}\n"
    step = drafted(make(program, "a.py", None, torch)).steps[-1]
    assert str(step.own.warns).startswith("('The .grad attribute of a Tensor that is not a leaf")
    says_it = str(step.own.prints).endswith("None") or ("y.grad", None) in step.own.expect
    assert says_it


def test_random_numbers_are_left_open() -> None:
    """What another seed changes, and nothing else; also where the program sets the seed."""
    program = "torch.manual_seed(3)\nfor n in range(2):\n    print(n, torch.rand(2), torch.ones(1))\n"
    (step,) = drafted(make(program, "a.py", None, torch)).steps
    assert step.own.prints == "0 tensor([...]) tensor([1.])\n1 tensor([...]) tensor([1.])\n"


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        ("loss: 0.5\n", "loss: 0.25\n", "loss: ...\n"),
        ("[ 0.5, -1.0] 2", "[-0.5, 1.0] 2", "[...] 2"),
        ("a 1\nb", "c 1\nb", "...\nb"),
        ("a\nb", "a", "..."),
        ("layer1 1", "layer1 2", "layer1 ..."),
    ],
)
def test_what_two_seeds_print(one: str, other: str, told: str) -> None:
    """Numbers that differ are open; lines whose text differs; all if there are more lines."""
    assert constant(one, other) == told


def test_long_texts_are_shortened() -> None:
    """In the middle, and at the end of a line."""
    lines = shortened("".join(f"{n}\n" for n in range(100))).split("\n")
    assert len(lines) == MOST_LINES
    assert lines[-3:] == ["27", "...", "99"]
    assert shortened("x" * 1000).endswith("x...")


PAGE = """\
```python
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 2
print("y", y.requires_grad, y.is_leaf)
```

```text
y True {leaf}
```

```python
y.grad_fn  # <{node} object at 0x7f>
for n in range(2):
    y.sum().backward(retain_graph=True)
    print(n, x.grad)
```

```text
0 tensor([2., 2.])
1 tensor([{last}., 4.])
```
"""


@pytest.mark.parametrize(
    ("leaf", "node", "last", "claimed"),
    [
        ("True", "MulBackward0", "4", "y True True"),
        (
            "False",
            "AddBackward0",
            "4",
            "<AddBackward0 object at 0x...>\n0 tensor([2., 2.])\n1 tensor([4., 4.])\n",
        ),
        ("False", "MulBackward0", "2", "0 tensor([2., 2.])\n1 tensor([2., 4.])\n"),
        ("False", "MulBackward0", "4", None),
    ],
)
def test_what_a_page_shows_instead(leaf: str, node: str, last: str, claimed: str | None) -> None:
    """If it is not a plain value, the document claims that it is printed."""
    made = make(PAGE.format(leaf=leaf, node=node, last=last), "a.md", None, torch)
    scenario = drafted(made)
    said = [step.claimed.prints for step in scenario.steps if step.claimed is not None]
    assert said == ([] if claimed is None else [claimed])
    trace = run(scenario, torch)
    assert not flaws_on_torch(scenario, trace)
    assert (claim_fault(scenario, trace) is None) == (claimed is None)
