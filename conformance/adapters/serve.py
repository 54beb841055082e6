"""The server in another interpreter: finds the engine and runs the scenarios that are sent."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from dataclasses import asdict
from types import ModuleType
from typing import Any

from conformance.adapters.kernel_wall import wall_in
from conformance.adapters.registry import EngineNotFoundError, find
from conformance.language.scenario import NEEDS
from conformance.runner.engine import terms_of
from conformance.runner.execute import available, run
from conformance.runner.isolate import freeze_for_good
from conformance.runner.last_words import LastWords
from conformance.runner.limit import be_expendable
from conformance.runner.rerun import twice
from conformance.runner.serialize import from_plain
from conformance.runner.wall import is_harmless_variable


def serve(channel: Any, name: str, log: str) -> None:
    """Send the engine's description, then answer each scenario with its trace until the channel is closed.

    If the process crashes or is aborted, the file ``log`` says where: see Note [Last words].
    """
    try:
        engine = find(name)
    except EngineNotFoundError as error:
        channel.send(json.dumps({"error": str(error)}))
        return
    known = {
        "pid": os.getpid(),
        "name": engine.name,
        "version": engine.version,
        "claims": sorted(engine.claims),
        "complete": bool(getattr(engine, "complete", False)),
        "may": sorted(getattr(engine, "may", ())),
        "divergences": str(getattr(engine, "divergences", None) or ""),
        "available": [need for need in NEEDS if available(engine, need)],
        "terms": asdict(terms_of(engine)),
        "adapter": f"{type(engine).__module__}:{type(engine).__name__}",
        "module": engine.torch.__name__ if isinstance(engine.torch, ModuleType) else "",
    }
    channel.send(json.dumps(known))
    for variable in [*os.environ]:  # after the engine's import, which may depend on others
        if not is_harmless_variable(variable):
            del os.environ[variable]
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # interrupts are meant for the client
    be_expendable()  # also if the client has ended
    last_words = LastWords(log)
    wall_in(engine)
    freeze_for_good()
    for requests in channel:
        for request in json.loads(requests):
            channel.send(_answer(engine, json.loads(request), last_words.at_step))
            if getattr(engine, "spoilt", False):  # the next scenario would meet what this one left in torch
                return


def _answer(engine: Any, request: dict[str, Any], at_step: Callable[[int, int], None]) -> str:
    if "probe" in request:
        from conformance.adapters.probe import probe

        return json.dumps(probe(engine))
    scenario, seconds = from_plain(request["scenario"]), request["seconds"]
    if request["twice"]:
        return json.dumps([trace.to_json(frames=True) for trace in twice(scenario, engine, seconds=seconds)])
    return run(scenario, engine, seconds=seconds, observe=request["observe"], at_step=at_step).to_json(
        frames=True
    )
