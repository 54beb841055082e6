"""The result of one scenario on one engine: plain data for other processes and files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, TypeAlias, get_args

from conformance.language.scenario import DEFAULT_TIER

Verdict: TypeAlias = Literal[
    "agrees",
    "differs",
    "known divergence",
    "stale",
    "changed",
    "unsupported",
    "unsound",
    "invalid",
    "unrecorded",
    "not observed",
    "skipped",
]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

MEANINGS: dict[Verdict, str] = {
    "agrees": "the engine does as torch in all that it claims",
    "differs": "the engine does something else in a facet that it claims",
    "known divergence": "it differs, and only as its divergence file declares",
    "stale": "its divergence file declares a difference that does not exist",
    "changed": "the reference, another release of torch, does something that no file explains",
    "unsupported": "the engine lacks a name that the program uses",
    "unsound": "the scenario is wrong about torch, so no engine is judged by it",
    "invalid": "the scenario cannot be read",
    "unrecorded": "a recording lacks it, or has it of another program",
    "not observed": "it says nothing about the engine: nothing that this claims is there to compare",
    "skipped": "this machine does not meet its needs",
}
"""What each verdict means, for readers."""


def legend(results: Iterable[Result]) -> Iterator[str]:
    """What the verdicts of these results mean."""
    there = {result.verdict for result in results}
    yield from (f"  {verdict}: {text}" for verdict, text in MEANINGS.items() if verdict in there)


@dataclass(frozen=True, slots=True)
class ReportedDifference:
    """One facet in which the engine differs from torch."""

    statement: str  # "step 2, line 1"
    line: int  # in the file
    name: str
    facet: str
    group: str
    reference: str
    engine: str


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of a scenario on an engine, with the scenario's own data for reports."""

    scenario: str
    title: str
    area: str
    file: str
    line: int
    reference: str  # with its version
    engine: str
    version: str
    verdict: Verdict
    reason: str = ""  # in one line; empty if the engine agrees
    claims: tuple[str, ...] = ()
    claim_holds: bool | None = None  # whether the claim holds on torch; None: not observed
    claim_fault: str = ""  # where the document's values and torch's differ first, with the place
    missing: tuple[str, ...] = ()
    differences: tuple[ReportedDifference, ...] = ()
    groups: dict[str, int] = field(default_factory=dict)  # differences in each claimed group
    unclaimed: dict[str, int] = field(default_factory=dict)  # those in the other groups, which do not count
    fingerprint: str = ""  # of the program, if it ran
    tier: str = DEFAULT_TIER  # empty if the scenario cannot be read
    counts: dict[str, int] = field(default_factory=dict)  # see Note [Observed elsewhere]
    draws: bool = False  # whether torch draws random numbers in it
    cause: str = ""  # what describes its first difference: see Note [Causes]
    operations: tuple[str, ...] = ()  # of that statement
    code: str = ""  # the statement
    length: int = 0  # of the program
    since: str = ""  # the last release of torch that files explain, if the reference does what none explains
    changed: tuple[str, ...] = ()  # why the reference, another release, differs from that of the specs

    def differs_in(self, group: str) -> bool:
        """Whether it differs in a group, or only the engine raised, so that the rest was not compared."""
        from conformance.runner.compare import NOTHING  # not needed for collecting results

        crashed = any(each.facet == "raised" and each.reference == NOTHING for each in self.differences)
        return crashed or bool(self.groups.get(group))

    def to_plain(self) -> dict[str, Any]:
        """The result as dictionaries, lists and scalars."""
        plain = {name: getattr(self, name) for name in _KEYS}  # asdict would make deep copies
        return {**plain, "differences": tuple(map(asdict, self.differences))}

    @classmethod
    def from_plain(cls, data: dict[str, Any]) -> Result:
        """The result that `to_plain` wrote, also after JSON."""
        return cls(
            **{
                **data,
                "claims": _texts(data["claims"]),
                "missing": _texts(data["missing"]),
                "operations": _texts(data.get("operations", ())),
                "changed": _texts(data.get("changed", ())),
                "differences": tuple(ReportedDifference(**difference) for difference in data["differences"]),
            }
        )


def _texts(given: Any) -> Any:
    """A tuple; a text, which is one of characters, stays and fits no field."""
    return given if isinstance(given, str) else tuple(given)


_KEYS = tuple(each.name for each in fields(Result))
