"""Missing names by the scenarios that they unlock: a scenario needs all of its names, not only the one it met first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping

from conformance.language.usage import Usage
from conformance.report.result import Result

SHOWN = 12


def ranking(needs: Iterable[Collection[str]], most: int = SHOWN) -> Iterator[tuple[str, int]]:
    """The names in the order in which to provide them, each with the number of scenarios that it then unlocks.

    The next name is the one that most scenarios lack alone; if none does, the one with the largest share in what
    scenarios lack.
    """
    left = [set(names) for names in needs if names]
    for _ in range(most):
        if not left:
            return
        alone = Counter(next(iter(names)) for names in left if len(names) == 1)
        shares: Counter[str] = Counter()
        for names in left if not alone else ():
            for name in names:
                shares[name] += 1_000_000 // len(names)
        name = (alone or shares).most_common(1)[0][0]
        yield name, alone[name]
        for names in left:
            names.discard(name)
        left = [names for names in left if names]


def needs_of(results: Iterable[Result], uses: Mapping[str, Usage]) -> list[set[str]]:
    """The missing names of each unsupported scenario, of all that some scenario met; ``uses`` is by scenario."""
    unsupported = [result for result in results if result.missing]
    known = {name for result in unsupported for name in result.missing}
    found = []
    for result in unsupported:
        use = uses.get(result.scenario)
        names = {*use.paths, *(f"Tensor.{name}" for name in use.attributes)} if use else set()
        found.append((names & known) | {*result.missing})
    return found
