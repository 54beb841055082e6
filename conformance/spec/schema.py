"""The editor's JSON Schema of scenario files; ``python -m conformance.spec.schema`` writes it anew."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from conformance.spec.model import File

PATH = Path(__file__).with_name("schema.json")


def schema() -> dict[str, Any]:
    """The schema of a scenario file: the model's, with what pydantic cannot say of it."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **File.model_json_schema()}
    definitions = schema["$defs"]
    definitions["Scenario"]["oneOf"] = [{"required": ["run"]}, {"required": ["steps"]}]
    definitions["Step"]["required"] = ["run"]
    tolerance = definitions["Scenario"]["properties"]["tolerance"]
    tolerance["anyOf"] = [{"$ref": tolerance.pop("$ref")}, {"const": "exact"}]
    for definition in (schema, *definitions.values()):
        for entry in definition["properties"].values():
            entry.pop("title", None)  # the key itself says it
            entry.pop("default", None)
            if "description" in entry:
                entry["description"] = " ".join(entry["description"].split())
    return schema


def text() -> str:
    """The schema as it must stand in schema.json."""
    return json.dumps(schema(), indent=2) + "\n"


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
