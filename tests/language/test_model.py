"""The model is the source of the schema and of the documentation."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.language import model, schema


@pytest.mark.parametrize("path", schema.MODELS, ids=lambda path: path.stem)
def test_schema_is_current(path: Path) -> None:
    """`python -m conformance.language.schema` regenerates it."""
    assert path.read_text(encoding="utf-8") == schema.text(path)


@pytest.mark.parametrize("path", schema.MODELS, ids=lambda path: path.stem)
def test_schema_describes_every_key(path: Path) -> None:
    """So that an editor shows on hover what a key means."""
    described = json.loads(schema.text(path))
    for definition in (described, *described["$defs"].values()):
        for key, entry in definition["properties"].items():
            assert entry["description"], f"{definition['title']}.{key}"
        assert definition["additionalProperties"] is False


def test_table_has_every_key() -> None:
    """The table in the documentation is made of the model."""
    table = model.table()
    rows = [line.split("|")[1].strip() for line in table.splitlines()[2:]]
    assert rows == [f"`{key}`" for key in model.ScenarioModel.model_fields]
    assert "None" not in table


def test_spec_imports_neither_torch_nor_numpy() -> None:
    """Linting starts at once, and goes where there is no torch."""
    program = (
        "import sys, conformance.language.load, conformance.language.claims, conformance.language.lint\n"
        "print([name for name in ('torch', 'numpy', 'scipy') if name in sys.modules])"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_scenario_imports_the_standard_library_alone() -> None:
    """What travels to another interpreter needs nothing there."""
    program = (
        "import sys, conformance.language.scenario, conformance.language.vocabulary\n"
        "print([name for name in ('yaml', 'pydantic', 'torch', 'numpy') if name in sys.modules])"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
