"""An engine in another interpreter, through execnet. There, nothing is needed but the engine.

Note [Another interpreter]
  - execnet sends itself; of this package, only what needs the standard library alone is imported there, from
    where it is here. Python 3.11 is needed there too.
  - A limit of time rings there first. What cannot be interrupted is ended from here, a little later.
  - An interpreter that ends, or has to be ended, costs the scenario it was at: the next starts another.
  - Scenarios that are expected are sent before they are asked for: they run there while this process runs them on
    another engine. Answers come in the order of the questions.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import conformance
from conformance.adapters.registry import EngineNotFoundError
from conformance.language.scenario import Scenario
from conformance.runner.compare import DIED
from conformance.runner.serialize import to_plain
from conformance.runner.trace import Moment, Raised, Statement, Trace

GRACE = 3.0
"""Seconds that the other interpreter has after a scenario's own limit."""

AHEAD = 64
"""Scenarios that are sent before they are asked for: what a pipe holds, so that sending them never waits."""

_START = 120  # seconds for the import of an engine

_BOOTSTRAP = """
import importlib.util, json, sys
package, path, folder, name = json.loads(channel.receive())
if sys.version_info < (3, 11):
    channel.send(json.dumps({"error": "it is Python %d.%d, and 3.11 is needed" % sys.version_info[:2]}))
else:
    spec = importlib.util.spec_from_file_location(
        "conformance", package + "/__init__.py", submodule_search_locations=[package]
    )
    sys.modules["conformance"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.path = path or [entry for entry in sys.path if entry] + [folder]
    from conformance.adapters.serve import serve
    serve(channel, name)
"""


class RemoteEngine:
    """The engine ``name`` in the interpreter ``python``, or else in one that finds what this one finds.

    Without ``wait`` it starts while this process goes on, and who asks for something waits until it is there.

    Raises:
        EngineNotFoundError: it does not start; without ``wait``, where something is asked for.
    """

    def __init__(self, name: str, python: str | None = None, *, wait: bool = True) -> None:
        self.asked = name
        self._python = python or sys.executable
        self._place = f"in {python}" if python else ""
        self._path = [] if python else [entry or os.getcwd() for entry in sys.path]
        self._group: Any = None
        self._channel: Any = None
        self._known: dict[str, Any] | None = None  # what it is
        self._refused: EngineNotFoundError | None = None  # why it is not to be had
        self._expected: Iterator[str] = iter(())
        self._sent: deque[str] = deque()  # what it was asked and has not answered
        self._answers: dict[str, str | Raised] = {}  # what it has answered and nobody has asked for
        self._launch()
        if wait:
            self._wait()

    def _wait(self) -> dict[str, Any]:
        """What it is, once it is there."""
        if self._refused is not None:
            raise self._refused
        if self._known is None:
            try:
                self._known = self._told(_START)
            except TimeoutError as error:
                self._refused = self._does_not_start(error)
                raise self._refused from None
            except EngineNotFoundError as error:
                self._refused = error
                raise
        return self._known

    @property
    def name(self) -> str:
        """Of the engine."""
        return str(self._wait()["name"])

    @property
    def version(self) -> str:
        """Of the engine there."""
        return str(self._wait()["version"])

    @property
    def claims(self) -> frozenset[str]:
        """What it claims."""
        return frozenset(self._wait()["claims"])

    @property
    def complete(self) -> bool:
        """Whether it is to have all names."""
        return bool(self._wait()["complete"])

    @property
    def available(self) -> frozenset[str]:
        """What scenarios may need that is there."""
        return frozenset(self._wait()["available"])

    @property
    def divergences(self) -> str:
        """The file of what it is known to do otherwise, where it names one."""
        return str(self._wait()["divergences"])

    @property
    def adapter(self) -> str:
        """The class that it is of there."""
        return str(self._wait()["adapter"])

    @cached_property
    def torch(self) -> ModuleType | None:
        """An empty module of the name of that which it has there."""
        return ModuleType(self._wait()["module"]) if self._wait()["module"] else None

    def __repr__(self) -> str:
        return f"<{self._named()}>"

    def observe(self, value: object, /) -> None:
        """Its tensors never come here."""

    def expect(self, scenarios: Iterable[Scenario], *, seconds: float = 20) -> None:
        """These will be asked for, with that limit and in about that order."""
        self._expected = (_request(scenario, seconds, None) for scenario in scenarios)

    def starting(self) -> bool:
        """Whether it is not there yet, so that who asks for something has to wait."""
        if self._known is None:
            try:
                self._known = self._told(0)
            except TimeoutError:
                return True
        return False

    def trace_of(
        self, scenario: Scenario, *, seconds: float = 20, observe: Literal["each", "end"] | None = None
    ) -> Trace:
        """The trace that it leaves there; of an interpreter that ended, that it did."""
        answer = self._ask(_request(scenario, seconds, observe), seconds + GRACE)
        if isinstance(answer, str):
            trace = Trace.from_json(answer)
            if trace.scenario == scenario.id:
                return trace
            self._forget()
            answer = Raised(DIED, f"it sent an answer that was not requested: {trace.scenario}")
        return Trace(scenario.id, self.name, self.version, (Moment(Statement(0, 1), raised=answer),))

    def probe(self) -> dict[str, Any]:
        """What `conformance.adapters.probe` finds there."""
        answer = self._ask(json.dumps({"probe": True}), _START)
        if isinstance(answer, Raised):
            raise EngineNotFoundError(f"{self._named()}: {answer}")
        found: dict[str, Any] = json.loads(answer)
        return found

    def close(self) -> None:
        """End the interpreter."""
        if self._group is not None:
            with contextlib.suppress(Exception):
                self._group.terminate(timeout=0.5)
        self._group = self._channel = None

    def _forget(self) -> None:
        """Start anew: what it answers is in no order."""
        self.close()
        self._sent.clear()
        self._answers.clear()

    def _ask(self, request: str, seconds: float) -> str | Raised:
        """The answer to a request, sent now or long ago; each gets so many seconds."""
        self._wait()
        self._send(request)
        while request not in self._answers:
            self._answers[self._sent[0]] = self._answer(seconds)
            self._sent.popleft()
        return self._answers.pop(request)

    def _send(self, request: str) -> None:
        """Send a request, unless that has been done, and with it what is expected next."""
        asked = {*self._sent, *self._answers}
        requests = [] if request in asked else [request]
        if len(asked) <= AHEAD // 2:  # many at a time: the thread that reads disturbs the one that runs
            following = itertools.islice(self._expected, AHEAD - len(asked))
            requests += [each for each in following if each != request and each not in asked]
        self._sent += requests
        if requests and self._channel is not None:
            self._write(requests)

    def _write(self, requests: list[str]) -> None:
        with contextlib.suppress(OSError):  # it has ended, as will be seen where its answer is awaited
            self._channel.send(json.dumps(requests))

    def _answer(self, seconds: float) -> str | Raised:
        """To what was sent first: what it answers, or what became of it."""
        try:
            if self._channel is None:
                self._launch()
                self._told(_START)
                self._write([*self._sent])
        except (EngineNotFoundError, TimeoutError) as error:
            self.close()
            return Raised(DIED, f"the interpreter does not start again: {error}")
        try:
            return self._received(seconds)
        except TimeoutError:
            self.close()
            return Raised("TimeLimit", f"still running after {seconds:g} s, and ended")
        except Exception as error:
            self.close()
            reason = "" if isinstance(error, EOFError) else f": {_last_line(error)}"
            return Raised(DIED, f"the interpreter ended{reason}")

    def _received(self, seconds: float) -> str:
        """The next message; or what was raised there, EOFError where it has ended, or TimeoutError."""
        import execnet

        try:
            message: str = self._channel.receive(seconds)
        except execnet.TimeoutError:
            raise TimeoutError(f"no answer for {seconds:g} s") from None
        return message

    def _launch(self) -> None:
        """Begin to start it."""
        import execnet

        if not Path(self._python).exists():
            raise EngineNotFoundError(f"there is no interpreter {self._python}")
        try:
            self._group = execnet.Group()
            gateway = self._group.makegateway(f"popen//python={self._python}")
            self._channel = gateway.remote_exec(_BOOTSTRAP)
            package = str(Path(conformance.__file__).resolve().parent)
            self._channel.send(json.dumps([package, self._path, str(Path.cwd()), self.asked]))
        except Exception as error:  # execnet's own, of several kinds
            raise self._does_not_start(error) from None

    def _told(self, seconds: float) -> dict[str, Any]:
        """What it is, once it is there; TimeoutError where that takes longer."""
        try:
            known: dict[str, Any] = json.loads(self._received(seconds))
        except TimeoutError:
            raise
        except Exception as error:
            raise self._does_not_start(error) from None
        if "error" in known:
            self.close()
            raise EngineNotFoundError(": ".join(filter(None, (self._place, known["error"]))))
        return known

    def _does_not_start(self, error: Exception) -> EngineNotFoundError:
        self.close()
        return EngineNotFoundError(f"{self._named()} does not start: {_last_line(error)}")

    def _named(self) -> str:
        return " ".join(filter(None, (f"engine {self.asked!r}", self._place)))


def _request(scenario: Scenario, seconds: float, observe: str | None) -> str:
    return json.dumps({"scenario": to_plain(scenario), "seconds": seconds, "observe": observe})


def _last_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[-1] if lines else type(error).__name__
