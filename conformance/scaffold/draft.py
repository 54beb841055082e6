"""Statements of a snippet -> steps of a scenario, with what was observed filled in."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from conformance.report.program import DRAWS
from conformance.runner.trace import Facets, Moment, Raised, State, Trace, is_error
from conformance.runner.values import parsed, shortened
from conformance.scaffold.snippet import Part

LONGEST_VALUE = 160  # characters of a value that is worth an expectation
LONGEST_TEXT = 100  # characters of a message or a warning
MOST = 10  # expectations filled in where the snippet shows nothing


@dataclass(frozen=True, slots=True)
class DraftStep:
    """A step as it will stand in the file."""

    run: str
    shows: tuple[str, ...] = ()  # expressions to evaluate after it
    expect: tuple[tuple[str, Any], ...] = ()
    raises: str = ""
    message: str = ""
    warns: tuple[str, ...] = ()
    parts: tuple[int, ...] = ()  # the numbers of those that are its program


Observe = Callable[[Sequence[DraftStep]], Trace]
"""Runs steps on the reference, and evaluates after each what it shows."""


class CannotDraftError(ValueError):
    """No scenario can be made of it; says why."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


def draft(parts: Sequence[Part], observe: Observe) -> tuple[DraftStep, ...]:
    """The steps: one ends where an error is raised, and where values are shown."""
    everything = set(range(len(parts)))
    errors: dict[int, Raised] = {}
    while error := _next_error(parts, errors, observe):
        errors |= error
    warning = set(
        _warning(parts, errors, observe)
    )  # a step's expectations may warn, but that is not observed
    layout = _layout(parts, warning, errors)
    trace = observe(layout.steps(parts))
    kept = warning | {
        part
        for number, shown in enumerate(layout.shown)
        for part in shown
        if not _sensible(parts[part].shows, layout.steps(parts)[number].run, _at_end(trace, number))
    }
    layout = _layout(parts, kept, errors)
    steps = layout.steps(parts)
    if not steps[-1].shows and layout.code[-1][-1] not in errors:
        steps[-1] = replace(steps[-1], shows=tuple(_telling(observe(steps))))
    trace = observe(steps)
    assert everything == {part for numbers in (*layout.code, *layout.shown) for part in numbers}
    return tuple(
        _filled(step, number, trace, next((errors[part] for part in code if part in errors), None))
        for number, (step, code) in enumerate(zip(steps, layout.code, strict=True))
    )


@dataclass(slots=True)
class _Layout:
    """The numbers of the parts of each step: those that are its program, those whose values it shows."""

    code: list[list[int]]
    shown: list[list[int]]

    def steps(self, parts: Sequence[Part]) -> list[DraftStep]:
        return [
            DraftStep(
                _program(parts[number] for number in code),
                tuple(dict.fromkeys(text for number in shown for text in parts[number].shows)),
                parts=tuple(code),
            )
            for code, shown in zip(self.code, self.shown, strict=True)
        ]


def _program(parts: Iterator[Part] | Sequence[Part]) -> str:
    return "\n".join(part.text for part in parts).strip("\n")


def _layout(parts: Sequence[Part], kept: Collection[int], errors: Mapping[int, Raised]) -> _Layout:
    """Whose values are shown is no code, unless it is ``kept`` as that, or it raised."""
    layout = _Layout([[]], [[]])
    for number, part in enumerate(parts):
        if part.shows and number not in kept and number not in errors and layout.code[-1]:
            layout.shown[-1].append(number)
            continue
        if layout.shown[-1] or any(code in errors for code in layout.code[-1]):
            layout.code.append([])
            layout.shown.append([])
        layout.code[-1].append(number)
    return layout


def _next_error(parts: Sequence[Part], errors: Mapping[int, Raised], observe: Observe) -> dict[int, Raised]:
    """The first part that raises and is not known to: all code is run, the prints too."""
    layout = _layout(parts, range(len(parts)), errors)
    for moment in observe(layout.steps(parts)).moments:
        if moment.raised is not None:
            part = part_at(parts, layout.code[moment.statement.step], moment.statement.line)
            if part not in errors:
                _refuse(moment.raised, parts[part].line)
                return {part: moment.raised}
        if moment.failed:
            part = part_at(parts, layout.code[moment.statement.step], moment.statement.line)
            raise CannotDraftError(
                parts[part].line, f"on torch this does not hold: assert {moment.failed[0]}"
            )
    return {}


def _warning(parts: Sequence[Part], errors: Mapping[int, Raised], observe: Observe) -> Iterator[int]:
    """The parts that warn."""
    layout = _layout(parts, range(len(parts)), errors)
    for moment in observe(layout.steps(parts)).moments:
        if moment.warned:
            yield part_at(parts, layout.code[moment.statement.step], moment.statement.line)


def part_at(parts: Sequence[Part], code: Sequence[int], line: int) -> int:
    """The part in which a line of a step's program is."""
    text = "\n".join(parts[number].text for number in code)
    end = len(text.lstrip("\n")) - len(text)  # a program begins without blank lines
    for number in code:
        end += parts[number].text.count("\n") + 1
        if line <= end:
            return number
    return code[-1]


def _refuse(raised: Raised, line: int) -> None:
    """Errors that tell of this machine or of the snippet, and nothing of autograd."""
    if raised.type == "TimeLimit":
        raise CannotDraftError(line, f"{raised.message}; shorten it: a scenario takes less than a second")
    if re.search(r"CUDA|NVIDIA", raised.message):
        raise CannotDraftError(
            line, f"there is no CUDA here; remove `.cuda()`, or write `cpu`: {beginning(raised.message)}"
        )
    if raised.type == "NameError":
        raise CannotDraftError(line, f"{raised.message}; a snippet must be self-contained")


def _at_end(trace: Trace, step: int) -> Moment | None:
    """The moment at which the expressions of a step were evaluated."""
    found = (moment for moment in trace.moments if moment.statement.step == step)
    return next((moment for moment in found if moment.statement.kind == "expect"), None)


def _sensible(expressions: Sequence[str], program: str, moment: Moment | None) -> bool:
    """Whether all have values that may stand in a scenario: data, short, and none that is random."""
    if moment is None:
        return False
    return all(
        value is not _NONE for value in _values(expressions, moment, random=bool(DRAWS.search(program)))
    )


_NONE = object()


def _values(expressions: Sequence[str], moment: Moment, *, random: bool) -> Iterator[Any]:
    texts = dict(moment.values)
    for expression in expressions:
        facets: Facets = (moment.state or {}).get(expression, {})
        yield _value(texts[expression], facets.get("dtype"), random=random)


def _value(text: str, dtype: object, *, random: bool) -> Any:
    """What YAML can say of a value; ``_NONE`` where that is nothing."""
    value = parsed(shortened(text, dtype))
    if is_error(text) or len(text) > LONGEST_VALUE or not _is_data(value):
        return _NONE
    if value in ("opaque", "module", "optimizer", "own"):
        return _NONE
    return _NONE if random and _has_float(value) else value


def _is_data(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_is_data, value))
    return value is None or isinstance(value, bool | int | float | str)


def _has_float(value: Any) -> bool:
    return any(map(_has_float, value)) if isinstance(value, list) else isinstance(value, float)


def _telling(trace: Trace) -> Iterator[str]:
    """Where a snippet shows nothing: the gradients it ends with, and what its last statement changed."""
    states: list[State] = [{}, *(moment.state for moment in trace.moments if moment.state is not None)]
    now, before = states[-1], states[-2] if len(states) > 1 else {}
    found = [name for name in now if name.endswith(".grad")]
    for name, facets in now.items():
        if facets != before.get(name) and "shape" in facets and not name.endswith(".grad"):
            changed = {facet for facet, value in facets.items() if before.get(name, {}).get(facet) != value}
            flags = [
                flag
                for flag in ("requires_grad", "is_leaf", "retains_grad", "grad_fn", "_version")
                if flag in changed
            ]
            told = [flag for flag in flags if facets[flag] not in (False, None, 0) or name in before]
            found += [*([name] if "value" in changed else ()), *(f"{name}.{flag}" for flag in told)]
    yield from found[:MOST]


def _filled(step: DraftStep, number: int, trace: Trace, raised: Raised | None) -> DraftStep:
    """The step with what was observed of it."""
    moments = [moment for moment in trace.moments if moment.statement.step == number]
    warned = dict.fromkeys(beginning(each.message) for moment in moments for each in moment.warned)
    end = _at_end(trace, number)
    values = _values(step.shows, end, random=bool(DRAWS.search(step.run))) if end else ()
    expect = [(text, value) for text, value in zip(step.shows, values, strict=False) if value is not _NONE]
    return replace(
        step,
        expect=tuple(expect),
        raises=raised.type if raised else "",
        message=beginning(raised.message) if raised else "",
        warns=tuple(warned),
    )


def beginning(text: str) -> str:
    """The beginning of a message: its first sentence, or as many of its words as are enough."""
    line = text.strip().partition("\n")[0].partition("0x...")[0].strip()
    if len(line) <= LONGEST_TEXT:
        return line
    end = re.match(rf".{{20,{LONGEST_TEXT}}}(?:[.:;](?= )|(?= \())", line)
    return end[0] if end else line[:LONGEST_TEXT].rpartition(" ")[0]
