"""An engine's divergence file: where it is known to differ from torch, of what kind that is, and why."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationError
from yaml import MappingNode

from conformance.spec.document import NotYAML, Place, Problem, Reader, compose
from conformance.spec.explain import explain, find
from conformance.spec.model import Strict
from conformance.spec.scenario import Position

Text = Annotated[str, Field(min_length=1)]


def _listed(value: Any) -> Any:
    """One text stands for a list of one."""
    return [value] if isinstance(value, str) else value


class _Entry(Strict):
    """Where an engine differs."""

    scenario: Annotated[list[Text], BeforeValidator(_listed)] = Field(min_length=1)
    """The exact id, with the label of its matrix; or a list of them, of which all the rest is true."""
    kind: Literal["bug", "missing_feature", "by_design"]
    reason: Text
    statement: str = Field(default="", pattern=r"^step \d+, line \d+(, turn \d+)*(, expectations)?$")
    """As a report writes it, where only what happens there (and what follows) is meant."""
    name: str = Field(default="", min_length=1)
    """The tensor, where only one is meant."""
    facets: Annotated[list[Text], BeforeValidator(_listed)] = Field(default_factory=list, min_length=1)
    """The facets, where only some are meant. A crash is covered by `raised` alone."""


class _File(Strict):
    """The content of a divergence file."""

    engine: Text
    divergences: list[_Entry] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Declared:
    """The entries of a file, as keywords of ``adapters.divergences.Divergence``; what is wrong with it."""

    engine: str = ""
    entries: tuple[dict[str, Any], ...] = ()
    problems: tuple[Problem, ...] = ()


def load_divergences(path: Path) -> Declared:
    """The entries of a file; bad content never raises, a wrong entry is left out."""
    try:
        return load_divergences_text(path.read_text(encoding="utf-8-sig"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        return Declared(problems=(Problem(Position(str(path), 1), f"cannot be read: {error}"),))


def load_divergences_text(text: str, file: str) -> Declared:
    """The entries of YAML text; ``file`` is its name in positions."""
    problems: list[Problem] = []

    def report(place: Place, message: str, hint: str = "") -> None:
        problems.append(Problem(Position(file, *place), message, hint))

    reader = Reader(text, report)
    try:
        root = compose(text)
    except NotYAML as error:
        report(error.place, error.message, error.hint)
        return Declared(problems=tuple(problems))
    if not isinstance(root, MappingNode):
        report(Place(1, 1), "divergences are a mapping", "begin with `engine:`")
        return Declared(problems=tuple(problems))
    data = reader.read(root)
    refused: set[Any] = set()
    try:
        _File.model_validate(data)
    except ValidationError as error:
        for details in error.errors(include_url=False):
            place, message, hint = explain(details, _File, root, reader)
            missing = details["type"] == "missing"
            report(place, message, "every entry has scenario, kind and reason" if missing else hint)
            refused.add(details["loc"][1] if len(details["loc"]) > 1 else None)
    listed = data.get("divergences")
    entries = []
    for index, entry in enumerate(listed if isinstance(listed, list) else ()):
        if index not in refused:
            position = Position(file, *find(root, ("divergences", index), reader))
            facets = tuple(_listed(entry.get("facets", ())))
            for scenario in _listed(entry["scenario"]):
                entries.append({**entry, "scenario": scenario, "facets": facets, "position": str(position)})
    return Declared(str(data.get("engine", "")), tuple(entries), tuple(problems))
