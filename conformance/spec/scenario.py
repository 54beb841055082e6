"""What a scenario is once it has been read, checked and expanded: plain frozen data.

Standard library only: this is what travels to an engine in another interpreter.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"


Need: TypeAlias = Literal["cuda", "cpu_build"]
"""What of the machine a scenario may need: a device, or a torch that was built for none but the CPU."""
NEEDS: tuple[str, ...] = get_args(Need)


class Unset:
    """The one value that says that a key was not written (``null`` is a value of its own)."""

    def __repr__(self) -> str:
        return "UNSET"

    def __reduce__(self) -> str:
        return "UNSET"  # the one, also where it is unpickled


UNSET = Unset()


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a file; line and column count from 1."""

    file: str
    line: int
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Expectations:
    """What is expected of one step's last statement and of the state after it.

    ``raises`` is a type name, None for "raises nothing" where that was written, or UNSET.
    """

    expect: tuple[tuple[str, Plain], ...] = ()
    raises: str | Unset | None = UNSET
    message: str | Unset = UNSET
    warns: tuple[str, ...] | Unset = UNSET


@dataclass(frozen=True, slots=True)
class Step:
    """One piece of program with what is expected after it."""

    run: str
    position: Position  # of the first line of the program text in the file
    own: Expectations = field(default_factory=Expectations)
    claimed: Expectations | None = None


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far floating-point values may differ; ``exact`` has rtol = atol = 0."""

    rtol: float
    atol: float
    reason: str


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
