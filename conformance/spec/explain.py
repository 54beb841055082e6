"""What the model's check found, said to the person who wrote the file."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from pydantic_core import ErrorDetails
from yaml import MappingNode, Node, ScalarNode, SequenceNode

from conformance.spec import model
from conformance.spec.document import Place, Reader
from conformance.spec.suggest import did_you_mean

_FORMS = {
    "id": ("an id is small letters, digits and single hyphens", "such as `second-backward-raises`"),
    "claim": ("a claim is named document/sentence", "as `id` in claims.yaml"),
}
_WANTED = {
    "string_type": "text",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "float_type": "a number",
    "float_parsing": "a number",
}


def explain(error: ErrorDetails, root: Node, reader: Reader) -> tuple[Place, str, str]:
    """Place, message and hint of one error of pydantic's."""
    path = error["loc"]
    key = str(path[-1]) if path else "scenario"
    while path and isinstance(path[-1], int):
        path = path[:-1]
    named = str(path[-1]) if path else "the scenario"
    kind, context = error["type"], error.get("ctx", {})
    place = reader.place(_find(root, error["loc"], reader, key_of_last=kind == "extra_forbidden"))
    if kind == "extra_forbidden":
        known = _keys_at(error["loc"][:-1])
        return place, f"unknown key `{key}`", did_you_mean(key, known) or f"known are {', '.join(known)}"
    if kind == "missing":
        return place, f"the key `{key}` is missing", _missing(key)
    if kind == "string_pattern_mismatch" and named in _FORMS:
        message, hint = _FORMS[named]
        return place, f"`{error['input']}`: {message}", hint
    if kind == "string_too_long":
        length, longest = len(error["input"]), context["max_length"]
        return place, f"the {named} has {length} characters, {longest} are allowed", "say it more briefly"
    if kind in ("string_too_short", "too_short"):
        return place, f"`{named}` is empty", "write it, or remove the key"
    if kind == "literal_error":
        return place, f"`{named}` is {_shown(error['input'])}", f"it may be {context['expected']}"
    if kind == "greater_than_equal":
        return place, f"`{named}` is negative", "a tolerance is 0 or more"
    if kind in _WANTED:
        hint = (
            "put it in quotes"
            if kind == "string_type" and not isinstance(error["input"], list | dict)
            else ""
        )
        if named == "run" and not hint:
            hint = "write the program below `run: |`"
        if named == "tolerance":
            hint = "write {rtol: ..., atol: ..., reason: ...}, or exact"
        return place, f"`{named}` must be {_WANTED[kind]}, not {_shown(error['input'])}", hint
    return place, f"`{named}`: {error['msg']}", ""


def _missing(key: str) -> str:
    return {
        "id": "a slug, unique in the whole run",
        "title": "what torch does, in the present tense",
        "run": "the program, below `run: |`",
        "reason": "say why the default tolerance does not do",
    }.get(key, "")


def _shown(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "a mapping"
    return f"`{value}`"


def _keys_at(path: tuple[int | str, ...]) -> list[str]:
    """The keys that are known where a path leads."""
    at: type[BaseModel] = model.Scenario
    for part in path:
        at = {"steps": model.Step, "claimed": model.Outcome, "tolerance": model.Tolerance}.get(str(part), at)
    return list(at.model_fields)


def _find(node: Node, path: tuple[int | str, ...], reader: Reader, key_of_last: bool = False) -> Node:
    """The node where a path leads, as far as it goes; the key's node for an entry that should not be there."""
    for number, part in enumerate(path):
        if isinstance(node, MappingNode):
            for key, value in node.value:
                if isinstance(key, ScalarNode) and reader.text_of(key) == part:
                    node = key if key_of_last and number == len(path) - 1 else value
                    break
        elif isinstance(node, SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
    return node


def find(node: Node, path: tuple[int | str, ...], reader: Reader) -> Place:
    """Where a path leads."""
    return reader.place(_find(node, path, reader))
