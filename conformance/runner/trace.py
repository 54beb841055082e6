"""The trace of a program on an engine: plain frozen data that JSON keeps without loss."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

Facet: TypeAlias = str | int | bool | None
"""One observed value. The numbers of a tensor are text in ``repr``'s notation, so nan, inf and -0.0 survive. An
attribute that raises has the value ``raises Type: message``."""

Facets: TypeAlias = Mapping[str, Facet]
State: TypeAlias = Mapping[str, Facets]
"""Facets by name, or by path from a name: ``a``, ``a.grad``, ``m.weight``, ``seen[0]``."""


NOT_READ = "not read"
"""The text of a value that an engine cannot show, such as that of a tensor without memory: it is not compared."""


def is_error(facet: object) -> bool:
    """Whether a facet or an expectation's value is an error that reading it raised."""
    return isinstance(facet, str) and facet.startswith("raises ")


@dataclass(frozen=True, slots=True, order=True)
class Statement:
    """A place in a scenario: step (from 0), line and column of its text, and the turn of each loop around.

    ``expect`` is the statement in which a step's expectations are evaluated, after its last one.
    """

    step: int
    line: int
    turn: tuple[int, ...] = ()
    column: int = 0
    kind: Literal["run", "expect"] = "run"

    def __str__(self) -> str:
        place = f"step {self.step + 1}, line {self.line}"
        place += "".join(f", turn {turn + 1}" for turn in self.turn)
        return f"{place}, expectations" if self.kind == "expect" else place


@lru_cache(maxsize=4096, typed=True)  # a damaged recording may have True for 1
def statement_at(
    step: int, line: int, column: int, turn: tuple[int, ...] = (), kind: Literal["run", "expect"] = "run"
) -> Statement:
    """The statement at a place; cached, so that traces share the objects."""
    return Statement(step, line, turn, column, kind)


@dataclass(frozen=True, slots=True)
class Raised:
    """An error; ``missing`` is the dotted name that the engine lacks, if that is the reason."""

    type: str
    message: str
    missing: str = ""

    def __str__(self) -> str:
        return f"{self.type}: {self.message}" if self.message else self.type


@dataclass(frozen=True, slots=True)
class Warned:
    """A warning."""

    category: str
    message: str

    def __str__(self) -> str:
        return f"{self.category}: {self.message}"


class Frame(NamedTuple):
    """A place in the engine's own code."""

    file: str
    line: int
    function: str


@dataclass(frozen=True, slots=True)
class Moment:
    """What one statement did, and the state after it (None if it was not observed)."""

    statement: Statement
    state: State | None = None
    raised: Raised | None = None
    warned: tuple[Warned, ...] = ()
    printed: str = ""
    values: tuple[tuple[str, str], ...] = ()  # of the expectations: expression -> its value as text
    failed: tuple[str, ...] = ()  # assertions that did not hold
    drew: bool = False  # whether it is the first statement that draws a random number, if the engine says so
    frames: tuple[Frame, ...] = field(default=(), compare=False)
    """Of the engine, below the statement that raised."""


@dataclass(frozen=True, slots=True)
class Trace:
    """All moments of one scenario on one engine."""

    scenario: str
    engine: str
    version: str
    moments: tuple[Moment, ...]
    counts: Mapping[str, int] = field(default_factory=dict)
    """What the engine counted: see Note [Observed elsewhere]."""

    def to_json(self, *, frames: bool = False) -> str:
        """One line of JSON; a state is written as its changes from the previous one.

        A recording has no ``frames``: those of one installation say nothing in another.
        """
        before: State = {}
        moments = []
        for moment in self.moments:
            data = _data(moment)
            if frames and moment.frames:
                data["frames"] = moment.frames
            if moment.state is not None:
                data["state"] = {n: dict(f) for n, f in moment.state.items() if before.get(n) != f}
                data["gone"] = [name for name in before if name not in moment.state]
                before = moment.state
            moments.append(data)
        head: dict[str, Any] = {"scenario": self.scenario, "engine": self.engine, "version": self.version}
        if self.counts:
            head["counts"] = dict(self.counts)
        return _text({**head, "moments": moments})

    @classmethod
    def from_json(cls, text: str) -> Trace:
        """The trace that `to_json` wrote."""
        data = json.loads(text)
        before: dict[str, Facets] = {}
        moments = []
        for entry in data.pop("moments"):
            state = None
            if "state" in entry:
                before = state = before | entry["state"]
                for name in entry["gone"]:
                    del state[name]
            moments.append(_moment(entry, state))
        return cls(moments=tuple(moments), **data)


_PLACE = tuple(each.name for each in fields(Statement))
_text = json.JSONEncoder(separators=(",", ":")).encode


def _data(moment: Moment) -> dict[str, Any]:
    """Everything but the state; absent values are left out."""
    place = moment.statement  # asdict would copy each field in depth
    data: dict[str, Any] = {"statement": {name: getattr(place, name) for name in _PLACE}}
    if moment.raised is not None:
        data["raised"] = asdict(moment.raised)
    if moment.warned:
        data["warned"] = [asdict(warning) for warning in moment.warned]
    for key in ("printed", "values", "failed", "drew"):
        if value := getattr(moment, key):
            data[key] = value
    return data


_READ: dict[str, Callable[[Any], Any]] = {
    "raised": lambda data: Raised(**data),
    "warned": lambda data: tuple(Warned(**warning) for warning in data),
    "printed": str,
    "values": lambda data: tuple((expression, text) for expression, text in data),
    "failed": tuple,
    "drew": bool,
    "frames": lambda data: tuple(Frame(*each) for each in data),
}


def _moment(entry: dict[str, Any], state: State | None) -> Moment:
    place = entry["statement"]
    turn = tuple(place["turn"])
    if not all(type(each) is int for each in turn):
        raise ValueError(f"the turn {turn} of a statement is not a list of integers")
    statement = statement_at(place["step"], place["line"], place["column"], turn, place["kind"])
    return Moment(statement, state, **{key: _READ[key](entry[key]) for key in _READ if key in entry})
