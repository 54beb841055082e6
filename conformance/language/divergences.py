"""An engine's divergence file: where it is known to differ from torch, the kind of difference, and the reason."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from conformance.language.load_result import Problem
from conformance.language.mapping_file import MappingFile
from conformance.language.model import StrictModel
from conformance.language.scenario import Position

Text = Annotated[str, Field(min_length=1)]
Where = Annotated[str, Field(pattern=r"^step \d+, line \d+(, turn \d+)*(, expectations)?$")]


def _listed(value: Any) -> Any:
    """A single text is read as a list of one."""
    return [value] if isinstance(value, str) else value


Texts = Annotated[list[Text], BeforeValidator(_listed), Field(min_length=1)]


class _EntryModel(StrictModel):
    """Where an engine differs: in ``scenario`` (from ``statement`` on, if given), or ``at`` several statements."""

    kind: Literal["bug", "missing_feature", "by_design"]
    """What the difference is to the engine's authors."""
    reason: Text
    """Why it differs, for a reader who knows neither engine."""
    scenario: Texts | None = None
    """The exact id with its matrix label, or a list of ids that the entry covers; `*` matches any text."""
    statement: Where = ""
    """As reports write it; limits the entry to this statement and what follows from it."""
    at: dict[Where, Texts] | None = Field(default=None, min_length=1)
    """Statements with their scenarios, if one reason shows at several places."""
    name: str = Field(default="", min_length=1)
    """The tensor, if the entry covers only one."""
    facets: Texts = Field(default_factory=list)
    """The facets, if the entry covers only some. A crash is covered only by `raised`."""

    @model_validator(mode="after")
    def _says_where(self) -> Self:
        if self.at is None and self.scenario is None:
            raise PydanticCustomError("said", "the key `scenario` is missing; an id, or a list of them")
        if self.at is not None and (self.scenario is not None or self.statement):
            raise PydanticCustomError(
                "said", "`at` already names scenarios and statements: remove `scenario` and `statement`"
            )
        return self


class DivergenceFileModel(StrictModel):
    """The content of a divergence file."""

    engine: Text
    """The engine's name."""
    divergences: list[_EntryModel] = Field(min_length=1)
    """The known differences, an entry for each cause."""


@dataclass(frozen=True, slots=True)
class DeclaredDivergences:
    """The entries of a file as keywords of ``adapters.divergences.Divergence``, and its problems."""

    engine: str = ""
    entries: tuple[dict[str, Any], ...] = ()
    problems: tuple[Problem, ...] = ()


def load_divergences(path: Path) -> DeclaredDivergences:
    """The entries of a file; invalid content is reported and left out, never raised."""
    return _declared(MappingFile(str(path), DivergenceFileModel), str(path))


def load_divergences_text(text: str, file: str) -> DeclaredDivergences:
    """The entries of YAML text; ``file`` is its name in positions."""
    return _declared(MappingFile(file, DivergenceFileModel, text), file)


def _declared(content: MappingFile, file: str) -> DeclaredDivergences:
    entries = []
    for index, entry in content.entries("divergences"):
        said = {key: entry[key] for key in ("kind", "reason", "name") if key in entry}
        said["facets"] = tuple(_listed(entry.get("facets", ())))
        for statement, scenario, path in _places(entry):
            position = str(Position(file, *content.place("divergences", index, *path)))
            entries.append({**said, "scenario": scenario, "statement": statement, "position": position})
    return DeclaredDivergences(str(content.data.get("engine", "")), tuple(entries), tuple(content.problems))


def _places(entry: dict[str, Any]) -> Iterator[tuple[str, str, tuple[int | str, ...]]]:
    """Statement and scenario of each divergence, and its path within the entry."""
    if isinstance(entry.get("scenario"), str):
        yield entry.get("statement", ""), entry["scenario"], ()
        return
    for number, scenario in enumerate(entry.get("scenario", ())):
        yield entry.get("statement", ""), scenario, ("scenario", number)
    for statement, scenarios in entry.get("at", {}).items():
        for number, scenario in enumerate(_listed(scenarios)):
            yield statement, scenario, ("at", statement, number)
