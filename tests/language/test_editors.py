"""What editors need: the schema, named in the first line of every file that people write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from conformance.adapters import divergences
from conformance.check import locate
from conformance.check.locate import is_scenario_file
from conformance.language import schema
from conformance.language.divergences import load_release

COMMENT = "# yaml-language-server: $schema="
ADAPTERS = Path(divergences.__file__).parent


def beside(name: str) -> Path:
    """The schema of another kind of file."""
    return schema.PATH.with_name(f"{name}_schema.json")


OTHERS = {
    beside("claims"): locate.specs() / "claims",
    beside("releases"): locate.specs() / "releases",
    beside("divergences"): ADAPTERS,
}
FILES = {path: schema.PATH for path in locate.scenario_files([locate.specs()]) if is_scenario_file(path)} | {
    path: kind for kind, folder in OTHERS.items() for path in folder.glob("*.yaml")
}


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_first_line_names_the_schema(path: Path) -> None:
    """Relative to the file, so that it is found wherever the checkout is."""
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    assert first.startswith(COMMENT)
    assert (path.parent / first.removeprefix(COMMENT)).resolve() == FILES[path].resolve()


@pytest.mark.parametrize(
    "path", [path for path in FILES if path.parent.name in ("releases", "adapters")], ids=str
)
def test_files_satisfy_their_schema(path: Path) -> None:
    """What the suite reads, an editor does not underline."""
    validator = pytest.importorskip("jsonschema").Draft202012Validator(schema.schema(FILES[path]))
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    data = yaml.load(path.read_text(encoding="utf-8"), loader)
    assert [error.message for error in validator.iter_errors(data)] == []


CHANGE = {"reason": "ones are zeros", "scenario": "ones-made"}


@pytest.mark.parametrize(
    "change",
    [
        {"reason": "it names no scenario"},
        {**CHANGE, "scenario": []},
        {**CHANGE, "scenario": "*"},
        {**CHANGE, "scenario": ["a", "*"], "was": "1"},
        {**CHANGE, "at": {"step 1, line 1": "a"}},
        {"reason": "no such place", "at": {"line 1": "a"}},
        {"reason": "two places", "at": {"step 1, line 1": "a"}, "statement": "step 1, line 2"},
        {**CHANGE, "kind": "bug"},
        {**CHANGE, "reason": ""},
    ],
    ids=json.dumps,
)
def test_the_schema_refuses_what_the_suite_refuses(change: dict[str, Any], tmp_path: Path) -> None:
    """An entry of a release that is written wrongly."""
    validator = pytest.importorskip("jsonschema").Draft202012Validator(schema.schema(beside("releases")))
    assert not validator.is_valid({"release": "2.14", "changes": [change]})
    assert validator.is_valid(
        {"release": "2.14", "changes": [{**CHANGE, "scenario": "*", "was": "1", "now": "2"}]}
    )
    path = tmp_path / "2.14.yaml"
    path.write_text(json.dumps({"release": "2.14", "changes": [change]}), encoding="utf-8")
    assert load_release(path).problems
