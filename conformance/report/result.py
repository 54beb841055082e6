"""What a run leaves behind of one scenario on one engine: plain data, between processes and in files."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, TypeAlias

Verdict: TypeAlias = Literal[
    "agrees",  # the engine does as torch does
    "differs",
    "known divergence",  # it differs where its divergence file says so, and nowhere else
    "stale",  # its divergence file says that it differs, and it does not
    "unsupported",  # the engine lacks a name that the program uses
    "unsound",  # the scenario is wrong about torch, so nothing is said about the engine
    "invalid",  # the scenario cannot be read
    "unrecorded",  # the recording of the reference, or of the engine, does not have it as it is now
    "skipped",  # what it needs is not on this machine
]


@dataclass(frozen=True, slots=True)
class ReportedDifference:
    """One facet in which the engine is not as torch."""

    statement: str  # "step 2, line 1"
    line: int  # in the file
    name: str
    facet: str
    group: str
    reference: str
    engine: str


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of a scenario on an engine, with what a report says of the scenario itself."""

    scenario: str
    title: str
    area: str
    file: str
    line: int
    reference: str  # with its version
    engine: str
    version: str
    verdict: Verdict
    reason: str = ""  # in one line; empty where the engine agrees
    claims: tuple[str, ...] = ()
    claim_holds: bool | None = None  # what the document says holds on torch; None: that was not observed
    missing: tuple[str, ...] = ()
    differences: tuple[ReportedDifference, ...] = ()
    groups: dict[str, int] = field(default_factory=dict)  # those that the engine claims: differences in each
    unclaimed: dict[str, int] = field(default_factory=dict)  # the others: they fail nothing
    fingerprint: str = ""  # of the program, where it ran

    def differs_in(self, group: str) -> bool:
        """Whether it differs there; where the engine raises and torch does not, nothing else was compared."""
        from conformance.runner.compare import NOTHING  # whoever only collects results does without

        crashed = any(each.facet == "raised" and each.reference == NOTHING for each in self.differences)
        return crashed or bool(self.groups.get(group))

    def to_plain(self) -> dict[str, Any]:
        """As dictionaries, lists and scalars alone."""
        plain = {name: getattr(self, name) for name in _KEYS}  # asdict would copy each in depth
        return {**plain, "differences": tuple(map(asdict, self.differences))}

    @classmethod
    def from_plain(cls, data: dict[str, Any]) -> Result:
        """The result that `to_plain` wrote, also after a way through JSON."""
        return cls(
            **{
                **data,
                "claims": tuple(data["claims"]),
                "missing": tuple(data["missing"]),
                "differences": tuple(ReportedDifference(**difference) for difference in data["differences"]),
            }
        )


_KEYS = tuple(each.name for each in fields(Result))
