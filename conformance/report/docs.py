"""Generate parts of the Markdown files from code and specs.

A part is enclosed in ``<!-- made: name -->`` and ``<!-- /made -->``; `conformance docs` updates it.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from conformance.language import model, vocabulary
from conformance.language.core_vocabulary import CoreVocabulary
from conformance.language.words import RELEASE
from conformance.report.matrix import Matrix, as_markdown
from conformance.report.proposal import Entry
from conformance.report.share import Cell
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
        if group in GROUP_OF.values()
    ]
    rows.append(
        ("random", "`value` of whatever is computed after the first random number, and what is printed")
    )
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


def commands(
    parser: argparse.ArgumentParser, by_job: Callable[[Iterable[str]], Mapping[str, Sequence[str]]]
) -> str:
    """A table of commands for each job."""
    groups: list[Any] = parser._subparsers._group_actions if parser._subparsers else []
    texts = {each.dest: each.help or "" for group in groups for each in group._get_subactions()}
    parts = []
    for job, names in by_job(texts).items():
        rows = [(f"`conformance {name}`", texts[name]) for name in names]
        parts.append(f"**{job}**\n\n{table(('command', 'what it does'), rows)}")
    return "\n\n".join(parts)


def verdicts(meanings: Mapping[Any, str]) -> str:
    """The verdicts, with what each means."""
    return table(("verdict", "meaning"), [(f"*{name}*", text) for name, text in meanings.items()])


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


def flat(text: str) -> str:
    return " ".join(text.split())


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [
        head,
        ["---"] * len(head),
        *([cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def releases(of: Iterable[tuple[str, Sequence[Entry]]]) -> str:
    """What each release of torch does differently, newest first: a table with a line for each reason."""
    lines: list[str] = []
    for label, entries in reversed(list(of)):
        reasons: dict[str, list[Entry]] = {}
        for entry in entries:
            reasons.setdefault(entry.reason, []).append(entry)
        rows = [(flat(reason), _texts(same, "was"), _texts(same, "now")) for reason, same in reasons.items()]
        lines += [f"## {label}", "", table((f"in {label}", f"{_SPECS} shows", f"{label} shows"), rows), ""]
    return "\n".join(lines)


_SPECS = ".".join(RELEASE.split(".")[:2])


def _texts(entries: Iterable[Entry], of: Literal["was", "now"]) -> str:
    """The texts before or after a change, as code, each once."""
    texts = dict.fromkeys(text for entry in entries for text in getattr(entry, of))
    return ", ".join(f"`{flat(text)}`" for text in texts if text != "*")


def engines(measured: Matrix, scenarios: Mapping[str, int]) -> str:
    """The tables that compare engines; ``scenarios`` is how many the specs have now in each tier."""
    tiers = [tier for tier in scenarios if any(tier in dict(each.tiers) for each in measured.engines)]
    then = max((each.all.scenarios for each in measured.engines), default=0)
    now = sum(scenarios[tier] for tier in tiers)
    share = f"the {now:,}" if then == now else f"{then:,} of the {now:,}"
    names = f"{'tiers' if len(tiers) > 1 else 'tier'} {' and '.join(tiers)}"
    return "\n".join([f"Measured on {share} scenarios of the {names}.", "", *as_markdown(measured)])


def compilers(measured: Matrix) -> str:
    """The verdicts on the backends of torch.compile, by subject, and what was captured in sum."""
    areas = sorted({area for each in measured.engines for area, _ in each.areas})
    heads = [each.name.partition(" ")[0].removeprefix("torch-compile-") for each in measured.engines]
    rows = [(area, *(_verdicts(dict(each.areas).get(area)) for each in measured.engines)) for area in areas]
    rows.append(("all", *(_verdicts(each.all) for each in measured.engines)))
    sums = [dict(each.all.counts) for each in measured.engines]
    names = [
        "operations run",
        "operations captured",
        "statements",
        "statements compiled",
        "graph breaks",
        "recompilations",
    ]
    counted = [(name, *(f"{each.get(name, 0):,}" for each in sums)) for name in names]
    return "\n\n".join(
        (
            f"Scenarios of the tier core, compared with {measured.reference}: agree / differ / not observed / "
            "unsupported. Empty: not run.",
            table(("subject", *heads), rows),
            "In sum:",
            table(("counted", *heads), counted),
        )
    )


def _verdicts(found: Cell | None) -> str:
    if found is None:
        return ""
    counts = Counter(dict(found.verdicts))
    shown = (
        counts["agrees"] + counts["stale"],
        counts["differs"] + counts["known divergence"],
        counts["not observed"],
        counts["unsupported"],
    )
    return " / ".join(map(str, shown))
