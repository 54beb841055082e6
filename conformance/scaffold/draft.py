"""Turn the statements of a snippet into steps of a scenario, with observed results filled in."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from conformance.report.program import DRAWS
from conformance.runner.compare import ENDING
from conformance.runner.trace import Facets, Moment, Raised, State, Trace, is_error
from conformance.runner.values import parsed, shortened
from conformance.scaffold.attempts import Attempts, Part, after_error
from conformance.scaffold.printed import constant, prints
from conformance.scaffold.printed import shortened as shortened_lines

LONGEST_VALUE = 160  # longest value of an expectation, in characters
LONGEST_TEXT = 100  # longest message or warning, in characters
MOST = 10  # most expectations of a snippet that prints nothing


@dataclass(frozen=True, slots=True)
class DraftStep:
    """A step of the drafted file."""

    run: str
    shows: tuple[str, ...] = ()  # expressions to evaluate after it
    expect: tuple[tuple[str, Any], ...] = ()
    raises: str = ""
    message: str = ""
    warns: tuple[str, ...] = ()
    printed: tuple[tuple[int, str], ...] = ()  # what each part of its program prints
    claimed: tuple[tuple[str, Any], ...] = ()  # what the document shows where torch has another value
    claimed_prints: str | None = None  # the same of what is printed
    parts: tuple[int, ...] = ()  # the numbers of the parts in its program

    @property
    def prints(self) -> str:
        """What its program prints."""
        return shortened_lines("".join(text for _, text in self.printed))


Observe = Callable[[Sequence[DraftStep]], Trace]
"""Runs steps on the reference and evaluates the shown expressions after each."""


class CannotDraftError(ValueError):
    """The snippet cannot become a scenario; the message says why."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


def draft(
    parts: Sequence[Part], attempts: Attempts, observe: Observe, printing: Collection[int] = ()
) -> tuple[tuple[DraftStep, ...], Sequence[Part]]:
    """The steps, and the parts that run; a step ends where an error is raised or values are shown.

    The parts on the lines ``printing`` print what they show: a document shows another text, which is not a plain value.
    """
    parts, errors = _run_through(parts, attempts, observe)
    parts = [_printing(part) if part.line in printing else part for part in parts]
    everything = set(range(len(parts)))
    warning = set(_warning(parts, errors, observe))  # warnings of expectations are not observed
    warning |= {number for number, part in enumerate(parts) if part.line in printing}
    also = {number for number in warning if not prints(parts[number].text)}
    layout = _layout(parts, warning, errors, also)
    watched = _watched(layout.steps(parts), observe)
    kept = warning | {
        part
        for number, shown in enumerate(layout.shown)
        for part in shown
        if not _are_plain(parts[part].shows, watched, number)
    }
    layout = _layout(parts, kept, errors, also)
    steps = layout.steps(parts)
    if not steps[-1].shows and layout.code[-1][-1] not in errors:
        steps[-1] = replace(steps[-1], shows=tuple(_worth_showing(observe(steps))))
    watched = _watched(steps, observe)
    printed = _printed(parts, layout, watched)
    assert everything == {part for numbers in (*layout.code, *layout.shown) for part in numbers}
    filled = (
        replace(
            _filled(step, number, watched, next((errors[part] for part in code if part in errors), None)),
            printed=tuple((part, text) for part, text in printed.items() if part in code),
        )
        for number, (step, code) in enumerate(zip(steps, layout.code, strict=True))
    )
    return tuple(filled), parts


@dataclass(slots=True)
class _Layout:
    """The numbers of the parts of each step: its program, and the parts whose values it shows."""

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


def _layout(
    parts: Sequence[Part],
    kept: Collection[int],
    errors: Mapping[int, Raised],
    also: Collection[int] = (),
) -> _Layout:
    """Split parts into steps; a part that shows values is not code, unless it is in ``kept`` or raised.

    The values of a part in ``also``, which is code, are expected too.
    """
    layout = _Layout([[]], [[]])
    for number, part in enumerate(parts):
        shows = bool(part.shows) and number not in errors
        if shows and number not in kept and layout.code[-1]:
            layout.shown[-1].append(number)
            continue
        if layout.shown[-1] or any(code in errors for code in layout.code[-1]):
            layout.code.append([])
            layout.shown.append([])
        layout.code[-1].append(number)
        if shows and number in also:
            layout.shown[-1].append(number)
    return layout


def _printing(part: Part) -> Part:
    """The part, if it is an expression of a notebook, as a `print` of it."""
    if not part.shows or prints(part.text):
        return part
    lines = part.text.split("\n")
    code = next(number for number, line in enumerate(lines) if line.strip() and line.lstrip()[0] != "#")
    shown = ", ".join(part.shows)
    return replace(part, text="\n".join([*lines[:code], f"print({shown})"]))


def _printed(parts: Sequence[Part], layout: _Layout, watched: _Watched) -> dict[int, str]:
    """What each part prints, with `...` for what depends on random numbers."""
    other = _by_part(parts, layout, watched.other)
    found = _by_part(parts, layout, watched.trace)
    return {part: constant(text, other.get(part, "")) for part, text in found.items()}


def _by_part(parts: Sequence[Part], layout: _Layout, trace: Trace) -> dict[int, str]:
    found: dict[int, str] = {}
    for moment in trace.moments:
        if moment.printed and moment.statement.kind == "run":
            part = part_at(parts, layout.code[moment.statement.step], moment.statement.line)
            found[part] = found.get(part, "") + moment.printed
    return found


def _run_through(
    parts: Sequence[Part], attempts: Attempts, observe: Observe
) -> tuple[Sequence[Part], dict[int, Raised]]:
    """The parts that run, and those that raise: see Note [An attempt is decided by running it]."""
    errors: dict[int, Raised] = {}
    while error := _next_error(parts, errors, observe):
        ((part, raised),) = error.items()
        parts = after_error(parts, part, raised.type, attempts)
        errors |= error
    return parts, errors


def _next_error(parts: Sequence[Part], errors: Mapping[int, Raised], observe: Observe) -> dict[int, Raised]:
    """The next part that raises; all code runs, including prints."""
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
    """The part that contains a line of a step's program."""
    text = "\n".join(parts[number].text for number in code)
    end = len(text.lstrip("\n")) - len(text)  # a program begins without blank lines
    for number in code:
        end += parts[number].text.count("\n") + 1
        if line <= end:
            return number
    return code[-1]


def _refuse(raised: Raised, line: int) -> None:
    """Refuse errors that are caused by this machine or the snippet."""
    if raised.type == "TimeLimit":
        raise CannotDraftError(line, f"{raised.message}; shorten it: a scenario takes less than a second")
    if raised.type in ENDING:
        raise CannotDraftError(line, f"on torch {raised.message}; leave it out")
    if re.search(r"CUDA|NVIDIA", raised.message):
        raise CannotDraftError(
            line, f"there is no CUDA here; remove `.cuda()`, or write `cpu`: {beginning(raised.message)}"
        )
    if raised.type == "NameError":
        raise CannotDraftError(line, f"{raised.message}; a snippet must be self-contained")


@dataclass(frozen=True, slots=True)
class _Watched:
    """What a program does, and what it does with other seeds: what differs depends on random numbers."""

    trace: Trace
    other: Trace


_SEED = re.compile(r"(\b(?:manual_)?seed\()(?=\s*\d)")


def _watched(steps: Sequence[DraftStep], observe: Observe) -> _Watched:
    trace = observe(steps)
    if not DRAWS.search("\n".join(step.run for step in steps)) and not any(m.printed for m in trace.moments):
        return _Watched(trace, trace)
    seeded = [replace(step, run=_SEED.sub(r"\g<1>1", step.run)) for step in steps]
    other = observe([DraftStep("torch.manual_seed(1)"), *seeded])
    moments = (
        replace(moment, statement=replace(moment.statement, step=moment.statement.step - 1))
        for moment in other.moments
        if moment.statement.step
    )
    return _Watched(trace, replace(other, moments=tuple(moments)))


def _at_end(trace: Trace, step: int) -> Moment | None:
    """The moment after a step's expressions were evaluated."""
    found = (moment for moment in trace.moments if moment.statement.step == step)
    return next((moment for moment in found if moment.statement.kind == "expect"), None)


def _are_plain(expressions: Sequence[str], watched: _Watched, step: int) -> bool:
    """Whether all values may be expectations: short plain data that does not depend on random numbers."""
    values = list(_values(expressions, watched, step))
    return bool(values) and all(value is not _NONE for value in values)


_NONE = object()


def _values(expressions: Sequence[str], watched: _Watched, step: int) -> Iterator[Any]:
    """The values after a step, nothing if they were not evaluated."""
    moment, other = (_at_end(trace, step) for trace in (watched.trace, watched.other))
    if moment is None:
        return
    texts, changed = dict(moment.values), dict(other.values) if other else {}
    for expression in expressions:
        facets: Facets = (moment.state or {}).get(expression, {})
        same = texts[expression] == changed.get(expression)
        yield _value(texts[expression], facets.get("dtype")) if same else _NONE


def _value(text: str, dtype: object) -> Any:
    """The value as YAML data; ``_NONE`` if it cannot be written."""
    value = parsed(shortened(text, dtype))
    if is_error(text) or len(text) > LONGEST_VALUE or not _is_data(value):
        return _NONE
    return _NONE if value in ("opaque", "module", "optimizer", "own") else value


def _is_data(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_is_data, value))
    return value is None or isinstance(value, bool | int | float | complex | str)


def _worth_showing(trace: Trace) -> Iterator[str]:
    """Expressions for a snippet that shows nothing: its final gradients and the last statement's changes."""
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
            worth = [flag for flag in flags if facets[flag] not in (False, None, 0) or name in before]
            found += [*([name] if "value" in changed else ()), *(f"{name}.{flag}" for flag in worth)]
    yield from found[:MOST]


def _filled(step: DraftStep, number: int, watched: _Watched, raised: Raised | None) -> DraftStep:
    """The step with its observed results."""
    moments = [moment for moment in watched.trace.moments if moment.statement.step == number]
    warned = dict.fromkeys(beginning(each.message) for moment in moments for each in moment.warned)
    values = _values(step.shows, watched, number)
    expect = [(text, value) for text, value in zip(step.shows, values, strict=False) if value is not _NONE]
    return replace(
        step,
        expect=tuple(expect),
        raises=raised.type if raised else "",
        message=beginning(raised.message) if raised else "",
        warns=tuple(warned),
    )


def beginning(text: str) -> str:
    """The beginning of a message: its first sentence or its first words."""
    line = text.strip().partition("\n")[0].partition("0x...")[0].strip()
    if len(line) <= LONGEST_TEXT:
        return line
    end = re.match(rf".{{20,{LONGEST_TEXT}}}(?:[.:;](?= )|(?= \())", line)
    return end[0] if end else line[:LONGEST_TEXT].rpartition(" ")[0]
