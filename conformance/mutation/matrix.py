"""The results of the faults, as text and as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from conformance.language.scenario import base_id
from conformance.mutation.campaign import MutantVerdict

SHOWN = 4  # scenarios named in a row


def footer(verdicts: Sequence[MutantVerdict]) -> str:
    """The score."""
    return f"KILLED {sum(bool(each.kills) for each in verdicts)} of {len(verdicts)}"


def matrix(
    verdicts: Sequence[MutantVerdict], unusable: Sequence[str], ran: Sequence[str] = ()
) -> Iterator[str]:
    """A row for each fault with the scenarios that caught it. The last line is the score.

    ``ran``: the scenarios, if all of them ran against every fault.
    """
    area = ""
    for verdict in verdicts:
        mutant = verdict.mutant
        if mutant.area != area:
            if area:
                yield ""
            area = mutant.area
            yield area
        yield f"  {mutant.name}: {mutant.sentence}"
        yield f"      {_seen(verdict)}"
    yield ""
    if unusable:
        yield f"Without a fault the engine differs in {len(unusable)} scenarios, which had no say:"
        yield from (f"  {each}" for each in unusable)
        yield ""
    survivors = [verdict for verdict in verdicts if not verdict.kills and not verdict.misfit]
    if survivors:
        yield "Survivors:"
        for verdict in survivors:
            mutant = verdict.mutant
            yield f"  {mutant.id}: {mutant.sentence}"
            yield f"      {mutant.target}: {mutant.new!r} for {mutant.old!r}; {verdict.reached} scenarios run it"
        yield ""
    if ran:
        spare = dispensable(verdicts, ran)
        yield f"Scenarios that kill nothing that another does not ({len(spare)}):"
        yield from (f"  {each}" for each in spare)
        yield ""
    yield footer(verdicts)


def _seen(verdict: MutantVerdict) -> str:
    if not verdict.kills:
        return f"DOES NOT FIT: {verdict.misfit}" if verdict.misfit else "SURVIVED"
    names = list(killers(verdict))
    if len(names) == 1:
        return f"killed by {names[0] or 'the end of its process'}: {_first_line(verdict.kills[0].difference)}"
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"killed by {', '.join(names[:SHOWN])}{more}"


def _first_line(text: str) -> str:
    line = text.partition("\n")[0]
    return line if len(line) <= 160 else f"{line[:159]}…"


def killers(verdict: MutantVerdict) -> dict[str, str]:
    """The scenarios that caught a fault, without case labels, with the first difference of each."""
    found: dict[str, str] = {}
    for kill in verdict.kills:
        found.setdefault(base_id(kill.check), kill.difference)
    return found


def dispensable(verdicts: Sequence[MutantVerdict], ran: Sequence[str]) -> list[str]:
    """The scenarios that kill no fault that the others do not kill."""
    alone = {names.pop() for names in map(set, map(killers, verdicts)) if len(names) == 1}
    return [name for name in dict.fromkeys(base_id(each) for each in ran) if name not in alone]


def as_json(
    verdicts: Sequence[MutantVerdict], unusable: Sequence[str], ran: Sequence[str] = ()
) -> dict[str, Any]:
    """All results as data."""
    return {
        "mutants": [
            {
                "name": verdict.mutant.name,
                "area": verdict.mutant.area,
                "sentence": verdict.mutant.sentence,
                "target": verdict.mutant.target,
                "killed": bool(verdict.kills),
                "killed_by": [
                    {"scenario": kill.check, "difference": kill.difference} for kill in verdict.kills
                ],
                "reached_by": verdict.reached,
                "ran": verdict.ran,
            }
            for verdict in verdicts
        ],
        "survivors": [verdict.mutant.id for verdict in verdicts if not verdict.kills and not verdict.misfit],
        "misfits": [verdict.misfit for verdict in verdicts if verdict.misfit],
        "unusable": list(unusable),
        "dispensable": dispensable(verdicts, ran) if ran else None,
        "killed": sum(bool(verdict.kills) for verdict in verdicts),
        "of": len(verdicts),
    }
