"""Compare two recordings of torch or of another engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from conformance.language.scenario import Scenario
from conformance.report.text import label, listed, shorten_both, table
from conformance.runner.compare import Difference, differences
from conformance.runner.serialize import fingerprint
from conformance.runner.trace import Trace


class RecordingLike(Protocol):
    """The attributes of a recording that are used; the class is in `conformance.adapters.recording`."""

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def lines(self) -> dict[str, tuple[str, str]]: ...
    @property
    def path(self) -> str: ...
    @property
    def incomplete(self) -> str: ...
    def recorded(self, scenario: Scenario, /) -> Trace: ...


@dataclass(frozen=True, slots=True)
class Changes:
    """The differences between two recordings."""

    old: str
    new: str
    compared: int
    changed: tuple[tuple[Scenario, tuple[Difference, ...]], ...]
    only_old: tuple[str, ...]
    only_new: tuple[str, ...]
    not_compared: tuple[str, ...]  # in both, but with different or changed programs
    incomplete: tuple[str, ...] = ()  # the recordings that do not have all traces, and why

    @property
    def any(self) -> bool:
        """Whether the recordings differ, or cannot be compared completely."""
        return bool(self.changed or self.only_old or self.only_new or self.not_compared or self.incomplete)


def changes(old: RecordingLike, new: RecordingLike, scenarios: Sequence[Scenario]) -> Changes:
    """Compare the common scenarios; ``scenarios`` are the current ones."""
    programs = {scenario.id: (scenario, fingerprint(scenario)) for scenario in scenarios}
    changed: list[tuple[Scenario, tuple[Difference, ...]]] = []
    skipped: list[str] = []
    both = [key for key in old.lines if key in new.lines]
    for key in both:
        scenario, now = programs.get(key, (None, ""))
        if scenario is None or not old.lines[key][0] == new.lines[key][0] == now:
            skipped.append(key)
            continue
        before, after = (each.recorded(scenario) for each in (old, new))
        if found := differences(scenario, before, after):
            changed.append((scenario, found))
    return Changes(
        label(old.name, old.version),
        label(new.name, new.version),
        len(both) - len(skipped),
        tuple(changed),
        tuple(key for key in old.lines if key not in new.lines),
        tuple(key for key in new.lines if key not in old.lines),
        tuple(skipped),
        tuple(f"{each.path} is incomplete: {each.incomplete}" for each in (old, new) if each.incomplete),
    )


def as_text(found: Changes) -> Iterator[str]:
    """The report: a summary, then each first difference once, with all scenarios that have it."""
    compared = (
        f"{found.compared} scenarios, no differences" if found.compared else "no scenario to be compared"
    )
    if found.changed:
        compared = f"{len(found.changed)} of {found.compared} scenarios differ"
    yield from found.incomplete
    yield f"{found.old} -> {found.new}: {compared}"
    yield from _listed("only in the old recording", found.only_old)
    yield from _listed("only in the new recording", found.only_new)
    yield from _listed(
        "not compared: their programs have changed, or are not in the --in paths", found.not_compared
    )
    same: dict[tuple[tuple[str, ...], ...], list[tuple[Scenario, tuple[Difference, ...]]]] = {}
    for scenario, differing in found.changed:
        same.setdefault(_said(differing), []).append((scenario, differing))
    for (scenario, differing), *others in sorted(same.values(), key=len, reverse=True):
        place = differing[0].statement
        here = _first(differing)
        text = scenario.steps[place.step].run.splitlines()[place.line - 1].strip()
        yield ""
        yield f"{scenario.id}: {scenario.title}"
        yield f"  after {place}: {text}"
        rows = [(each.name, each.facet, *shorten_both(each.reference, each.engine)) for each in here]
        yield from (f"  {row}" for row in table([("name", "facet", found.old, found.new), *rows]))
        if len(differing) > len(here):
            yield f"    and {len(differing) - len(here)} more in later statements"
        yield from _listed("more are alike", [other.id for other, _ in others])


def _first(differing: Sequence[Difference]) -> list[Difference]:
    """The differences of the first differing statement."""
    return [each for each in differing if each.statement == differing[0].statement]


def _said(differing: Sequence[Difference]) -> tuple[tuple[str, ...], ...]:
    """The first differences without their names."""
    return tuple((each.facet, each.reference, each.engine) for each in _first(differing))


def _listed(what: str, names: Sequence[str]) -> Iterator[str]:
    if names:
        yield f"  {len(names)} {what}: {listed(names)}"
