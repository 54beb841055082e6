"""Trace x Trace -> differences."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from conformance.language.scenario import Scenario
from conformance.runner.engine import GROUPS
from conformance.runner.narrowing import is_narrowed
from conformance.runner.reads import group_of, group_of_name
from conformance.runner.states import (
    BOUND,
    UNFILLED,
    UNREAD,
    Kind,
    below,
    is_like_plain,
    is_number,
    is_unfilled,
    is_unread,
    is_unread_grad,
    kind_of,
    resolved,
    same_dtype,
)
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
from conformance.runner.values import bounds, shortened, texts_close, types_differ

GROUP_OF = {
    **dict.fromkeys(("value", "shape", "grad", "reached"), "values"),
    **dict.fromkeys(("dtype", "type"), "dtypes"),
    **dict.fromkeys(("requires_grad", "is_leaf", "retains_grad", "is"), "flags"),
    **dict.fromkeys(("grad_fn", "output_nr", "edges", "name()", "_version", "_base", "storage"), "graph"),
    "raised": "errors",
    **dict.fromkeys(("message", "warned", "printed"), "messages"),
}
"""The group of each facet. An ``assert`` is in the group of what it reads."""

_OF_GROUPS = {facet for facet, group in GROUP_OF.items() if group in ("flags", "graph")}
_ATTRIBUTES = {"dtype"} | _OF_GROUPS - {"is", "edges", "name()"}

NOTHING = "nothing"

DIED = "InterpreterDied"
"""The type of the error that reports an interpreter that ended."""

ENDING = ("TimeLimit", "Refused", DIED)
"""The types of the errors after which a run does not go on."""


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
    every = _drawn(reference, _differences(scenario, reference, engine))
    return tuple(difference for difference in every if counts(difference, groups))


UNBOUND = "not bound"
_OPTION = re.compile(r".*\.param_groups\[\d+\]\.(\w+)")


def is_unused_option(scenario: Scenario, difference: Difference) -> bool:
    """Whether the engine's optimizers lack an option that the program does not name: a missing feature, unused."""
    found = _OPTION.fullmatch(difference.name) if difference.engine == UNBOUND else None
    return found is not None and not any(found[1] in step.run for step in scenario.steps)


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


def nothing_claimed(scenario: Scenario, reference: Trace, engine: Trace, groups: Collection[str]) -> bool:
    """Whether the reference only raises an error, which an engine that claims no errors may raise or not.

    A run that need not raise shows at least that the engine runs it.
    """
    if "errors" in groups or not any(moment.raised for moment in reference.moments):
        return False
    moments = (*reference.moments, *engine.moments)
    if any(group_of(read, _programs(scenario)) in groups for moment in moments for read, _ in moment.values):
        return False
    states = (moment.state for moment in moments if moment.state)
    return not any(
        group in groups
        for state in states
        for name in state
        for group in _shown_groups(scenario, state, name)
    )


def _shown_groups(scenario: Scenario, state: State, name: str) -> Iterator[str]:
    """The groups of what a name shows of its value."""
    facets = resolved(state, name)
    kind = kind_of(facets)
    if kind == "plain":
        yield _group_of_plain(scenario, name, kind)
    elif kind not in ("bound", "module"):
        yield from (_FACET_OF[kind][1],) if kind in _FACET_OF else map(GROUP_OF.get, facets.keys() & GROUP_OF)


def _drawn(reference: Trace, found: Iterable[Difference]) -> Iterator[Difference]:
    """The differences, with those of values from the first random number on in a group of their own.

    Shapes, dtypes and all that does not depend on numbers stay in their groups.
    """
    places = iter(reference.moments)
    first = next((moment for moment in places if moment.drew), None)
    since = {first.statement, *(moment.statement for moment in places)} if first else set()
    after = False
    for each in found:
        after = after or each.statement in since
        depends = each.facet == "printed" or (each.group == "values" and each.facet != "shape")
        yield replace(each, group="random") if after and depends else each


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
            yield Difference(place, "", f"assert {text}", group_of(text, _programs(scenario)), *said)
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
            group = group_of(expression, _programs(scenario))
            yield Difference(place, expression, "value", group, *shown)
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
    left_out: tuple[str, ...] = ()  # how the paths begin that are not compared
    for name in reference if reference.keys() == engine.keys() else dict.fromkeys((*reference, *engine)):
        if left_out and name.startswith(left_out):
            continue
        if name in reference and name in engine:
            if reference[name] == engine[name]:
                continue
            if is_unfilled(name, reference, engine):
                continue
            if is_unread(reference[name], engine[name]) or _is_one_list(name, reference, engine):
                left_out += below(name)
                continue
            yield from _of_names(scenario, place, name, reference, engine, expression=name in expressions)
        else:
            left_out += below(name)
            if not is_unread_grad(name, reference, engine):
                yield _of_absent(scenario, place, name, reference, engine, expressions)


def _is_one_list(name: str, reference: State, engine: State) -> bool:
    """Whether one side has a list of numbers, and the other one the same as a list of NumPy's numbers."""
    expected, found = reference[name].get("value"), engine[name].get("value")
    return is_like_plain(expected, engine, name) or is_like_plain(found, reference, name)


def _of_absent(
    scenario: Scenario,
    place: Statement,
    name: str,
    reference: State,
    engine: State,
    expressions: Collection[str],
) -> Difference:
    """The difference of a name that one side alone has."""
    without = "None" if name.endswith(".grad") else UNBOUND
    shown = [_shown(state, name) if name in state else without for state in (reference, engine)]
    facets = resolved(reference if name in reference else engine, name)
    kind = "plain" if is_number(facets) else kind_of(facets)
    facet, group = _FACET_OF.get(kind, ("value", _group_of_plain(scenario, name, kind)))
    if kind == "plain" and (read := next((each for each in expressions if name.startswith(below(each))), "")):
        group = group_of(read, _programs(scenario))
    return Difference(place, name, facet, group, *shown)


def _group_of_plain(scenario: Scenario, name: str, *kinds: Kind, expression: bool = False) -> str:
    """The group of a value that has no facets: that of what the program reads for it, or the expression."""
    if expression:
        return group_of(name, _programs(scenario))
    return group_of_name(name, _programs(scenario)) if {*kinds} <= {"plain", "bound"} else "values"


def _programs(scenario: Scenario) -> tuple[str, ...]:
    return tuple(step.run for step in scenario.steps)


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
    kinds = kind_of(expected), kind_of(found)
    if kinds[0] != kinds[1] and not ("shape" in expected and "shape" in found):
        yield from _of_kinds(scenario, place, name, reference, engine, expression=expression)
        return
    group = None
    if "shape" not in expected and kinds[0] != "node":
        group = _group_of_plain(scenario, name, *kinds, expression=expression)
    for facet in dict.fromkeys((*expected, *found)):
        a, b = expected.get(facet), found.get(facet)
        if a == b or facet == UNFILLED or kinds == ("bound", "bound") or not (_is_read(a) and _is_read(b)):
            continue
        if facet in ("edges", "name()") and not (expected.get("grad_fn") and found.get("grad_fn")):
            continue
        if facet == "value":
            yield from _of_values(scenario, place, name, expected, found, group or "values")
        else:
            yield Difference(place, name, facet, group or _group(facet, a, b), str(a), str(b))


def _of_values(
    scenario: Scenario, place: Statement, name: str, expected: Facets, found: Facets, group: str
) -> Iterator[Difference]:
    """The difference of the numbers of a name; of their types, or of what these cannot hold, as one of dtypes."""
    texts = str(expected.get("value")), str(found.get("value"))
    dtypes = expected.get("dtype"), found.get("dtype")
    if texts_close(texts[1], texts[0], bounds(dtypes[0], scenario.tolerance, dtypes[1])):
        if "dtype" not in expected and types_differ(*texts):
            yield Difference(place, name, "type", "dtypes", *texts)
        return
    shown = [shown_value(text, dtype) for text, dtype in zip(texts, dtypes, strict=True)]
    if shown[0] == shown[1]:
        shown = [*texts]
    if kind_of(expected) == kind_of(found) == "dtype":
        yield Difference(place, name, "dtype", "dtypes", *shown)
    elif is_narrowed(texts[0], dtypes[0], texts[1], dtypes[1]):
        yield Difference(place, name, "type", "dtypes", *shown)
    else:
        yield Difference(place, name, "value", _group_of_unreadable(*texts) or group, *shown)


def _group_of_unreadable(reference: str, engine: str) -> str:
    """The group of a value that neither side can tell: of the errors' types, or of their messages alone."""
    types = [text.partition(":")[0] for text in (reference, engine)]
    if not all(text.startswith("raises ") for text in types):
        return ""
    return "messages" if types[0] == types[1] else "errors"


_FACET_OF: dict[Kind, tuple[str, str]] = {"node": ("grad_fn", "graph"), "dtype": ("dtype", "dtypes")}
"""The facet and group of a difference between such a value and one of another kind."""


def _of_kinds(
    scenario: Scenario, place: Statement, name: str, reference: State, engine: State, *, expression: bool
) -> Iterator[Difference]:
    """The difference between two values of different kinds, such as a node and a number."""
    expected, found = resolved(reference, name), resolved(engine, name)
    kinds = kind_of(expected), kind_of(found)
    shown = _shown(reference, name, as_tensor=True), _shown(engine, name, as_tensor=True)
    for kind in kinds:
        if kind in _FACET_OF:
            if kind == "node" or not same_dtype(expected, found):
                yield Difference(place, name, *_FACET_OF[kind], *shown)
            return
    of_numpy = {*kinds} == {"array", "plain"} and "[]" in (expected.get("shape"), found.get("shape"))
    if of_numpy:  # a number of NumPy's
        one, other = ({"value": each["value"]} for each in (expected, found))
        yield from _of_values(scenario, place, name, one, other, "values")
        return
    group = _group_of_plain(scenario, name, *kinds, expression=expression and "shape" not in expected)
    yield Difference(place, name, "value", group, *shown)


def _is_read(text: Facet) -> bool:
    """Whether an engine could show the value: what it could not is not compared."""
    return not (isinstance(text, str) and NOT_READ in text)


def _group(facet: str, reference: Facet, engine: Facet) -> str:
    """The facet's group; if both raise the same type, only a message differs."""
    texts = [str(value).partition(":")[0] for value in (reference, engine)]
    if texts[0] == texts[1] and is_error(texts[0]):
        return "messages"
    return GROUP_OF.get(facet, "values")


def _shown(state: State, name: str, *, as_tensor: bool = False) -> str:
    facets = resolved(state, name)
    value = shown_value(facets.get("value", facets.get("grad_fn")), facets.get("dtype"))
    return f"tensor({value})" if "shape" in facets and (as_tensor or not name.endswith(".grad")) else value


def shown_value(value: Facet, dtype: Facet) -> str:
    """A facet as text for a reader."""
    if value == UNREAD:
        return BOUND
    return shortened(value, dtype) if isinstance(value, str) else str(value)
