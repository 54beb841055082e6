"""What a file was found to hold: its scenarios, and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.language.scenario import Position, Scenario


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake: where it is, what is wrong, what to do about it. Seen by reading, or on torch by running."""

    position: Position
    message: str
    hint: str = ""
    scenario: str | None = None  # the id of the scenario it makes invalid, where one can be told

    @property
    def text(self) -> str:
        """What is wrong and what to do about it, without the place."""
        return f"{self.message}; {self.hint}" if self.hint else self.message

    def __str__(self) -> str:
        return f"{self.position}: {self.text}"


@dataclass(frozen=True, slots=True)
class LoadResult:
    """What a file holds: every case of its sound scenarios, and what is wrong with the others."""

    scenarios: tuple[Scenario, ...]
    problems: tuple[Problem, ...]
