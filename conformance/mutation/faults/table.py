"""How faults are written down: a row each."""

from __future__ import annotations

from conformance.mutation.mutant import Mutant


def area(name: str, *rows: tuple[str, str, str, str, str]) -> tuple[Mutant, ...]:
    """The faults of an area: name, sentence, target, old and new of each."""
    return tuple(Mutant(fault, name, *rest) for fault, *rest in rows)
