"""The folders of the specs as Markdown: an index with a line on each, and a section for each that has a rule."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from conformance.language.scenario import Scenario, base_id
from conformance.report.docs import table
from conformance.report.matrix import Matrix
from conformance.report.share import Cell


class SubjectError(ValueError):
    """The descriptions and the folders of the specs do not match."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A folder of the specs: what it is about, its rule, and the id of the scenario that shows the rule."""

    folder: str
    about: str
    rule: str = ""
    shows: str = ""

    def cases(self, ids: Iterable[str]) -> list[str]:
        """Those of the ids that are the scenario that shows the rule, or its cases."""
        return [each for each in ids if base_id(each) == self.shows]


def parsed(text: str) -> dict[str, Subject]:
    """The folders that the text of an areas.yaml describes."""
    return subjects(yaml.safe_load(text)["areas"])


def subjects(descriptions: Mapping[str, Any]) -> dict[str, Subject]:
    """The folders that an areas.yaml describes; a text alone is what the folder is about."""
    return {
        folder: Subject(folder, **({"about": given} if isinstance(given, str) else given))
        for folder, given in descriptions.items()
    }


def index(described: Mapping[str, Subject], scenarios: Sequence[Scenario]) -> str:
    """Each folder that holds scenarios, with its line.

    Raises:
        SubjectError: a folder has no description, or a description has no folder.
    """
    folders = {scenario.area for scenario in scenarios}
    if wrong := sorted(folders ^ described.keys()):
        raise SubjectError(f"areas.yaml and the folders of the specs differ: {', '.join(wrong)}")
    rows = [(f"[`{folder}`]({folder})", described[folder].about) for folder in sorted(folders)]
    return table(("folder", "about"), rows)


def rules(described: Mapping[str, Subject], sources: Mapping[str, str], measured: Matrix) -> str:
    """A section for each folder that has a rule: that, the scenario that shows it as its file has it, and the engines.

    ``sources`` are the texts of the scenario files, by their paths below the specs; ``measured`` is how far engines
    follow the rules of a folder.

    Raises:
        SubjectError: no file of the folder has that scenario.
    """
    return "\n".join(
        line for each in described.values() if each.rule for line in _section(each, sources, measured)
    )


def _section(subject: Subject, sources: Mapping[str, str], measured: Matrix) -> Iterator[str]:
    top, _, name = subject.folder.partition("/")
    file, text = _shown(subject, sources)
    link = file.removeprefix(f"{top}/")
    yield from (f"## {name}", "", f"*{subject.about}*", "")
    yield from (subject.rule, "", f"From [`{link}`]({link}):", "")
    yield from ("```yaml", "scenarios:", text, "```", "")
    cells = [(each.name, dict(each.areas).get(subject.folder)) for each in measured.engines]
    shares = [f"{name} {_share(cell)}" for name, cell in cells if cell is not None and cell.supported]
    if shares:
        yield from (
            f"Scenarios of this folder that agree with torch, of those that an engine supports: {', '.join(shares)}.",
            "",
        )


def _share(cell: Cell) -> str:
    of = "" if cell.supported == cell.scenarios else f" of {cell.supported} (of {cell.scenarios})"
    return f"{cell.share(cell.agreeing, cell.supported)}{of}"


def _shown(subject: Subject, sources: Mapping[str, str]) -> tuple[str, str]:
    """The file of the scenario that shows the rule, and its text up to the next scenario."""
    scenario = re.compile(
        rf"^  - id: {re.escape(subject.shows)}$.*?(?=^  - |^\S|\Z)", re.MULTILINE | re.DOTALL
    )
    for file, text in sources.items():
        if file.startswith(f"{subject.folder}/") and (found := scenario.search(text)):
            return file, found[0].rstrip()
    raise SubjectError(
        f"no file in {subject.folder} has the scenario {subject.shows}, which areas.yaml names"
    )
