"""What runs in processes beside that of pytest.

Note [Engines apart]: an engine that nobody here has seen may end its process, go on for ever where no signal is heard,
and change torch. So it is in a process of its own, where that costs a scenario at most, and no time: pytest and engine
go on at once. In this process it is where somebody wants to follow it: a debugger, a profiler, a tool for coverage, or
who says --engine-here.

Note [Torch beside]: to import torch takes longer than to read a thousand scenarios and to import all else. So it starts
with the first file of scenarios, in a process of its own, and runs them there before their items are reached; until it
is there, the engine under test runs what comes first. That takes a processor, which no worker of xdist has to spare,
and is in vain where torch has been imported here already. An engine that is made of torch may change torch itself, for
all that runs in its process: beside such a one in this process it is always in its own.

Note [From the end]: where torch's answers are stored, a fork checks the scenarios from the last towards the first. What
agrees there need not be run again. All else is, by this process when it gets there, where it can be looked at: so
an engine that hangs or ends the fork, or cannot be forked, costs time and nothing else.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from conformance.plugin.options import engine_names

if TYPE_CHECKING:
    from conformance.adapters.remote import RemoteEngine
    from conformance.runner.engine import Engine

_TORCH: pytest.StashKey[RemoteEngine] = pytest.StashKey()
_ENGINES: pytest.StashKey[dict[str, Engine]] = pytest.StashKey()


def engine_of(config: pytest.Config, name: str) -> Engine:
    """An engine of a run, which may be still starting: see Note [Engines apart]; raises `EngineNotFoundError`."""
    engines = config.stash.setdefault(_ENGINES, {})
    if name not in engines:
        from conformance.check.engine_under_test import engine

        engines[name] = engine(name, config.getoption("--engine-python"), here=_is_here(config), wait=False)
    return engines[name]


def start_engines(config: pytest.Config) -> None:
    """Let those that are not in this process start, if scenarios are going to run."""
    if config.getoption("--collect-only") or _ENGINES in config.stash or _is_here(config):
        return
    from conformance.adapters.registry import TRUSTED, EngineNotFoundError

    config.stash[_ENGINES] = {}
    for name in engine_names(config):
        with contextlib.suppress(EngineNotFoundError):  # as its scenarios will tell
            if name not in TRUSTED or config.getoption("--engine-python"):
                engine_of(config, name)


def refuse_unknown_engines(config: pytest.Config) -> None:
    """An engine that the command line names, and that is not to be had, is a mistake in the command line."""
    from conformance.adapters.registry import EngineNotFoundError

    try:
        for name in config.getoption("--engine"):
            engine_of(config, name).name  # noqa: B018 - which waits for it
    except EngineNotFoundError as error:
        raise pytest.UsageError(str(error)) from None


def _is_here(config: pytest.Config) -> bool:
    """Whether somebody wants to follow engines in this process."""
    asked = config.getoption("--engine-here") or config.getoption("usepdb") or config.getoption("trace")
    return bool(asked or _is_watched()) and not config.getoption("--engine-python")


def start_torch(config: pytest.Config) -> None:
    """Let torch start in a process of its own, if scenarios are going to run and it saves time."""
    if _TORCH in config.stash or config.getoption("--collect-only") or config.getoption("--reference"):
        return
    in_vain = "torch" in sys.modules or not _is_to_spare(config)
    if find_spec("torch") is None or (in_vain and not _may_be_changed(config)):
        return
    from conformance.adapters.remote import RemoteEngine

    config.stash[_TORCH] = RemoteEngine("torch", wait=False)


def torch_process(config: pytest.Config) -> RemoteEngine | None:
    """Torch in a process of its own, where `start_torch` found that good."""
    return config.stash.get(_TORCH, None)


def may_fork(config: pytest.Config) -> bool:
    """Whether a fork may check scenarios too.

    None where somebody traces what runs, or other threads would be lost; nor where engines are in an interpreter of
    their own: both would write to one pipe, and take one another's answers from it.
    """
    from conformance.adapters.registry import TRUSTED

    recorded = config.getoption("--reference") and hasattr(os, "fork")
    here = _is_here(config) or TRUSTED.issuperset(engine_names(config))
    apart = config.getoption("--engine-python") or not here
    looked_at = config.getoption("usepdb") or _is_watched()
    alone = threading.active_count() == 1
    return bool(recorded and not apart and not looked_at and alone and _is_to_spare(config))


def end_processes(config: pytest.Config) -> None:
    """End those of torch and of the engines."""
    for engine in (config.stash.get(_TORCH, None), *config.stash.get(_ENGINES, {}).values()):
        close = getattr(engine, "close", None)
        if close is not None:
            close()


def _may_be_changed(config: pytest.Config) -> bool:
    """Whether an engine in this process is made of torch."""
    if not _is_here(config):
        return False
    from conformance.adapters.registry import EngineNotFoundError, find, uses_torch

    for name in engine_names(config):
        with contextlib.suppress(EngineNotFoundError):  # as its scenarios will tell
            find(name)
            if uses_torch(name):
                return True
    return False


def _is_watched() -> bool:
    """Whether a debugger, a profiler or a tool for coverage follows what runs in this process."""
    monitoring = getattr(sys, "monitoring", None)  # from Python 3.12 on, for six tools
    tools = [monitoring.get_tool(number) for number in range(6)] if monitoring else []
    return any(each is not None for each in (sys.gettrace(), sys.getprofile(), *tools))


def _is_to_spare(config: pytest.Config) -> bool:
    """Whether there is a processor that nobody else of this run has use for."""
    return not hasattr(config, "workerinput") and _processors() > 1


def _processors() -> int:
    """How many this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
