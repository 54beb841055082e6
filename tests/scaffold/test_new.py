"""PyTorch code as people post it becomes a scenario."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from conformance.adapters.torch import engine as torch
from conformance.cli import main
from conformance.language.load import load_text
from conformance.runner.compare import Difference
from conformance.runner.execute import run
from conformance.runner.trace import Statement
from conformance.runner.verdict import flaws_on_torch
from conformance.scaffold import make as making
from conformance.scaffold.draft import beginning
from conformance.scaffold.make import NotAScenarioError, make
from conformance.scaffold.pasted import clean
from conformance.scaffold.snippet import read
from conformance.scaffold.yaml_text import data, text
from tests.report import golden

SNIPPETS = Path(__file__).parent / "snippets"
NAMES = sorted(path.name for path in SNIPPETS.iterdir() if path.suffix in (".py", ".txt", ".md"))


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command is given in the folder of the snippets."""
    monkeypatch.chdir(SNIPPETS)


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("refused")])
def test_a_posted_snippet_becomes_a_scenario(name: str) -> None:
    """The file is the golden one, it loads, and torch does what it says."""
    made = make((SNIPPETS / name).read_text(), name, None, torch)
    golden.check(
        SNIPPETS / f"{Path(name).stem}.out", made.text + "".join(f"# {note}\n" for note in made.notes)
    )
    loaded = load_text(made.text, "made.yaml")
    assert not loaded.problems
    (scenario,) = loaded.scenarios
    assert not flaws_on_torch(scenario, run(scenario, torch))


def test_what_the_language_does_not_allow_is_said() -> None:
    """With line and column of the snippet, and what to write instead."""
    with pytest.raises(NotAScenarioError) as refused:
        make((SNIPPETS / "refused.py").read_text(), "refused.py", None, torch)
    golden.check(SNIPPETS / "refused.out", f"{refused.value}\n")


ADDRESSES = """\
import torch

x = torch.ones(2)
before = id(x)
x.add_(1)
print(before == id(x), f"{id(x)} is no id of torch's")
for _ in range(2):
    # not the id(x) of
    x = x * 2
    print("at", id(x))
same = before
"""


def test_what_changes_with_each_run_is_reported_where_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each source of it with line and column of the snippet; what follows from one is not told again."""
    seen = [(2, "before", "value"), (3, "before", "value"), (4, "before", "value"), (4, "", "printed")]
    seen += [(5, "before", "value"), (5, "", "printed"), (9, "same", "value")]
    found = [Difference(Statement(0, line), name, facet, "values", "1", "2") for line, name, facet in seen]
    monkeypatch.setattr(making, "differences", lambda *_: found)
    assert make(ADDRESSES, "a.py", None, torch).notes == (
        "a.py:4:10: before value is not the same each time; leave it out",
        "a.py:6:17: what is printed is not the same each time; leave it out",
        "a.py:10:17: what is printed is not the same each time; leave it out",
    )


@pytest.mark.parametrize("address", ["id(x)", "x.data_ptr()", "hash(x)"])
def test_an_address_is_another_one_each_time(address: str) -> None:
    """While it runs again, what it had the first time is still there."""
    for _ in range(10):
        (note,) = make(f"x = torch.ones(2)\ny = {address}\n", "a", None, torch).notes
        assert note.endswith("y value is not the same each time; leave it out")


def test_places_are_those_of_the_file() -> None:
    """Prompts, indentation and fences before it count."""
    assert read("    >>> x = torch.foo(1)\n", "a").faults == (
        "a:1:19: `torch.foo` is not in the vocabulary; did you mean `torch.floor`?",
    )
    assert (
        read("text\n```\nif 1:\n    print(a, torch.bar)\n```\n", "a")
        .faults[0]
        .startswith("a:4:11: `a` is not")
    )
    assert read("print('x',\n  torch.foo)", "a").faults[0].startswith("a:2:9:")
    one_line = "if __name__ == '__main__': torch.foo()\ntry: x = 1; torch.bar()\nexcept ValueError: pass\n"
    assert [each[:7] for each in read(one_line, "a").faults] == ["a:1:34:", "a:2:19:"]


def test_places_are_those_of_the_file_in_blocks_written_out() -> None:
    """A loop that is written out tells of a mistake once, where it stands; a `while` moves nothing below it."""
    unrolled = "for x in (1, 2):\n    try:\n        torch.foo(x)\n    except ValueError as e: print(e)\n"
    assert read(unrolled, "a").faults == (
        "a:3:15: `torch.foo` is not in the vocabulary; did you mean `torch.floor`?",
    )
    counted = read("i = 0\nwhile i < 2: i += 1\ny = 1\ntorch.bar\n", "a")
    assert counted.faults[0].startswith("a:4:7: ")
    assert [part.line for part in read("i = 0\nwhile i < 2: i += 1\ny = 1\n", "a").parts] == [1, 2, 3]


@pytest.mark.parametrize(
    "program",
    [
        "for x in xs:\n    try:\n        f(x)\n    except ValueError:\n        pass\n",  # nobody knows how many
        "for x in (1, 2):\n    if x: break\n    try:\n        f(x)\n    except ValueError:\n        pass\n",
        "with f() as g:\n    try:\n        g(1)\n    except ValueError:\n        pass\n    g(2)\n",
    ],
)
def test_a_try_that_cannot_be_taken_out_is_refused(program: str) -> None:
    """Where another program would be made of it."""
    assert any("`try` is not part of the language" in fault for fault in read(program, "a").faults)


def test_prompts_and_what_was_printed_go() -> None:
    """Of Python's and of IPython's sessions."""
    assert clean(">>> a = 1\n>>> a\n1\n>>> if a:\n...     b = 2\n...\n").lines == (
        "a = 1",
        "a",
        "",
        "if a:",
        "    b = 2",
        "",
        "",
    )
    assert clean("In [1]: a = 1\n\nIn [2]: a\nOut[2]: 1\n").source.split() == ["a", "=", "1", "a"]


@pytest.mark.parametrize(
    ("written", "becomes"),
    [
        ("'{} and {}'.format(a, b)", "f'{a} and {b}'"),
        ("'{1:.2f} {0}'.format(a, b)", "f'{b:.2f} {a}'"),
        ("'{x!r}'.format(x=a.grad)", "f'{a.grad!r}'"),
        ("'{{}}'.format(a)", "f'{{}}'"),
        ("'{} {}'.format(a)", "'{} {}'.format(a)"),
    ],
)
def test_format_is_written_as_an_f_string(written: str, becomes: str) -> None:
    """Where its template is there to be read."""
    assert clean(f"print({written})").source == f"print({becomes})"


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("import torch\nx = torch.ones(2).cuda()", "a.py:2:1: there is no CUDA here"),
        ("del torch\nx = 1", "a.py:1:5: "),
        ("# nothing", "a.py: there is nothing to run"),
        ("x = torch.ones(2\ny = 1", "a.py:1:15: not Python: '(' was never closed"),
        ("a = 1\nassert a == 2", "a.py:2:1: on torch this does not hold: assert a == 2"),
    ],
)
def test_what_is_no_scenario_is_refused(program: str, message: str) -> None:
    """With the line, whatever the reason."""
    with pytest.raises(NotAScenarioError) as error:
        make(program, "a.py", None, torch)
    assert str(error.value).startswith(message)


def test_values_are_written_as_yaml_reads_them() -> None:
    """Words that YAML 1.1 takes for something else are quoted, numbers are as Python writes them."""
    assert [text(word) for word in ("no", "None", "a.grad[0]", "a: b", "-x", "")] == [
        '"no"', '"None"', "a.grad[0]", '"a: b"', '"-x"', '""',
    ]  # fmt: skip
    assert (
        data([1.0, float("inf"), None, True, "AddBackward0", "a, b"])
        == '[1.0, inf, null, true, AddBackward0, "a, b"]'
    )


def test_a_long_message_is_cut_where_it_says_enough() -> None:
    """At the end of a sentence or before a bracket, else after a word; an address ends it."""
    assert beginning("short") == "short"
    assert beginning("a sentence that ends here. " + "word " * 40) == "a sentence that ends here."
    assert beginning("word " * 40).endswith("word")
    assert beginning("Function 'Mul' at 0x... failed") == "Function 'Mul' at"


def test_the_command_writes_a_file_and_never_over_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ready for pytest; standard input is a snippet too."""
    output = tmp_path / "made.yaml"
    assert main(["new", "hooks.py", "--output", str(output), "--id", "an-id", "--title", "a title"]) == 0
    assert "id: an-id" in output.read_text() and "pytest" in capsys.readouterr().err
    assert main(["new", "hooks.py", "--output", str(output)]) == 2
    assert "already exists" in capsys.readouterr().err
    output = tmp_path / "no" / "folder.yaml"
    assert main(["new", "hooks.py", "--output", str(output)]) == 2
    assert capsys.readouterr().err.endswith(f"conformance: {output}: No such file or directory\n")


def test_the_command_reads_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Faults go to standard error, with a status that says so."""
    monkeypatch.setattr("sys.stdin", io.StringIO("a = torch.ones(1)\n"))
    assert main(["new", "-"]) == 0
    assert "a: [1.0]" in capsys.readouterr().out
    monkeypatch.setattr("sys.stdin", io.StringIO("import threading\nx = threading.Lock()\n"))
    assert main(["new", "-"]) == 1
    assert "<stdin>:1:8: `threading` may not be imported" in capsys.readouterr().err
