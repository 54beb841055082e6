"""An engine in another interpreter, through execnet. That interpreter needs only the engine.

Note [Another interpreter]
  - execnet sends itself. The other interpreter imports this package's modules that need only the standard library, from
    their location here. It also needs Python 3.11.
  - The time limit is enforced there first. If that fails, this process ends the interpreter a little later.
  - An interpreter that ends costs the current scenario: the next one starts a new interpreter. A scenario in which it
    ended runs once more in a new one, since another scenario before it may have damaged the memory.
  - Expected scenarios are sent ahead and run there while this process runs another engine. Answers come in the order of
    the requests.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import signal
import sys
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, NamedTuple

import conformance
from conformance.adapters.registry import EngineNotFoundError
from conformance.language.scenario import Scenario
from conformance.runner import last_words
from conformance.runner.compare import DIED
from conformance.runner.engine import Terms
from conformance.runner.program import compile_step
from conformance.runner.regions import compilations
from conformance.runner.serialize import to_plain
from conformance.runner.trace import Moment, Raised, Statement, Trace, statement_at

GRACE = 3.0
"""Seconds that the other interpreter has beyond a scenario's time limit."""

AHEAD = 64
"""The number of scenarios that are sent ahead: few enough for a pipe, so that sending never blocks."""

_START = 120  # seconds for the import of an engine

_BOOTSTRAP = """
import importlib.util, json, sys
package, path, folder, name, log = json.loads(channel.receive())
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
    serve(channel, name, log)
"""


class RemoteEngine:
    """The engine ``name`` in the interpreter ``python``, by default in one with this one's import path.

    Without ``wait`` it starts in the background, and the first use waits for it.

    Raises:
        EngineNotFoundError: it does not start; without ``wait``, raised by the first use.
    """

    def __init__(self, name: str, python: str | None = None, *, wait: bool = True) -> None:
        self.asked = name
        self._python = python or sys.executable
        self._place = f"in {python}" if python else ""
        self._path = [] if python else [entry or os.getcwd() for entry in sys.path]
        self._group: Any = None
        self._channel: Any = None
        self._known: dict[str, Any] | None = None  # its description
        self._refused: EngineNotFoundError | None = None  # why it is not available
        self._expected: Iterator[str] = iter(())
        self._sent: deque[str] = deque()  # requests without an answer
        self._answers: dict[str, str | Died] = {}  # answers that nobody has used
        self._log = Path(os.devnull)  # see Note [Last words]
        self._process = 0
        self._answered = 0  # requests, by this process
        self._launch()
        if wait:
            self._description()

    def _description(self) -> dict[str, Any]:
        """Its description, once it has started."""
        if self._refused is not None:
            raise self._refused
        if self._known is None:
            try:
                self._known = self._received_description(_START)
            except TimeoutError as error:
                self._refused = self._does_not_start(error)
                raise self._refused from None
            except EngineNotFoundError as error:
                self._refused = error
                raise
        return self._known

    @property
    def name(self) -> str:
        """The engine's name."""
        return str(self._description()["name"])

    @property
    def version(self) -> str:
        """The engine's version."""
        return str(self._description()["version"])

    @property
    def claims(self) -> frozenset[str]:
        """The groups that it claims."""
        return frozenset(self._description()["claims"])

    @property
    def complete(self) -> bool:
        """Whether it claims to provide every name."""
        return bool(self._description()["complete"])

    @property
    def may(self) -> frozenset[str]:
        """What its programs may do beyond the wall."""
        return frozenset(self._description()["may"])

    @property
    def available(self) -> frozenset[str]:
        """The needs of scenarios that are met there."""
        return frozenset(self._description()["available"])

    @property
    def divergences(self) -> str:
        """Its divergence file, if it names one."""
        return str(self._description()["divergences"])

    @property
    def terms(self) -> Terms:
        """On what terms it is compared."""
        terms = self._description()["terms"]
        tolerances = tuple((dtype, (rtol, atol)) for dtype, (rtol, atol) in terms["tolerances"])
        return Terms(**{**terms, "left_out": tuple(terms["left_out"]), "tolerances": tolerances})

    @property
    def adapter(self) -> str:
        """The class of its adapter."""
        return str(self._description()["adapter"])

    @cached_property
    def torch(self) -> ModuleType | None:
        """An empty module with the name of its torch."""
        return ModuleType(self._description()["module"]) if self._description()["module"] else None

    def __repr__(self) -> str:
        return f"<{self._named()}>"

    def observe(self, value: object, /) -> None:
        """No tensor reaches this process."""

    def expect(self, scenarios: Iterable[Scenario], *, seconds: float = 20) -> None:
        """Announce scenarios in their approximate order, with their time limit."""
        self._expected = (_request(scenario, seconds, None) for scenario in scenarios)

    def starting(self) -> bool:
        """Whether it is still starting, so that a caller would have to wait."""
        if self._known is None:
            try:
                self._known = self._received_description(0)
            except TimeoutError:
                return True
        return False

    def trace_of(
        self, scenario: Scenario, *, seconds: float = 20, observe: Literal["each", "end"] | None = None
    ) -> Trace:
        """The trace of a scenario; if the interpreter ended, a trace that says so."""
        limits = 1 + (compilations(scenario) if self.terms.compiled else 0)  # each has the whole time
        answer = self._ask(_request(scenario, seconds, observe), limits * seconds)
        if isinstance(answer, str):
            trace = Trace.from_json(answer)
            if trace.scenario == scenario.id:
                return trace
            self._forget()
            answer = Died(Raised(DIED, f"it sent an answer that was not requested: {trace.scenario}"))
        return self._ended(scenario, answer)

    def traces_of_two_runs(self, scenario: Scenario, *, seconds: float = 20) -> list[Trace]:
        """The traces of two runs, between which all tensors stay alive."""
        answer = self._ask(_request(scenario, seconds, None, twice=True), 2 * seconds)
        if isinstance(answer, str):
            return [Trace.from_json(each) for each in json.loads(answer)]
        return [self._ended(scenario, answer)] * 2

    def _ended(self, scenario: Scenario, died: Died) -> Trace:
        place = _statement(scenario, died.place)
        return Trace(scenario.id, self.name, self.version, (Moment(place, raised=died.raised),))

    def probe(self) -> dict[str, Any]:
        """The result of `conformance.adapters.probe` there."""
        answer = self._ask(json.dumps({"probe": True}), _START)
        if isinstance(answer, Died):
            raise EngineNotFoundError(f"{self._named()}: {answer.raised}")
        found: dict[str, Any] = json.loads(answer)
        return found

    def close(self) -> None:
        """End the interpreter."""
        if self._group is not None:
            with contextlib.suppress(Exception):
                self._group.terminate(timeout=0.5)
            self._log.unlink(missing_ok=True)
        self._group = self._channel = None

    def _forget(self) -> None:
        """Restart the interpreter, since its answers are out of order."""
        self.close()
        self._sent.clear()
        self._answers.clear()

    def _ask(self, request: str, seconds: float) -> str | Died:
        """The answer to a request, which may have been sent ahead; each request gets ``seconds``."""
        self._description()
        self._send(request)
        while request not in self._answers:
            earlier = self._answered
            answer = self._answer(seconds)
            if earlier and isinstance(answer, Died) and answer.raised.type == DIED:
                answer = self._answer(seconds)
            self._answers[self._sent[0]] = answer
            self._sent.popleft()
        return self._answers.pop(request)

    def _send(self, request: str) -> None:
        """Send a request, unless it was sent already, and the next expected ones."""
        sent = {*self._sent, *self._answers}
        requests = [] if request in sent else [request]
        if len(sent) <= AHEAD // 2:  # many at a time, since reading them disturbs the running scenario
            following = itertools.islice(self._expected, AHEAD - len(sent))
            requests += [each for each in following if each != request and each not in sent]
        self._sent += requests
        if requests and self._channel is not None:
            self._write(requests)

    def _write(self, requests: list[str]) -> None:
        with contextlib.suppress(OSError):  # it has ended, which waiting for the answer reports
            self._channel.send(json.dumps(requests))

    def _answer(self, seconds: float) -> str | Died:
        """The answer to the oldest request, or the reason why there is none."""
        try:
            if self._channel is None:
                self._launch()
                self._received_description(_START)
                self._write([*self._sent])
        except (EngineNotFoundError, TimeoutError) as error:
            self.close()
            return Died(Raised(DIED, f"the interpreter does not start again: {error}"))
        try:
            answer = self._received(seconds + GRACE)
        except TimeoutError:
            self._abort()
            place = last_words.read(self._log)
            self.close()
            return Died(Raised("TimeLimit", f"still running after {seconds:g} s, and ended"), place)
        except Exception as error:
            place = last_words.read(self._log)
            self.close()
            reason = place.error or ("" if isinstance(error, EOFError) else _last_line(error))
            return Died(Raised(DIED, ": ".join(filter(None, ("the interpreter ended", reason)))), place)
        self._answered += 1
        return answer

    def _abort(self) -> None:
        """Have the interpreter write where it is, and end: see Note [Last words]."""
        with contextlib.suppress(OSError):
            os.kill(self._process, signal.SIGABRT)
        with contextlib.suppress(Exception):
            self._channel.waitclose(2)

    def _received(self, seconds: float) -> str:
        """The next message; raises the remote error, EOFError if it has ended, or TimeoutError."""
        import execnet

        try:
            message: str = self._channel.receive(seconds)
        except execnet.TimeoutError:
            raise TimeoutError(f"no answer for {seconds:g} s") from None
        return message

    def _launch(self) -> None:
        """Start the interpreter in the background."""
        import execnet

        if not Path(self._python).exists():
            raise EngineNotFoundError(f"there is no interpreter {self._python}")
        try:
            handle, log = tempfile.mkstemp(prefix="conformance-")
            os.close(handle)
            self._log, self._process, self._answered = Path(log), 0, 0
            self._group = execnet.Group()
            with _one_hash_seed():
                gateway = self._group.makegateway(f"popen//python={self._python}")
            self._channel = gateway.remote_exec(_BOOTSTRAP)
            package = str(Path(conformance.__file__).resolve().parent)
            self._channel.send(json.dumps([package, self._path, str(Path.cwd()), self.asked, log]))
        except Exception as error:  # execnet raises several types
            raise self._does_not_start(error) from None

    def _received_description(self, seconds: float) -> dict[str, Any]:
        """The description that it sends when it has started; raises TimeoutError after ``seconds``."""
        try:
            known: dict[str, Any] = json.loads(self._received(seconds))
        except TimeoutError:
            raise
        except Exception as error:
            raise self._does_not_start(error) from None
        if "error" in known:
            self.close()
            raise EngineNotFoundError(": ".join(filter(None, (self._place, known["error"]))))
        self._process = known["pid"]
        return known

    def _does_not_start(self, error: Exception) -> EngineNotFoundError:
        self.close()
        return EngineNotFoundError(f"{self._named()} does not start: {_last_line(error)}")

    def _named(self) -> str:
        return " ".join(filter(None, (f"engine {self.asked!r}", self._place)))


@contextlib.contextmanager
def _one_hash_seed() -> Iterator[None]:
    """Start processes inside, in which sets and hashes of texts are alike, so that programs print them alike."""
    before = os.environ.get("PYTHONHASHSEED")
    os.environ["PYTHONHASHSEED"] = "0"
    try:
        yield
    finally:
        del os.environ["PYTHONHASHSEED"]
        if before is not None:
            os.environ["PYTHONHASHSEED"] = before


class Died(NamedTuple):
    """The reason why a request has no answer, and where the program was."""

    raised: Raised
    place: last_words.LastPlace = last_words.LastPlace()


def _statement(scenario: Scenario, place: last_words.LastPlace) -> Statement:
    """The statement at a line of a step, as the engine's recorder would name it outside of loops."""
    step = scenario.steps[min(place.step, len(scenario.steps) - 1)]
    starts = [each.start for each in compile_step(step.run).places if each.start[0] <= place.line]
    return statement_at(place.step, *(max(starts) if starts else (place.line, 0)), ())


def _request(scenario: Scenario, seconds: float, observe: str | None, *, twice: bool = False) -> str:
    file = scenario.position.file
    plain = {**to_plain(scenario), "file": os.path.abspath(file) if file else ""}
    return json.dumps({"scenario": plain, "seconds": seconds, "observe": observe, "twice": twice})


def _last_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[-1] if lines else type(error).__name__
