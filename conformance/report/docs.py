"""Generate parts of the Markdown files from code and specs.

A part is enclosed in ``<!-- made: name -->`` and ``<!-- /made -->``; `conformance docs` updates it.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

from conformance.language import model, vocabulary
from conformance.language.claims import Claim, Claims, ClaimVerdict
from conformance.language.core_vocabulary import CoreVocabulary
from conformance.language.scenario import Expectations, Plain, Scenario, Unset
from conformance.runner.compare import GROUP_OF
from conformance.runner.engine import GROUPS

_MADE = re.compile(r"(<!-- made: ([\w-]+) -->\n)(.*?)(<!-- /made -->)", re.DOTALL)

Makers = Mapping[str, Callable[[], str]]


class UnknownPartError(LookupError):
    """A file names an unknown part."""


def filled(text: str, makers: Makers) -> str:
    """The text with its generated parts updated."""

    def fill(found: re.Match[str]) -> str:
        if found[2] not in makers:
            raise UnknownPartError(f"there is no part {found[2]}; the parts are {', '.join(makers)}")
        return f"{found[1]}{makers[found[2]]().rstrip()}\n{found[4]}"

    return _MADE.sub(fill, text)


def keys() -> str:
    """The keys of a scenario."""
    return model.table()


def facets() -> str:
    """The groups of facets that an engine may claim."""
    rows = [
        (group, ", ".join(f"`{facet}`" for facet, own in GROUP_OF.items() if own == group))
        for group in GROUPS
    ]
    return table(("group", "facets"), rows)


def words() -> str:
    """The vocabulary, area by area."""
    areas: dict[str, set[str]] = {}
    for entry in vocabulary.entries():
        areas.setdefault(entry.area, set()).add(entry.name)
    rows = [(area, " ".join(f"`{name}`" for name in sorted(names))) for area, names in areas.items()]
    rows.append(("Python", " ".join(f"`{name}`" for name in sorted(vocabulary.BUILTINS))))
    return table(("area", "names"), rows)


def core(vocabulary: CoreVocabulary) -> str:
    """The names of tier core: those of every program, and those of each subject."""
    rows = [(purpose, names) for purpose, names in vocabulary.everywhere.items()]
    rows += [(f"[`{subject}`](autograd/{subject})", names) for subject, names in vocabulary.subjects.items()]
    listed = [(what, " ".join(f"`{name}`" for name in names)) for what, names in rows]
    return table(("everywhere, or in a folder", "names"), listed)


def otherwise(claims: Claims, scenarios: Sequence[Scenario]) -> str:
    """The claims that torch does not confirm, with their scenarios."""
    of_claim: dict[str, list[Scenario]] = {}
    for scenario in scenarios:
        for claim in scenario.claims:
            of_claim.setdefault(claim, []).append(scenario)
    lines: list[str] = []
    for key, document in claims.documents.items():
        own = [claim for claim in claims.claims if claim.document == key and claim.verdict != "confirmed"]
        if own:
            author = (
                f" ({document.author})" if document.author and document.author not in document.title else ""
            )
            lines += [f"### {document.title}{author}", ""]
            for each in own:
                lines += _claim(each, of_claim.get(each.id, []))
    return "\n".join(lines)


def _claim(claim: Claim, scenarios: Sequence[Scenario]) -> Iterator[str]:
    yield f"**{claim.verdict}**: {flat(claim.says)} <sub>`{claim.id}`</sub>"
    yield ""
    yield f"> {flat(claim.note)}"
    yield ""
    for base, scenario in _first_cases(scenarios).items():
        file = scenario.position.file.replace("\\", "/").rpartition("specs/")[2]
        parts = "; ".join(_parting(scenario))
        yield f"- [`{base}`]({file}): {scenario.title}{f' ({parts})' if parts else ''}"
    yield ""


def _first_cases(scenarios: Sequence[Scenario]) -> dict[str, Scenario]:
    """The scenarios in which document and torch differ, if any; of a matrix only the first case."""
    parting = [scenario for scenario in scenarios if any(step.claimed for step in scenario.steps)]
    cases: dict[str, Scenario] = {}
    for scenario in parting or scenarios:
        cases.setdefault(scenario.id.partition("[")[0], scenario)
    return cases


def _parting(scenario: Scenario) -> Iterator[str]:
    """What the document says and what torch does, from the scenario's keys."""
    for step in scenario.steps:
        if step.claimed is None:
            continue
        own = dict(step.own.expect)
        for expression, value in step.claimed.expect:
            there = f", torch: `{_plain(own[expression])}`" if expression in own else ""
            yield f"`{expression}` in the document: `{_plain(value)}`{there}"
        if not isinstance(step.claimed.raises, Unset):
            yield f"in the document it raises {_raised(step.claimed)}, on torch {_raised(step.own)}"


def _raised(expected: Expectations) -> str:
    return f"`{expected.raises}`" if isinstance(expected.raises, str) else "nothing"


def _plain(value: Plain) -> str:
    return (
        {None: "None", True: "True", False: "False"}[value]
        if value is None or isinstance(value, bool)
        else str(value)
    )


@dataclass(slots=True)
class _Options:
    """A stub of pytest's parser that records the options that the plugin adds."""

    rows: list[tuple[str, str]] = field(default_factory=list)

    def getgroup(self, *_: str) -> _Options:
        return self

    def addoption(self, name: str, *, help: str, **_: Any) -> None:
        self.rows.append((f"`{name}`", help))

    def addini(self, *_: Any, **__: Any) -> None:
        pass


def pytest_options(add: Callable[[Any], None]) -> str:
    """The table of the plugin's options; ``add`` is its ``pytest_addoption``."""
    options = _Options()
    add(options)
    return table(("option of pytest", "what it does"), options.rows)


def commands(parser: argparse.ArgumentParser) -> str:
    """The table of commands."""
    groups: list[Any] = parser._subparsers._group_actions if parser._subparsers else []
    rows = [
        (f"`conformance {each.dest}`", each.help or "")
        for group in groups
        for each in group._get_subactions()
    ]
    return table(("command", "what it does"), rows)


_COUNTED = ("programs", "statements", "divergences")


def runs(records: Sequence[Mapping[str, int]]) -> str:
    """The recorded runs of the fuzzer."""
    rows = [
        (
            f"`conformance fuzz --seed {each['seed']} --examples {each['programs']}`",
            *(f"{each[column]:,}" for column in _COUNTED),
        )
        for each in records
    ]
    return table(("run", *_COUNTED), rows)


def fuzzed(records: Sequence[Mapping[str, int]]) -> str:
    """The totals of these runs."""
    sums = (sum(each[column] for each in records) for column in _COUNTED)
    return table(("runs", *_COUNTED), [(str(len(records)), *(f"{each:,}" for each in sums))])


def faults(areas: Iterable[str]) -> str:
    """The planted faults, counted by area; ``areas`` has the area of each fault."""
    counts = Counter(areas)
    rows = [(area, str(count)) for area, count in sorted(counts.items())]
    return table(("area", "faults"), [*rows, ("all", str(counts.total()))])


def verdicts(claims: Claims) -> str:
    """The claims of each document, counted by torch's verdict."""
    kinds = get_args(ClaimVerdict)
    counts = Counter((claim.document, claim.verdict) for claim in claims.claims)
    totals = Counter(claim.verdict for claim in claims.claims)
    rows = [
        (document.title, *(str(counts[key, kind] or "") for kind in kinds))
        for key, document in claims.documents.items()
    ]
    rows.append(("all", *(str(totals[kind]) for kind in kinds)))
    return table(("document", *kinds), rows)


def flat(text: str) -> str:
    return " ".join(text.split())


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [
        head,
        ["---"] * len(head),
        *([cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
