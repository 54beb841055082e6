"""Style remarks on valid scenarios: what makes a collection of them hard to read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from conformance.language.claims import Claim, Claims
from conformance.language.load_result import Problem
from conformance.language.scenario import Scenario, base_id

_STYLE = (
    (re.compile(r"\bshould\b", re.IGNORECASE), "a title says what torch does: `adds to`, not `should add`"),
    (
        re.compile(r"\btests? (that|if|whether|for)\b", re.IGNORECASE),
        "a title says what torch does, not that it is tested",
    ),
)


def remarks(scenarios: Iterable[Scenario]) -> Iterator[Problem]:
    """Titles that should be plainer; one remark for all cases of a matrix."""
    seen = set()
    for scenario in scenarios:
        if scenario.position not in seen:
            seen.add(scenario.position)
            for pattern, hint in _STYLE:
                found = pattern.search(scenario.title)
                if found:
                    name = base_id(scenario.id)
                    yield Problem(scenario.position, f"the title has `{found[0]}`", hint, name)


def uncovered(claims: Claims, scenarios: Iterable[Scenario]) -> tuple[Claim, ...]:
    """The claims that no scenario names."""
    covered = {claim for scenario in scenarios for claim in scenario.claims}
    return tuple(claim for claim in claims.claims if claim.id not in covered)
