"""Trace x Trace -> differences."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from conformance.language.scenario import Scenario
from conformance.runner.engine import GROUPS
from conformance.runner.trace import (
    NOT_READ,
    Facet,
    Facets,
    Moment,
    Raised,
    State,
    Statement,
    Trace,
    is_error,
)
from conformance.runner.values import bounds, shortened, texts_close

GROUP_OF = {
    **dict.fromkeys(("value", "shape", "dtype", "grad", "reached"), "values"),
    **dict.fromkeys(("requires_grad", "is_leaf", "retains_grad", "is"), "flags"),
    **dict.fromkeys(("grad_fn", "output_nr", "edges", "name()", "_version", "_base", "storage"), "graph"),
    "raised": "errors",
    **dict.fromkeys(("message", "warned", "printed"), "messages"),
}
"""The group of each facet. An ``assert`` is in the group of what it reads."""

_ATTRIBUTES = {facet for facet, group in GROUP_OF.items() if group in ("flags", "graph")} - {
    "is",
    "edges",
    "name()",
}

NOTHING = "nothing"

DIED = "InterpreterDied"
"""The type of the error that reports an interpreter that ended."""

_READS = (
    ("graph", r"grad_fn|next_functions|output_nr|_version|_base|_is_view|data_ptr|storage|name\(\)"),
    ("flags", r"requires_grad|is_leaf|retains_grad|\bis\b"),
)


@dataclass(frozen=True, slots=True)
class Difference:
    """One facet of one name (or of a statement: name ``""``) after one statement."""

    statement: Statement
    name: str
    facet: str
    group: str
    reference: str
    engine: str

    @property
    def content(self) -> tuple[str, str, str, str]:
        """Everything but the place; a lasting difference has the same content at each statement."""
        return self.name, self.facet, self.reference, self.engine

    def __str__(self) -> str:
        what = f"{self.name} {self.facet}".strip()
        return f"{self.statement}: {what}: {self.reference} on the reference, {self.engine} on the engine"


def differences(
    scenario: Scenario, reference: Trace, engine: Trace, groups: Collection[str] = GROUPS
) -> tuple[Difference, ...]:
    """All differences in the groups, in the order of the program; the first one decides.

    An error that only the engine raises is a difference whatever the groups are.
    """
    every = _differences(scenario, reference, engine)
    return tuple(difference for difference in every if counts(difference, groups))


def counts(difference: Difference, groups: Collection[str]) -> bool:
    """Whether the difference counts for an engine that claims these groups."""
    return is_crash(difference) or difference.group in groups


def is_crash(difference: Difference) -> bool:
    """Whether the engine raised an error where the reference raised none, or did not finish."""
    return difference.facet == "raised" and (difference.reference == NOTHING or is_ending(difference))


def is_ending(difference: Difference) -> bool:
    """Whether the engine hung or ended its interpreter, which no declaration covers."""
    return difference.facet == "raised" and difference.engine.startswith(("TimeLimit:", f"{DIED}:"))


def is_absent(facet: str, shown: str) -> bool:
    """Whether a facet's value says that the engine's tensors have no such attribute."""
    return facet in _ATTRIBUTES and shown.startswith("raises AttributeError")


def group_of(expression: str) -> str:
    """The group of facets that an expression reads."""
    return next((group for group, words in _READS if re.search(words, expression)), "values")


def _differences(scenario: Scenario, reference: Trace, engine: Trace) -> Iterator[Difference]:
    if [moment.statement for moment in reference.moments] == [moment.statement for moment in engine.moments]:
        for expected, moment in zip(reference.moments, engine.moments, strict=True):
            if expected != moment:  # most moments are equal
                yield from _of_moments(scenario, expected, moment)
    else:
        yield from _of_courses(scenario, reference, engine)


def _of_courses(scenario: Scenario, reference: Trace, engine: Trace) -> Iterator[Difference]:
    """The differences of two runs that did not reach the same statements."""
    of_reference = {moment.statement: moment for moment in reference.moments}
    of_engine = {moment.statement: moment for moment in engine.moments}
    for statement in merged(reference, engine):
        expected, moment = of_reference.get(statement), of_engine.get(statement)
        if expected is not None and moment is not None:
            yield from _of_moments(scenario, expected, moment)
        elif expected is not None and expected.raised is not None:
            yield from _of_errors(statement, expected.raised, None)
        elif moment is not None and moment.raised is not None:
            yield from _of_errors(statement, None, moment.raised)
        elif not (_ended(of_reference, statement.step) or _ended(of_engine, statement.step)):
            words = ("reached", "not reached") if expected is not None else ("not reached", "reached")
            yield Difference(statement, "", "reached", "values", *words)


def merged(reference: Trace, engine: Trace) -> list[Statement]:
    """The statements of both runs; one that only the engine reached comes after its predecessor there."""
    found = [moment.statement for moment in reference.moments]
    known = set(found)
    at = 0
    for moment in engine.moments:
        if moment.statement in known:
            at = found.index(moment.statement)
        else:
            found.insert(at, moment.statement)
        at += 1
    return found


def _ended(moments: dict[Statement, Moment], step: int) -> bool:
    """Whether a step ended early or never began, so that its missing statements are not differences."""
    states = [
        moment.raised for place, moment in moments.items() if place.step == step and place.kind == "run"
    ]
    return not states or states[-1] is not None


def _of_moments(scenario: Scenario, reference: Moment, engine: Moment) -> Iterator[Difference]:
    place = reference.statement
    yield from _of_errors(place, reference.raised, engine.raised)
    for text in dict.fromkeys((*reference.failed, *engine.failed)):
        if (text in reference.failed) != (text in engine.failed):
            said = ("fails", "holds") if text in reference.failed else ("holds", "fails")
            yield Difference(place, "", f"assert {text}", group_of(text), *said)
    if reference.warned != engine.warned:
        warned = [w.message for w in reference.warned], [w.message for w in engine.warned]
        if warned[0] == warned[1]:  # only the categories differ
            warned = [str(w) for w in reference.warned], [str(w) for w in engine.warned]
        yield from _of_texts(place, "warned", *warned)
    if reference.printed != engine.printed:
        yield from _of_texts(place, "printed", reference.printed.splitlines(), engine.printed.splitlines())
    of_reference, of_engine = dict(reference.values), dict(engine.values)
    failed = {e for e in of_reference if is_error(of_reference[e]) or is_error(of_engine.get(e))}
    for expression in failed:
        if of_reference[expression] != of_engine.get(expression):
            texts = of_reference[expression], of_engine.get(expression, NOTHING)
            shown = shown_value(texts[0], None), shown_value(texts[1], None)
            yield Difference(place, expression, "value", group_of(expression), *shown)
    if reference.state is not None and engine.state is not None:
        expressions = set(of_reference)
        yield from (
            d
            for d in _of_states(scenario, place, reference.state, engine.state, expressions)
            if d.name not in failed
        )


def _of_errors(place: Statement, reference: Raised | None, engine: Raised | None) -> Iterator[Difference]:
    if reference is not None and engine is not None and reference.type == engine.type:
        if reference.message != engine.message and _is_read(engine.message):
            yield Difference(place, "", "message", "messages", reference.message, engine.message)
    elif reference is not None or engine is not None:
        yield Difference(place, "", "raised", "errors", str(reference or NOTHING), str(engine or NOTHING))


def _of_texts(place: Statement, facet: str, reference: list[str], engine: list[str]) -> Iterator[Difference]:
    if reference != engine and all(map(_is_read, (*reference, *engine))):
        yield Difference(
            place, "", facet, "messages", "\n".join(reference) or NOTHING, "\n".join(engine) or NOTHING
        )


def _of_states(
    scenario: Scenario, place: Statement, reference: State, engine: State, expressions: Collection[str]
) -> Iterator[Difference]:
    absent: list[str] = []
    for name in reference if reference.keys() == engine.keys() else dict.fromkeys((*reference, *engine)):
        if name in reference and name in engine:
            if reference[name] != engine[name]:
                yield from _of_names(scenario, place, name, reference, engine, expression=name in expressions)
        elif not any(name.startswith(parent) for parent in absent):
            absent += (f"{name}.", f"{name}[")
            without = "None" if name.endswith(".grad") else "not bound"
            shown = [_shown(state, name) if name in state else without for state in (reference, engine)]
            yield Difference(place, name, "value", "values", *shown)


def _of_names(
    scenario: Scenario, place: Statement, name: str, reference: State, engine: State, *, expression: bool
) -> Iterator[Difference]:
    expected, found = reference[name], engine[name]
    if expected.get("is") != found.get("is"):
        same = [
            f"the same object as {facets['is']}" if "is" in facets else "an object of its own"
            for facets in (expected, found)
        ]
        yield Difference(place, name, "is", "flags", *same)
        expected, found = resolved(reference, name), resolved(engine, name)
    if ("shape" in expected) != ("shape" in found):
        shown = _shown(reference, name, as_tensor=True), _shown(engine, name, as_tensor=True)
        yield Difference(place, name, "value", "values", *shown)
        return
    group = group_of(name) if expression and "shape" not in expected else None
    for facet in dict.fromkeys((*expected, *found)):
        a, b = expected.get(facet), found.get(facet)
        if a == b or not (_is_read(a) and _is_read(b)):
            continue
        if facet in ("edges", "name()") and not (expected.get("grad_fn") and found.get("grad_fn")):
            continue
        if facet == "value" and texts_close(
            str(b), str(a), bounds(expected.get("dtype"), scenario.tolerance)
        ):
            continue
        dtype = expected.get("dtype") if facet == "value" else None
        shown = shown_value(a, dtype), shown_value(b, dtype)
        if shown[0] == shown[1]:
            shown = str(a), str(b)
        yield Difference(place, name, facet, group or _group(facet, a, b), *shown)


def _is_read(text: Facet) -> bool:
    """Whether an engine could show the value: what it could not is not compared."""
    return not (isinstance(text, str) and NOT_READ in text)


def _group(facet: str, reference: Facet, engine: Facet) -> str:
    """The facet's group; if both raise the same type, only a message differs."""
    texts = [str(value).partition(":")[0] for value in (reference, engine)]
    if texts[0] == texts[1] and is_error(texts[0]):
        return "messages"
    return GROUP_OF.get(facet, "values")


def resolved(state: State, name: str) -> Facets:
    """The facets of a name, also if it is a second name of an object."""
    facets = state[name]
    first = facets.get("is")
    if not isinstance(first, str):
        return facets
    found = dict(state[first])
    if "storage" in found:
        found["storage"] = found["storage"] or first
    if "edges" in found and not str(found["edges"]).startswith("as "):
        found["edges"] = f"as {first}"
    return found


def _shown(state: State, name: str, *, as_tensor: bool = False) -> str:
    facets = resolved(state, name)
    value = shown_value(facets.get("value", facets.get("grad_fn")), facets.get("dtype"))
    return f"tensor({value})" if "shape" in facets and (as_tensor or not name.endswith(".grad")) else value


def shown_value(value: Facet, dtype: Facet) -> str:
    """A facet as text for a reader."""
    return shortened(value, dtype) if isinstance(value, str) else str(value)
