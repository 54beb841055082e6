"""The fast protocol: run only pytest's call phase for scenarios.

Note [Fast protocol]: a scenario has no setup and no teardown. pytest's phases for them, each with the hooks of a dozen
plugins and a report, are more than half of the time per item. So if a run has only scenarios, and only pytest itself
uses the reports of those phases (in this process and in the one that a worker reports to), a scenario runs only the
call phase. The last scenario of a file runs all phases: there pytest leaves the file and enters the next one.
"""

from __future__ import annotations

import pytest
from _pytest.runner import call_and_report

_HOOKS = tuple(
    f"pytest_runtest_{name}" for name in ("protocol", "setup", "teardown", "makereport", "logreport")
)
# The third is xdist in a worker; the last checks each report for Hypothesis.
_OWN = ("_pytest", "xdist", "__channelexec__", "conformance", "_hypothesis_pytestplugin")

FAST_PROTOCOL = "conformance_one_phase"
"""The key of workerinput: whether the process that a worker reports to allows the fast protocol."""


def allows_fast_protocol(config: pytest.Config) -> bool:
    """Whether no plugin uses the setup and teardown phases, here and in the process that a worker reports to."""
    hook_modules = {
        impl.function.__module__ for name in _HOOKS for impl in getattr(config.hook, name).get_hookimpls()
    }
    shown = config.getoption("setuponly", False) or config.getoption("setupshow", False)
    alone = not shown and all(module.partition(".")[0] in _OWN for module in hook_modules)
    return alone and getattr(config, "workerinput", {}).get(FAST_PROTOCOL, True)


def run_call_phase_only(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Run only the call phase of an item, unless it is the last of its file; returns whether the item is done."""
    if nextitem is None or nextitem.parent is not item.parent or next(item.iter_markers(), None) is not None:
        return False
    hooks = item.ihook
    hooks.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    call_and_report(item, "call")
    if item.session.shouldfail or item.session.shouldstop:
        call_and_report(item, "teardown", nextitem=None)
    hooks.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def unregister_python_plugins(config: pytest.Config) -> None:
    """Unregister plugins for Python tests, each of which takes a tenth of the time of 1000 scenarios.

    Hypothesis would be imported at the end only to check whether it was used. Logging is captured per phase, with a
    handler for each of torch's loggers; the plugin stays if logs are requested.
    """
    asked = ("log_cli", "log_cli_level", "log_file", "log_level")
    logs = any(config.getini(name) or config.getoption(name, None) for name in asked)
    for name in ("hypothesispytest", *(() if logs else ("logging-plugin",))):
        if config.pluginmanager.has_plugin(name):
            config.pluginmanager.unregister(name=name)
