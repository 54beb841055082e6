"""Collect scenario files: one item for each case and engine, and one for each invalid scenario.

Imported with the first YAML file; the reference and the engines are imported when the first item runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from textwrap import indent
from typing import TYPE_CHECKING, Any

import pytest
from _pytest._code.code import ReprEntryNative, ReprExceptionInfo, ReprFileLocation, ReprTraceback

from conformance.check.library import Library
from conformance.check.locate import is_in_specs
from conformance.language.load_result import Problem
from conformance.language.scenario import Position, Scenario
from conformance.plugin.options import engine_names, tier_of
from conformance.plugin.processes import engine_of, is_here, may_fork, recording_of, torch_process
from conformance.report.result import Result
from conformance.report.text import short_path

if TYPE_CHECKING:
    from _pytest._code.code import TerminalRepr

    from conformance.check.checker import Checker, CheckResult
    from conformance.check.engine_under_test import EngineUnderTest
    from conformance.runner.engine import Engine
    from conformance.runner.processes import FromTheEnd

ALONE = pytest.StashKey[bool]()
"""Whether the run has only scenarios."""
_LIBRARY = pytest.StashKey[Library]()
_ENGINES_UNDER_TEST = pytest.StashKey["dict[str, EngineUnderTest]"]()
_CHECKER = pytest.StashKey["Checker"]()
_FROM_THE_END = pytest.StashKey["FromTheEnd[CheckResult]"]()


def library_of(config: pytest.Config) -> Library:
    """The scenario files of a run."""
    return config.stash.setdefault(_LIBRARY, Library())


def engine_under_test_of(session: pytest.Session, name: str) -> EngineUnderTest:
    """An engine of a run, imported on first use."""
    engines = session.config.stash.setdefault(_ENGINES_UNDER_TEST, {})
    if name not in engines:
        from conformance.check.engine_under_test import with_divergences

        engines[name] = with_divergences(engine_of(session.config, name))
        _announce(session, engines[name].engine)
    return engines[name]


def checker_of(session: pytest.Session) -> Checker:
    """The checker of a run, which compares scenarios with torch, live or recorded."""
    config = session.config
    if _CHECKER not in config.stash:
        from conformance.check.checker import Checker
        from conformance.check.engine_under_test import reference
        from conformance.runner.isolate import freeze_for_good

        torch = torch_process(config) or reference(recording_of(config), here=True)
        _announce(session, torch)
        config.stash[_CHECKER] = Checker(
            torch,
            seconds=config.getoption("--scenario-timeout"),
            pages=bool(config.getoption("--conformance-html")),
            wall=not is_here(config),
        )
        config.stash[_CHECKER].expect(_coming(session))
        if config.stash.get(ALONE, False):  # other tests may rely on garbage collection
            freeze_for_good()
        if may_fork(config):
            config.stash[_FROM_THE_END] = _from_the_end(session)
    return config.stash[_CHECKER]


def _from_the_end(session: pytest.Session) -> FromTheEnd[CheckResult]:
    """See Note [From the end]."""
    from conformance.runner.processes import FromTheEnd

    items = [item for item in session.items if isinstance(item, ScenarioItem)]
    for number, item in enumerate(items):
        item.number = number
    return FromTheEnd([item.agreement for item in items])


def end_from_the_end(config: pytest.Config) -> None:
    """End the fork that checks from the end."""
    if _FROM_THE_END in config.stash:
        config.stash[_FROM_THE_END].close()


def _announce(session: pytest.Session, engine: Engine) -> None:
    """Send an engine in another process the coming scenarios, so that it can run ahead."""
    from conformance.adapters.remote import RemoteEngine

    if isinstance(engine, RemoteEngine):
        items = [item for item in session.items if isinstance(item, ScenarioItem)]
        scenarios = {item.scenario.id: item.scenario for item in items if not item.scenario.needs}
        engine.expect(scenarios.values(), seconds=session.config.getoption("--scenario-timeout"))


def _coming(session: pytest.Session) -> Iterator[tuple[Scenario, Engine]]:
    """The scenarios that have not been reached, with their engines, if those run in this process.

    None with ``-v``, which prints each scenario as it runs: if an engine ends the process, that shows where.
    """
    from conformance.adapters.registry import EngineNotFoundError
    from conformance.runner.engine import provides_traces

    for item in session.items if session.config.get_verbosity() <= 0 else ():
        if isinstance(item, ScenarioItem) and item.result is None and not item.scenario.needs:
            try:
                engine = engine_under_test_of(session, item.engine).engine
            except EngineNotFoundError:  # its item reports it
                return
            if not provides_traces(engine):
                yield item.scenario, engine


def misdeclared(config: pytest.Config) -> Iterator[Problem]:
    """The problems of the divergence files of the engines, and of the reference's release, that ran in this process."""
    if engines := config.stash.get(_ENGINES_UNDER_TEST, None):
        from conformance.check.engine_under_test import misdeclared, misplaced

        for under_test in engines.values():
            yield from misdeclared(under_test, library_of(config))
        checker = config.stash.get(_CHECKER, None)
        for file in checker.release.files if checker and checker.release else ():
            yield from file.problems
            yield from misplaced(file.entries, library_of(config))


class Failure(Exception):  # noqa: N818 - verdicts rather than errors
    """A scenario fails. Only the text is shown; its first line is the verdict."""

    def __init__(self, text: str, position: Position) -> None:
        super().__init__(text)
        self.text = text
        self.position = position

    def report(self) -> TerminalRepr:
        """The text in pytest's representation."""
        return failure_report(self.text, self.position.file, self.position.line)


def failure_report(text: str, file: str, line: int) -> TerminalRepr:
    """A text in pytest's representation, which xdist can send: its first line as summary, no traceback."""
    crash = ReprFileLocation(file, line, text.partition("\n")[0])
    entry = ReprEntryNative([text.rstrip() + "\n"])
    return ReprExceptionInfo(ReprTraceback([entry], None, "native"), crash)


class Invalid(Failure):
    """The scenario cannot be read."""


class Unsound(Failure):
    """The scenario is wrong about torch."""


class Mismatch(Failure):
    """The engine differs from torch."""


class Changed(Failure):
    """The reference is another release of torch, and no file explains what it does."""


class EngineMissing(Failure):
    """The engine or the reference is not available."""


class ScenarioFile(pytest.File):
    """A YAML file with a top-level key ``scenarios``."""

    def collect(self) -> Iterator[pytest.Item]:
        whole = self.session.isinitpath(self.path) or not is_in_specs(self.path)
        loaded = library_of(self.config).load(self.path, "full" if whole else tier_of(self.config))
        engines = engine_names(self.config)
        for scenario in loaded.scenarios:
            for engine in engines:
                name = scenario.id if len(engines) == 1 else _with_engine(scenario.id, engine)
                yield ScenarioItem.from_parent(self, name=name, scenario=scenario, engine=engine)
        for name, problems in _by_scenario(loaded.problems):
            yield InvalidItem.from_parent(self, name=name, problems=problems)


def is_own(item: pytest.Item) -> bool:
    """Whether the item is a scenario, not a Python test."""
    return isinstance(item, _Item)


def case_of(item: pytest.Item) -> str:
    """The case of a scenario, or the name of an invalid one; empty for a Python test."""
    if isinstance(item, ScenarioItem):
        return item.scenario.id
    return item.name if isinstance(item, _Item) else ""


def _with_engine(case: str, engine: str) -> str:
    """``id[sin-float32]`` as ``id[sin-float32-engine]``: pytest allows brackets only at the end."""
    return f"{case[:-1]}-{engine}]" if case.endswith("]") else f"{case}[{engine}]"


def _by_scenario(problems: Sequence[Problem]) -> Iterator[tuple[str, list[Problem]]]:
    """The problems grouped by scenario id, or by line if the id is unknown."""
    groups: dict[str, list[Problem]] = {}
    for problem in problems:
        groups.setdefault(problem.scenario or f"line-{problem.position.line}", []).append(problem)
    yield from groups.items()


class _Item(pytest.Item):
    """Common base of both kinds of items: their position, and failures without the suite's traceback."""

    result: Result | None = None
    page: dict[str, Any] | None = None
    position: Position

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The text of a failure alone."""
        if isinstance(excinfo.value, Failure):
            return excinfo.value.report()
        from conformance.adapters.divergences import KnownDivergence

        if isinstance(excinfo.value, KnownDivergence):  # avoids building a traceback, which is slow
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """The position of the scenario."""
        return self.path, self.position.line - 1, self.name


class ScenarioItem(_Item):
    """A case of a scenario on an engine."""

    number = -1  # among the scenarios of the run, if a fork checks some of them

    def __init__(self, scenario: Scenario, engine: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scenario = scenario
        self.engine = engine
        self.position = scenario.position
        # `-k` matches the claims, the area and the engine too.
        self.extra_keyword_matches.update((*scenario.claims, scenario.area, engine))

    def runtest(self) -> None:
        """Check the scenario and report the verdict in pytest's terms."""
        from conformance.adapters.divergences import KnownDivergence
        from conformance.adapters.registry import EngineNotFoundError

        try:
            under_test = engine_under_test_of(self.session, self.engine)
            checked = self._agreed() or self._check()
        except EngineNotFoundError as error:
            self.session.shouldfail = f"conformance: {error}"  # every other scenario would fail the same way
            raise EngineMissing(str(error), self.position) from None
        self.result, self.page = checked.result, checked.page
        result = checked.result
        text = checked.text
        if checked.traceback and self.config.get_verbosity() > 0:
            text = f"{text}\n\n{result.engine} raised it in:\n{indent(checked.traceback, '  ')}"
        match result.verdict:
            case "unsound":
                raise Unsound(text, self.position)
            case "known divergence":
                self.add_marker(pytest.mark.xfail(raises=KnownDivergence, reason=result.reason))
                raise KnownDivergence(result.reason)
            case "stale" | "unrecorded":
                raise Mismatch(text, self.position)
            case "unsupported" if getattr(under_test.engine, "complete", False):
                raise Mismatch(text, self.position)
            case "changed":
                raise Changed(text, self.position)
            case "differs":
                raise Mismatch(text, replace(self.position, line=result.differences[0].line))
            case "skipped" | "unsupported" | "not observed":
                pytest.skip(result.reason)

    def _check(self) -> CheckResult:
        under_test = engine_under_test_of(self.session, self.engine)
        entries = under_test.entries_for(self.scenario.id)
        return checker_of(self.session)(self.scenario, under_test.engine, entries)

    def agreement(self) -> CheckResult | None:
        """The result of a check if the engine agrees, otherwise None."""
        checked = self._check()
        return checked if checked.result.verdict == "agrees" else None

    def _agreed(self) -> CheckResult | None:
        """The result of the fork, if it has checked this item: see Note [From the end]."""
        checker_of(self.session)  # starts the fork
        ahead = self.session.config.stash.get(_FROM_THE_END, None)
        return None if ahead is None else ahead.take(self.number)


class InvalidItem(_Item):
    """A scenario that cannot be read: it fails and lists its problems."""

    def __init__(self, problems: Sequence[Problem], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.problems = problems
        self.position = problems[0].position

    def runtest(self) -> None:
        """Fail."""
        # A misspelt key causes two problems, an unknown and a missing key: the first is more helpful.
        first = next(
            (each for each in self.problems if each.hint.startswith("did you mean")), self.problems[0]
        )
        text = "\n".join([f"invalid: {first.text}", "", *(f"  {problem}" for problem in self.problems)])
        self.result = Result(
            scenario=self.name,
            title="",
            area="",
            file=short_path(self.path),
            line=first.position.line,
            reference="",
            engine="",
            version="",
            verdict="invalid",
            tier="",
            reason=str(first),
        )
        raise Invalid(text, self.position)
