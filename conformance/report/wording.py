"""An outcome in one line, and the expression that shows a difference."""

from __future__ import annotations

import ast

from conformance.language.scenario import Scenario
from conformance.report.program import file_line
from conformance.report.text import clip, distinct_labels, shorten_both
from conformance.runner.compare import NOTHING, Difference, is_absent
from conformance.runner.engine import AdapterError, Engine, terms_of
from conformance.runner.trace import Statement, is_error
from conformance.runner.verdict import Outcome

_VALUE = 48  # characters of a value in the line
_FLAGS = ("requires_grad", "is_leaf", "retains_grad")
_ATTRIBUTES = {*_FLAGS, "shape", "dtype", "grad", "grad_fn", "output_nr", "_version", "_base"}
_PATHS = {"edges": "grad_fn.next_functions", "name()": "grad_fn.name()", "storage": "data_ptr()"}
_VERBS = {"raised": "raises", "message": "says", "warned": "warns", "printed": "prints"}
_SAME = "the same object as "
_ADAPTER = f"{AdapterError.__name__}: "


def verdict_line(scenario: Scenario, outcome: Outcome, reference: Engine, engine: Engine) -> str:
    """The line in pytest's summary, which may be cut: name and facet come first."""
    match outcome.verdict:
        case "unsound":
            return f"the scenario is wrong about {reference.name}: {outcome.flaws[0].message}"
        case "unsupported":
            return f"{engine.name} has no {', '.join(outcome.missing)}"
        case "differs":
            first = outcome.differences[0]
            when = "after" if first.name else "at"
            where = _where(scenario, first.statement)
            return f"{_difference(first, *distinct_labels(reference, engine))}, {when} {where}"
        case "not observed":
            counted = terms_of(engine).counted
            return (
                f"there were no {counted}"
                if counted
                else f"it only raises, and {engine.name} claims no errors"
            )
        case "agrees":
            return ""


def _difference(first: Difference, reference: str, engine: str) -> str:
    if first.engine.startswith(_ADAPTER):
        return f"the adapter of {engine}: {first.engine.removeprefix(_ADAPTER)}"
    there, here = shorten_both(first.reference, first.engine, _VALUE, prose=first.facet in _VERBS)
    if first.facet in _VERBS:
        verb = _VERBS[first.facet]
        if first.facet != "raised":
            there, here = (text if text == NOTHING else f'"{text}"' for text in (there, here))
        return f"{engine} {verb} {here}, {reference} {verb} {there}"
    if not first.name:  # `reached`, or an assert
        return f"{first.facet}: {here} on {engine}, {there} on {reference}"
    what = first.name if first.facet in {"value", "is"} else f"{first.name} {first.facet}"
    if is_absent(first.facet, first.engine):
        return f"{first.name} has no {first.facet} on {engine}, {there} on {reference}"
    verb = "" if is_error(here) else "is "
    return f"{what} {verb}{here} on {engine}, {there} on {reference}"


def of_engine(difference: Difference) -> str:
    """What the engine shows, in a table, where a missing attribute needs no error of Python."""
    return "no such attribute" if is_absent(difference.facet, difference.engine) else difference.engine


def _where(scenario: Scenario, place: Statement) -> str:
    """The statement by its line in the file and its text."""
    lines = scenario.steps[place.step].run.splitlines()
    text = lines[place.line - 1].strip() if 0 < place.line <= len(lines) else ""
    turn = "".join(f", turn {turn + 1}" for turn in place.turn)
    return f"line {file_line(scenario, place.step, place.line)}{turn}: {clip(text, 60)}"


def expression(difference: Difference) -> str:
    """The expression to print to see a difference; empty if the statement itself shows it."""
    name, facet = difference.name, difference.facet
    try:
        ast.parse(name, mode="eval")
    except SyntaxError:
        return ""
    if facet == "is":
        same = next(
            (text for text in (difference.reference, difference.engine) if text.startswith(_SAME)), ""
        )
        return f"{name} is {same.removeprefix(_SAME)}" if same else f"id({name})"
    return f"{name}.{_PATHS.get(facet, facet)}" if facet in _ATTRIBUTES or facet in _PATHS else name
