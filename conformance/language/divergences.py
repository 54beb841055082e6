"""Divergence files: where an engine is known to differ from torch, the kind of difference, and the reason.

The file of a release of torch has the same form: where that release differs from the one that the specs describe.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from conformance.language.load_result import Problem
from conformance.language.mapping_file import MappingFile
from conformance.language.model import ABSENT, NonEmpty, StrictModel, as_list, one_or_more
from conformance.language.scenario import Position

Where = Annotated[str, Field(pattern=r"^step \d+, line \d+(, turn \d+)*(, expectations)?$")]


Texts = Annotated[
    list[NonEmpty],
    BeforeValidator(as_list),
    Field(min_length=1),
    one_or_more({"type": "string", "minLength": 1}),
]


class _PlaceModel(StrictModel):
    """A reason, and where it shows: in ``scenario`` (from ``statement`` on, if given), or ``at`` several statements."""

    reason: NonEmpty
    """Why it differs, for a reader who knows neither engine."""
    scenario: Texts = ABSENT
    """The exact id with its matrix label, or a list of ids that the entry covers; `*` matches any text."""
    statement: Where = ""
    """As reports write it; limits the entry to this statement and what follows from it."""
    at: Annotated[dict[Where, Texts], Field(min_length=1)] = ABSENT
    """Statements with their scenarios, if one reason shows at several places."""
    name: str = Field(default="", min_length=1)
    """The tensor, if the entry covers only one."""
    facets: Texts = Field(default_factory=list)
    """The facets, if the entry covers only some. A crash is covered only by `raised`."""
    was: Texts = Field(default_factory=list)
    """What torch shows, as reports write it, or a list of such texts; `*` matches any text."""
    now: Texts = Field(default_factory=list)
    """What the engine, or this release of torch, shows instead."""

    @model_validator(mode="after")
    def _says_where(self) -> Self:
        if self.at is None and self.scenario is None:
            raise PydanticCustomError("said", "the key `scenario` is missing; an id, or a list of them")
        if self.at is not None and (self.scenario is not None or self.statement):
            raise PydanticCustomError(
                "said", "`at` already names scenarios and statements: remove `scenario` and `statement`"
            )
        return self


class _EntryModel(_PlaceModel):
    """Where an engine differs."""

    kind: Literal["bug", "missing_feature", "by_design"]
    """What the difference is to the engine's authors."""


class DivergenceFileModel(StrictModel):
    """The content of an engine's divergence file."""

    engine: NonEmpty
    """The engine's name."""
    divergences: list[_EntryModel] = Field(min_length=1)
    """The known differences, an entry for each cause."""


class _ChangeModel(_PlaceModel):
    """Where a release of torch differs."""

    @model_validator(mode="after")
    def _is_limited(self) -> Self:
        everywhere = self.scenario is not None and "*" in self.scenario
        if everywhere and not (self.was and self.now):
            raise PydanticCustomError(
                "said", "an entry for every scenario is limited by texts: add `was` and `now`"
            )
        return self


class ReleaseFileModel(StrictModel):
    """The content of the file of a release."""

    release: Annotated[str, Field(pattern=r"^\d+\.\d+$")]
    """The release as in the file's name, in quotes."""
    changes: list[_ChangeModel] = Field(min_length=1)
    """What it does differently from its neighbour, an entry for each cause."""


@dataclass(frozen=True, slots=True)
class DeclaredDivergences:
    """The entries of a file as keywords of ``adapters.divergences.Divergence``, and its problems."""

    of: str = ""  # the engine, or the release
    entries: tuple[dict[str, Any], ...] = ()
    problems: tuple[Problem, ...] = ()


def load_divergences(path: Path) -> DeclaredDivergences:
    """The entries of a file; invalid content is reported and left out, never raised."""
    return _declared(MappingFile(str(path), DivergenceFileModel), str(path), "engine", "divergences")


def load_release(path: Path) -> DeclaredDivergences:
    """The same for the file of a release of torch, whose name is its release."""
    content = MappingFile(str(path), ReleaseFileModel)
    release = content.data.get("release", path.stem)
    if release != path.stem and not content.problems:
        hint = f"write `release: {path.stem}` in quotes, or rename the file"
        content.report(content.place("release"), f"the file is named {path.name}, not {release}.yaml", hint)
    return _declared(content, str(path), "release", "changes")


def load_divergences_text(text: str, file: str) -> DeclaredDivergences:
    """The entries of YAML text; ``file`` is its name in positions."""
    return _declared(MappingFile(file, DivergenceFileModel, text), file, "engine", "divergences")


def _declared(content: MappingFile, file: str, of: str, listed: str) -> DeclaredDivergences:
    entries = []
    for index, entry in content.entries(listed):
        said = {key: entry[key] for key in ("reason", "name") if key in entry}
        said["kind"] = entry.get("kind", "release")
        said |= {key: tuple(as_list(entry.get(key, ()))) for key in ("facets", "was", "now")}
        for statement, scenario, path in _places(entry):
            position = str(Position(file, *content.place(listed, index, *path)))
            entries.append({**said, "scenario": scenario, "statement": statement, "position": position})
    return DeclaredDivergences(str(content.data.get(of, "")), tuple(entries), tuple(content.problems))


def _places(entry: dict[str, Any]) -> Iterator[tuple[str, str, tuple[int | str, ...]]]:
    """Statement and scenario of each divergence, and its path within the entry."""
    if isinstance(entry.get("scenario"), str):
        yield entry.get("statement", ""), entry["scenario"], ()
        return
    for number, scenario in enumerate(entry.get("scenario", ())):
        yield entry.get("statement", ""), scenario, ("scenario", number)
    for statement, scenarios in entry.get("at", {}).items():
        for number, scenario in enumerate(as_list(scenarios)):
            yield statement, scenario, ("at", statement, number)
