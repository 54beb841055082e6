"""The table format of faults: one row each."""

from __future__ import annotations

from conformance.mutation.mutant import Mutant


def area(name: str, *rows: tuple[str, str, str, str, str]) -> tuple[Mutant, ...]:
    """The faults of an area from rows of name, description, target, old and new."""
    return tuple(Mutant(fault, name, *rest) for fault, *rest in rows)
