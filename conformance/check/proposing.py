"""Entries of a divergence file that cover a cause everywhere, so that its author writes one reason for each cause."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from conformance.adapters.divergences import Divergence, cover
from conformance.report.proposal import Undeclared
from conformance.runner.compare import GROUP_OF, Difference

OFTEN = 5
"""Scenarios from which a cause gets an entry for all scenarios."""

_TEXTS = ("raised", "message", "warned")
_OF_NAMES = ("AttributeError:", "NameError:")
_WHOLE = ("dtypes", "flags", "graph")
"""The groups a facet of which may differ everywhere for one reason; a wrong value is a cause of its own."""


def by_cause(undeclared: Sequence[Undeclared], ran: int) -> list[Undeclared]:
    """The entries to propose: those for all scenarios first, then what they do not cover, scenario by scenario.

    A facet of dtypes, flags or graph that differs in one of twenty scenarios gets an entry for it, so that one that
    differs now and then hides nothing. An error of the engine gets one for its text.
    """
    wide: list[Undeclared] = []
    left = [*undeclared]
    for key in (_facet, _text):
        groups: dict[tuple[str, str], list[Undeclared]] = {}
        for each in left:
            for found in dict.fromkeys(map(key, each.differences)):
                if found is not None:
                    groups.setdefault(found, []).append(each)
        for (facet, now), alike in sorted(groups.items(), key=lambda pair: -len(pair[1])):
            if len(alike) >= max(OFTEN, 0 if now else ran // 20):
                first = next(d for d in alike[0].differences if key(d) == (facet, now))
                wide.append(Undeclared("*", (first,), file="*", now=now, alike=len(alike)))
        left = [each for each in (_uncovered(each, wide) for each in left) if each is not None]
    return [*wide, *left]


Key = Callable[[Difference], tuple[str, str] | None]


def _facet(difference: Difference) -> tuple[str, str] | None:
    return (difference.facet, "") if GROUP_OF.get(difference.facet) in _WHOLE else None


def _text(difference: Difference) -> tuple[str, str] | None:
    """The error of the engine, in which numbers match any text, and names unless the lack of one is the error."""
    if difference.facet not in _TEXTS or difference.engine == "nothing":
        return None
    line = difference.engine.partition("\n")[0]
    names = "" if line.startswith(_OF_NAMES) else "'[^']*'|"
    text = re.sub(rf"{names}\d[\d.,]*|0x[0-9a-f]+", "*", line)
    return difference.facet, f"{text}*" if "\n" in difference.engine else text


def _uncovered(each: Undeclared, wide: Sequence[Undeclared]) -> Undeclared | None:
    """What the entries for all scenarios leave; None for nothing."""
    entries = [
        Divergence("*", "bug", "", "", facets=one.facets, now=(one.now,) if one.now else ()) for one in wide
    ]
    left = cover(each.scenario, each.differences, entries).uncovered
    return replace(each, differences=left) if left else None
