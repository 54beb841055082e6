"""The pytest plugin: hooks and options. What is heavy is imported when the first YAML file needs it."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conformance.findings import Findings
    from conformance.library import Library
    from conformance.report.result import Result

DEFAULT_ENGINE = "inhouse"
VARIABLE = "CONFORMANCE_ENGINE"
INI = "conformance_engines"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options, in a group of their own."""
    group = parser.getgroup("conformance", "autograd conformance")
    group.addoption(
        "--engine",
        action="append",
        default=[],
        metavar="ENGINE",
        help="check this engine: a registered name, a module that looks like torch, or module:attribute; "
        f"repeatable (default: {VARIABLE} in the environment, {INI} in the ini file, else {DEFAULT_ENGINE})",
    )
    group.addoption("--conformance-json", metavar="FILE", help="write every result to FILE as JSON lines")
    parser.addini(INI, "engines to check scenarios on where --engine names none", type="args", default=[])


def engine_names(config: pytest.Config) -> tuple[str, ...]:
    """The engines to check, in order."""
    named = config.getoption("--engine") or os.environ.get(VARIABLE, "").replace(",", " ").split()
    return tuple(dict.fromkeys(named or config.getini(INI) or [DEFAULT_ENGINE]))


def pytest_configure(config: pytest.Config) -> None:
    """Refuse what can be refused before anything runs; where this process reports, listen."""
    if os.getcwd() not in sys.path:  # an engine beside the scenarios, as with `python -m pytest`
        sys.path.append(os.getcwd())
    if hasattr(config, "workerinput"):
        return
    named = config.getoption("--engine")
    if named:
        from conformance.adapters.registry import EngineNotFoundError, find

        try:
            for name in named:
                find(name)
        except EngineNotFoundError as error:
            raise pytest.UsageError(str(error)) from None
    config.pluginmanager.register(Reporter(config), "conformance-reporter")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A YAML file with a top-level key ``scenarios``, and nothing else."""
    if file_path.suffix not in (".yaml", ".yml"):
        return None
    from conformance.spec.load import is_scenario_file

    if not is_scenario_file(file_path):
        return None
    from conformance.items import ScenarioFile

    collector: pytest.Collector = ScenarioFile.from_parent(parent, path=file_path)
    return collector


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """The result travels on the report as plain data, which xdist carries; a skip says where it belongs."""
    report = yield
    result: Result | None = getattr(item, "result", None)
    if call.when == "call" and result is not None:
        report.conformance = result.to_plain()  # type: ignore[attr-defined]
        if report.skipped and isinstance(report.longrepr, tuple):
            report.longrepr = (result.file, result.line, f"Skipped: {result.reason}")
    return report


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """*Unsupported* is a category of its own: neither passed nor failed, and counted."""
    verdict = getattr(report, "conformance", {}).get("verdict")
    return ("unsupported", "u", "UNSUPPORTED") if verdict == "unsupported" and report.skipped else None


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker tells which scenarios bear on which claims, so that who reports need not load them again."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None and "conformance.library" in sys.modules:
        from conformance.items import LIBRARY

        if library := session.config.stash.get(LIBRARY, None):
            output["conformance"] = library.index()


class Reporter:
    """Hears all results, from this process's items or from xdist's workers, and tells what they amount to."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.results: list[Result] = []
        self.findings: tuple[Findings, ...] = ()
        self.announced = False
        self.path = config.getoption("--conformance-json")
        if self.path:
            try:
                Path(self.path).write_text("")
            except OSError as error:
                raise pytest.UsageError(f"--conformance-json {self.path}: {error.strerror}") from None

    def pytest_report_collectionfinish(self, items: list[pytest.Item]) -> list[str]:
        """The header: engines and the number of scenarios."""
        if "conformance.items" not in sys.modules:
            return []
        from conformance.items import InvalidItem, ScenarioItem

        cases = {item.scenario.id for item in items if isinstance(item, ScenarioItem)}
        return self._header(len(cases) + sum(isinstance(item, InvalidItem) for item in items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """The same under xdist, when the first worker has collected."""
        if self.announced:
            return
        self.announced = True
        count = sum(".yaml::" in name or ".yml::" in name for name in ids)
        terminal = self.config.pluginmanager.get_plugin("terminalreporter")
        if terminal is not None:
            for line in self._header(count // len(engine_names(self.config))):
                terminal.write_line("")
                terminal.write(line)

    def _header(self, count: int) -> list[str]:
        if not count or self.config.get_verbosity() < 0:
            return []
        engines = ", ".join(_with_version(name) for name in engine_names(self.config))
        scenarios = "1 scenario" if count == 1 else f"{count} scenarios"
        return [f"conformance: {scenarios}, reference {_with_version('torch')}, engine {engines}"]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the result that travels on the report."""
        plain = getattr(report, "conformance", None)
        if plain is not None:
            from conformance.report.result import Result

            self.results.append(Result.from_plain(plain))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take what a worker tells at its end."""
        index = (getattr(node, "workeroutput", None) or {}).get("conformance")
        if index:
            self._library().adopt(index)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """When all have run: a declared verdict that torch contradicts is reported as a failure."""
        done = yield
        if self.results:
            from conformance.findings import findings

            self.findings = findings(self._library(), self.results)
        for name, file, line, text in self._wrong_claims():
            from conformance.items import failure_report

            report = pytest.TestReport(
                nodeid=f"{file}::{name}",
                location=(file, line - 1, name),
                keywords={},
                outcome="failed",
                longrepr=failure_report(text, file, line),
                when="call",
            )
            session.config.hook.pytest_runtest_logreport(report=report)
        return done

    def _wrong_claims(self) -> Iterator[tuple[str, str, int, str]]:
        """Name, file, line and text of what is wrong with claims files and the verdicts they declare."""
        for each in self.findings:
            for problem in each.claims.problems:
                place = problem.position
                yield (
                    f"line-{place.line}",
                    place.file,
                    place.line,
                    f"invalid: {problem.message}\n\n  {problem}",
                )
            from conformance.report.claims import contradiction

            for finding in each.found:
                if finding.contradicted:
                    place = finding.claim.position
                    yield finding.claim.id, place.file, place.line, contradiction(finding)

    def _library(self) -> Library:
        from conformance.items import LIBRARY
        from conformance.library import Library

        return self.config.stash.setdefault(LIBRARY, Library())

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """How the engines did and what became of the claims."""
        if not self.results or self.config.get_verbosity() < -1:
            return
        from conformance.report.terminal import summary

        documents = {
            key: document.title for each in self.findings for key, document in each.claims.documents.items()
        }
        found = [finding for each in self.findings for finding in each.found]
        terminalreporter.section("conformance")
        for line in summary(self.results, documents, found):
            terminalreporter.line(line)

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Write the results; a killed run leaves the file empty, which no reader takes for a report."""
        if self.path:
            from conformance.report.jsonlines import write

            lines = write(self.results, int(exitstatus))
            Path(self.path).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _with_version(name: str) -> str:
    """The name with its version, without importing what is heavy for it."""
    import conformance

    if name == DEFAULT_ENGINE:
        return f"{name} {conformance.__version__}"
    from importlib import metadata

    try:
        if name == "torch":
            return f"{name} {metadata.version(name)}"
        from conformance.adapters.registry import find
        from conformance.report.text import label

        return label(name, find(name).version)
    except LookupError:
        return f"{name} (not found)"
    except metadata.PackageNotFoundError:
        return f"{name} (not installed)"
