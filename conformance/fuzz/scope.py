"""A program, and the generator's state: its live tensors with shape and dtype."""

from __future__ import annotations

from dataclasses import dataclass, field

from conformance.fuzz.functions import FUNCTIONS

Shape = tuple[int, ...]


@dataclass(frozen=True)
class LiveTensor:
    """A live tensor, as far as the generator follows it."""

    name: str
    shape: Shape
    dtype: str
    flows: bool = False  # whether a pass may begin or end there
    leaf: bool = False

    @property
    def complex(self) -> bool:
        """Whether its numbers are complex."""
        return self.dtype.startswith("complex")


@dataclass(frozen=True)
class Program:
    """Statements in order."""

    statements: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(self.statements)


@dataclass
class Scope:
    """What has been generated so far; the only mutable state."""

    names: list[LiveTensor] = field(default_factory=list)
    inferred: list[LiveTensor] = field(default_factory=list)  # made in inference mode
    statements: list[str] = field(default_factory=list)
    count: int = 0

    def fresh(self) -> str:
        """A name not used yet: a, b, ... z, then a1, ..."""
        number = self.count
        self.count += 1
        letter = "abcdefghijklmnopqrstuvwxyz"[number % 26]
        return letter if number < 26 else f"{letter}{number // 26}"

    def add(self, text: str, name: LiveTensor | None = None) -> None:
        """A statement, and the name that it binds."""
        self.statements.append(text)
        if name is not None:
            self.names.append(name)


def prelude(program: Program) -> str:
    """The definitions that a program needs: its Functions and the list ``seen``."""
    text = str(program)
    parts = ["seen = []"] if "seen" in text else []
    parts += [source for name, source in FUNCTIONS.items() if f"{name}.apply" in text]
    return "\n".join(parts)


def broadcasts(a: Shape, b: Shape) -> Shape | None:
    """The shape to which two broadcast; None where they do not."""
    length = max(len(a), len(b))
    padded = [(1,) * (length - len(each)) + each for each in (a, b)]
    if any(m != n and 1 not in (m, n) for m, n in zip(*padded, strict=True)):
        return None
    return tuple(n if m == 1 else m for m, n in zip(*padded, strict=True))
