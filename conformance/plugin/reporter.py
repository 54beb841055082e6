"""The reporter: collects the results of all processes, writes header, summary and report files."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from conformance.plugin import is_in_use
from conformance.plugin.fast_protocol import FAST_PROTOCOL, allows_fast_protocol, unregister_python_plugins
from conformance.plugin.options import DEFAULT_ENGINE, engine_names
from conformance.plugin.result_files import ResultFiles
from conformance.runner.signals import reason

if TYPE_CHECKING:
    from conformance.check.findings import Findings
    from conformance.language.load_result import Problem
    from conformance.language.scenario import Position
    from conformance.language.usage import Usage
    from conformance.report.claims import Finding
    from conformance.report.result import Result


FIRST = 100
"""Results after which a run that fails throughout in one facet says so."""
READ = 2000
"""Unsupported scenarios whose programs are read to rank the missing names."""


class Reporter:
    """Collects all results, of this process and of xdist's workers, and reports them."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.results: list[Result] = []
        self.items: list[pytest.Item] = []
        self.findings: tuple[Findings, ...] = ()
        self.problems: list[Problem] = []  # of divergence files
        self.announced = False
        self.left_out = 0  # cases of a tier beyond the one that runs, as the workers counted them
        self.broken = False  # whether a process had an internal error
        self.failed: list[Any] = []  # all failure reports, while some of them are left out
        self.pages: dict[tuple[str, str], dict[str, Any]] = {}
        self.files = ResultFiles(config)

    def pytest_report_collectionfinish(self, items: list[pytest.Item]) -> list[str]:
        """The header: engines and the number of scenarios."""
        if not is_in_use():
            return []
        self.items = items
        from conformance.plugin.items import InvalidItem, ScenarioItem, is_own

        self.files.expected = sum(map(is_own, items))
        cases = {item.scenario.id for item in items if isinstance(item, ScenarioItem)}
        return self._header(len(cases) + sum(isinstance(item, InvalidItem) for item in items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Send a worker whether its reports allow the fast protocol."""
        node.workerinput[FAST_PROTOCOL] = allows_fast_protocol(self.config)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """The same under xdist, when the first worker has collected."""
        if self.announced:
            return
        self.announced = True
        self.files.expected = count = sum(".yaml::" in name or ".yml::" in name for name in ids)
        if count == len(ids):
            unregister_python_plugins(self.config)
        terminal = self.config.pluginmanager.get_plugin("terminalreporter")
        if terminal is not None:
            for line in self._header(count // len(engine_names(self.config))):
                terminal.ensure_newline()
                terminal.write_line(line)

    def _header(self, count: int) -> list[str]:
        if not count or self.config.get_verbosity() < 0:
            return []
        from conformance.plugin.processes import recording_of

        python, recording = self.config.getoption("--engine-python"), recording_of(self.config)
        names = engine_names(self.config)
        engines = ", ".join(
            f"{name} in {python}" if python else _described(self.config, name) for name in names
        )
        scenarios = "1 scenario" if count == 1 else f"{count} scenarios"
        reference = recording or _torch()
        if recording and not self.config.getoption("--reference"):
            from conformance.language.words import RELEASE

            reference = f"torch {RELEASE} (the suite's recording, since torch is not installed)"
        from conformance.plugin.processes import is_here

        line = f"conformance: {scenarios}, reference {reference}, engine {engines}"
        return [f"{line}, without the wall around programs" if is_here(self.config) else line]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect the result that is attached to the report."""
        plain = getattr(report, "conformance", None)
        if plain is not None:
            from conformance.report.result import Result

            self.results.append(result := Result.from_plain(plain))
            self.files.add(result)
            self._tell_early()
            if page := getattr(report, "conformance_page", None):
                self.pages[plain["scenario"], plain["engine"]] = page
                del report.conformance_page

    def _tell_early(self) -> None:
        """After the first hundred scenarios, if nearly all differ in one facet, what to do about it."""
        if len(self.results) != FIRST or self.config.get_verbosity() < 0:
            return
        from conformance.report.terminal import early

        terminal = self.config.pluginmanager.get_plugin("terminalreporter")
        if terminal is not None and (text := early(self.results)):
            terminal.ensure_newline()
            terminal.write_line(f"conformance: {text}", yellow=True)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add what a worker sends when it ends."""
        sent = (getattr(node, "workeroutput", None) or {}).get("conformance")
        if sent:
            from conformance.language.load_result import Problem
            from conformance.language.scenario import Position
            from conformance.plugin.items import library_of

            library_of(self.config).adopt(sent["cases"])
            self.left_out = max(self.left_out, sent["left_out"])  # each worker collects everything
            self.files.collected = sent["collected"]
            for problem in sent["problems"]:
                self.problems.append(Problem(**{**problem, "position": Position(**problem["position"])}))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """After all items, report the problems of claims and divergence files as failures."""
        self.files.begin()
        try:
            done = yield
        except session.Failed as error:
            self.files.why = str(error)
            raise
        if self.results:
            from conformance.check.findings import findings
            from conformance.plugin.items import failure_report, library_of, misdeclared

            self.findings = findings(library_of(self.config), self.results)
            self.problems += misdeclared(self.config)
            for name, place, text in self._failures(green=not session.testsfailed):
                report = pytest.TestReport(
                    nodeid=f"{place.file}::{name}",
                    location=(place.file, place.line - 1, name),
                    keywords={},
                    outcome="failed",
                    longrepr=failure_report(text, place.file, place.line),
                    when="call",
                )
                session.testscollected += 1
                session.config.hook.pytest_runtest_logreport(report=report)
        return done

    def _failures(self, *, green: bool) -> Iterator[tuple[str, Position, str]]:
        """Name, place and text of the failures of claims, divergence files and engines."""
        from conformance.language.scenario import Position
        from conformance.report.claims import contradiction
        from conformance.report.terminal import idle

        problems = [problem for each in self.findings for problem in each.claims.problems]
        for problem in dict.fromkeys((*problems, *self.problems)):
            text = f"invalid: {problem.text}\n\n  {problem}"
            yield f"line-{problem.position.line}", problem.position, text
        for result, text in idle(self.results) if green else ():
            yield result.engine, Position(result.file, result.line), text
        for each in self.findings:
            for finding in each.found:
                if finding.contradicted:
                    yield finding.claim.id, finding.claim.position, contradiction(finding)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> Generator[None, object, object]:
        """The summary of engines and claims; after the list of failures, if that is long."""
        if self.config.get_verbosity() < -1:
            return (yield)
        if not self.results:
            for line in self._deselected():
                terminalreporter.line(line)
            return (yield)
        if terminalreporter._tw.hasmarkup:
            self._colour(terminalreporter.stats.get("failed", ()))
        self._leave_out(terminalreporter.stats)
        self._leave_out_lines(terminalreporter)
        done = yield
        if self.failed:
            self._summarise(terminalreporter)
        return done

    def _summarise(self, terminalreporter: pytest.TerminalReporter) -> None:
        from conformance.plugin.causes import remember
        from conformance.report.terminal import summary

        remember(self.config, self.results)
        documents, found = self._found()
        terminalreporter.section("conformance")
        for line in summary(self.results, documents, found, self._uses()):
            terminalreporter.line(line)
        if self.config.get_verbosity() > 0:
            from conformance.report.result import legend

            terminalreporter.line("")
            for line in legend(self.results):
                terminalreporter.line(line)
        for line in self._deselected():
            terminalreporter.line(line)

    def _uses(self) -> dict[str, Usage]:
        """The names that unsupported scenarios use, if their programs are in this process and not too many to read."""
        from conformance.language.usage import names_used
        from conformance.plugin.items import ScenarioItem

        unsupported = {result.scenario for result in self.results if result.missing}
        if not 0 < len(unsupported) <= READ:
            return {}
        found = {item.scenario.id: item.scenario for item in self.items if isinstance(item, ScenarioItem)}
        return {name: names_used(found[name]) for name in unsupported if name in found}

    def _deselected(self) -> Iterator[str]:
        """How many scenarios are in a tier beyond the one that runs."""
        count = self.left_out
        if not count and is_in_use():
            from conformance.plugin.items import library_of

            count = library_of(self.config).left_out()
        if count:
            yield f"{count} deselected by tier; --tier full runs them"

    @staticmethod
    def _colour(reports: Iterable[Any]) -> None:
        """Colour the texts of failures, now that no other plugin reads them."""
        from conformance.report.failure import coloured

        for report in reports:
            entries = getattr(getattr(report.longrepr, "reprtraceback", None), "reprentries", ())
            if hasattr(report, "conformance"):
                for entry in entries:
                    entry.lines[:] = [coloured(line.rstrip("\n")) + "\n" for line in entry.lines]

    def _leave_out(self, stats: dict[str, list[Any]]) -> None:
        """Do not show failures in full whose first difference was shown several times; ``-v`` shows all."""
        if self.config.get_verbosity() > 0 or self.config.option.tbstyle in ("line", "no"):
            return
        from conformance.report.causes import beyond as beyond_causes
        from conformance.report.terminal import mostly_red, repeated

        left_out = beyond_causes(self.results) if mostly_red(self.results) else repeated(self.results)
        if left_out:
            self.failed = stats["failed"]
            stats["failed"] = [report for report in self.failed if _case(report) not in left_out]

    def _leave_out_lines(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Where most differs, the causes in the summary take the place of a line for each failure; ``-rf`` has them."""
        from conformance.report.terminal import mostly_red

        asked = any(
            "f" in argument
            for argument in map(str, self.config.invocation_params.args)
            if argument[:2] == "-r"
        )
        if not asked and self.config.get_verbosity() <= 0 and mostly_red(self.results):
            terminalreporter.reportchars = terminalreporter.reportchars.replace("f", "")

    def list_left_out(self, terminal: pytest.TerminalReporter) -> None:
        """Count and list the failures that are not shown in full."""
        if self.failed:
            count = len(self.failed) - len(terminal.stats["failed"])
            terminal.stats["failed"] = self.failed
            terminal.ensure_newline()
            changed = sum(result.verdict == "changed" for result in self.results)
            if changed:
                terminal.line(
                    f"{changed} that differ from another release are not shown; -v shows them in full"
                )
            if count > changed:
                terminal.line(
                    f"{count - changed} more have a first difference that is already shown; -v shows them in full"
                )
        elif self.results and self.config.get_verbosity() >= -1:
            self._summarise(terminal)

    def _found(self) -> tuple[dict[str, str], list[Finding]]:
        """The titles of documents and the findings on their claims."""
        documents = {
            key: document.title for each in self.findings for key, document in each.claims.documents.items()
        }
        return documents, [finding for each in self.findings for finding in each.found]

    def pytest_internalerror(self) -> None:
        """Remember an internal error of a worker, which xdist would otherwise ignore."""
        self.broken = True
        self.files.why = self.files.why or "an internal error"

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Remember why the run does not reach its end."""
        self.files.why = reason(excinfo.value)

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, crashitem: str) -> None:
        """Remember that a worker ended in an item, which has no result then."""
        self.files.why = self.files.why or f"a worker crashed in {crashitem}"

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Write the report files; without results there is no HTML report."""
        from conformance.commands.command import CHANGED

        changed = sum(result.verdict == "changed" for result in self.results)
        if exitstatus == pytest.ExitCode.TESTS_FAILED and changed == session.testsfailed > 0:
            session.exitstatus = exitstatus = CHANGED
        if self.broken and exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.INTERNAL_ERROR
        self.files.end(session, self.results, self._page)

    def _page(self, incomplete: str) -> str:
        from conformance.check import locate
        from conformance.report.html import render
        from conformance.report.subjects import parsed

        documents, found = self._found()
        about, seconds = self.files.about, self.files.seconds
        subjects = parsed((locate.specs() / locate.AREAS).read_text(encoding="utf-8"))
        return render(self.results, self.pages, documents, found, incomplete, about, seconds, subjects)


def _case(report: Any) -> tuple[str, str] | None:
    """Scenario and engine of a report."""
    result = getattr(report, "conformance", None)
    return (result["scenario"], result["engine"]) if result else None


def _described(config: pytest.Config, name: str) -> str:
    """The name of an engine with its version, which its own process says: here it might change torch."""
    import conformance

    if name == DEFAULT_ENGINE:
        return f"{name} {conformance.__version__}"
    if name == "torch":
        return _torch()
    from conformance.plugin.processes import engine_of
    from conformance.report.text import label

    try:
        return label(name, engine_of(config, name).version)
    except LookupError:
        return f"{name} (not found)"


def _torch() -> str:
    """Torch with its version, without importing it."""
    from importlib import metadata

    try:
        return f"torch {metadata.version('torch')}"
    except metadata.PackageNotFoundError:
        return "torch (not installed)"
