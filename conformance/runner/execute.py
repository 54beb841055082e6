"""Scenario x Engine -> Trace."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Literal

from conformance.language.scenario import Scenario
from conformance.runner.bytecode import programs_of
from conformance.runner.engine import Engine, provides_traces
from conformance.runner.isolate import collected_on_demand, isolated
from conformance.runner.limit import Alarm, Interrupts, TimeLimit, bounded_memory, watched
from conformance.runner.normalize import error_text
from conformance.runner.probes import SECOND_DEVICE, answers, second_device_of, uses_second_device
from conformance.runner.recorder import Recorder, drop_frames
from conformance.runner.shared_state import restored
from conformance.runner.text_names import restrict
from conformance.runner.trace import Moment, Raised, Trace
from conformance.runner.wall import Refused, unwalled, walled


def run(
    scenario: Scenario,
    engine: Engine,
    *,
    seconds: float = 20,
    observe: Literal["each", "end"] | None = None,
    wall: bool = True,
    at_step: Callable[[int, int], None] | None = None,
) -> Trace:
    """Run a scenario on an engine. Every error of the engine is recorded in the trace; none is raised.

    ``observe`` overrides the scenario's own key. The time limit works only in the main thread. The memory limit works
    only on Linux, and not for scenarios that need a device, whose driver reserves addresses. ``wall`` is left out where
    a debugger or a coverage tool follows the program: see Note [The wall knows no names]. ``at_step`` receives
    the step and the line of each statement that is about to run.
    """
    if provides_traces(engine):
        return engine.trace_of(scenario, seconds=seconds, observe=observe)
    with watched(seconds), Interrupts() as interrupts:
        each = (observe or scenario.observe) == "each"
        return _run(scenario, engine, seconds, interrupts, each=each, wall=wall, at_step=at_step)


def _run(
    scenario: Scenario,
    engine: Engine,
    seconds: float,
    interrupts: Interrupts,
    *,
    each: bool,
    wall: bool,
    at_step: Callable[[int, int], None] | None,
) -> Trace:
    alarm = Alarm(seconds)
    process = os.getpid()

    def check() -> None:
        if os.getpid() != process:  # a child that the engine forked, which would run everything that follows
            os._exit(0)
        interrupts.check()
        alarm.check()
        if refusals:  # an engine swallowed it
            raise Refused(refusals[0])

    refusals: list[str] = []
    recorder = Recorder(scenario, engine, check, at_step, each=each)
    raised = None
    restrict(str(getattr(engine.torch, "__name__", "")))
    try:
        programs = programs_of(scenario)
        generators = any(program.generators for program in programs)
        collects = any(program.collects for program in programs)
        bounded = nullcontext() if _reserves_addresses(engine, scenario) else bounded_memory()
        guard = walled(engine, refusals) if wall else unwalled()
        kept = restored(scenario, engine.torch)
        start = state_of(engine, scenario)
        with (
            collected_on_demand(generators or collects),
            kept,
            isolated(engine.torch, getattr(engine, "original", engine)) as log,
            start,
            bounded,
            guard,
        ):
            try:
                alarm.start()
                recorder.run(log)
            finally:
                try:
                    alarm.stop()
                finally:  # it may ring while it is stopped
                    alarm.stop()
                    recorder.forget()
                    if generators:  # an unfinished generator keeps its `with` open
                        gc.collect()
    except TimeLimit:
        raised = Raised("TimeLimit", f"still running after {seconds:g} s")
    except Refused as error:
        raised = Raised("Refused", str(error))
    except BaseException as error:  # outside the program: preparing or observing the engine raised
        interrupts.check()
        raised = Raised(type(error).__name__, error_text(error))
        drop_frames(error)
    if refusals:
        raised = Raised("Refused", refusals.pop())
    check()
    moments = recorder.moments
    if raised is not None:
        moments.append(Moment(recorder.current(), raised=raised))
    trace = Trace(scenario.id, engine.name, engine.version, tuple(moments))
    finish: Callable[[Trace], Trace] | None = getattr(engine, "finish", None)
    return trace if finish is None else finish(trace)


def state_of(engine: Engine, scenario: Scenario) -> AbstractContextManager[Any]:
    """What an engine sets in torch, as its state at the start of every scenario, after the seed."""
    state: Callable[[Scenario], AbstractContextManager[Any]] = getattr(engine, "state", nullcontext)
    return state(scenario)


def _reserves_addresses(engine: Engine, scenario: Scenario) -> bool:
    """Whether a device or a compiler is used, which reserves addresses, so that memory cannot be bounded."""
    device = getattr(engine, "device", "cpu")
    unbounded = getattr(engine, "unbounded", False) or device not in ("cpu", "meta")
    return uses_second_device(scenario) or unbounded


def available(engine: Engine, need: str) -> bool:
    """Whether a need is met, or was met when the engine was recorded."""
    if provides_traces(engine):
        return need in engine.available
    if need == SECOND_DEVICE:
        return second_device_of(engine) is not None
    return answers(engine.torch, need)
