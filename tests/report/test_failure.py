"""The text of a failure, to the last character: one for each facet in which an engine may differ."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.adapters.module import ModuleEngine
from conformance.check.checker import Checker
from conformance.engine.version import __version__ as version_of_the_engine
from conformance.language.load import load_text
from conformance.language.words import RELEASE
from conformance.report.failure import coloured
from conformance.report.terminal import summary
from conformance.report.text import LONGEST, shorten_both
from conformance.runner.engine import Engine
from tests.report import golden
from tests.runner.broken import broken, raising, torch

TEXTS = Path(__file__).parent / "failures"
REFERENCE = ModuleEngine("torch", torch, version="2.13.0")

PRODUCT = """
a = torch.tensor([2., 3.], requires_grad=True)
b = a * a
b.retain_grad()
b.sum().backward()
"""


def seen(**replaced: Any) -> Engine:
    """Torch, whose tensors show other attributes."""
    return broken(seen=replaced)


def of_computed(value: Any, attribute: str) -> Callable[[Any], Any]:
    """An attribute that is another one for tensors that an operation made."""
    return lambda tensor: getattr(tensor, attribute) if tensor.grad_fn is None else value


class Node:
    """A node like torch's, but for one attribute."""

    def __init__(self, node: Any, **replaced: Any) -> None:
        self._node = node
        self._replaced = replaced

    def __getattr__(self, name: str) -> Any:
        return self._replaced[name] if name in self._replaced else getattr(self._node, name)


def renamed(tensor: Any) -> Any:
    """Its grad_fn as a node of another type."""
    node = tensor.grad_fn
    return node if node is None else type("TimesBackward", (Node,), {})(node)


def with_node(**replaced: Any) -> Callable[[Any], Any]:
    """Its grad_fn with these attributes."""

    def grad_fn(tensor: Any) -> Any:
        node = tensor.grad_fn
        return node if node is None else type(type(node).__name__, (Node,), {})(node, **replaced)

    return grad_fn


def with_version(tensor: Any) -> Any:
    """An engine that counts one write too many."""
    return tensor._version + 1


def warning(*_: Any, **__: Any) -> Any:
    """A function that warns otherwise."""
    import warnings

    warnings.warn("another warning", stacklevel=1)
    return torch.ones(1)


CASES: dict[str, tuple[str, Engine]] = {
    "value": ("a = torch.ones(2)\nb = a + 1\nc = b + 1", broken(ones=torch.zeros)),
    "long_value": ("a = torch.ones(40)", broken(ones=torch.zeros)),
    "shape": ("a = torch.ones(2)", seen(shape=(2, 1))),
    "dtype": ("a = torch.ones(2)", seen(dtype="torch.float64")),
    "grad": (PRODUCT, seen(grad=None)),
    "requires_grad": (PRODUCT, seen(requires_grad=of_computed(False, "requires_grad"))),
    "is_leaf": (PRODUCT, seen(is_leaf=of_computed(True, "is_leaf"))),
    "retains_grad": (PRODUCT, seen(retains_grad=False)),
    "is": ("a = torch.ones(2)\nb = torch.as_tensor(a)", broken(as_tensor=lambda a: a.clone())),
    "grad_fn": (PRODUCT, seen(grad_fn=renamed)),
    "output_nr": ("a = torch.ones(2, requires_grad=True)\nb, c = a.unbind()", seen(output_nr=0)),
    "edges": (PRODUCT, seen(grad_fn=with_node(next_functions=((None, 0), (None, 0))))),
    "name": (PRODUCT, seen(grad_fn=with_node(name=lambda: "Times"))),
    "_version": ("a = torch.ones(2)\na.add_(1)", seen(_version=with_version)),
    "_base": ("a = torch.ones(2)\nb = a[1:]", seen(_base=None)),
    "storage": ("a = torch.ones(2)\nb = a[1:]", seen(storage=lambda tensor: f"at {tensor.data_ptr()}")),
    "raised": (PRODUCT, broken(tensor=raising(RuntimeError("cannot make a tensor")))),
    "not_raised": ("a = torch.cat([])", broken(cat=lambda _: torch.ones(1))),
    "message": ("a = torch.cat([])", broken(cat=raising(ValueError("nothing to join")))),
    "warned": ("a = torch.ones(1)\nb = torch.ones(2)", broken(ones=warning)),
    "printed": (
        "a = 1\nprint('grad mode is', torch.is_grad_enabled())",
        broken(is_grad_enabled=lambda: False),
    ),
    "reached": (
        "a = 1\nif torch.is_grad_enabled():\n    b = 2\nc = 3",
        broken(is_grad_enabled=lambda: False),
    ),
    "assert": ("a = 1\nassert torch.is_grad_enabled()", broken(is_grad_enabled=lambda: False)),
    "in_a_loop": (
        "a = torch.zeros(1)\nfor i in range(4):\n    a = torch.add(a, i)",
        broken(add=lambda a, i: a + min(i, 2)),
    ),
    "unclaimed": (PRODUCT, broken(claims=("values", "flags"), seen={"requires_grad": False, "_version": 5})),
    "unsupported": ("a = torch.ones(2)\nlayer = nn.Linear(2, 1)\ny = layer(a)", broken(without=["nn"])),
}

SCENARIO = """
scenarios:
  - id: two-ones
    title: ones are ones
    run: a = torch.ones(2)
"""

EXPECTED = """
scenarios:
  - id: expected-value
    title: the square of two is four
    claim: notes/squares
    steps:
      - run: |
          a = torch.full((), 2.)
          b = a ** 2
        expect:
          b.item(): 4
          torch.is_grad_enabled(): true
"""

UNSOUND = """
scenarios:
  - id: wrong-about-torch
    title: the square of two is five
    steps:
      - run: a = torch.full((), 2.)
      - run: |
          b = a ** 2
          c = b + 1
        expect:
          b: 5
        warns: squares are dear
"""


def failure(text: str, engine: Engine) -> str:
    """The failure text of a file's only scenario."""
    (scenario,) = load_text(text, "specs/area/topic.yaml").scenarios
    text = Checker(REFERENCE)(scenario, engine).text
    return text.replace(f"broken {torch.__version__}", "broken 2.13.0") + "\n"


@pytest.mark.parametrize("name", CASES)
def test_the_text_of_each_facet(name: str) -> None:
    """The verdict, the program with its line marked, the facets, what follows, and what to paste."""
    program, engine = CASES[name]
    lines = "".join(f"      {line}\n" for line in program.strip().splitlines())
    raises = "    raises: ValueError\n" if "cat([])" in program else ""
    head = "scenarios:\n  - id: a-scenario\n    title: what torch does\n    run: |\n"
    text = failure(f"{head}{lines}{raises}", engine)
    assert text.strip(), "the engine is not broken"
    golden.check(TEXTS / f"{name}.out", text)


def test_expectations_are_statements_of_their_own() -> None:
    """They come after the last one of their step."""
    golden.check(
        TEXTS / "expectation.out",
        failure(EXPECTED, broken(is_grad_enabled=lambda: False)),
    )


def test_a_scenario_that_is_wrong_about_torch() -> None:
    """All that is wrong, and where."""
    golden.check(TEXTS / "unsound.out", failure(UNSOUND, REFERENCE))


def test_no_line_is_longer_than_a_terminal() -> None:
    """Values are cut; only what was written is left as long as it is."""
    for path in TEXTS.iterdir():
        assert max(len(line) for line in path.read_text().splitlines()) <= 2 * LONGEST + 40, path.name


WORDS = "word " * 30


@pytest.mark.parametrize(
    ("one", "other", "shown"),
    [
        ("short", "shorter", ("short", "shorter")),
        ("one " + WORDS, "two " + WORDS, ("one word", "two word")),
        (WORDS + "one", WORDS + "two", ("word one", "word two")),
        (WORDS + "one", WORDS + "two " + WORDS, ("word one", "word two word word")),
        ("x" * 90 + "1", "x" * 90 + "2", ("x1", "x2")),
    ],
    ids=["short", "beginning", "end", "middle", "one word"],
)
def test_where_long_texts_differ_is_seen(one: str, other: str, shown: tuple[str, str]) -> None:
    """What is cut is what they have in common, and what comes after."""
    found = shorten_both(one, other, 48)
    assert all(len(each) <= 48 for each in found)
    assert all(text in each for text, each in zip(shown, found, strict=True)), found


@pytest.mark.parametrize(("version", "told"), [("2.8.0", True), ("2.13.0+cpu", False)])
def test_a_reference_of_another_release_is_told(version: str, told: bool) -> None:
    """Where scenarios are wrong about it; the in-house engine is as the release that the specs are of."""
    assert version_of_the_engine == RELEASE
    made = load_text(UNSOUND, "a.yaml").scenarios[0]
    checked = Checker(ModuleEngine("torch", torch, version=version))(made, REFERENCE)
    line = "  the suite's specs describe torch 2.13.0, but the reference is torch 2.8.0"
    assert (line in list(summary([checked.result], {}, []))) is told


def test_engines_of_one_name_are_told_apart() -> None:
    """By their versions, as two releases of torch."""
    made = load_text(SCENARIO, "a.yaml").scenarios[0]
    text = Checker(REFERENCE)(
        made, ModuleEngine("torch", broken(ones=torch.zeros).torch, version="2.8.0")
    ).text
    assert "a is [0.0, 0.0] on torch 2.8.0, [1.0, 1.0] on torch 2.13.0" in text
    assert "On torch 2.13.0:" in text
    assert "On torch 2.8.0:" in text


def test_a_long_error_is_cut_at_its_end() -> None:
    """Its beginning says what it is."""
    long = f"RuntimeError: {'the shapes do not fit, ' * 20}"
    shown = shorten_both("nothing", long, prose=True)[1]
    assert re.fullmatch(r"RuntimeError: the shapes.*[\w,] \.\.\.\d+\.\.\.", shown)


def test_a_terminal_shows_the_verdict_in_colour() -> None:
    """The marked statement and headings stand out too; all else is as it was."""
    text = "a is 1 on x\nfile.yaml:1: it\n\n> 2 | a = 1\n  3 | b = 2\n\nOn torch:\n    a = 1"
    shown = coloured(text)
    assert "\x1b[1;31ma is 1 on x\x1b[0m" in shown and "\x1b[31m> 2 | a = 1\x1b[0m" in shown
    assert "\x1b[1mOn torch:\x1b[0m" in shown
    assert re.sub(r"\x1b\[[\d;]*m", "", shown) == text
