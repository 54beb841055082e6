"""The editor's JSON Schemas of the files people write; ``python -m conformance.language.schema`` updates them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from conformance.language import claims, divergences, model
from conformance.language.model import StrictModel

PATH = Path(__file__).with_name("schema.json")
"""The schema of scenario files."""

MODELS: dict[Path, tuple[type[StrictModel], Any]] = {
    PATH: (model.FileModel, model),
    PATH.with_name("claims_schema.json"): (claims.ClaimsFileModel, claims),
    PATH.with_name("divergences_schema.json"): (divergences.DivergenceFileModel, divergences),
    PATH.with_name("releases_schema.json"): (divergences.ReleaseFileModel, divergences),
}
"""Each schema's file, the model it describes, and the module that has the other models it refers to."""


def schema(path: Path = PATH) -> dict[str, Any]:
    """The schema of a kind of file: the model's, plus what pydantic cannot express."""
    top, module = MODELS[path]
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **top.model_json_schema()}
    definitions = schema["$defs"]
    if top is model.FileModel:
        _limit_scenarios(definitions)
    for name in ("_EntryModel", "_ChangeModel"):
        if name in definitions:
            _limit_places(definitions[name], of_a_release=name == "_ChangeModel")
    kinds = {top: schema} | {getattr(module, name): definition for name, definition in definitions.items()}
    for kind, definition in kinds.items():
        meanings = model.meanings(kind)
        for key, entry in definition["properties"].items():
            said = {name: entry[name] for name in entry if name not in ("title", "default")}
            definition["properties"][key] = dict(sorted({**said, "description": meanings[key]}.items()))
    return schema


def _limit_scenarios(definitions: dict[str, Any]) -> None:
    """What a scenario must have, and the two forms of a tolerance."""
    definitions["ScenarioModel"]["oneOf"] = [{"required": ["run"]}, {"required": ["steps"]}]
    definitions["StepModel"]["required"] = ["run"]
    tolerance = definitions["ScenarioModel"]["properties"]["tolerance"]
    tolerance["anyOf"] = [{"$ref": tolerance.pop("$ref")}, {"const": "exact"}]


def _limit_places(entry: dict[str, Any], *, of_a_release: bool) -> None:
    """Where an entry applies, in one of two forms; what a release changes in every scenario is limited by texts."""
    entry["oneOf"] = [{"required": ["scenario"]}, {"required": ["at"]}]
    entry["properties"]["at"]["additionalProperties"] = False
    entry["dependentSchemas"] = {"statement": {"required": ["scenario"]}}
    if of_a_release:
        every = {"anyOf": [{"const": "*"}, {"type": "array", "contains": {"const": "*"}}]}
        entry["if"] = {"required": ["scenario"], "properties": {"scenario": every}}
        entry["then"] = {"required": ["was", "now"]}


def text(path: Path = PATH) -> str:
    """The content of a schema's file."""
    return json.dumps(schema(path), indent=2) + "\n"


if __name__ == "__main__":
    for path in MODELS:
        path.write_text(text(path), encoding="utf-8")
