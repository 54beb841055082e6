"""An engine in another interpreter, through execnet. There, nothing is needed but the engine.

Note [Another interpreter]
  - execnet sends itself; of this package, only what needs the standard library alone is imported there, from
    where it is here. Python 3.11 is needed there too.
  - A limit of time rings there first. What cannot be interrupted is ended from here, a little later.
  - An interpreter that ends, or has to be ended, costs the scenario it was at: the next starts another.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import conformance
from conformance.adapters.registry import EngineNotFoundError
from conformance.runner.compare import DIED
from conformance.runner.portable import to_plain
from conformance.runner.trace import Moment, Raised, Statement, Trace
from conformance.spec.scenario import Scenario

GRACE = 3.0
"""Seconds that the other interpreter has after a scenario's own limit."""

_START = 120  # seconds for the import of an engine

_BOOTSTRAP = """
import importlib.util, json, sys
package, folder, name = json.loads(channel.receive())
if sys.version_info < (3, 11):
    channel.send(json.dumps({"error": "it is Python %d.%d, and 3.11 is needed" % sys.version_info[:2]}))
else:
    spec = importlib.util.spec_from_file_location(
        "conformance", package + "/__init__.py", submodule_search_locations=[package]
    )
    sys.modules["conformance"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.path = [entry for entry in sys.path if entry] + [folder]
    from conformance.adapters.serve import serve
    serve(channel, name)
"""


class RemoteEngine:
    """The engine ``name`` in the interpreter ``python``."""

    def __init__(self, name: str, python: str) -> None:
        self.asked = name
        self._python = python
        self._group: Any = None
        self._channel: Any = None
        known = self._start()
        self.name: str = known["name"]
        self.version: str = known["version"]
        self.claims = frozenset(known["claims"])
        self.complete: bool = known["complete"]
        self.available = frozenset(known["available"])
        self.divergences: str = known["divergences"]
        self.torch: ModuleType | None = ModuleType(known["module"]) if known["module"] else None

    def __repr__(self) -> str:
        return f"<engine {self.name} {self.version} in {self._python}>"

    def observe(self, value: object, /) -> None:
        """Its tensors never come here."""

    def trace_of(
        self, scenario: Scenario, *, seconds: float = 20, observe: Literal["each", "end"] | None = None
    ) -> Trace:
        """The trace that it leaves there; of an interpreter that ended, that it did."""
        request = {"scenario": to_plain(scenario), "seconds": seconds, "observe": observe}
        try:
            return Trace.from_json(self._ask(request, seconds + GRACE))
        except _Ended as ended:
            moment = Moment(Statement(0, 1), raised=ended.raised)
            return Trace(scenario.id, self.name, self.version, (moment,))

    def probe(self) -> dict[str, Any]:
        """What `conformance.adapters.probe` finds there."""
        try:
            found: dict[str, Any] = json.loads(self._ask({"probe": True}, _START))
        except _Ended as ended:
            raise EngineNotFoundError(f"engine {self.name!r} in {self._python}: {ended.raised}") from None
        return found

    def close(self) -> None:
        """End the interpreter."""
        if self._group is not None:
            with contextlib.suppress(Exception):
                self._group.terminate(timeout=0.5)
        self._group = self._channel = None

    def _ask(self, request: dict[str, Any], seconds: float) -> str:
        import execnet

        try:
            if self._channel is None:
                self._start()
            self._channel.send(json.dumps(request))
            answer: str = self._channel.receive(seconds)
        except EngineNotFoundError as error:
            raise _Ended(Raised(DIED, f"the interpreter does not start again: {error}")) from None
        except execnet.TimeoutError:
            self.close()
            raise _Ended(Raised("TimeLimit", f"still running after {seconds:g} s, and ended")) from None
        except EOFError:
            self.close()
            raise _Ended(Raised(DIED, "the interpreter ended")) from None
        except Exception as error:
            self.close()
            raise _Ended(Raised(DIED, f"the interpreter ended: {_last_line(error)}")) from None
        return answer

    def _start(self) -> dict[str, Any]:
        import execnet

        here = f"engine {self.asked!r} in {self._python}"
        if not Path(self._python).exists():
            raise EngineNotFoundError(f"there is no interpreter {self._python}")
        try:
            self._group = execnet.Group()
            gateway = self._group.makegateway(f"popen//python={self._python}")
            self._channel = gateway.remote_exec(_BOOTSTRAP)
            package = str(Path(conformance.__file__).resolve().parent)
            self._channel.send(json.dumps([package, str(Path.cwd()), self.asked]))
            known: dict[str, Any] = json.loads(self._channel.receive(_START))
        except Exception as error:  # execnet's own, of several kinds
            self.close()
            raise EngineNotFoundError(f"{here} does not start: {_last_line(error)}") from None
        if "error" in known:
            self.close()
            raise EngineNotFoundError(f"in {self._python}: {known['error']}")
        return known


class _Ended(Exception):  # noqa: N818 - what happened rather than what is wrong here
    def __init__(self, raised: Raised) -> None:
        super().__init__(raised)
        self.raised = raised


def _last_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[-1] if lines else type(error).__name__
