"""Scenario x Engine -> Trace."""

from __future__ import annotations

import builtins
import importlib
import io
import warnings
import weakref
from collections.abc import Iterator
from types import ModuleType, TracebackType
from typing import Any, Literal

from conformance.runner.engine import Engine
from conformance.runner.isolate import Alarm, TimeLimit, collect, find, isolated, warnings_recorded
from conformance.runner.missing import missing_name
from conformance.runner.observe import Observer
from conformance.runner.paths import OWN_MODULE
from conformance.runner.program import Program, compile_expression, compile_step
from conformance.runner.texts import error_text, normalised
from conformance.runner.trace import Moment, Raised, State, Statement, Trace, Warned
from conformance.spec.scenario import Scenario, Step

TURNS = 20
"""Turns of a loop that are observed."""

BOUND = {"nn": "nn", "F": "nn.functional", "optim": "optim", "autograd": "autograd"}
"""What a program finds bound besides ``torch``."""


def run(
    scenario: Scenario,
    engine: Engine,
    *,
    seconds: float = 20,
    observe: Literal["each", "end"] | None = None,
) -> Trace:
    """Run a scenario on an engine. Whatever the engine raises is in the trace, and only there.

    ``observe`` overrides what the scenario says. The limit of time needs the main thread; elsewhere
    there is none.
    """
    moments: list[Moment] = []
    alarm = Alarm(seconds)
    try:
        with warnings_recorded() as log, isolated(engine.torch):
            recorder = _Recorder(scenario, engine, alarm, log, (observe or scenario.observe) == "each")
            moments = recorder.moments
            try:
                alarm.start()
                recorder.run()
            finally:
                alarm.stop()
                recorder.namespace.clear()
                if recorder.generators:  # an unfinished one holds its `with` open
                    collect()
    except KeyboardInterrupt:
        raise
    except TimeLimit:
        alarm.stop()
        place = recorder.current()
        moments.append(Moment(place, raised=Raised("TimeLimit", f"still running after {seconds:g} s")))
    except BaseException as error:  # the engine fails before or after the program
        moments.append(Moment(Statement(0, 1), raised=Raised(type(error).__name__, error_text(error))))
        drop_frames(error)
    return Trace(scenario.id, engine.name, engine.version, tuple(moments))


class _Recorder:
    """Runs the steps in one namespace and notes a moment after each statement."""

    def __init__(
        self, scenario: Scenario, engine: Engine, alarm: Alarm, log: list[warnings.WarningMessage], each: bool
    ) -> None:
        self.moments: list[Moment] = []
        self.generators = False
        self._scenario = scenario
        self._engine = engine
        self._alarm = alarm
        self._log = log
        self._each = each
        self._observer = Observer(engine)
        self._printed = io.StringIO()
        self._failed: list[str] = []
        self._step = 0
        self._program: Program | None = None
        self._turns: list[int] = []
        self._running = 0  # the statement after the last one that was done
        self._own = self._bound()
        self.namespace: dict[str, Any] = dict(self._own)

    def _bound(self) -> dict[str, Any]:
        """What a program finds bound, and the recorder's own functions."""
        torch = self._engine.torch
        parts = {name: find(torch, path) for name, path in BOUND.items()}
        return {
            "__name__": OWN_MODULE,
            "torch": torch,
            **{name: part for name, part in parts.items() if part is not None},
            "print": self._print,
            "weakref": weakref.ref,
            "collect": collect,
            "<done>": self._done,
            "<loop>": self._loop,
            "<turn>": self._turn,
            "<assert>": self._assert,
            "<store>": self._store,
            "<import>": self._import,
            "__builtins__": builtins,
        }

    def run(self) -> None:
        last = len(self._scenario.steps) - 1
        for index, step in enumerate(self._scenario.steps):
            self._run_step(index, step, last=index == last)

    def current(self) -> Statement:
        """The statement that is running, as far as is known."""
        return self._statement(self._running)

    def _run_step(self, index: int, step: Step, *, last: bool) -> None:
        expressions = expressions_of(step)
        self._step, self._running = index, 0
        self._program = program = compile_step(step.run)
        self._turns = [-1] * program.loops
        self._final = program.last if last and not expressions else -1
        self.generators |= program.generators
        failure = None
        try:
            exec(program.code, self.namespace)
        except (KeyboardInterrupt, TimeLimit):
            raise
        except BaseException as error:
            failure = self._failure(error, program)
            drop_frames(error)
        if failure is not None:  # outside, so that error and frames are gone
            self._running, raised = failure
            self._moment(
                self._statement(self._running), raised, look=self._each or (last and not expressions)
            )
        if expressions:
            self._expect(step, expressions, last=last)

    def _expect(self, step: Step, expressions: tuple[str, ...], *, last: bool) -> None:
        results: list[tuple[str, Any]] = []
        errors: dict[str, Raised] = {}
        for expression in expressions:
            try:
                results.append((expression, eval(compile_expression(expression), self.namespace)))
            except (KeyboardInterrupt, TimeLimit):
                raise
            except BaseException as error:
                errors[expression] = Raised(
                    type(error).__name__, error_text(error), missing_name(error, self._engine, self._own)
                )
                drop_frames(error)
            self._alarm.check()
        texts = {expression: self._observer.text(result) for expression, result in results}
        texts |= {expression: f"raises {raised}" for expression, raised in errors.items()}
        place = Statement(self._step, step.run.rstrip().count("\n") + 1, kind="expect")
        values = tuple((expression, texts[expression]) for expression in expressions)
        missing = next((raised for raised in errors.values() if raised.missing), None)
        self._moment(place, missing, look=self._each or last, results=results, values=values)

    def _statement(self, k: int) -> Statement:
        if self._program is None or not self._program.places:
            return Statement(self._step, 1)
        place = self._program.places[k]
        turn = tuple(self._turns[loop] for loop in place.loops)
        return Statement(self._step, place.start[0], turn, place.start[1])

    def _failure(self, error: BaseException, program: Program) -> tuple[int, Raised]:
        """Which statement raised, and what."""
        raised = Raised(type(error).__name__, error_text(error), missing_name(error, self._engine, self._own))
        frame = error.__traceback__
        while frame is not None and frame.tb_frame.f_code is not program.code:
            frame = frame.tb_next
        if frame is None:  # no program to run: its text does not compile
            return 0, raised
        line, column = position(frame)
        return program.statement_at(line, column), raised

    def _moment(
        self,
        place: Statement,
        raised: Raised | None = None,
        *,
        look: bool,
        results: list[tuple[str, Any]] | None = None,
        values: tuple[tuple[str, str], ...] = (),
    ) -> None:
        warned = tuple(Warned(w.category.__name__, normalised(str(w.message))) for w in self._log)
        printed = normalised(self._printed.getvalue())
        self._log.clear()
        if printed:
            self._printed.seek(0)
            self._printed.truncate()
        failed, self._failed[:] = tuple(self._failed), ()
        state = self._observer.snapshot([*self._names(), *(results or ())]) if look else None
        self._log.clear()  # an engine may warn when it is looked at
        self.moments.append(Moment(place, state, raised, warned, printed, values, failed))

    def _names(self) -> Iterator[tuple[str, Any]]:
        own = self._own
        for name, value in self.namespace.items():
            if name not in own or own[name] is not value:
                yield name, value

    # What the compiled program calls.

    def _done(self, k: int) -> None:
        assert self._program is not None
        self._alarm.check()
        loops = self._program.places[k].loops
        if not loops or all(self._turns[loop] < TURNS for loop in loops):
            self._running = k
            self._moment(self._statement(k), look=self._each or k == self._final)
        self._running = min(k + 1, len(self._program.places) - 1)

    def _loop(self, n: int) -> None:
        self._turns[n] = -1

    def _turn(self, n: int) -> None:
        self._alarm.check()
        self._turns[n] += 1

    def _assert(self, condition: Any, text: str) -> None:
        if not condition:
            self._failed.append(text)

    def _store(self, target: Any) -> Any:
        if isinstance(target, ModuleType) or target is self._engine.torch:
            raise TypeError("a program sets no attributes of torch or of its modules")
        if isinstance(target, type) and target.__module__ != OWN_MODULE:
            raise TypeError(f"a program sets no attributes of torch's class {target.__name__}")
        return target

    def _print(self, *values: Any, sep: str | None = " ", end: str | None = "\n", **_: Any) -> None:
        print(*values, sep=sep, end=end, file=self._printed)

    def _import(self, path: str, name: str) -> Any:
        found = self._engine.torch
        for part in path.split(".")[1:]:
            found = submodule(found, part)
        return self._engine.torch if name else found


def submodule(parent: Any, name: str) -> Any:
    """An attribute of a module, or a part of it that is not imported yet."""
    if not hasattr(parent, name) and isinstance(parent, ModuleType):
        try:
            return importlib.import_module(f"{parent.__name__}.{name}")
        except ModuleNotFoundError:
            pass
    return getattr(parent, name)


def expressions_of(step: Step) -> tuple[str, ...]:
    """What is evaluated after a step: its own expectations and those of the document."""
    claimed = step.claimed.expect if step.claimed else ()
    return tuple(dict.fromkeys(expression for expression, _ in (*step.own.expect, *claimed)))


def position(frame: TracebackType) -> tuple[int, int]:
    """Line and column at which a frame stopped."""
    positions = list(frame.tb_frame.f_code.co_positions())
    line, _, column, _ = positions[frame.tb_lasti // 2]
    return line or frame.tb_lineno, column or 0


def drop_frames(error: BaseException) -> None:
    """Let go of the frames that an error keeps alive, with all that they hold."""
    seen: list[BaseException] = []
    todo: list[BaseException | None] = [error]
    while todo:
        one = todo.pop()
        if one is None or any(one is other for other in seen):
            continue
        seen.append(one)
        todo += [one.__cause__, one.__context__]
        one.__traceback__ = None
