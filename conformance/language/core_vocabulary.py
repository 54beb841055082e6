"""The vocabulary of tier core: the names that its programs may use, and the names that a scenario needs."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path
from typing import Annotated

from pydantic import Field

from conformance.language import vocabulary
from conformance.language.load_result import Problem
from conformance.language.mapping_file import MappingFile
from conformance.language.model import StrictModel
from conformance.language.program_parts import parse
from conformance.language.scenario import Scenario
from conformance.language.usage import names_used, parts_of

FOLDER = "autograd"
"""The folder of the specs whose folders are the subjects of tier core."""
MOST_NAMES = 12  # of one subject

_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder",
    ast.USub: "neg",
    ast.BitAnd: "bitwise_and",
    ast.BitOr: "bitwise_or",
    ast.BitXor: "bitwise_xor",
    ast.Invert: "bitwise_not",
    ast.LShift: "bitwise_left_shift",
    ast.RShift: "bitwise_right_shift",
}
_Names = list[Annotated[str, Field(min_length=1)]]


class _FileModel(StrictModel):
    """The content of the file."""

    everywhere: dict[str, _Names] = Field(min_length=1)
    subjects: dict[str, _Names] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class CoreVocabulary:
    """The names allowed everywhere and those of each subject, with the problems of the file."""

    everywhere: dict[str, tuple[str, ...]] = field(default_factory=dict)  # what they are for -> names
    subjects: dict[str, tuple[str, ...]] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()

    def beyond(self, scenario: Scenario) -> tuple[str, ...]:
        """The names that a scenario needs and that tier core does not have for its subject."""
        folder, _, subject = scenario.area.partition("/")
        own = self.subjects.get(subject, ()) if folder == FOLDER else ()
        everywhere = chain.from_iterable(self.everywhere.values())
        return tuple(sorted(_not_in((*everywhere, *own), needed(scenario))))


def load_core_vocabulary(path: Path) -> CoreVocabulary:
    """The vocabulary in a file; invalid content is reported, never raised."""
    content = MappingFile(str(path), _FileModel)
    subjects = {subject: tuple(names) for subject, names in content.entries("subjects")}
    for subject, names in subjects.items():
        if len(names) > MOST_NAMES:
            place = content.place("subjects", subject)
            content.report(
                place, f"`{subject}` has {len(names)} names, {MOST_NAMES} are allowed", "leave some out"
            )
    everywhere = {purpose: tuple(names) for purpose, names in content.entries("everywhere")}
    return CoreVocabulary(everywhere, subjects, tuple(content.problems))


def needed(scenario: Scenario) -> frozenset[str]:
    """The last part of each name of torch that a scenario uses, its attributes, and the names of its operators."""
    used = names_used(scenario)
    names = {path.rpartition(".")[2] for path in used.paths if vocabulary.PATHS[path] != "module"}
    return frozenset({*names, *used.attributes, *_operators(scenario)})


def _operators(scenario: Scenario) -> Iterator[str]:
    for part in parts_of(scenario):
        for node in parse(part).nodes:
            if isinstance(node, ast.Subscript):
                yield "getitem" if isinstance(node.ctx, ast.Load) else "setitem"
            elif isinstance(node, ast.BinOp | ast.AugAssign | ast.UnaryOp) and type(node.op) in _OPERATORS:
                yield _OPERATORS[type(node.op)]


def _not_in(allowed: Iterable[str], names: Iterable[str]) -> Iterator[str]:
    """The names that are not allowed; ``_saved_*`` allows every name that begins so."""
    exact = {name for name in allowed if "*" not in name}
    patterns = [name for name in allowed if "*" in name]
    for name in names:
        if name not in exact and not any(fnmatchcase(name, pattern) for pattern in patterns):
            yield name
