"""Plant a small fault in the in-house engine at run time: replace one fragment of a function's source.

Note [Code objects]: a fault replaces the function's code object, not the function itself, so that every reference to
the function sees the fault, including names imported elsewhere. To get the new code, the whole module is compiled with
the fragment replaced, and the code object at the same position is taken.
"""

from __future__ import annotations

import contextlib
import importlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

ENGINE = "conformance.engine"


class PatchError(ValueError):
    """A fault does not match the engine's source (any more)."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A fault: in ``target``, ``new`` replaces ``old``, which must occur once.

    ``target`` is ``module:name.name`` below the engine, or ``row`` for an operation's forward and ``row.input`` for the
    formula of one gradient. It names a function, method, property, text or another plain value.
    """

    name: str
    area: str
    sentence: str  # the behaviour of the faulty engine
    target: str
    old: str
    new: str

    @property
    def id(self) -> str:
        """Area and name."""
        return f"{self.area}/{self.name}"


@dataclass(frozen=True, slots=True)
class Edit:
    """A located fault: the function, its new code, and the lines of the fragment."""

    function: FunctionType
    code: CodeType
    lines: frozenset[int]


@contextlib.contextmanager
def applied(mutant: Mutant) -> Iterator[None]:
    """Inside, the engine has the fault.

    Raises:
        PatchError: ``old`` is not there exactly once.
    """
    owner, name, value = _resolve(mutant)
    functions = _functions(value)
    if not functions:
        setattr(owner, name, _changed(mutant, value))
        try:
            yield
        finally:
            setattr(owner, name, value)
        return
    edit = _edit(mutant, functions)
    before = edit.function.__code__
    edit.function.__code__ = edit.code
    try:
        yield
    finally:
        edit.function.__code__ = before


def located(mutant: Mutant) -> Edit | None:
    """The location of the fault; None for a plain value.

    Raises:
        PatchError: ``old`` is not there exactly once.
    """
    value = _resolve(mutant)[2]
    functions = _functions(value)
    if functions:
        return _edit(mutant, functions)
    _changed(mutant, value)
    return None


def misfits(mutants: Iterable[Mutant]) -> dict[str, str]:
    """The ids of faults that do not match the engine's source, and the reasons."""
    wrong = {}
    for mutant in mutants:
        try:
            located(mutant)
        except PatchError as error:
            wrong[mutant.id] = str(error)
    return wrong


def _resolve(mutant: Mutant) -> tuple[Any, str, Any]:
    module, colon, path = mutant.target.rpartition(":")
    if not colon:
        return _resolve_row(mutant)
    owner: Any = importlib.import_module(f"{ENGINE}.{module}" if module else ENGINE)
    *parts, name = path.split(".")
    try:
        for part in parts:
            owner = getattr(owner, part)
        value = vars(owner)[name]
    except (AttributeError, KeyError):
        raise PatchError(f"{mutant.id}: there is no {mutant.target}") from None
    return owner, name, value


def _resolve_row(mutant: Mutant) -> tuple[Any, str, Any]:
    importlib.import_module(f"{ENGINE}.nn")  # which has rows of its own
    rows = importlib.import_module(f"{ENGINE}._aten.registry").ROWS
    name, _, formula = mutant.target.partition(".")
    try:
        row = rows[name]
        return row, formula, row.formulas[formula] if formula else row.forward
    except KeyError:
        raise PatchError(f"{mutant.id}: there is no row {mutant.target}") from None


def _functions(value: Any) -> list[FunctionType]:
    """The functions behind a name: several for a property, none for a plain value."""
    if isinstance(value, property):
        return [each for accessor in (value.fget, value.fset, value.fdel) for each in _functions(accessor)]
    value = getattr(value, "__func__", value)  # of a class method, or a static one
    while isinstance(getattr(value, "__wrapped__", None), FunctionType):
        value = value.__wrapped__
    row = getattr(value, "row", None)
    found = value if row is None else row.forward
    return [found] if isinstance(found, FunctionType) else []


def _changed(mutant: Mutant, value: Any) -> Any:
    if isinstance(value, str):
        if value.count(mutant.old) != 1:
            raise PatchError(f"{mutant.id}: {mutant.old!r} is not once in the text {mutant.target}")
        return value.replace(mutant.old, mutant.new)
    if repr(value) != mutant.old:
        raise PatchError(f"{mutant.id}: {mutant.target} is {value!r}, not {mutant.old}")
    return eval(mutant.new, {})


def _edit(mutant: Mutant, functions: list[FunctionType]) -> Edit:
    found = [edit for function in functions for edit in _edits(mutant, function)]
    if len(found) != 1:
        raise PatchError(
            f"{mutant.id}: {mutant.old!r} is in {len(found)} places of {mutant.target}, not in one"
        )
    return found[0]


def _edits(mutant: Mutant, function: FunctionType) -> Iterator[Edit]:
    """See Note [Code objects]."""
    file = function.__code__.co_filename
    source = Path(file).read_bytes()
    places = [number for number, code in enumerate(_codes(source, file)) if _is_same(code, function.__code__)]
    if len(places) != 1:
        raise PatchError(f"{mutant.id}: {file} is not as it was when {mutant.target} was imported")
    starts = [0, *accumulate(map(len, source.splitlines(keepends=True)))]
    first, last = _span(function.__code__, starts)
    old, new = mutant.old.encode(), mutant.new.encode()
    at = source.find(old, first, last)
    while at >= 0:
        changed = source[:at] + new + source[at + len(old) :]
        try:
            code = _codes(changed, file)[places[0]]
        except SyntaxError as error:
            raise PatchError(f"{mutant.id}: {error}") from None
        lines = range(bisect_right(starts, at), bisect_right(starts, at + len(old) - 1) + 1)
        yield Edit(function, code, frozenset(lines))
        at = source.find(old, at + 1, last)


def nested(code: CodeType) -> Iterator[CodeType]:
    """A code object and those inside it, in the order of the source."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from nested(constant)


@lru_cache(maxsize=128)
def _codes(source: bytes, file: str) -> list[CodeType]:
    return list(nested(compile(source, file, "exec", dont_inherit=True)))


def _is_same(code: CodeType, other: CodeType) -> bool:
    """Whether they were compiled from the same place of the same text."""
    if (code.co_qualname, code.co_firstlineno) != (other.co_qualname, other.co_firstlineno):
        return False
    if any(name.startswith("@py_") for name in other.co_varnames):  # pytest has rewritten its asserts
        return {line for *_, line in code.co_lines()} == {line for *_, line in other.co_lines()}
    return code.co_code == other.co_code and [*code.co_positions()] == [*other.co_positions()]


def _span(code: CodeType, starts: list[int]) -> tuple[int, int]:
    """The start and end of a function's body in its file, in bytes, without the docstring."""
    places = [
        (starts[line - 1] + column, starts[end_line - 1] + end_column)
        for each in nested(code)
        for line, end_line, column, end_column in each.co_positions()
        if line
        and end_line
        and column is not None
        and end_column  # instructions that set up the frame have no position
    ]
    first, last = min(begin for begin, _ in places), max(end for _, end in places)
    if code.co_name == "<lambda>":
        return first, last
    return starts[bisect_right(starts, first) - 1], last  # with the keyword of the first statement
