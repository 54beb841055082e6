"""What is drafted of a `try` is what Python runs of it: each program is run by both."""

from __future__ import annotations

import contextlib
import io
import itertools
from typing import Any

import pytest
import torch as real

from conformance.adapters.torch import engine as torch
from conformance.language.load import load_text
from conformance.scaffold.attempts import Handler
from conformance.scaffold.make import make

START = "x = torch.tensor([1., 2.], requires_grad=True)\nseen = []\n"

PROGRAMS = {
    "what follows the error is not run": """\
try:
    seen.append(1)
    x += 1
    seen.append(2)
    (x * 2).sum().backward()
except RuntimeError as error:
    print(error)
seen.append(3)
""",
    "a name that only the rest would bind": """\
try:
    y = x.view(3)
    print(y)
except RuntimeError:
    pass
seen.append(1)
""",
    "the handler works": """\
try:
    y = x.view(3)
except (ValueError, RuntimeError) as error:
    print(error)
    y = x * 3
    seen.append(1)
seen.append(2)
""",
    "the second handler": """\
try:
    y = x.view(3)
except ValueError:
    seen.append(1)
except Exception:
    seen.append(2)
else:
    seen.append(3)
""",
    "else runs where nothing is raised": """\
try:
    y = x * 2
except RuntimeError:
    seen.append(1)
else:
    seen.append(2)
finally:
    seen.append(3)
""",
    "finally after an error": """\
try:
    x.view(3)
except RuntimeError:
    seen.append(1)
else: seen.append(2)
finally: seen.append(3)
""",
    "a try inside one": """\
try:
    try:
        x.view(3)
        seen.append(1)
    except ValueError:
        seen.append(2)
    finally:
        seen.append(3)
    seen.append(4)
except RuntimeError:
    seen.append(5)
seen.append(6)
""",
    "an error in a handler": """\
try:
    try:
        x.view(3)
    except RuntimeError:
        seen.append(1)
        x.view(5)
        seen.append(2)
except RuntimeError:
    seen.append(3)
""",
    "a loop": """\
for size in (2, 3, 1):
    try:
        seen.append(size)
        y = x.view(size)
        seen.append(-size)
    except RuntimeError:
        seen.append(10 * size)
""",
    "on one line": """\
try: y = x.view(3); seen.append(1)
except RuntimeError: seen.append(2)
seen.append(3)
""",
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_python_runs_the_same(program: str) -> None:
    """At the end every name has the value that it has in Python."""
    names: dict[str, Any] = {"torch": real}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(START + program, names)
    (scenario,) = load_text(make(f"{START}{program}print(seen)\n", "a.py", None, torch).text, "a").scenarios
    mine: dict[str, Any] = {"torch": real}
    for step in scenario.steps:
        with (
            contextlib.suppress(RuntimeError)
            if step.own.raises == "RuntimeError"
            else contextlib.nullcontext()
        ):
            exec(step.run, mine)
    assert mine["seen"] == names["seen"]
    assert dict(scenario.steps[-1].own.expect)["seen"] == names["seen"]
    assert ("y" in mine) == ("y" in names)


BLOCKS = ("seen.append({n})", "x.view(3)", "torch.ones(2).backward()\n    seen.append({n})")


def test_all_combinations() -> None:
    """Of what may happen in body, handler, else and finally."""
    for number, (body, handler, rest, last) in enumerate(
        itertools.product(BLOCKS, BLOCKS, BLOCKS[:1], BLOCKS[:1])
    ):
        inner = "try:\n    {}\nexcept RuntimeError:\n    {}\nelse:\n    {}\nfinally:\n    {}\n".format(
            *(block.format(n=n) for n, block in enumerate((body, handler, rest, last)))
        )
        indented = "".join(f"    {line}\n" for line in inner.splitlines())
        program = f"try:\n{indented}except RuntimeError:\n    seen.append(9)\n"
        test_python_runs_the_same(program)
        assert number < 9


@pytest.mark.parametrize(
    ("types", "raised", "caught"),
    [
        ((), "RuntimeError", True),
        (("Exception",), "RuntimeError", True),
        (("RuntimeError",), "NotImplementedError", True),
        (("ValueError", "TypeError"), "RuntimeError", False),
        (("torch.cuda.OutOfMemoryError",), "OutOfMemoryError", True),
        (("Exception",), "OutOfMemoryError", True),
        (("RuntimeError",), "KeyError", False),
    ],
)
def test_what_a_handler_catches(types: tuple[str, ...], raised: str, caught: bool) -> None:
    """Types are known by name; those of Python with what is derived from them."""
    assert Handler(types, ()).catches(raised) is caught
