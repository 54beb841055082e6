"""Pages as tutorials, notebooks, galleries and references have them: each kind gets an answer line by line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.adapters.torch import engine as torch
from conformance.cli import main
from conformance.runner.execute import run
from conformance.scaffold.page_check import check_page

START = "```python\nx = torch.tensor([1., 2.], requires_grad=True)\n```\n"


def answers(text: str, name: str = "a.md") -> list[str]:
    """Place and verdict of each output, with the reason of what is not checkable."""
    page = check_page(text, name, lambda scenario: run(scenario, torch))
    return [
        " ".join(filter(None, (output.place, output.verdict, output.reason and f"({output.reason})")))
        for output in page.outputs
    ]


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("```python\nprint(1)\nprint(2)\n```\n```\n1\n2\n```\n", ["3 right"]),
        ("```python\nprint(1)\nprint(2)\n```\n```\n1\n3\n```\n", ["3 wrong"]),
        ("```python\nprint(1)\nprint(2)\n```\n```\n2\n```\n", ["3 right"]),
        ("```python\nprint(torch.rand(1))\nprint(2)\n```\n```\ntensor([1.])\n2\n```\n", ["3 not checkable"]),
        (
            "```python\nx = = 1\n```\n```\n1\n```\n```python\nprint(2)\n```\n```\n2\n```\n",
            ["2 not checkable", "8 right"],
        ),
        (
            "```python\nx = 1\n```\n```python\nx = = 2\n```\n```python\nprint(x)  # 1\n```\n",
            ["8 not checkable"],
        ),
        (
            "````markdown\n```python\nprint(1)\n```\n````\n```python\nprint(2)\n```\n```\n1\n```\n",
            ["7 wrong"],
        ),
        ("> ```python\n> print(1)\n> ```\n>\n> ```text\n> 1\n> ```\n", ["2 right"]),
        (
            "1. one\n"
            "   ```python\n   print(1)\n   ```\n   ```\n   1\n   ```\n   - two\n\n     ~~~py\n"
            "     print(2)  # 3\n     ~~~\n",
            ["3 right", "11 wrong"],
        ),
        (
            "Title\n=====\n\n    x = 1\n    print(x)\n\nprints\n\n    1\n\nand\n\n    x = 2\n"
            "    print(x)\n\nprints\n\n    1\n",
            ["5 right", "14 wrong"],
        ),
        (
            ":::{note}\n```{code-block} python\n:linenos:\n:caption: a\nprint(1)\n```\n:::\n"
            "```{code-block} text\n2\n```\n",
            ["5 wrong"],
        ),
        (
            '=== "a"\n    ``` { .python .annotate }\n    print(1)\n    ```\n'
            "    ``` { .text .no-copy }\n    1\n    ```\n",
            ["3 right"],
        ),
        ("<details>\n\n```python\nprint(1)\n```\n\n</details>\n\n```shell\n1\n```\n", ["4 right"]),
        ("```python\nprint(1)\n```\n```shell\npip install x\n```\n", []),
        (
            START + "```python\ntry:\n    x.backward()\nexcept RuntimeError as e:\n    print(e)\n```\n"
            "```\ngrad can be implicitly created only for scalar outputs\n```\n",
            ["8 right"],
        ),
        (
            START + "```python\nx.shape, x.dtype\n```\n```\n(torch.Size([2]), torch.float32)\n```\n",
            ["5 right"],
        ),
        (START + "```python\nprint(x.is_leaf)\n", []),
    ],
)
def test_markdown(page: str, expected: list[str]) -> None:
    """Output blocks of several prints, blocks that are no Python, quotes, lists, indentation, MyST, MkDocs, HTML."""
    found = answers(page)
    assert [each.partition(" (")[0] for each in found] == expected


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (">>> 1 + 1  # doctest: +SKIP\n3\n>>> 1 + 1\n2\n", ["3 right"]),
        (">>> x = 1\n>>> # xdoctest: +SKIP\n>>> 1 + 1\n3\n", []),
        (">>> 1 +\n3\n>>> 1 + 1\n2\n", ["1 not checkable", "3 right"]),
        ("Example::\n\n    >>> 1 + 1\n    3\n\n.. doctest::\n\n   >>> 2\n   2\n", ["3 wrong", "8 right"]),
        (".. testcode::\n   :hide:\n\n   print(1)\n\n.. testoutput::\n\n   2\n", ["4 wrong"]),
        (
            ".. tip::\n\n   .. code-block:: python\n      :caption: a\n\n      print(1)\n\n"
            "   .. code-block:: text\n\n      1\n",
            ["6 right"],
        ),
    ],
)
def test_restructured_text(page: str, expected: list[str]) -> None:
    """Sessions, what they skip, directives with options and inside others."""
    assert [each.partition(" (")[0] for each in answers(page, "a.rst")] == expected


def code(source: str, *outputs: dict[str, object]) -> dict[str, object]:
    """A cell of a notebook."""
    return {"cell_type": "code", "source": source, "outputs": list(outputs)}


def stream(text: str) -> dict[str, object]:
    """What a cell prints."""
    return {"output_type": "stream", "name": "stdout", "text": text}


def shown(kind: str, text: str) -> dict[str, object]:
    """What a cell shows."""
    return {"output_type": kind, "data": {"text/plain": text}}


NOTEBOOK = [
    code(
        "%matplotlib inline\n!pip install torch\nimport torch, time\n"
        "from tqdm.notebook import tqdm\nimport matplotlib.pyplot as plt"
    ),
    code("%%bash\nls -l", stream("total 0\n")),
    code(
        "%%time\nw = torch.zeros(2, requires_grad=True)\nfor n in tqdm(range(2)):\n"
        "    w.sum().backward()\n    print(n, w.grad)",
        shown("display_data", "  0%|          | 0/2 [00:00<?, ?it/s]"),
        stream("0 tensor([1., 1.])\n1 tensor([2., 2.])\nCPU times: user 1 ms\nWall time: 1 ms\n"),
    ),
    code("plt.plot([1])\nplt.show()", shown("display_data", "<Figure size 640x480 with 1 Axes>")),
    code("torch.save(w, 'w.pt')\nv = torch.load('w.pt')"),
    code("v", shown("execute_result", "tensor([0., 0.])")),
    code(
        "display(w.detach())\nw.grad", stream("tensor([0., 0.])"), shown("execute_result", "tensor([2., 2.])")
    ),
    code("w.grad", shown("execute_result", "tensor([1., 1.])")),
]


def test_a_notebook() -> None:
    """With magics, installs, a bar, a clock, a plot and a file."""
    assert answers(json.dumps({"cells": NOTEBOOK}), "a.ipynb") == [
        "cell 3, line 5 right",
        "cell 6, line 1 not checkable (it depends on cell 5, line 2, which is not run)",
        "cell 7, line 2 right",
        "cell 8, line 1 wrong",
    ]


GALLERY = '''\
# -*- coding: utf-8 -*-
r"""
Hooks
-----

.. code-block:: python

   never(run)
"""
# sphinx_gallery_thumbnail_path = "_static/x.png"
import time

import matplotlib.pyplot as plt
import torch

start = time.time()
######################################################################
# First part
# ==========

x = torch.tensor([1.0, 2.0], requires_grad=True)
f = torch.compile(lambda t: t * 3)
f(x).sum().backward()
print(x.grad)  # tensor([3., 3.])
print(f(x))  # tensor([3., 6.], grad_fn=<CompiledFunctionBackward>)
# %%
# Plot it
plt.plot([1, 2])
print(time.time() - start)  # 0.1
print(f"{x.is_leaf} after {time.time() - start:.1f}s")  # True
'''


def test_a_gallery() -> None:
    """With a clock, a plot and a compiled function."""
    assert [each.partition(" (")[0] for each in answers(GALLERY, "a.py")] == [
        "24 right",
        "25 not checkable",
        "29 not checkable",
        "30 wrong",
    ]


@pytest.mark.parametrize("name", ["a.md", "a.rst", "a.ipynb", "a.py", "a.txt"])
@pytest.mark.parametrize(
    "text", ["", "\x00", "```", "```python\n", ">>> ", "{}", ".. code::", "'''", "x = 1\n\tz = 2\n"]
)
def test_no_page_ends_in_a_traceback(
    name: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever it has: an answer of one line, or nothing to check."""
    page = tmp_path / name
    page.write_text(text)
    assert main(["check", str(page)]) in (0, 2)
    assert main(["new", str(page)]) in (0, 1, 2)
    assert "Traceback" not in capsys.readouterr().err


def test_a_draft_leaves_out_what_cannot_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a page; each statement is named with the reason, also what depends on it."""
    page = tmp_path / "a.md"
    page.write_text(
        f"{START}```python\nv = torch.load('a')\nprint(v)\nmatch 1:\n    case 1: pass\nprint(x)\n```\n"
    )
    assert main(["new", str(page)]) == 0
    out, err = capsys.readouterr()
    assert [line.partition("left out: ")[2] for line in err.splitlines()] == [
        "`torch.load` is not in the vocabulary; a scenario reads and writes no files",
        "it depends on line 5, which is not run",
        "`match` is not part of the language; write `if`",
    ]
    assert "torch.load" not in out and "      x: [1.0, 2.0]\n" in out
