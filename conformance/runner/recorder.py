"""Runs a scenario's steps in one namespace and records a moment after each statement."""

from __future__ import annotations

import builtins
import copy
import gc
import importlib
import io
import os
import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, ModuleType, TracebackType
from typing import Any

from conformance.language.scenario import Scenario, Step
from conformance.language.words import BOUND
from conformance.runner.bounded_iteration import bounded_range, stepped_iter
from conformance.runner.draws import draws_of
from conformance.runner.engine import AdapterError, Engine
from conformance.runner.limit import TimeLimit
from conformance.runner.normalize import PROGRAM, error_text, is_of_python, normalised
from conformance.runner.observe import Observer
from conformance.runner.paths import OWN_MODULE
from conformance.runner.probes import SECOND_DEVICE, second_device_of, uses_second_device
from conformance.runner.program import CompiledProgram, compile_expression, compile_step
from conformance.runner.trace import Frame, Moment, Raised, Statement, Warned, statement_at
from conformance.runner.wall import Refused

# Objects that exist once: an attribute set on them would be visible to the next scenario.
_SHARED = (type, FunctionType, BuiltinFunctionType)

FRAMES = 8
"""Frames of an error that are kept."""
_SUITE = f"{Path(__file__).resolve().parents[1]}{os.sep}"
_ENGINE = f"{_SUITE}engine{os.sep}"

TURNS = 20
"""Turns of a loop that are observed."""


class Recorder:
    """One run: its namespace and the moments so far."""

    def __init__(
        self,
        scenario: Scenario,
        engine: Engine,
        check: Callable[[], None],
        at_step: Callable[[int, int], None] | None = None,
        *,
        each: bool,
    ) -> None:
        self.moments: list[Moment] = []
        self.namespace: dict[str, Any] = {}
        self._scenario = scenario
        self._engine = engine
        self._check = check  # raises when the time is over or the user interrupts
        self._at_step = at_step  # receives the step and the line of the next statement
        self._each = each
        self._execute: Callable[[str, dict[str, Any]], None] | None = getattr(engine, "execute", None)
        self._log: list[warnings.WarningMessage] = []
        self._printed = io.StringIO()
        self._failed: list[str] = []
        self._own: dict[str, Any] = {}
        self._draws: Callable[[], bool] | None = None  # until the first random number is drawn
        # The current step:
        self._step = 0
        self._program: CompiledProgram | None = None
        self._turns: list[int] = []
        self._at = 0  # the next statement
        self._final = -1  # the statement whose state is observed with `observe: end`

    def run(self, log: list[warnings.WarningMessage]) -> None:
        """Run all steps; ``log`` receives the warnings."""
        self._log = log
        self._observer = Observer(self._engine)
        self._draws = draws_of(self._engine, self._scenario)
        self._own = self._bound()
        self.namespace.update(__builtins__=self._own, __name__=OWN_MODULE)
        last = len(self._scenario.steps) - 1
        for index, step in enumerate(self._scenario.steps):
            expressions = step.expressions
            self._run_step(index, step, final=index == last and not expressions)
            if expressions:
                self._expect(step, expressions, final=index == last)

    def forget(self) -> None:
        """Drop everything but the moments."""
        self.namespace.clear()
        self._own = {}

    def current(self) -> Statement:
        """The statement that is running."""
        return self._statement(self._at)

    def _bound(self) -> dict[str, Any]:
        """The bound names and the recorder's functions, as builtins: all other names belong to the program."""
        bound = dict(vars(builtins))  # torch's C++ imports use them, so all stay
        for name, path in BOUND.items():
            try:
                bound[name] = self._import(path)
            except AttributeError:
                continue  # an engine without optim, which few programs need
        return {
            **bound,
            **self._second_device(),
            "print": self._print,
            "weakref": weakref.ref,
            "collect": Word(collect),
            "refuses": Word(self._refuses()),
            "deepcopy": Word(deepcopy),
            "OrderedDict": OrderedDict,
            "partial": partial,
            "range": bounded_range,  # see Note [What an alarm cannot reach]
            "iter": Word(stepped_iter),
            "<done>": self._done,
            "<loop>": self._loop,
            "<turn>": self._turn,
            "<assert>": self._assert,
            "<store>": self._store,
            "<import>": self._import,
        }

    def _refuses(self) -> Callable[..., bool]:
        """The language's ``refuses``. An attribute that the engine lacks is an error as elsewhere, not a refusal."""

        def refuses(function: Callable[..., Any], /, *args: Any, **named: Any) -> bool:
            try:
                function(*args, **named)
            except (TimeLimit, Refused, AdapterError):
                raise
            except Exception as error:
                if isinstance(error, AttributeError | NameError) and self._raised(error).missing:
                    raise
                drop_frames(error)
                return True
            return False

        return refuses

    def _second_device(self) -> dict[str, Any]:
        named = uses_second_device(self._scenario)
        return {SECOND_DEVICE: second_device_of(self._engine)} if named else {}

    def _run_step(self, index: int, step: Step, *, final: bool) -> None:
        self._step, self._at, self._program = index, 0, None
        self._program = program = compile_step(step.run)
        self._about_to_run(0)
        self._turns = [-1] * program.loops
        self._final = program.last if final else -1
        failure = None
        try:
            if self._execute is None:
                exec(program.code, self.namespace)
            else:  # an engine that does not run statement by statement
                self._execute(step.run, self.namespace)
                self._at = program.last
                self._moment(self.current(), look=self._each or final)
        except (TimeLimit, Refused, AdapterError) as error:
            self._at = self._at if isinstance(error, AdapterError) else _where(error, program)
            raise
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                self._check()
            failure = _where(error, program), self._raised(error), engine_frames(error)
            drop_frames(error)
        if failure is not None:  # after the handler, so that the error is freed
            self._at, raised, frames = failure
            self._moment(self.current(), raised, look=self._each or final, frames=frames)

    def _expect(self, step: Step, expressions: tuple[str, ...], *, final: bool) -> None:
        results: list[tuple[str, Any]] = []
        texts: list[tuple[str, str]] = []
        missing = None
        for expression in expressions:
            try:
                result = eval(compile_expression(expression), self.namespace)
            except (TimeLimit, Refused, AdapterError):
                raise
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    self._check()
                raised = self._raised(error)
                missing = missing or (raised if raised.missing else None)
                texts.append((expression, f"raises {raised}"))
                drop_frames(error)
            else:
                results.append((expression, result))
                texts.append((expression, self._observer.text(result)))
            self._check()
        place = Statement(self._step, step.run.rstrip().count("\n") + 1, kind="expect")
        self._moment(place, missing, look=self._each or final, results=results, values=tuple(texts))

    def _raised(self, error: BaseException) -> Raised:
        # Imports the vocabulary, which only programs that raise need.
        from conformance.runner.missing import missing_name

        missing = missing_name(error, self._engine)
        return Raised(type(error).__name__, error_text(error), missing)

    def _moment(
        self,
        place: Statement,
        raised: Raised | None = None,
        *,
        look: bool,
        results: list[tuple[str, Any]] | None = None,
        values: tuple[tuple[str, str], ...] = (),
        frames: tuple[Frame, ...] = (),
    ) -> None:
        """Record what happened since the previous moment, and the current state."""
        texts = [(logged.category.__name__, normalised(str(logged.message))) for logged in self._log]
        warned = tuple(Warned(category, text) for category, text in texts if not is_of_python(text))
        failed = tuple(self._failed)
        self._failed.clear()
        drew = self._draws is not None and self._draws()
        if drew:
            self._draws = None
        printed = self._printed.getvalue()
        if printed:
            printed = normalised(printed)
            self._printed = io.StringIO()
        state = self._observer.snapshot([*self._names(), *(results or ())]) if look else None
        self._log.clear()  # an engine may warn while it is observed
        self.moments.append(
            Moment(place, state, raised, warned, printed, values, failed, frames=frames, drew=drew)
        )

    def _names(self) -> Iterator[tuple[str, Any]]:
        own = self._own
        for name, value in self.namespace.items():
            # `import torch` binds a name that is bound already.
            if not name.startswith("__") and own.get(name, own) is not value:
                yield name, value

    def _statement(self, k: int) -> Statement:
        if self._program is None or not self._program.places:
            return Statement(self._step, 1)
        place = self._program.places[k]
        turn = tuple(self._turns[n] for n in place.loops) if place.loops else ()
        return statement_at(self._step, *place.start, turn)

    # What the compiled program calls: see `program`.

    def _done(self, k: int) -> None:
        self._check()
        assert self._program is not None
        loops = self._program.places[k].loops
        self._at = k
        if not loops or all(self._turns[n] < TURNS for n in loops):
            self._moment(self._statement(k), look=self._each or k == self._final)
        self._about_to_run(k + 1)

    def _about_to_run(self, k: int) -> None:
        """Say where the program is, in the order of its text: after a loop's last turn it is further on."""
        if self._at_step is not None and self._program is not None and self._program.places:
            places = self._program.places
            self._at_step(self._step, places[min(k, len(places) - 1)].start[0])

    def _loop(self, n: int) -> None:
        self._turns[n] = -1

    def _turn(self, n: int) -> None:
        self._check()
        self._turns[n] += 1

    def _assert(self, condition: Any, text: str) -> None:
        if not condition:
            self._failed.append(text)

    def _store(self, target: Any) -> Any:
        if isinstance(target, ModuleType) or target is self._engine.torch:
            raise TypeError("a program sets no attributes of torch and its modules")
        if isinstance(target, _SHARED) and getattr(target, "__module__", None) != OWN_MODULE:
            raise TypeError(f"a program sets no attributes of {target.__name__}, which is torch's")
        return target

    def _print(self, *values: Any, sep: str | None = " ", end: str | None = "\n", **_: Any) -> None:
        print(*values, sep=sep, end=end, file=self._printed)

    def _import(self, path: str, name: str = "") -> Any:
        found = self._engine.torch
        for part in path.split(".")[1:]:
            found = _part(found, part)
        return self._engine.torch if name else found


class Word:
    """A function of the language, of which each run has its own: nothing can be stored on it for the next one."""

    __slots__ = ("_function",)

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    @property
    def __name__(self) -> str:
        return self._function.__name__

    def __repr__(self) -> str:
        return repr(self._function)

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self._function(*args, **named)


def collect() -> None:
    """The language's ``collect``: free objects that only cycles keep alive."""
    gc.collect()


def deepcopy(value: Any) -> Any:
    """The language's ``deepcopy``, without the memo, with which Python would write to an object of torch."""
    return copy.deepcopy(value)


# BaseException's own: a class of the engine may override them with properties that raise.
_CAUSES = (vars(BaseException)["__cause__"], vars(BaseException)["__context__"])


def engine_frames(error: BaseException) -> tuple[Frame, ...]:
    """The innermost frames below the program, without those of the suite itself; the in-house engine is an engine."""
    found: list[Frame] = []
    traceback = error.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename == PROGRAM:
            found.clear()
        elif not code.co_filename.startswith(_SUITE) or code.co_filename.startswith(_ENGINE):
            found.append(Frame(code.co_filename, traceback.tb_lineno, code.co_name))
        traceback = traceback.tb_next
    return tuple(found[-FRAMES:])


def drop_frames(error: BaseException) -> None:
    """Drop the frames that an error keeps alive, with everything they refer to."""
    seen: list[BaseException] = []
    todo: list[BaseException | None] = [error]
    while todo:
        one = todo.pop()
        if one is None or any(one is other for other in seen):
            continue
        seen.append(one)
        todo += [read.__get__(one) for read in _CAUSES]
        BaseException.with_traceback(one, None)


def _part(parent: Any, name: str) -> Any:
    """An attribute, or a submodule that has not been imported yet."""
    if not hasattr(parent, name) and isinstance(parent, ModuleType):
        try:
            return importlib.import_module(f"{parent.__name__}.{name}")
        except ModuleNotFoundError:
            pass
    return getattr(parent, name)


def _where(error: BaseException, program: CompiledProgram) -> int:
    """The statement of the program that raised."""
    traceback: TracebackType | None = error.__traceback__
    while traceback is not None and traceback.tb_frame.f_code is not program.code:
        traceback = traceback.tb_next
    if traceback is None:
        return 0
    line, _, column, _ = list(program.code.co_positions())[traceback.tb_lasti // 2]
    return program.statement_at(line or traceback.tb_lineno, column or 0)
