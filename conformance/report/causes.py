"""First differences by their cause, so that what is to be fixed first comes first.

Note [Causes]: scenarios have one cause if what differs first in them has the same description: the facet, how the
engine's value relates to torch's (its shapes, its dtypes, the numbers in another order, a grad that is overwritten), or
the text of the error. If the description depends on an operation, a statement may have several; of these the one counts
that explains most scenarios. A cause is a guess, which its shortest scenario confirms or refutes.
"""

from __future__ import annotations

import ast
import hashlib
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from conformance.language.scenario import Scenario
from conformance.report.result import Result
from conformance.report.text import clip, table
from conformance.runner.compare import NOTHING, Difference, is_absent
from conformance.runner.engine import AdapterError
from conformance.runner.states import BOUND
from conformance.runner.trace import State, Statement, Trace
from conformance.runner.values import numbers_in, parsed

T = TypeVar("T")
OPERATION = "{operation}"
_SIGNS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.MatMult: "@", ast.FloorDiv: "//",
    ast.Mod: "%", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.USub: "-", ast.Lt: "<", ast.Gt: ">",
    ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip
_PYTHON = {"append", "print", "str", "len", "list", "type", "range", "isinstance", "tuple", "repr", "dict"}
_ADAPTER = f"{AdapterError.__name__}: "
_SHOWN = 12
_IN_FULL = 3  # causes of which one scenario is shown in full, where most differs
_TEXT = 70


@dataclass(frozen=True, slots=True)
class CommonCause:
    """What is alike in the first differences of several scenarios, the shortest program first."""

    text: str
    results: tuple[Result, ...]

    @property
    def key(self) -> str:
        """A short name, which stays the same from run to run: `pytest --cause KEY` runs its scenarios again."""
        return hashlib.sha256(
            f"{self.results[0].engine}\0{self.text}".encode(errors="backslashreplace")
        ).hexdigest()[:5]


def description(
    scenario: Scenario, differences: Sequence[Difference], reference: Trace
) -> tuple[str, tuple[str, ...], str]:
    """What describes the first difference, the operations of its statement, and the code of that.

    Of a value with another shape, the shape is what is wrong.
    """
    first = differences[0]
    of_shape = (
        d
        for d in differences
        if d.facet == "shape" and (d.statement, d.name) == (first.statement, first.name)
    )
    first = next(of_shape, first) if first.facet == "value" else first
    code = _code(scenario, first.statement)
    what = _described(first, _before(reference, first))
    return what, operations(code) if OPERATION in what else (), code


def causes(results: Iterable[Result]) -> list[CommonCause]:
    """The causes of results that differ, the most frequent first: see Note [Causes]."""
    found = [
        CommonCause(text, tuple(sorted(alike, key=lambda result: result.length)))
        for text, alike in clustered([result for result in results if result.cause], _texts)
    ]
    return sorted(found, key=lambda cause: -len(cause.results))


def clustered(items: Iterable[T], texts: Callable[[T], Sequence[str]]) -> Iterator[tuple[str, list[T]]]:
    """The items by that one of their texts which explains most of them."""
    left = [*items]
    while left:
        counts = Counter(text for each in left for text in texts(each))
        # of equals the first one: the outermost operation
        text, _ = max(counts.items(), key=lambda pair: pair[1])
        yield text, [each for each in left if text in texts(each)]
        left = [each for each in left if text not in texts(each)]


def beyond(results: Sequence[Result]) -> set[tuple[str, str]]:
    """Scenario and engine of all that differ, apart from the shortest scenario of each of the first causes."""
    shown = {_key(each.results[0]) for each in causes(results)[:_IN_FULL]}
    return {_key(result) for result in results if result.verdict == "differs"} - shown


def _key(result: Result) -> tuple[str, str]:
    return result.scenario, result.engine


def lines(results: Sequence[Result]) -> Iterator[str]:
    """The causes as lines of a summary, each with its shortest scenario."""
    found = causes(results)
    if not found:
        return
    yield "  fix this first (--cause NAME runs one of these alone):"
    rows = [
        (
            str(len(each.results)),
            each.key,
            clip(each.text, 90),
            f"as in {each.results[0].scenario}: {each.results[0].code}",
        )
        for each in found[:_SHOWN]
    ]
    yield from (f"  {row}" for row in table(rows, 155))
    if len(found) > _SHOWN:
        yield f"    and {sum(len(each.results) for each in found[_SHOWN:])} more, of {len(found) - _SHOWN} causes"


def _texts(result: Result) -> list[str]:
    return texts_of(result.cause, result.operations)


def texts_of(cause: str, operations: Sequence[str]) -> list[str]:
    """What may describe a cause: if that depends on an operation, a text for each one of the statement."""
    if OPERATION not in cause:
        return [cause]
    return [cause.replace(OPERATION, each) for each in operations or ("the statement",)]


def _code(scenario: Scenario, place: Statement) -> str:
    lines = scenario.steps[place.step].run.splitlines()
    return clip(lines[place.line - 1].strip(), _TEXT) if 0 < place.line <= len(lines) else ""


@lru_cache(maxsize=256)
def operations(code: str) -> tuple[str, ...]:
    """The operations of a statement, the outermost first."""
    try:
        tree = ast.parse(code if not code.endswith(":") else f"{code} pass")
    except SyntaxError:
        return ()
    found: dict[str, None] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)) if name not in _PYTHON:
                found[f"{name}()"] = None
            case ast.BinOp(op=op) | ast.UnaryOp(op=op) | ast.Compare(ops=[op]) if type(op) in _SIGNS:
                found[_SIGNS[type(op)]] = None
            case ast.AugAssign(op=op) if type(op) in _SIGNS:
                found[f"{_SIGNS[type(op)]}="] = None
            case ast.Subscript(ctx=ast.Load()):
                found["indexing"] = None
            case ast.Subscript(ctx=ast.Store()):
                found["writing to an index"] = None
    return tuple(found)


def _before(reference: Trace, first: Difference) -> str:
    """What the value was on torch before the statement."""
    before: State = {}
    for moment in reference.moments:
        if moment.statement == first.statement:
            break
        before = moment.state or before
    return str(before.get(first.name, {}).get("value", ""))


def _described(first: Difference, before: str) -> str:
    if first.facet == "raised":
        return _of_errors(first)
    if is_absent(first.facet, first.engine):
        return f"a tensor has no {first.facet}"
    grad = first.name.endswith(".grad") or ".grad." in first.name
    subject = "a grad" if grad else OPERATION
    match first.facet:
        case "shape":
            return _of_shapes(first, grad=grad)
        case "dtype":
            return f"{subject} {'has' if grad else 'gives'} dtype {first.engine} for {first.reference}"
        case "message" | "warned":
            verb = "says" if first.facet == "message" else "warns"
            return f"{OPERATION} {verb} {_plain(first.engine)} for {_plain(first.reference)}"
        case "requires_grad" | "is_leaf" | "retains_grad" | "_version" | "output_nr":
            verb = "has" if grad else "gives"
            return f"{subject} {verb} {first.facet} {_plain(first.engine)} for {first.reference}"
        case "is":
            which = "a second object" if first.reference.startswith("the same") else "the same object twice"
            return f"{subject} is {which}" if grad else f"{OPERATION} gives {which}"
        case "grad_fn" | "edges" | "name()":
            return f"{OPERATION} makes another graph: {first.facet}"
        case "_base" | "storage":
            return (
                f"{OPERATION} gives {'no view' if first.engine == 'None' else 'another view'}: {first.facet}"
            )
        case "type":
            return f"{OPERATION} gives a number of another type"
    return _of_values(first, before, grad=grad)


def _of_errors(first: Difference) -> str:
    if first.engine.startswith(_ADAPTER):
        return f"the adapter: {_plain(first.engine.removeprefix(_ADAPTER))}"
    if first.reference == NOTHING:
        return f"{OPERATION} raises {_plain(first.engine)}"
    if first.engine == NOTHING:
        return f"{OPERATION} raises nothing for {_plain(first.reference)}"
    types = [text.partition(":")[0] for text in (first.engine, first.reference)]
    return f"{OPERATION} raises {types[0]} for {types[1]}"


def _plain(text: str) -> str:
    """A text without numbers and names, which differ where the cause is the same."""
    text = re.sub(r"'[^']*'|\"[^\"]*\"", "'...'", text.partition("\n")[0])
    return clip(re.sub(r"\(?\[?\b\d[\d.,\s()\[\]]*", "N ", text).strip(), _TEXT)


def _of_shapes(first: Difference, *, grad: bool) -> str:
    theirs, own = parsed(first.reference), parsed(first.engine)
    subject = "a grad has" if grad else f"{OPERATION} gives"
    if not (isinstance(theirs, list) and isinstance(own, list)):
        return f"{subject} a shape that cannot be read"
    if len(theirs) <= 1 and len(own) <= 1 and not (theirs and own):
        return f"{subject} shape {first.engine} for {first.reference}"
    if grad and _is_broadcast(theirs, own):
        return "a grad keeps the shape that its tensor was broadcast to"
    if len(own) != len(theirs):
        apart = len(own) - len(theirs)
        which = f"{abs(apart)} dimension{'s' * (abs(apart) > 1)} {'more' if apart > 0 else 'less'}"
        return f"{subject} {which} than torch"
    return f"{subject} other sizes"


def _is_broadcast(small: list[int], large: list[int]) -> bool:
    pairs = zip(reversed(small), reversed(large), strict=False)
    return len(small) <= len(large) and all(one in (1, other) for one, other in pairs)


def _of_values(first: Difference, before: str, *, grad: bool) -> str:
    subject, verb = ("a grad", "is") if grad else (OPERATION, "gives")
    if first.facet not in ("value", "grad"):
        return f"{OPERATION}: {first.facet.partition(' ')[0]} differs"
    if first.engine.startswith("raises "):
        return f"{'a grad' if grad else 'a value'} cannot be read: {_plain(first.engine)}"
    if first.engine == BOUND:
        return f"{OPERATION} gives what `observe` does not take for a tensor"
    for texts, what in (
        ((first.engine, first.reference), "where torch has one"),
        ((first.reference, first.engine), "on torch"),
    ):
        if texts[0] in ("None", "not bound"):
            return f"{subject} {verb} {texts[0]} {what}"
    return f"{subject} {verb} {_relation(first, before)}"


def _relation(first: Difference, before: str) -> str:
    """How the engine's numbers follow from torch's."""
    three = [numbers_in(each) for each in (first.reference, first.engine, before)]
    if three[0] is None or three[1] is None or three[0][0] != three[1][0] or not three[0][1]:
        same = sorted(re.findall(r"[\w.+-]+", first.reference)) == sorted(
            re.findall(r"[\w.+-]+", first.engine)
        )
        return "the same in another order" if same else "something else"
    theirs, own = three[0][1], three[1][1]
    if three[2] is not None and three[2][0] == three[0][0] and _near(own, _less(theirs, three[2][1])):
        return "overwritten, where torch adds to it"
    if sorted(map(str, theirs)) == sorted(map(str, own)):
        return "the same in another order"
    for factor in (-1, 0, 2, 0.5):
        if _near(own, [factor * each for each in theirs]):
            return f"{factor:g} times torch's" if factor else "zero"
    return "other numbers"


def _less(one: Sequence[complex], other: Sequence[complex]) -> list[complex]:
    return [a - b for a, b in zip(one, other, strict=True)]


def _near(one: Sequence[complex], other: Sequence[complex]) -> bool:
    return all(
        abs(a - b) <= 1e-5 * max(abs(b), 1) or math.isnan(abs(a - b)) for a, b in zip(one, other, strict=True)
    )
