"""A scenario after reading, checking and expanding: plain frozen data.

Standard library only, since scenarios are sent to engines in other interpreters.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"


Need: TypeAlias = Literal["second_device", "cpu_build", "bfloat16_lstm"]
"""What a scenario may need of the machine: a device, or a build or a processor for which torch behaves differently."""
NEEDS: tuple[str, ...] = get_args(Need)

Tier: TypeAlias = Literal["core", "standard", "full"]
"""How much of the suite a scenario belongs to; a run of a tier includes the tiers before it."""
TIERS: tuple[Tier, ...] = get_args(Tier)
DEFAULT_TIER: Tier = "standard"  # of a scenario, and of a run


class Unset:
    """The value of a key that is not written (``null`` is a written value)."""

    def __repr__(self) -> str:
        return "UNSET"

    def __reduce__(self) -> str:
        return "UNSET"  # unpickles as the same object


UNSET = Unset()


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a file; line and column count from 1."""

    file: str
    line: int
    column: int = 1

    def __str__(self) -> str:
        file = self.file.replace("\n", "\\n").replace("\r", "\\r")  # a name may have lines
        return f"{file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Expectations:
    """What is expected of one step's last statement and of the state after it.

    ``raises`` is a type name, None if ``raises: null`` is written, or UNSET. ``places`` are the positions of the keys
    of ``expect`` in the file, ``prints_at`` that of ``prints``.
    """

    expect: tuple[tuple[str, Plain], ...] = ()
    raises: str | Unset | None = UNSET
    message: str | Unset = UNSET
    warns: tuple[str, ...] | Unset = UNSET
    prints: str | Unset = UNSET
    places: tuple[Position, ...] = field(default=(), compare=False)
    prints_at: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Step:
    """A program with what is expected after it."""

    run: str
    position: Position  # of the first line of the program text in the file
    own: Expectations = field(default_factory=Expectations)
    claimed: Expectations | None = None

    @property
    def expressions(self) -> tuple[str, ...]:
        """The expressions evaluated after the step: its own expectations and those of the document."""
        claimed = self.claimed.expect if self.claimed else ()
        return tuple(dict.fromkeys(expression for expression, _ in (*self.own.expect, *claimed)))


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far floating-point values may differ; ``exact`` has rtol = atol = 0."""

    rtol: float
    atol: float
    reason: str
    by_dtype: tuple[tuple[str, tuple[float, float]], ...] = ()  # an engine's; then the others are not used


def base_id(id: str) -> str:
    """The id of a scenario as its file has it, without the label of a matrix case."""
    return id.partition("[")[0]


@dataclass(frozen=True, slots=True)
class Scenario:
    """One case to run: a matrix has been expanded, ``id`` carries its label (``id[sin-float32]``)."""

    id: str
    title: str
    topic: str
    area: str  # the folders below specs, or the file's stem elsewhere
    position: Position
    steps: tuple[Step, ...]
    claims: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    tolerance: Tolerance | None = None  # None: equal, or within the dtype's default tolerance
    observe: Literal["each", "end"] = "each"
    tier: Tier = DEFAULT_TIER

    @property
    def texts(self) -> tuple[str, ...]:
        """All that it runs: its programs and the expressions of its expectations."""
        return tuple(text for step in self.steps for text in (step.run, *step.expressions))
