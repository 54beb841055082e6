"""How a scenario runs among pytest's items.

Note [One phase]: a scenario sets nothing up and tears nothing down. pytest's phases for that, each with the hooks of a
dozen plugins and a report, are more than half of what it does for an item. So where scenarios are all that runs, and
nobody but pytest hears of phases, here or where a worker's reports go, a scenario is called and no more. The last of a
file goes the whole way: there pytest leaves the file, and enters the next.
"""

from __future__ import annotations

import pytest
from _pytest.runner import call_and_report

_HOOKS = tuple(
    f"pytest_runtest_{name}" for name in ("protocol", "setup", "teardown", "makereport", "logreport")
)
# A worker's side of xdist is the third; the last asks of each report whether hypothesis was at work.
_OWN = ("_pytest", "xdist", "__channelexec__", "conformance", "_hypothesis_pytestplugin")

FAST_PROTOCOL = "conformance_one_phase"
"""What a worker is told under this name: whether nobody hears of phases where its reports go."""


def allows_fast_protocol(config: pytest.Config) -> bool:
    """Whether nobody would miss the phases before and after the call; a worker has been told of those it reports to."""
    hears = {
        impl.function.__module__ for name in _HOOKS for impl in getattr(config.hook, name).get_hookimpls()
    }
    shown = config.getoption("setuponly", False) or config.getoption("setupshow", False)
    alone = not shown and all(module.partition(".")[0] in _OWN for module in hears)
    return alone and getattr(config, "workerinput", {}).get(FAST_PROTOCOL, True)


def run_call_phase_only(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Call an item between others of its file, without the other phases; whether that was all there is to do."""
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
    """Leave out plugins for tests in Python, each of which costs a run of 1000 scenarios a tenth of its time.

    Hypothesis is imported at the end to ask whether it has been at work. What is logged is caught anew for each phase
    of each test, by a handler for each of torch's loggers; where logs are asked for, that stays.
    """
    asked = ("log_cli", "log_cli_level", "log_file", "log_level")
    logs = any(config.getini(name) or config.getoption(name, None) for name in asked)
    for name in ("hypothesispytest", *(() if logs else ("logging-plugin",))):
        if config.pluginmanager.has_plugin(name):
            config.pluginmanager.unregister(name=name)
