"""The result of loading a file: its scenarios and its problems."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.language.scenario import Position, Scenario


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake: its place, what is wrong and what to do about it. Found by reading a file or by running it."""

    position: Position
    message: str
    hint: str = ""
    scenario: str | None = None  # the id of the scenario that it makes invalid, if known

    @property
    def text(self) -> str:
        """Message and hint, without the place."""
        return f"{self.message}; {self.hint}" if self.hint else self.message

    def __str__(self) -> str:
        return f"{self.position}: {self.text}"


@dataclass(frozen=True, slots=True)
class LoadResult:
    """Every case of a file's valid scenarios, and the problems of the others.

    ``left_out`` has the cases of scenarios that were not loaded because of their tier: the id of each, and its claims.
    """

    scenarios: tuple[Scenario, ...]
    problems: tuple[Problem, ...]
    left_out: tuple[tuple[str, tuple[str, ...]], ...] = ()
