"""Torch in a process beside that of pytest.

Note [Torch beside]: to import torch takes longer than to read a thousand scenarios and to import all else. So it starts
with the first file of scenarios, in a process of its own, and runs them there before their items are reached; until it
is there, the engine under test runs what comes first. That takes a processor, which no worker of xdist has to spare,
and is in vain where torch has been imported here already.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conformance.adapters.remote import RemoteEngine

_TORCH: pytest.StashKey[RemoteEngine] = pytest.StashKey()


def start_torch(config: pytest.Config) -> None:
    """Let torch start in a process of its own, if scenarios are going to run and it saves time."""
    if _TORCH in config.stash or config.getoption("--collect-only") or config.getoption("--reference"):
        return
    if hasattr(config, "workerinput") or "torch" in sys.modules or _processors() < 2:
        return
    if find_spec("torch") is None:
        return
    from conformance.adapters.remote import RemoteEngine

    config.stash[_TORCH] = RemoteEngine("torch", sys.executable, wait=False)


def torch_beside(config: pytest.Config) -> RemoteEngine | None:
    """Torch in a process of its own, where `start_torch` found that good."""
    return config.stash.get(_TORCH, None)


def end_torch(config: pytest.Config) -> None:
    """End that process."""
    if _TORCH in config.stash:
        config.stash[_TORCH].close()


def _processors() -> int:
    """How many this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
