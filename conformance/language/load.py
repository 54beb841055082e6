"""Load a YAML file as scenarios and problems; invalid content is reported, never raised.

A scenario with a problem is left out; the other scenarios of its file are loaded.

Note [Tiers are chosen before loading]: checking the programs of a file takes most of the time of loading it. So of the
scenarios in a tier beyond the one asked for only id, matrix and claims are read: what a run needs to count them, and to
know that they exist. Their mistakes show where they are loaded: `conformance lint`, and a run of their tier.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from yaml import MappingNode, Node, ScalarNode, SequenceNode

from conformance.language import matrix, model, placeholder, program_check, vocabulary
from conformance.language.document import NotYAML, Place, Reader, Report, compose, text_of
from conformance.language.explain import explain, find, not_a_tier
from conformance.language.load_result import LoadResult, Problem
from conformance.language.program_parts import ProgramPiece
from conformance.language.scenario import (
    DEFAULT_TIER,
    TIERS,
    UNSET,
    Expectations,
    Position,
    Scenario,
    Step,
    Tier,
    Tolerance,
)
from conformance.language.source import Source
from conformance.language.suggest import did_you_mean, quoted

_FILE_TIER = re.compile(rf"^tier:[ ]*({'|'.join(TIERS)})\s*(?:#.*)?$", re.MULTILINE)
REPLACED = frozenset({"run", "expect", "raises", "message", "warns", "prints", "claimed", "steps"})


def load_file(path: Path, tier: Tier = "full") -> LoadResult:
    """The scenarios and problems of a file, up to a tier; an unreadable file is a problem."""
    try:
        return load_text(text_of(path), str(path), area_of(path), tier)
    except NotYAML as error:
        return LoadResult((), (Problem(Position(str(path), *error.place), error.message, error.hint),))


def area_of(path: Path) -> str:
    """The folders below ``specs`` that a file is in, ``ops/linalg``; elsewhere, the file's name without its suffix."""
    parts = path.absolute().parts[:-1]
    for index in range(len(parts) - 2, -1, -1):
        if parts[index] in ("specs", "_specs"):
            return "/".join(parts[index + 1 :])
    return path.stem


def load_text(text: str, file: str, area: str | None = None, tier: Tier = "full") -> LoadResult:
    """The scenarios and problems of YAML text, up to a tier; ``file`` is its name in positions."""
    loading = _Loading(file, area or Path(file).stem, tier)
    text = text.replace("\r\n", "\n")
    try:
        loading.file(text, compose(text))
    except NotYAML as error:
        loading.pieces(text, error)
    problems = sorted(dict.fromkeys(loading.problems), key=lambda p: (p.position.line, p.position.column))
    return LoadResult(tuple(loading.scenarios), tuple(problems), tuple(loading.left_out))


class _Loading:
    """One file while it is being read."""

    def __init__(self, file: str, area: str, last_tier: Tier) -> None:
        self.name, self.area, self.topic = file, area, Path(file).stem.replace("_", " ")
        self.excluded = TIERS[TIERS.index(last_tier) + 1 :]
        self.tier: Tier = DEFAULT_TIER  # of scenarios that name none
        self.left_out: list[tuple[str, tuple[str, ...]]] = []
        self.scenarios: list[Scenario] = []
        self.problems: list[Problem] = []
        self.lines: dict[str, int] = {}  # of each id

    def report_for(self, scenario: str | None) -> Report:
        def report(place: Place, message: str, hint: str = "") -> None:
            self.problems.append(Problem(Position(self.name, *place), message, hint, scenario))

        return report

    def file(self, text: str, root: Node | None) -> None:
        """A whole document."""
        reader = Reader(text, self.report_for(None))
        if not isinstance(root, MappingNode):
            reader.report(Place(1, 1), "a scenario file is a mapping", "begin with `scenarios:`")
            return
        entries: dict[str, Node] = {}
        unknown: dict[str, Node] = {}
        known = list(model.FileModel.model_fields)
        for name, key, value in reader.keyed(root):
            entries[name] = value
            if name not in known:
                unknown[name] = key
        for name, unknown_key in unknown.items():
            hint = did_you_mean(name, known)
            if hint or "scenarios" in entries:  # else it may not be a scenario file, which is reported below
                hint = hint or "the keys are topic, tier and scenarios"
                reader.report(reader.place(unknown_key), f"unknown key {quoted(name)}", hint)
        if "topic" in entries:
            topic = reader.read(entries["topic"])
            if not isinstance(topic, str) or not topic:
                reader.report(reader.place(entries["topic"]), "`topic` must be text", "put it in quotes")
            else:
                self.topic = topic
        if "tier" in entries:
            tier = reader.read(entries["tier"])
            if tier in TIERS:
                self.tier = tier
            else:
                reader.report(reader.place(entries["tier"]), *not_a_tier(tier))
        scenarios = entries.get("scenarios")
        if scenarios is None:
            bare = unknown.keys() & model.ScenarioModel.model_fields.keys()
            hint = (
                "write it above, and begin the scenario with `- id:`"
                if bare
                else "its value is the list of scenarios"
            )
            reader.report(Place(1, 1), "the key `scenarios` is missing", hint)
        elif not isinstance(scenarios, SequenceNode) or reader.refused(scenarios) or not scenarios.value:
            reader.report(
                reader.place(scenarios), "`scenarios` must be a list", "begin each scenario with `- id:`"
            )
        else:
            for node in scenarios.value:
                self.scenario(node, text, 0)

    def pieces(self, text: str, error: NotYAML) -> None:
        """A document that is not YAML: the scenarios that are valid YAML by themselves are still read."""
        items = _split(text)
        tier = _FILE_TIER.search(text)
        self.tier = next((each for each in TIERS if tier and tier[1] == each), DEFAULT_TIER)
        broken = False
        for line, item in items:
            try:
                root = compose(item)
            except NotYAML as found:
                broken = True
                named = re.search(r"^\s*-?\s*id:\s*([a-z0-9-]+)\s*$", item, re.MULTILINE)
                report = self.report_for(named[1] if named else None)
                report(Place(line + found.place.line, found.place.column), found.message, found.hint)
                continue
            for node in root.value if isinstance(root, SequenceNode) else []:
                self.scenario(node, item, line)
        if not broken:
            self.report_for(None)(error.place, error.message, error.hint)

    def scenario(self, node: Node, text: str, first_line: int) -> None:
        """One scenario: all its cases, or its problems."""
        before = len(self.problems)
        name = _id(node)
        report = self.report_for(name)
        reader = Reader(text, report, first_line=first_line)
        entries: dict[str, Node] = {}
        if isinstance(node, MappingNode) and not reader.refused(node):
            entries = reader.entries(node)
        if name is not None and self.tier_of(entries) in self.excluded:
            self.leave_out(name, node, entries, reader)
            return
        found = []
        used: set[str] = set()
        cases = matrix.cases(entries.get("matrix"), reader)
        for case in cases:
            replacing = Reader(text, report, case.values, used, first_line)
            found.append(self.case(node, entries, case.label, reader, replacing))
        for key in cases[0].values.keys() - used if cases else ():
            hint = f"write `${{{key}}}` where the value belongs, or remove the key"
            report(find(node, ("matrix", key), reader), f"the matrix value `{key}` is never used", hint)
        if name is not None:
            self.check_unique(name, node, reader)
        if len(self.problems) == before:
            self.scenarios += [scenario for scenario in found if scenario is not None]

    def check_unique(self, name: str, node: Node, reader: Reader) -> None:
        """Report an id that the file has already."""
        if name in self.lines:
            hint = f"line {self.lines[name]} has it already; ids are never reused"
            # The problem must not be attributed to the first scenario, which has the same id.
            self.report_for(None)(find(node, ("id",), reader), f"the id `{name}` is repeated", hint)
        else:
            self.lines[name] = reader.place(node).line

    def tier_of(self, entries: dict[str, Node]) -> str:
        """The tier of a scenario, as written; one that cannot be read is in no tier, so that it is reported."""
        own = entries.get("tier")
        return self.tier if own is None else own.value if isinstance(own, ScalarNode) else ""

    def leave_out(self, name: str, node: Node, entries: dict[str, Node], reader: Reader) -> None:
        """See Note [Tiers are chosen before loading]."""
        before = len(self.problems)
        claims = reader.read(entries["claim"]) if "claim" in entries else []
        claims = tuple(map(str, claims if isinstance(claims, list) else [claims]))
        cases = matrix.cases(entries.get("matrix"), reader)
        del self.problems[before:]
        self.check_unique(name, node, reader)
        self.left_out += [(name + case.label, claims) for case in cases]

    def case(
        self, node: Node, entries: dict[str, Node], label: str, reader: Reader, replacing: Reader
    ) -> Scenario | None:
        """One case of a scenario's matrix, or None if it has problems."""
        if not isinstance(node, MappingNode):
            reader.report(reader.place(node), "a scenario is a mapping", "begin it with `- id:`")
            return None
        before = len(self.problems)
        data = {}
        unread = set()  # keys that could not be read
        for key, value in entries.items():
            known = len(self.problems)
            data[key] = _read(key, value, replacing if key in REPLACED else reader)
            if len(self.problems) > known:
                unread.add(key)
        scenario = self.validated(data, unread, node, replacing)
        written = dict(_written(entries))
        if not unread & REPLACED and all(
            isinstance(each.get("run"), ScalarNode) for each in written.values()
        ):
            _check_language(written, replacing)
            _check_errors(written, replacing)
        if scenario is None or len(self.problems) > before:
            return None
        return self.frozen(scenario, label, reader.place(node), written, replacing)

    def expectations(
        self, outcome: model.ExpectationsModel, nodes: dict[str, Node], reader: Reader
    ) -> Expectations:
        """The written keys with their positions; the others stay UNSET."""
        written = outcome.model_fields_set
        prints = nodes.get("prints")
        return Expectations(
            expect=tuple(outcome.expect.items()),
            raises=outcome.raises if "raises" in written else UNSET,
            message=outcome.message if "message" in written else UNSET,
            warns=tuple(outcome.warns) if "warns" in written else UNSET,
            prints=outcome.prints if "prints" in written else UNSET,
            places=tuple(Position(self.name, *reader.place(key)) for key, _ in _keys(nodes.get("expect"))),
            prints_at=None if prints is None else Position(self.name, *reader.place(prints)),
        )

    def validated(
        self, data: dict[str, Any], unread: Collection[str], node: Node, reader: Reader
    ) -> model.ScenarioModel | None:
        """The plain data as a scenario; problems are reported, except for keys that could not be read."""
        try:
            scenario = model.ScenarioModel.model_validate(data)
        except ValidationError as error:
            for details in error.errors(include_url=False):
                if not {*details["loc"][:1]} & {*unread}:
                    reader.report(*explain(details, model.ScenarioModel, node, reader))
            return None
        for path, message, hint in model.contradictions(scenario) if not unread else ():
            reader.report(find(node, path, reader), message, hint)
        return scenario

    def frozen(
        self,
        scenario: model.ScenarioModel,
        label: str,
        place: Place,
        written: dict[int, dict[str, Node]],
        reader: Reader,
    ) -> Scenario:
        """The validated scenario as plain frozen data."""
        steps = []
        for number, step in enumerate(scenario.steps or [scenario]):
            source = written[number]["run"]
            start = Source(source, reader).place() if isinstance(source, ScalarNode) else place
            nodes = written[number]
            own = self.expectations(step, nodes, reader)
            claimed = None
            if "claimed" in step.model_fields_set:
                claimed = self.expectations(step.claimed, dict(_pairs(nodes.get("claimed"))), reader)
            steps.append(Step(step.run, Position(self.name, *start), own, claimed))
        tolerance = None
        if "tolerance" in scenario.model_fields_set:
            given = scenario.tolerance
            tolerance = Tolerance(given.rtol, given.atol, given.reason)
        return Scenario(
            id=scenario.id + label,
            title=scenario.title,
            topic=self.topic,
            area=self.area,
            position=Position(self.name, *place),
            steps=tuple(steps),
            claims=tuple(scenario.claim),
            needs=tuple(scenario.needs),
            tolerance=tolerance,
            observe=scenario.observe,
            tier=scenario.tier if "tier" in scenario.model_fields_set else self.tier,
        )


def _check_language(steps: dict[int, dict[str, Node]], reader: Reader) -> None:
    """Check a scenario's programs and expressions against the language."""
    pieces: list[ProgramPiece] = []
    sources: list[Source] = []
    for nodes in steps.values():
        for node, is_expression in _python(nodes):
            if isinstance(node, ScalarNode):
                sources.append(Source(node, reader))
                pieces.append(ProgramPiece(reader.text_of(node), is_expression))
    for fault in program_check.check_program(pieces):
        reader.report(sources[fault.piece].place(fault.line, fault.column), fault.message, fault.hint)


ERRORS = vocabulary.EXCEPTIONS | vocabulary.TORCH_EXCEPTIONS


def _check_errors(steps: dict[int, dict[str, Node]], reader: Reader) -> None:
    """Check the exception types that a scenario names."""
    programs = "\n".join(str(reader.program(nodes["run"])) for nodes in steps.values())
    for nodes in steps.values():
        for holder in (nodes, dict(_pairs(nodes.get("claimed")))):
            name = reader.read(holder["raises"]) if "raises" in holder else None
            if isinstance(name, str) and not _is_error(name, programs):
                hint = (
                    did_you_mean(name, ERRORS) or "write the type as Python prints it, such as RuntimeError"
                )
                reader.report(reader.place(holder["raises"]), f"`{name}` is not an exception type", hint)


def _is_error(name: str, programs: str) -> bool:
    last = name.rpartition(".")[2]
    return last in ERRORS or re.search(rf"\bclass {re.escape(last)}\b", programs) is not None


def _read(key: str, node: Node, reader: Reader) -> Any:
    """The value of a scenario's or a step's key."""
    if key == "run":
        return reader.program(node)
    if key == "prints":
        return reader.shown(node)
    if key == "claimed" and isinstance(node, MappingNode) and not reader.refused(node):
        entries = reader.entries(node)
        return {
            inner: _read(inner, value, reader) if inner == "prints" else reader.read(value)
            for inner, value in entries.items()
        }
    if key == "steps" and isinstance(node, SequenceNode):
        return [
            {inner: _read(inner, value, reader) for inner, value in reader.entries(step).items()}
            if isinstance(step, MappingNode) and not reader.refused(step)
            else reader.read(step)
            for step in node.value
        ]
    return reader.read(node)


def _written(entries: dict[str, Node]) -> Iterator[tuple[int, dict[str, Node]]]:
    """The number and the nodes of each step."""
    steps = entries.get("steps")
    if steps is None:
        yield 0, entries
    else:
        for number, step in enumerate(steps.value if isinstance(steps, SequenceNode) else [steps]):
            pairs = step.value if isinstance(step, MappingNode) else []
            yield number, {key.value: value for key, value in pairs if isinstance(key, ScalarNode)}


def _python(nodes: dict[str, Node]) -> Iterator[tuple[Node, bool]]:
    """The nodes of a step that hold Python, and whether each is an expression."""
    if "run" in nodes:
        yield nodes["run"], False
    for holder in (nodes, dict(_pairs(nodes.get("claimed")))):
        for key in dict(_keys(holder.get("expect"))):
            yield key, True


def _pairs(node: Node | None) -> Iterator[tuple[str, Node]]:
    if isinstance(node, MappingNode):
        yield from ((key.value, value) for key, value in node.value if isinstance(key, ScalarNode))


def _keys(node: Node | None) -> Iterator[tuple[Node, Node]]:
    if isinstance(node, MappingNode):
        yield from node.value


def _id(node: Node) -> str | None:
    """The id of a scenario, even if the rest is broken."""
    if isinstance(node, MappingNode):
        for key, value in node.value:
            if isinstance(key, ScalarNode) and key.value == "id" and isinstance(value, ScalarNode):
                return placeholder.reveal(value.value)
    return None


def _split(text: str) -> list[tuple[int, str]]:
    """Each scenario's text, with the number of lines above it."""
    lines = text.split("\n")
    start = next((i for i, line in enumerate(lines) if re.match(r"scenarios\s*:", line)), len(lines)) + 1
    dash = next((re.match(r" *- ", line) for line in lines[start:] if line.lstrip().startswith("- ")), None)
    if dash is None:
        return []
    begins = [i for i in range(start, len(lines)) if lines[i].startswith(dash[0])]
    ends = [*begins[1:], len(lines)]
    return [(begin, "\n".join(lines[begin:end])) for begin, end in zip(begins, ends, strict=True)]
