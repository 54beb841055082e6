"""Pages in the forms that documents have: what is read of them, and what is right and wrong on torch."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.adapters.torch import engine as torch
from conformance.cli import main
from conformance.runner.execute import run
from conformance.scaffold.page import NotAPageError, read_page
from conformance.scaffold.page_check import CheckedPage, check_page, shown_value

MARKDOWN = """\
# Gradients

```python
import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 2
print(y)
```

```text
tensor([2., 4.], grad_fn=<MulBackward0>)
```

~~~py
y.sum().backward()
print(x.grad)  # tensor([1., 1.])
print("is a leaf:", y.is_leaf)  # => False
print(y.shape)  # two elements
x.grad
# tensor([2., 2.])
~~~

```bash
pip install torch
```
"""

REST = """\
Gradients
=========

The beginning::

    x = torch.tensor([1., 2.], requires_grad=True)
    y = x * 2

.. code-block:: python
   :linenos:

   print(y)

.. rst-class:: out

 .. code-block:: none

    tensor([2., 4.], grad_fn=<MulBackward0>)

>>> y.sum().backward()
>>> x.grad
tensor([1., 1.])
>>> y.backward()
Traceback (most recent call last):
  ...
RuntimeError: grad can be implicitly created only for scalar outputs
>>> for each in x:
...     print(each.item())
...
1.0
2.0

.. code-block:: console

   $ python gradients.py
"""

SESSION = """\
>>> x = torch.tensor([1., 2.], requires_grad=True)
>>> x
tensor([1., 2.], requires_grad=True)
>>> x.grad is None
False
"""

SCRIPT = '''\
"""
Gradients
=========
"""
import torch

# %%
# A leaf, of which tensor([9.]) is no output
x = torch.tensor([1., 2.], requires_grad=True)
(x * x).sum().backward()
print(x.grad)
# tensor([2., 4.])
print(x.grad[0])
# Output: tensor(3.)
'''


def cell(source: str, *outputs: dict[str, object]) -> dict[str, object]:
    """A cell of code with its outputs."""
    return {"cell_type": "code", "source": source.splitlines(keepends=True), "outputs": list(outputs)}


NOTEBOOK = json.dumps(
    {
        "cells": [
            {"cell_type": "markdown", "source": ["# Gradients"]},
            cell("%matplotlib inline\nimport torch\nx = torch.ones(2, requires_grad=True)\n!pip list"),
            cell(
                "(x * 2).sum().backward()\nprint(x.is_leaf)\nx.grad",
                {"output_type": "stream", "name": "stderr", "text": "UserWarning: something\n"},
                {"output_type": "stream", "name": "stdout", "text": ["True\n"]},
            ),
            cell(
                "x.grad",
                {
                    "output_type": "execute_result",
                    "data": {"text/plain": ["tensor([1., 1.])"], "image/png": ""},
                },
            ),
            cell("x += 1", {"output_type": "error", "ename": "RuntimeError", "evalue": "a leaf Variable"}),
        ]
    }
)


def checked(text: str, name: str) -> CheckedPage:
    """The page checked on torch."""
    return check_page(text, name, lambda scenario: run(scenario, torch))


def verdicts(text: str, name: str) -> list[tuple[str, str]]:
    """The place and the verdict of each output."""
    return [(output.place, output.verdict) for output in checked(text, name).outputs]


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        (MARKDOWN, "a.md", [("7", "right"), ("16", "wrong"), ("17", "right"), ("19", "right")]),
        (REST, "a.rst", [("12", "right"), ("21", "wrong"), ("23", "right"), ("28", "right")]),
        (SESSION, "a.txt", [("2", "right"), ("4", "wrong")]),
        (SCRIPT, "a.py", [("11", "right"), ("13", "wrong")]),
        (
            NOTEBOOK,
            "a.ipynb",
            [("cell 2, line 3", "wrong"), ("cell 3, line 1", "wrong"), ("cell 4, line 1", "right")],
        ),
    ],
    ids=["markdown", "rest", "session", "script", "notebook"],
)
def test_each_form(text: str, name: str, expected: list[tuple[str, str]]) -> None:
    """Outputs are found where the form has them, and judged by torch."""
    assert verdicts(text, name) == expected


def test_what_a_wrong_output_says() -> None:
    """What the page shows and what torch prints, at the line of the statement."""
    (wrong,) = (output for output in checked(MARKDOWN, "a.md").outputs if output.verdict == "wrong")
    assert str(wrong) == (
        "wrong: print(x.grad) # tensor([1., 1.]): the page shows tensor([1., 1.]), torch tensor([2., 2.])"
    )


def test_a_prompt_prints_no_none() -> None:
    """Of a call that only prints; but a comment may say that a value is None."""
    session = ">>> def f():\n...     print(1)\n...\n>>> f()\n1\n>>> a = torch.ones(1)\n>>> a.grad # None\n"
    assert [verdict for _, verdict in verdicts(session, "a.txt")] == ["right", "right"]


def test_what_a_notebook_leaves_out() -> None:
    """Its commands, each with its cell and line."""
    notes = checked(NOTEBOOK, "a.ipynb").notes
    assert [note.split("`")[:2] for note in notes] == [
        ["a.ipynb:cell 1, line 1: ", "%matplotlib inline"],
        ["a.ipynb:cell 1, line 4: ", "!pip list"],
    ]


RANDOM = "x = torch.randn(2)\nprint(x)  # tensor([0.1000, 0.2000])\nprint(x.shape)  # torch.Size([2])\n"


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (RANDOM, ["not checkable", "right"]),
        (f"torch.manual_seed(0)\n{RANDOM}", ["wrong", "right"]),
        ("a = torch.foo(1)\nprint(a)  # 1\nb = 2\nprint(b)  # 3\n", ["not checkable", "wrong"]),
        ("print(torch.foo(1))  # 1\n", ["not checkable"]),
        ("print(torch.ones(1) / 3)  # tensor([0.333])\n", ["right"]),
        ("print(torch.ones(1) / 3)  # tensor([0.334])\n", ["wrong"]),
        ("print(torch.arange(3))  # tensor([0, 1, 3])\n", ["wrong"]),
        ("print(torch.ones(3))  # tensor([1., ..., 1.])\n", ["right"]),
        (
            "f = torch.ones(1, requires_grad=True) * 2\nf.grad_fn  # <MulBackward0 object at 0x7f21a>\n",
            ["right"],
        ),
        (
            "f = torch.ones(1, requires_grad=True) * 2\nf.grad_fn  # <MulBackward object at 0x7f21a>\n",
            ["wrong"],
        ),
        ("torch.ones(1).backward()\nprint(1)  # 1\n", ["right"]),
        ("x = torch.ones(1)\nx.backward()  # None\n", ["wrong"]),
        ("if True:\n    print(1)  # 2\n", ["wrong"]),
        ("a = torch.ones(1)\nfoo.change(a)\nb = a * 2\nprint(b)  # tensor([9.])\n", ["not checkable"]),
        ("a = torch.ones(1)\nprint(foo(a))  # 1\nprint(a)  # tensor([1.])\n", ["not checkable"] * 2),
        ("a = torch.ones(1, device='cuda')\na  # tensor([1.], device='cuda:0')\n", ["not checkable"]),
    ],
)
def test_what_decides(program: str, expected: list[str]) -> None:
    """Seeds, names that the language lacks, rounding, omissions, addresses, errors."""
    assert [verdict for _, verdict in verdicts(program, "a.py")] == expected


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("tensor([1., 2.])", [1.0, 2.0]),
        ("tensor([[1, 2]], dtype=torch.int32)", [[1, 2]]),
        ("tensor(3., grad_fn=<SumBackward0>)", 3.0),
        ("None", None),
        ("True", True),
    ],
)
def test_values_that_a_page_shows(text: str, data: object) -> None:
    """As plain data; an object is none."""
    value = shown_value(text)
    assert value is not None
    assert value.data == data
    assert shown_value("<MulBackward0 object>") is None


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("# only text\n", "a.md", "there is no code on it"),
        ("{", "a.ipynb", "it is not a notebook: JSONDecodeError"),
        ("[]", "a.ipynb", "it is not a notebook: TypeError"),
        ('{"cells": [{"cell_type": "code"}]}', "a.ipynb", "it is not a notebook: KeyError"),
        ('{"cells": 1}', "a.ipynb", "it is not a notebook: TypeError"),
        ("[" * 100_000, "a.ipynb", "it is not a notebook: RecursionError"),
    ],
)
def test_what_is_no_page(text: str, name: str, message: str) -> None:
    """One message, whatever the file has."""
    with pytest.raises(NotAPageError, match=message):
        read_page(text, name)


def test_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line for each output, a sum, and the exit status 1 where a page is wrong."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.md").write_text(MARKDOWN)
    (tmp_path / "b.txt").write_text(SESSION.replace("False", "True"))
    assert main(["check", "b.txt"]) == 0
    assert (
        capsys.readouterr()
        .out.splitlines()[-1]
        .startswith("b.txt: 2 right, 0 wrong, 0 not checkable on torch ")
    )
    assert main(["check", "a.md", "b.txt"]) == 1
    out = capsys.readouterr().out.splitlines()
    assert out[1].startswith("a.md:16: wrong: print(x.grad)")
    assert main(["check", "a.md", "--format", "json"]) == 1
    (page,) = json.loads(capsys.readouterr().out)
    assert [output["verdict"] for output in page["outputs"]] == ["right", "wrong", "right", "right"]
    assert main(["check", "none.md"]) == 2
    assert capsys.readouterr().err == "conformance: none.md cannot be read: No such file or directory\n"
    (tmp_path / "c.md").write_text("text\n")
    assert main(["check", "c.md"]) == 2
    assert capsys.readouterr().err == "conformance: c.md: there is no code on it\n"


def test_a_draft_of_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What torch does is expected, and what the page shows instead is under `claimed`; both of several pages."""
    page, session = tmp_path / "a.md", tmp_path / "b.rst"
    page.write_text(MARKDOWN)
    session.write_text(REST)
    assert main(["new", str(page), str(session)]) == 0
    out, err = capsys.readouterr()
    assert out.count("- id: ") == 2
    assert "          x.grad: [2.0, 2.0]\n" in out
    assert "        claimed:\n          expect:\n            x.grad: [1.0, 1.0]\n" in out
    assert f"{page}:16: wrong: print(x.grad)" in err


def test_pages_as_tests(pytester: pytest.Pytester) -> None:
    """Those that the ini file names, and no others; a wrong one fails with its lines."""
    pytester.makeini("[pytest]\nconformance_pages = docs/*.md *.txt\n")
    docs = pytester.mkdir("docs")
    (docs / "a.md").write_text(MARKDOWN)
    (docs / "b.rst").write_text(REST)
    (pytester.path / "b.txt").write_text(SESSION.replace("False", "True"))
    result = pytester.runpytest("-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        ["docs/a.md:16: wrong: print(x.grad)*", "FAILED docs/a.md::outputs - 3 right, 1 wrong*"]
    )
