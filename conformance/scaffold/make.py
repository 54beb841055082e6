"""Turn a snippet of PyTorch code into a scenario file."""

from __future__ import annotations

import os
import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.check import lookup
from conformance.check.library import Library
from conformance.language import scenario as plain
from conformance.language.load import load_text
from conformance.language.model import LONGEST_TITLE
from conformance.language.schema import PATH as SCHEMA
from conformance.report.text import clip
from conformance.runner.compare import Difference, differences
from conformance.runner.engine import Engine
from conformance.runner.execute import run
from conformance.runner.rerun import TensorKeepingEngine, twice
from conformance.runner.trace import Trace
from conformance.runner.verdict import flaws_on_torch
from conformance.scaffold.attempts import Part
from conformance.scaffold.draft import CannotDraftError, DraftStep, beginning, draft, part_at
from conformance.scaffold.page import PAGES, NotAPageError, read_page
from conformance.scaffold.page_check import (
    CheckedOutput,
    check_page,
    representing,
    unclaimable,
    with_claimed_values,
    without_statements,
)
from conformance.scaffold.snippet import read
from conformance.scaffold.yaml_text import scenario as scenario_lines
from conformance.scaffold.yaml_text import text as yaml_text


class NotAScenarioError(ValueError):
    """The snippet cannot become a scenario; one line per reason."""


@dataclass(frozen=True, slots=True)
class Made:
    """A scenario file as text, with notes for its author."""

    text: str
    notes: tuple[str, ...]


def make(
    text: str, file: str, output: Path | None, torch: Engine, *, ident: str = "", title: str = ""
) -> Made:
    """The scenario file of a snippet or a page; the error lists what the language does not allow, with positions."""
    return make_all([(file, text)], output, torch, ident=ident, title=title)


def make_all(
    texts: Sequence[tuple[str, str]],
    output: Path | None,
    torch: Engine,
    *,
    ident: str = "",
    title: str = "",
    seconds: float = 20,
) -> Made:
    """One scenario file of several snippets and pages, each a name and a text; each becomes a scenario.

    Raises:
        NotAScenarioError: one of them cannot become a scenario.
    """
    first = texts[0][0]
    topic = (output.stem if output else Path(first).stem).strip("<>").replace("_", " ")
    schema = os.path.relpath(SCHEMA, output.parent if output else Path.cwd())
    head = [f"# yaml-language-server: $schema={schema}", f"topic: {yaml_text(topic)}", "scenarios:"]
    used: set[str] = set()
    lines: list[str] = []
    notes: list[str] = []
    for file, text in texts:
        drafted = _drafted(text, file, torch, seconds)
        named = title or _title(drafted.parts, drafted.steps, file)
        name = ident or _free_id(_slug(named), used)
        used.add(name)
        own = list(scenario_lines(name, named, drafted.steps))
        notes += [
            *drafted.notes,
            *_doubts("\n".join([*head, *own]) + "\n", drafted, str(output or file), torch, seconds),
        ]
        lines += own
    return Made("\n".join([*head, *lines]) + "\n", tuple(notes))


@dataclass(frozen=True, slots=True)
class _Drafted:
    """The steps of one snippet, the parts they were made of, the lines they came from, and notes."""

    file: str
    steps: tuple[DraftStep, ...]
    parts: Sequence[Part]
    lines: Sequence[str]
    notes: tuple[str, ...]


def _drafted(text: str, file: str, torch: Engine, seconds: float) -> _Drafted:
    notes: tuple[str, ...] = ()
    outputs: tuple[CheckedOutput, ...] = ()
    if Path(file).suffix in PAGES:
        try:
            page = read_page(text, file)
            checked = check_page(text, file, lambda scenario: run(scenario, torch, seconds=seconds))
        except NotAPageError as error:
            raise NotAScenarioError(f"{file}: {error}") from None
        outputs = tuple(each for each in checked.outputs if each.verdict == "wrong")
        notes = tuple(f"{file}:{page.place(line)}: {note}" for line, note in page.left_out)
        notes += tuple(f"{file}:{each.place}: {each}" for each in outputs)
        broken = [first for first, _, _ in page.broken]
        stopped = [(line, reason) for line, reason in checked.not_run if line not in broken]
        notes += tuple(f"{file}:{page.place(line)}: left out: {reason}" for line, reason in stopped)
        lines = representing(page, all_of_them=False)
        text = "\n".join(without_statements(lines, (line for line, _ in stopped)))
    found = read(text, file)
    if found.faults:
        raise NotAScenarioError("\n".join(found.faults))
    if not found.parts:
        raise NotAScenarioError("\n".join([f"{file}: there is nothing to run", *notes, *found.notes]))
    keeping: Any = TensorKeepingEngine(torch)  # so that no address is the same in two runs by chance
    try:
        steps, parts = draft(
            found.parts,
            found.attempts,
            lambda steps: _observed(steps, keeping, seconds),
            unclaimable(found.parts, outputs),
        )
    except CannotDraftError as error:
        raise NotAScenarioError(f"{file}:{error.line}:1: {error}") from None
    steps = tuple(with_claimed_values(steps, parts, outputs))
    return _Drafted(file, steps, parts, text.split("\n"), (*notes, *found.notes))


def _doubts(made: str, drafted: _Drafted, name: str, torch: Engine, seconds: float) -> Iterator[str]:
    """What is wrong with a drafted scenario, and what is not the same each time."""
    loaded = load_text(made, name)
    if loaded.problems:
        raise NotAScenarioError("\n".join(map(str, loaded.problems)))
    (scenario,) = loaded.scenarios
    yield from map(str, flaws_on_torch(scenario, run(scenario, torch, seconds=seconds)))
    changed = differences(scenario, *twice(scenario, torch, seconds=seconds))
    for place in _changing(changed, drafted.steps, drafted.parts, drafted.lines):
        yield f"{drafted.file}:{place}; leave it out"


def _observed(steps: Sequence[DraftStep], torch: Engine, seconds: float) -> Trace:
    """The trace on torch; shown expressions are evaluated like expectations."""
    place = plain.Position("snippet", 1)
    made = tuple(
        plain.Step(step.run, place, plain.Expectations(expect=tuple((text, None) for text in step.shows)))
        for step in steps
    )
    return run(plain.Scenario("snippet", "", "", "", place, made), torch, seconds=seconds)


_ADDRESS = re.compile(r"\b(?:id|hash|data_ptr|empty|empty_like|empty_strided|new_empty)\s*\(")


def _changing(
    found_otherwise: Sequence[Difference],
    steps: Sequence[DraftStep],
    parts: Sequence[Part],
    lines: Sequence[str],
) -> Iterator[str]:
    """The places and names that differ when torch runs it again, without consequences of them."""
    reported: set[int] = set()
    known: set[str] = set()
    for each in found_otherwise:
        what = "what is printed" if each.facet == "printed" else f"{each.name} {each.facet}".strip()
        if what in known and each.facet != "printed":
            continue
        known.add(what)
        number = part_at(parts, steps[each.statement.step].parts, each.statement.line)
        first = parts[number].line
        after = parts[number + 1].line if number + 1 < len(parts) else len(lines) + 1
        found = (
            (line, match.start() + 1)
            for line in range(first, after)
            if (match := _ADDRESS.search(lines[line - 1].partition("#")[0]))
        )
        place = next(found, None)
        if number in reported or (reported and place is None):
            continue
        reported.add(number)
        line, column = place or (first, len(lines[first - 1]) - len(lines[first - 1].lstrip()) + 1)
        yield f"{line}:{column}: {what} is not the same each time"


def _title(parts: Sequence[Part], steps: Sequence[DraftStep], file: str) -> str:
    """A provisional title, which the author should improve."""
    comment = re.match(r"\s*#+\s*([^\n!-][^\n]*)", parts[0].text)
    raising = next((step for step in steps if step.raises), None)
    if comment:
        title = comment[1].strip().rstrip(".:;,")
    elif raising:
        title = f"raises {raising.raises}: {beginning(raising.message)}"
    else:
        title = f"what torch does in {Path(file).name.strip('<>')}"
    return clip(title, LONGEST_TITLE).rstrip(". ")


def _slug(title: str) -> str:
    words = re.findall(r"[a-z0-9]+", title.lower())
    return "-".join(words[:8]) or "a-snippet"


def _free_id(wanted: str, used: Container[str]) -> str:
    """An id that no spec uses, nor one of these."""
    number = 1
    while True:
        ident = wanted if number == 1 else f"{wanted}-{number}"
        try:
            lookup.find(ident, Library())
        except lookup.NotFoundError:
            if ident not in used:
                return ident
        number += 1
