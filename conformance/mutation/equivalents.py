"""Recorded faults that no program can see, with the reasons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from conformance.language.load_result import Problem
from conformance.language.mapping_file import MappingFile
from conformance.language.model import NonEmpty, StrictModel
from conformance.language.scenario import Position
from conformance.mutation.changes import SourceChange

RECORDS = Path(__file__).with_name("equivalent.yaml")
"""Those of the in-house engine."""


class _RecordModel(StrictModel):
    """One expression, and what it may become without anybody noticing."""

    file: NonEmpty
    """As the command names it."""
    within: str = ""
    """The qualified name of the function, if only one there is meant."""
    line: str = ""
    """The line of the file in which it begins, if only there it is meant."""
    was: NonEmpty
    """The expression or statement, as it stands in the file."""
    becomes: list[str] = Field(default_factory=list)
    """What replaces it; nothing written: whatever it is."""
    reason: NonEmpty
    """Why nothing that a program can see depends on it."""


class EquivalentsModel(StrictModel):
    """The content of a file of records."""

    equivalent: list[_RecordModel]
    """The records, by file."""


@dataclass(frozen=True, slots=True)
class Record:
    """See the model's keys."""

    file: str
    within: str
    line: str
    was: str
    becomes: frozenset[str]
    reason: str
    position: Position

    def covers(self, change: SourceChange) -> bool:
        """Whether a change is one of these."""
        return (
            change.file == self.file
            and self.within in ("", change.within)
            and self.line in ("", change.line)
            and _flat(change.was) == self.was
            and (not self.becomes or _flat(change.becomes) in self.becomes)
        )


def _flat(text: str) -> str:
    return " ".join(text.split())


def load(path: Path) -> tuple[list[Record], list[Problem]]:
    """The records of a file, and its problems."""
    content = MappingFile(str(path), EquivalentsModel)
    records = [
        Record(
            each["file"],
            each.get("within", ""),
            each.get("line", ""),
            _flat(each["was"]),
            frozenset(map(_flat, each.get("becomes", ()))),
            each["reason"],
            Position(str(path), *content.place("equivalent", index)),
        )
        for index, each in content.entries("equivalent")
    ]
    return records, content.problems


def stale(records: Sequence[Record], changes: Sequence[SourceChange]) -> Iterator[Problem]:
    """The records that cover none of the changes, which are all those of the records' files."""
    for record in records:
        if not any(map(record.covers, changes)):
            yield Problem(
                record.position,
                f"no change of {record.file} has `{record.was}` replaced like that",
                "the file has changed: correct the record or remove it",
            )
