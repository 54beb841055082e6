"""Turn pydantic's errors into messages for the author of the file."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from pydantic_core import ErrorDetails
from yaml import MappingNode, Node, ScalarNode, SequenceNode

from conformance.language.document import LONGEST_NUMBER, Place, Reader
from conformance.language.scenario import TIERS
from conformance.language.suggest import did_you_mean, quoted

Path = tuple[int | str, ...]

_FORMS = {
    "id": ("an id is small letters, digits and single hyphens", "such as `second-backward-raises`"),
    "title": ("a title is one line of plain text", "write it without control characters"),
    "statement": ("write a statement as failure reports do", "such as `step 1, line 2`"),
    "release": ("a release is written major.minor", "such as `2.14`, in quotes"),
    "claim": ("a claim is written document/sentence", "as `id` in a file of claims"),
}
_MISSING = {
    "id": "a slug, unique in the whole run",
    "title": "what torch does, in the present tense",
    "reason": "say why it is so",
    "kind": "bug, missing_feature or by_design",
}
_WANTED = {
    "string_type": "text",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "float_type": "a number",
    "float_parsing": "a number",
}


def explain(
    error: ErrorDetails, model: type[BaseModel], root: Node, reader: Reader
) -> tuple[Place, str, str]:
    """Place, message and hint for one error of validating ``root`` against ``model``."""
    path = error["loc"]
    unknown = error["type"] == "extra_forbidden"
    if path[-1:] == ("[key]",):  # of a mapping whose keys are statements
        place = reader.place(_node(root, path[:-1], reader, key_of_last=True))
        return place, *_wrong("statement", error)
    place = reader.place(_node(root, path, reader, key_of_last=unknown))
    if unknown:
        return place, *_unknown(str(path[-1]), model, path[:-1])
    if error["type"] == "missing":
        return place, f"the key `{path[-1]}` is missing", _MISSING.get(str(path[-1]), "")
    key = next(
        (str(part) for part in reversed(path) if isinstance(part, str)),
        model.__name__.removesuffix("Model").lower(),
    )
    return place, *_wrong(key, error)


def find(node: Node, path: Path, reader: Reader) -> Place:
    """The position of a path, or of its longest existing part."""
    return reader.place(_node(node, path, reader))


def _unknown(key: str, model: type[BaseModel], path: Path) -> tuple[str, str]:
    """Message and hint for an unknown key; the hint names the closest key of the model at the path."""
    for part in path:
        if isinstance(part, str) and part in model.model_fields:
            model = _model_in(model.model_fields[part].annotation) or model
    known = list(model.model_fields)
    return f"unknown key {quoted(key)}", did_you_mean(key, known) or f"the keys are {', '.join(known)}"


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The model in an annotation: Step for ``list[Step]``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    found = (_model_in(argument) for argument in getattr(annotation, "__args__", ()))
    return next((model for model in found if model is not None), None)


def _wrong(key: str, error: ErrorDetails) -> tuple[str, str]:
    """Message and hint for an invalid value."""
    kind, value, context = error["type"], error["input"], error.get("ctx", {})
    match kind:
        case "string_pattern_mismatch":
            message, hint = _FORMS["claim" if "/" in context["pattern"] else key]
            said = f"{_shown(value)}: {message}", hint
        case "string_too_long":
            longest = context["max_length"]
            said = f"the {key} has {len(value)} characters, {longest} are allowed", "say it more briefly"
        case "string_too_short" | "too_short":
            said = f"`{key}` is empty", "write it, or remove the key"
        case "literal_error":
            said = f"`{key}` is {_shown(value)}", f"it may be {context['expected']}"
        case "finite_number":
            said = f"`{key}` is {_shown(value)}", "a tolerance is a finite number"
        case "greater_than_equal":
            said = f"`{key}` is negative", "a tolerance is 0 or more"
        case "said":  # raised by the model itself
            said = error["msg"], ""
        case _ if kind in _WANTED:
            wanted = "text, or a list of them" if key in ("claim", "warns") else _WANTED[kind]
            said = f"`{key}` must be {wanted}, not {_shown(value)}", _instead(key, kind, value)
        case _:
            said = f"`{key}`: {error['msg']}", ""
    return said


def not_a_tier(value: Any) -> tuple[str, str]:
    """Message and hint for the tier of a file, which is read before its scenarios."""
    *others, last = map(repr, TIERS)
    return f"`tier` is {_shown(value)}", f"it may be {', '.join(others)} or {last}"


def _instead(key: str, kind: str, value: Any) -> str:
    if key == "tolerance":
        return "write {rtol: ..., atol: ..., reason: ...}, or exact"
    if key == "run":
        return "write the program below `run: |`"
    if key == "expect":
        return "write `expression: value`, each on a line without a dash"
    if key == "steps":
        return "begin each step with `- run:`"
    return "put it in quotes" if kind == "string_type" and not isinstance(value, list | dict) else ""


def _shown(value: Any) -> str:
    """A value in YAML's spelling."""
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "a mapping"
    words = {None: "null", True: "true", False: "false"}
    return words[value] if value is None or isinstance(value, bool) else f"`{_printable(value)}`"


def _printable(value: Any) -> str:
    """The text, with control characters escaped; a long number is cut."""
    text = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in str(value))
    return text if isinstance(value, str) or len(text) <= LONGEST_NUMBER else f"{text[:20]}..."


def _node(node: Node, path: Path, reader: Reader, key_of_last: bool = False) -> Node:
    """The node at a path; for an unexpected entry, the node of its key."""
    for number, part in enumerate(path):
        if isinstance(node, MappingNode):
            for key, value in node.value:
                if isinstance(key, ScalarNode) and reader.text_of(key) == part:
                    node = key if key_of_last and number == len(path) - 1 else value
                    break
        elif isinstance(node, SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
    return node
