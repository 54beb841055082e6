"""The names of the vocabulary that a scenario uses."""

from __future__ import annotations

import ast
from typing import NamedTuple

from conformance.language import vocabulary, words
from conformance.language.bindings import dotted_name
from conformance.language.program_parts import ProgramPiece, parse
from conformance.language.scenario import Scenario


class Usage(NamedTuple):
    """The dotted names (see ``vocabulary.PATHS``) and the attribute names that a scenario uses."""

    paths: frozenset[str]
    attributes: frozenset[str]

    def covers(self, name: vocabulary.VocabularyName) -> bool:
        """Whether a name of the vocabulary is used; attributes are matched by name, whatever their owner."""
        return name.name in self.attributes if name.kind == "attribute" else name.path in self.paths


def names_used(scenario: Scenario) -> Usage:
    """The names in a scenario's programs and in what is expected of them."""
    paths: set[str] = set()
    attributes: set[str] = set()
    bound = dict(words.BOUND)
    for piece in parts_of(scenario):
        parsed = parse(piece)
        bound |= parsed.bindings.paths
        for node in parsed.nodes:
            if isinstance(node, ast.Attribute | ast.Name):
                found = dotted_name(node, bound)
                if found in vocabulary.PATHS:
                    paths.add(found)
                elif isinstance(node, ast.Attribute):
                    attributes.add(node.attr)
        paths |= set(parsed.bindings.paths.values())
    return Usage(frozenset(paths), frozenset(attributes))


def parts_of(scenario: Scenario) -> list[ProgramPiece]:
    """A scenario's programs, and the expressions that are evaluated after them."""
    pieces = []
    for step in scenario.steps:
        pieces.append(ProgramPiece(step.run))
        for outcome in (step.own, step.claimed):
            pieces += [
                ProgramPiece(key, is_expression=True) for key, _ in (outcome.expect if outcome else ())
            ]
    return pieces
