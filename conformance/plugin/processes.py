"""The processes that run next to pytest's own.

Note [Engines in their own process]: a program or an engine may end its process, hang in C where no signal is handled,
or change torch. So torch, the in-house engine and every other engine run in processes of their own, also in xdist
workers and on one processor: what hangs or crashes costs one scenario, and the process is started again. It also costs
no time, since pytest and the engines run at the same time where there are processors. Engines run in pytest's process
if the user wants to follow them there: with a debugger, a profiler, a coverage tool, or --engine-here.

Note [Torch in its own process]: importing torch takes longer than reading a thousand scenarios and importing everything
else. So torch starts with the first scenario file, and runs scenarios before their items are reached. Where engines run
in pytest's process, torch does so too if it is imported already or no processor is to spare, unless an engine is built
on torch: it may change torch for its whole process.

Note [From the end]: if the reference is recorded and the engines run in pytest's process, a fork checks the scenarios
from the last to the first. Scenarios that agree there need not run again. This process runs all others when it reaches
them, where they can be debugged. So an engine that hangs or ends the fork, or cannot be forked, costs only time.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from conformance.plugin.options import elsewhere, engine_names

if TYPE_CHECKING:
    from conformance.adapters.remote import RemoteEngine
    from conformance.runner.engine import Engine

_TORCH: pytest.StashKey[RemoteEngine] = pytest.StashKey()
_ENGINES: pytest.StashKey[dict[str, Engine]] = pytest.StashKey()


def engine_of(config: pytest.Config, name: str) -> Engine:
    """An engine of a run, possibly still starting; raises `EngineNotFoundError`.

    See Note [Engines in their own process].
    """
    engines = config.stash.setdefault(_ENGINES, {})
    if name not in engines:
        from conformance.check.engine_under_test import engine

        python, here = config.getoption("--engine-python"), is_here(config)
        engines[name] = engine(name, python, here=here, wait=False)
    return engines[name]


def start_engines(config: pytest.Config) -> None:
    """Start the engines that run in other processes, if scenarios are going to run."""
    if config.getoption("--collect-only") or _ENGINES in config.stash or is_here(config):
        return
    from conformance.adapters.registry import EngineNotFoundError

    config.stash[_ENGINES] = {}
    for name in engine_names(config):
        with contextlib.suppress(EngineNotFoundError):  # its scenarios report it
            engine_of(config, name)


def refuse_unknown_engines(config: pytest.Config) -> None:
    """Raise UsageError if the command line names an engine that does not exist."""
    from conformance.adapters.registry import EngineNotFoundError

    try:
        for name in (*config.getoption("--engine"), *elsewhere(config)):
            engine_of(config, name).name  # noqa: B018 - waits for the engine
    except EngineNotFoundError as error:
        raise pytest.UsageError(str(error)) from None


def is_here(config: pytest.Config) -> bool:
    """Whether the user wants to follow engines in this process, which then run without the wall."""
    asked = config.getoption("--engine-here") or config.getoption("usepdb") or config.getoption("trace")
    return bool(asked or _is_watched()) and not config.getoption("--engine-python")


def start_torch(config: pytest.Config) -> None:
    """Start torch in a process of its own, if scenarios are going to run there."""
    if _TORCH in config.stash or config.getoption("--collect-only") or config.getoption("--reference"):
        return
    useless = is_here(config) and ("torch" in sys.modules or not _is_to_spare(config))
    if find_spec("torch") is None or (useless and not _may_be_changed(config)):
        return
    from conformance.adapters.remote import RemoteEngine

    config.stash[_TORCH] = RemoteEngine("torch", wait=False)


def recording_of(config: pytest.Config) -> str | None:
    """The recording that replaces torch: the one that is named, or the suite's own where torch is not installed."""
    named: str | None = config.getoption("--reference")
    if named is None and find_spec("torch") is None:
        from conformance.check.engine_under_test import recording_instead

        return recording_instead()
    return named


def torch_process(config: pytest.Config) -> RemoteEngine | None:
    """Torch in a process of its own, if `start_torch` started it."""
    return config.stash.get(_TORCH, None)


def may_fork(config: pytest.Config) -> bool:
    """Whether a fork may check scenarios too.

    Not while a debugger or profiler traces this process, or while other threads run, which a fork would lose. Not with
    engines in other interpreters either: both processes would use the same pipe and read each other's answers.
    """
    recorded = recording_of(config) and hasattr(os, "fork")
    traced = config.getoption("usepdb") or _is_watched()
    alone = threading.active_count() == 1
    there = bool(elsewhere(config))  # a fork cannot run backward once a device is in use
    return bool(recorded and is_here(config) and not traced and alone and not there and _is_to_spare(config))


def end_processes(config: pytest.Config) -> None:
    """End the processes of torch and of the engines."""
    for engine in (config.stash.get(_TORCH, None), *config.stash.get(_ENGINES, {}).values()):
        close = getattr(engine, "close", None)
        if close is not None:
            close()


def _may_be_changed(config: pytest.Config) -> bool:
    """Whether an engine in this process is built on torch."""
    if not is_here(config):
        return False
    from conformance.adapters.registry import EngineNotFoundError, find, uses_torch

    for name in engine_names(config):
        with contextlib.suppress(EngineNotFoundError):  # its scenarios report it
            find(name)
            if uses_torch(name):
                return True
    return False


def _is_watched() -> bool:
    """Whether a debugger, a profiler or a coverage tool traces this process."""
    monitoring = getattr(sys, "monitoring", None)  # since Python 3.12, for up to six tools
    tools = [monitoring.get_tool(number) for number in range(6)] if monitoring else []
    return any(each is not None for each in (sys.gettrace(), sys.getprofile(), *tools))


def _is_to_spare(config: pytest.Config) -> bool:
    """Whether this run has a spare processor."""
    return not hasattr(config, "workerinput") and _processors() > 1


def _processors() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
