"""The editor's JSON Schema of scenario files; ``python -m conformance.language.schema`` updates it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from conformance.language import model

PATH = Path(__file__).with_name("schema.json")


def schema() -> dict[str, Any]:
    """The schema of a scenario file: the model's, plus what pydantic cannot express."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **model.FileModel.model_json_schema(),
    }
    definitions = schema["$defs"]
    definitions["ScenarioModel"]["oneOf"] = [{"required": ["run"]}, {"required": ["steps"]}]
    definitions["StepModel"]["required"] = ["run"]
    tolerance = definitions["ScenarioModel"]["properties"]["tolerance"]
    tolerance["anyOf"] = [{"$ref": tolerance.pop("$ref")}, {"const": "exact"}]
    definitions_of = {
        model.FileModel: schema,
        **{getattr(model, name): each for name, each in definitions.items()},
    }
    for kind, definition in definitions_of.items():
        meanings = model.meanings(kind)
        for key, entry in definition["properties"].items():
            said = {
                name: entry[name] for name in entry if name not in ("title", "default")
            }  # the key is its title
            definition["properties"][key] = dict(sorted({**said, "description": meanings[key]}.items()))
    return schema


def text() -> str:
    """The content of schema.json."""
    return json.dumps(schema(), indent=2) + "\n"


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
