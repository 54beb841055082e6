"""README's recipe "Adding an operator" is carried out: three files of a copy get an operator that it did not have."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from textwrap import dedent

import pytest

import conformance

PACKAGE = Path(conformance.__file__).parent
TEXT = (PACKAGE / "engine" / "README.md").read_text(encoding="utf-8")
SECTION = TEXT.partition("## Adding an operator\n")[2].partition("\n## ")[0]
BLOCKS = {
    dedent(body).removeprefix("# ").partition("\n")[0]: dedent(body).partition("\n")[2]
    for body in re.findall(r"^ *```\w+\n(.*?)^ *```$", SECTION, re.MULTILINE | re.DOTALL)
}
ROW, WORD, SCENARIO = BLOCKS

HAS_IT = """if True:
    import conformance.engine as torch
    from conformance.language import vocabulary
    held = [hasattr(torch, "rad2deg"), hasattr(torch.Tensor, "rad2deg"), hasattr(torch.Tensor, "rad2deg_")]
    print(*held, "torch.rad2deg" in vocabulary.PATHS)
"""
WHAT_IT_DOES = """if True:
    from math import pi
    import conformance.engine as torch
    from conformance.engine import func

    def near(found, wanted):
        assert all(abs(a - b) < 1e-3 for a, b in zip(found.tolist(), wanted, strict=True)), (found, wanted)

    degrees, x = 180 / pi, torch.tensor([0.5, -1.0], requires_grad=True)
    wanted = [0.5 * degrees, -degrees]
    y = x.rad2deg()
    near(y, wanted)
    assert y.grad_fn.name() == "Rad2DegBackward0"
    near(torch.autograd.grad(y.sum(), x)[0], [degrees, degrees])
    z = x.detach().clone()
    assert torch.rad2deg_(z) is z and z._version == 1
    near(z, wanted)
    near(x.detach().clone().rad2deg_(), wanted)
    tangent = torch.tensor([1.0, 2.0])
    value, moved = func.jvp(torch.rad2deg, (x.detach(),), (tangent,))
    near(moved, [degrees, 2 * degrees])
    near(func.vmap(torch.rad2deg)(x.detach()), wanted)
    near(func.vmap(func.grad(lambda each: each.rad2deg()))(x.detach()), [degrees, degrees])
    near(torch.rad2deg(torch.tensor([1, 2])), [degrees, 2 * degrees])
    near(torch.rad2deg(x.detach(), out=torch.empty(2)), wanted)
    assert torch.ops.aten.rad2deg.default.name() == "aten::rad2deg"
    try:
        torch.rad2deg(torch.tensor([1j]))
    except RuntimeError as error:
        assert str(error) == "rad2deg is not supported for complex tensors."
    else:
        raise AssertionError
"""


def _run(folder: Path, *arguments: str) -> str:
    """What Python prints that finds the package of a folder."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.returncode, f"{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture
def without(tmp_path: Path) -> Path:
    """A copy of the package without the operator."""
    shutil.copytree(PACKAGE, tmp_path / "conformance")
    rows, words = tmp_path / ROW, tmp_path / WORD
    source = rows.read_text(encoding="utf-8")
    (declared,) = (
        each
        for each in ast.parse(source).body
        if isinstance(each, ast.FunctionDef) and each.name == "rad2deg"
    )
    lines = source.splitlines(keepends=True)
    del lines[declared.decorator_list[0].lineno - 1 : declared.end_lineno]
    rows.write_text("".join(lines), encoding="utf-8")
    words.write_text(words.read_text(encoding="utf-8").replace(" rad2deg ", " "), encoding="utf-8")
    return tmp_path


def test_the_recipe(without: Path) -> None:
    assert _run(without, "-c", HAS_IT).split() == ["False"] * 4

    with (without / ROW).open("a", encoding="utf-8") as rows:
        rows.write(f"\n\n{BLOCKS[ROW]}")
    ((group, places),) = ast.literal_eval("{" + BLOCKS[WORD] + "}").items()
    ((place, word),) = places.items()
    words = without / WORD
    listed, begins = words.read_text(encoding="utf-8"), f'"{group}": {{\n        "{place}": """\n'
    assert listed.count(begins) == 1
    words.write_text(listed.replace(begins, f"{begins}            {word}\n"), encoding="utf-8")
    (without / SCENARIO).parent.mkdir(parents=True)
    (without / SCENARIO).write_text(BLOCKS[SCENARIO], encoding="utf-8")

    assert _run(without, "-c", HAS_IT).split() == ["True"] * 4
    _run(without, "-c", WHAT_IT_DOES)
    if find_spec("torch") is not None:
        assert "1 passed" in _run(
            without, "-m", "pytest", SCENARIO, "-q", "-n", "0", "-p", "no:cacheprovider"
        )
