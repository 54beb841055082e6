"""The hooks of the pytest plugin. Heavy modules are imported with the first scenario file."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Collection, Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from conformance.plugin import is_in_use
from conformance.plugin.fast_protocol import (
    allows_fast_protocol,
    run_call_phase_only,
    unregister_python_plugins,
)
from conformance.plugin.options import add_options, is_in_shard, is_page, tier_of
from conformance.plugin.processes import end_processes, refuse_unknown_engines, start_engines, start_torch
from conformance.plugin.reporter import Reporter
from conformance.report.text import escape_the_unprintable

if TYPE_CHECKING:
    from conformance.report.result import Result

_FAST_PROTOCOL = pytest.StashKey[bool]()
_COLLECTED = pytest.StashKey[dict[Path, Path]]()
_CASES = pytest.StashKey[str]()
"""A hash of the ids of all cases of the run, of every shard."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options are in a module of their own."""
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Refuse unknown engines early; register the reporter in the process that reports."""
    for text in filter(_is_not_utf8, map(str, config.invocation_params.args)):
        raise pytest.UsageError(f"{text!a} is not UTF-8, which reports and workers need: rename it")
    tier_of(config)  # refuses an unknown one
    if os.getcwd() not in sys.path:  # finds an engine in the current folder, as with `python -m pytest`
        sys.path.append(os.getcwd())
    # pytest rewrites the asserts of a whole package with a plugin, which takes a second without cached bytecode.
    getattr(config.pluginmanager.rewrite_hook, "_must_rewrite", set()).discard("conformance")
    if hasattr(config, "workerinput"):
        return
    if config.getoption("--cause"):
        from conformance.plugin.causes import refuse_unknown

        refuse_unknown(config)
    if config.getoption("dist", "no") != "no":  # otherwise they are checked when scenarios have been found
        refuse_unknown_engines(config)
    escape_the_unprintable(sys.stdout)  # otherwise pytest escapes line ends too
    config.pluginmanager.register(Reporter(config), "conformance-reporter")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Collect YAML files with a top-level key ``scenarios``, and the pages that the ini file names.

    A YAML file that the command line names and that no other plugin collects is collected to report what it lacks.
    """
    collectors = yield
    if is_page(parent.config, file_path):
        from conformance.plugin.pages import PageFile

        collectors.append(PageFile.from_parent(parent, path=file_path))
    if file_path.suffix not in (".yaml", ".yml"):
        return collectors
    from conformance.check.locate import is_scenario_file

    if _is_not_utf8(str(file_path)):
        raise pytest.UsageError(f"{str(file_path)!a} is not UTF-8, which reports and workers need: rename it")
    named = parent.session.isinitpath(file_path) and not collectors
    if named or is_scenario_file(file_path):
        first = parent.config.stash.setdefault(_COLLECTED, {}).setdefault(file_path.resolve(), file_path)
        if first != file_path and not parent.session.isinitpath(file_path):  # a link to a collected file
            return collectors
        start_torch(parent.config)
        start_engines(parent.config)
        from conformance.plugin.items import ScenarioFile

        collectors.append(ScenarioFile.from_parent(parent, path=file_path))
    return collectors


def _is_not_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def pytest_unconfigure(config: pytest.Config) -> None:
    """End all processes."""
    end_processes(config)
    if is_in_use():
        from conformance.plugin.items import end_from_the_end

        end_from_the_end(config)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the scenarios of other shards out, and with --compile those that are not in the sample."""
    _leave_out_of_sample(config, items)
    if config.getoption("--cause") and is_in_use():
        from conformance.plugin.causes import of_cause

        _deselect(config, items, of_cause(config, items))
    wanted = config.getoption("--conformance-json") or config.getoption("--shard")
    if not (wanted and is_in_use()):
        return
    from conformance.check.provenance import hash_of
    from conformance.plugin.items import case_of

    cases = [(item, case_of(item)) for item in items]
    config.stash[_CASES] = hash_of({case for _, case in cases if case})
    shard = config.getoption("--shard")
    if shard is not None:
        items[:] = [item for item, case in cases if not case or is_in_shard(case, shard)]
        left_out = [item for item, case in cases if case and not is_in_shard(case, shard)]
        if left_out:
            config.hook.pytest_deselected(items=left_out)


def _leave_out_of_sample(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With --compile, which takes seconds for each scenario, run a sample unless --whole."""
    if config.getoption("--compile") and not config.getoption("--whole") and is_in_use():
        from conformance.plugin.sample import sample

        _deselect(config, items, sample(items))


def _deselect(config: pytest.Config, items: list[pytest.Item], kept: Collection[pytest.Item]) -> None:
    """Leave all other items out."""
    left = {*kept}
    left_out = [item for item in items if item not in left]
    items[:] = [item for item in items if item in left]
    if left_out:
        config.hook.pytest_deselected(items=left_out)


def pytest_collection_finish(session: pytest.Session) -> None:
    """If the run has only scenarios, unregister plugins and use the fast protocol."""
    if not hasattr(session.config, "workerinput"):
        refuse_unknown_engines(session.config)
    if reporter := session.config.pluginmanager.get_plugin("conformance-reporter"):
        reporter.files.collected = session.config.stash.get(_CASES, "")
    if session.items and is_in_use():
        from conformance.plugin.items import ALONE, is_own

        if all(map(is_own, session.items)):
            session.config.stash[ALONE] = True
            unregister_python_plugins(session.config)
            session.config.stash[_FAST_PROTOCOL] = allows_fast_protocol(session.config)


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """See Note [Fast protocol]."""
    return (item.config.stash.get(_FAST_PROTOCOL, False) and run_call_phase_only(item, nextitem)) or None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Attach the result to the report as plain data, which xdist can send; skips get the scenario's position."""
    report: Any = yield  # Any, since attributes are added
    result: Result | None = getattr(item, "result", None)
    if call.when == "call" and result is not None:
        report.conformance = result.to_plain()
        if report.skipped and isinstance(report.longrepr, tuple):
            report.longrepr = (result.file, result.line, f"Skipped: {result.reason}")
        if page := vars(item).pop("page", None):
            report.conformance_page = page
    found: pytest.TestReport = report
    return found


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """*Unsupported* is a category of its own: counted, but neither passed nor failed."""
    verdict = getattr(report, "conformance", {}).get("verdict")
    return ("unsupported", "u", "UNSUPPORTED") if verdict == "unsupported" and report.skipped else None


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker sends the loaded cases and problems, so that the reporting process need not load them."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None and is_in_use():
        from conformance.plugin.items import library_of, misdeclared

        problems = [dataclasses.asdict(problem) for problem in misdeclared(session.config)]
        output["conformance"] = {"cases": library_of(session.config).index(), "problems": problems}
        output["conformance"]["left_out"] = library_of(session.config).left_out()
        output["conformance"]["collected"] = session.config.stash.get(_CASES, "")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Runs between pytest's failure texts and its list of failures."""
    reporter = config.pluginmanager.get_plugin("conformance-reporter")
    if reporter is not None:
        reporter.list_left_out(terminalreporter)
