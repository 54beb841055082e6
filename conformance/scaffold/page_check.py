"""Check a page: each output that it shows, compared with what torch prints."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from conformance.language.scenario import Position, Scenario, Step
from conformance.language.vocabulary import BUILTINS
from conformance.language.words import BOUND
from conformance.report.text import clip
from conformance.runner.compare import ENDING
from conformance.runner.normalize import normalised
from conformance.runner.trace import Raised, Trace
from conformance.runner.values import parsed
from conformance.scaffold.attempts import Attempts, Part, after_error
from conformance.scaffold.draft import DraftStep
from conformance.scaffold.page import Page, ShownOutput, read_page
from conformance.scaffold.printed import prints
from conformance.scaffold.shown import is_pure, shows
from conformance.scaffold.snippet import read

Verdict = Literal["right", "wrong", "not checkable"]
_SHOWN = 100  # characters of a value in a line
_BY_CHANCE = 12  # characters that a message may have by chance


@dataclass(frozen=True, slots=True)
class CheckedOutput:
    """One output of a page, and what torch prints in its place."""

    place: str  # in the page
    line: int  # of the program
    statement: str
    shown: str
    printed: str  # empty if it is not checkable
    verdict: Verdict
    reason: str = ""

    def __str__(self) -> str:
        statement = clip(" ".join(self.statement.split()), _SHOWN)
        shown = clip(" ".join(self.shown.split()), _SHOWN)
        if self.verdict == "right":
            return f"right: {statement}: {shown}"
        if self.verdict == "wrong":
            line, shown, printed = self._first_difference()
            printed = clip(" ".join(printed.split()), _SHOWN) or "nothing"
            return f"wrong: {statement}: {line}the page shows {clip(' '.join(shown.split()), _SHOWN)}, torch {printed}"
        return f"not checkable: {statement}: {self.reason}"

    def _first_difference(self) -> tuple[str, str, str]:
        """Of outputs with as many lines the first line that differs, with its number; else all lines."""
        shown, printed = self.shown.splitlines(), self.printed.splitlines()
        if len(shown) == len(printed) > 1:
            for number, (one, other) in enumerate(zip(shown, printed, strict=True), start=1):
                if not _same(one, other):
                    return f"in line {number} of the output ", one, other
        return "", self.shown, self.printed


@dataclass(frozen=True, slots=True)
class CheckedPage:
    """All outputs of a page, notes on omitted lines, and the statements that cannot run: line and reason."""

    name: str
    outputs: tuple[CheckedOutput, ...]
    notes: tuple[str, ...]
    not_run: tuple[tuple[int, str], ...] = ()

    def summary(self) -> str:
        """How many outputs have each verdict."""
        counts = Counter(output.verdict for output in self.outputs)
        kinds: tuple[Verdict, ...] = ("right", "wrong", "not checkable")
        return ", ".join(f"{counts[kind]} {kind}" for kind in kinds)


Run = Callable[[Scenario], Trace]


def check_page(text: str, name: str, run: Run) -> CheckedPage:
    """Run the program of a page with ``run`` and compare.

    Raises:
        NotAPageError: the file cannot be read as a page.
    """
    page = read_page(text, name)
    source = representing(page)
    found = read("\n".join(source), name, unwraps=False)
    refused = dict(_by_line(found.faults, name))
    notes = [f"{name}:{page.place(line)}: {note}" for line, note in page.left_out]
    notes += [_moved(note, name, page) for note in found.notes]
    parts = found.parts
    results: tuple[_Result, ...] = ()
    if parts:
        kept, omitted = _without(parts, refused)
        omitted += tuple(
            _Result(Part(text, first), reason="it is not Python") for first, _, text in page.broken
        )
        results = _depending(_results(kept, found.attempts, run), omitted, page)
    left_out = dict(_by_line(found.notes, name))
    checked = [
        _checked(output, page, results, refused, left_out) for output in page.outputs if output.text.strip()
    ]
    not_run = tuple((result.part.line, result.reason) for result in results if result.reason)
    return CheckedPage(name, tuple(checked), tuple(notes), not_run)


def with_claimed_values(
    steps: Sequence[DraftStep], parts: Sequence[Part], wrong: Sequence[CheckedOutput]
) -> Iterator[DraftStep]:
    """The steps, with what the page shows under `claimed` where it shows something else than torch."""
    claimed: dict[int, dict[str, Any]] = {}
    shown_by_part: dict[int, str] = {}
    for output in wrong:
        shown = next((part.shows for part in reversed(parts) if part.line <= output.line), ())
        shown_by_part |= {
            n: normalised(output.shown)
            for n in range(len(parts))
            if parts[n].line == _own_line(parts, output)
        }
        value = shown_value(output.shown)
        begun = [n for n, step in enumerate(steps) if parts[min(step.parts)].line <= output.line]
        for number in begun[-1:]:
            own = dict(steps[number].expect)
            if len(shown) == 1 and shown[0] in own and value is not None and value.data != own[shown[0]]:
                claimed.setdefault(number, {})[shown[0]] = value.data
    for number, step in enumerate(steps):
        said = [(part, shown_by_part.get(part, text.strip("\n"))) for part, text in step.printed]
        differs = any(part in shown_by_part and text != shown_by_part[part] for part, text in step.printed)
        yield replace(
            step,
            claimed=tuple(claimed.get(number, {}).items()),
            claimed_prints="\n".join(text for _, text in said) if differs else None,
        )


def unclaimable(parts: Sequence[Part], wrong: Sequence[CheckedOutput]) -> set[int]:
    """The lines of statements whose output is wrong, and no plain value of one expression."""
    found = set()
    for output in wrong:
        own = [part for part in parts if part.line == _own_line(parts, output)]
        if own and (len(own[-1].shows) != 1 or shown_value(output.shown) is None):
            found.add(own[-1].line)
    return found


def _own_line(parts: Sequence[Part], output: CheckedOutput) -> int:
    """The line of the statement that an output belongs to."""
    return max((part.line for part in parts if part.line <= output.line), default=0)


class _Value(NamedTuple):
    data: Any


_TENSOR = re.compile(r"tensor\((.*?)(?:,\s*(?:dtype|device|requires_grad|grad_fn|size)=.*)?\)", re.DOTALL)


def shown_value(text: str) -> _Value | None:
    """The plain value of an output such as ``tensor([1., 2.])`` or ``None``; None if it is not plain."""
    tensor = _TENSOR.fullmatch(text.strip())
    value = parsed(" ".join((tensor[1] if tensor else text).split()))
    return None if isinstance(value, str) else _Value(value)


@dataclass(frozen=True, slots=True)
class _Result:
    """What a statement of the page did: what it printed and raised, or why nothing is known of it."""

    part: Part
    printed: str = ""
    raised: Raised | None = None
    is_random: bool = False
    reason: str = ""


def representing(page: Page, *, all_of_them: bool = True) -> list[str]:
    """The program, with each bare expression whose value the page shows printed as Python's prompt prints it.

    Otherwise only those whose value cannot be an expectation, since they may have an effect.
    """
    lines = list(page.lines)
    try:
        tree = ast.parse("\n".join(lines))
    except SyntaxError:
        return lines
    shown = {output.line for output in page.outputs}
    for node in tree.body:
        match node:
            case (
                ast.Expr(value=ast.Call(func=ast.Name(id="print")))
                | ast.Expr(value=ast.Constant(value=str()))
            ):
                continue
            case ast.Expr(value=ast.Call(func=ast.Name(id="display") as name)):
                start = name.col_offset
                line = lines[name.lineno - 1].encode()
                lines[name.lineno - 1] = f"{line[:start].decode()}print{line[start + 7 :].decode()}"
            case ast.Expr(end_lineno=int(last)) if last in shown and (
                all_of_them or not all(map(is_pure, list(shows(node)) or [node.value]))
            ):
                _wrap(lines, node)
    return lines


def _wrap(lines: list[str], node: ast.Expr) -> None:
    """Put ``print(repr(...))`` around an expression; its lines stay where they are."""
    last, end = (node.end_lineno or 1) - 1, node.end_col_offset or 0
    tail = lines[last].encode()
    opening, closing = ("print(repr((", ")))") if isinstance(node.value, ast.Tuple) else ("print(repr(", "))")
    lines[last] = f"{tail[:end].decode()}{closing}{tail[end:].decode()}"
    first = lines[node.lineno - 1].encode()
    start = node.col_offset
    lines[node.lineno - 1] = f"{first[:start].decode()}{opening}{first[start:].decode()}"


def _by_line(faults: Sequence[str], name: str) -> Iterator[tuple[int, str]]:
    """The faults or notes, by line; of a line the first."""
    for fault in reversed(faults):
        line, _, text = fault.removeprefix(f"{name}:").partition(":")
        yield int(line), text.partition(": ")[2] if text[:1].isdigit() else text.strip()


def _moved(note: str, name: str, page: Page) -> str:
    """A note with the place that a reader of the page finds."""
    line, _, text = note.removeprefix(f"{name}:").partition(":")
    return f"{name}:{page.place(int(line))}:{text}"


def _without(parts: Sequence[Part], refused: dict[int, str]) -> tuple[tuple[Part, ...], tuple[_Result, ...]]:
    """The parts that the language allows, and the others with the reasons."""
    kept, omitted = [], []
    for number, part in enumerate(parts):
        end = parts[number + 1].line if number + 1 < len(parts) else 10**9
        fault = next((text for line, text in sorted(refused.items()) if part.line <= line < end), "")
        if fault:
            omitted.append(_Result(part, reason=fault))
        else:
            kept.append(part)
    return tuple(kept), tuple(omitted)


def _results(parts: tuple[Part, ...], attempts: Attempts, run: Run) -> Iterator[_Result]:
    """What each part does; the program is run with two seeds, to see what is random.

    A part that ends the run is left out of the next one.
    """
    decided: set[int] = set()
    while parts:
        trace = run(_scenario(parts, seed=0))
        last = trace.moments[-1] if trace.moments else None
        if last is not None and last.raised is not None and last.raised.type in ENDING:
            ending = last.statement.step
            yield _Result(parts[ending], raised=last.raised)
            parts = (*parts[:ending], *parts[ending + 1 :])
            decided = {each - (each > ending) for each in decided}
            continue
        raised = {moment.statement.step: moment.raised for moment in trace.moments if moment.raised}
        number = next((each for each in sorted(raised) if each not in decided and parts[each].within), None)
        if number is None:
            break
        decided.add(number)
        parts = after_error(parts, number, raised[number].type, attempts)
    if not parts:
        return
    other = _printed(run(_scenario(parts, seed=1)), offset=1)
    printed = _printed(trace)
    for number, part in enumerate(parts):
        text = printed.get(number, "")
        yield _Result(part, text, raised.get(number), text != other.get(number, ""))


def _depending(results: Iterable[_Result], omitted: Sequence[_Result], page: Page) -> tuple[_Result, ...]:
    """All results in order; what uses a name that an omitted statement may have changed has that as its reason.

    Omitted is what the language refuses, and what ran into a missing name, a limit of time or a missing device.
    """
    found: list[_Result] = []
    because: dict[str, int] = {}  # the line of the omitted statement, by the name that depends on it
    for result in sorted([*results, *omitted], key=lambda each: each.part.line):
        reason = result.reason or _not_run(result.raised)
        used = set(_names(result.part.text))
        line = next((because[name] for name in used if name in because), None)
        unknown = result.raised is not None and result.raised.type == "NameError"
        if line is not None and (not reason or unknown):
            where = page.place(line)
            reason = f"it depends on {where if page.cells else f'line {where}'}, which is not run"
        if reason and not result.part.shows:
            because |= {name: line or result.part.line for name in used if name not in because}
        found.append(replace(result, reason=reason))
    return tuple(found)


def _not_run(raised: Raised | None) -> str:
    """Why an error is not one of the page, if it is not."""
    if raised is None:
        return ""
    if raised.type == "TimeLimit":
        return "it takes too long"
    if raised.type in ENDING:
        return raised.message
    if raised.type == "NameError":
        return raised.message
    return "there is no CUDA here" if re.search(r"CUDA|NVIDIA", raised.message) else ""


def _names(text: str) -> Iterator[str]:
    """The names of the program that a statement uses or binds."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        yield from {
            name for name in re.findall(r"[A-Za-z_]\w*", text) if name not in BOUND and name not in BUILTINS
        }
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id not in BOUND and node.id not in BUILTINS:
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]


def _scenario(parts: Sequence[Part], seed: int) -> Scenario:
    place = Position("page", 1)
    steps = [Step(part.text.strip("\n"), place) for part in parts]
    if seed:
        steps.insert(0, Step(f"torch.manual_seed({seed})", place))
    return Scenario("page", "", "", "", place, tuple(steps), observe="end")


def _printed(trace: Trace, offset: int = 0) -> dict[int, str]:
    """What each step prints."""
    found: dict[int, str] = {}
    for moment in trace.moments:
        step = moment.statement.step - offset
        found[step] = found.get(step, "") + moment.printed
    return found


def without_statements(lines: Sequence[str], left_out: Iterable[int]) -> list[str]:
    """The program without the statements on these lines; the others keep their places."""
    kept = list(lines)
    places = set(left_out)
    for node in ast.parse("\n".join(lines)).body:
        span = range(node.lineno, (node.end_lineno or 0) + 1)
        if places & set(span):
            kept[span.start - 1 : span.stop - 1] = [""] * len(span)
    return kept


def _first_line(page: Page, line: int) -> int:
    """Where the statement begins that has a line."""
    try:
        tree = ast.parse("\n".join(page.lines))
    except SyntaxError:
        return line
    starts = (node.lineno for node in tree.body if node.lineno <= line <= (node.end_lineno or 0))
    return min(starts, default=line)


def _checked(
    output: ShownOutput,
    page: Page,
    results: Sequence[_Result],
    refused: dict[int, str],
    left_out: dict[int, str],
) -> CheckedOutput:
    own = [result for result in results if result.part.line <= output.line]
    first = _first_line(page, output.line)
    reason = ""
    if not own or own[-1].part.line < first:
        reason = next((left_out[line] for line in range(first, output.line + 1) if line in left_out), "")
    statement = page.lines[output.line - 1].strip()
    unread = CheckedOutput(page.place(output.line), output.line, statement, output.text, "", "not checkable")
    if any(first <= output.line <= last for first, last, _ in page.broken):
        return replace(unread, statement="the block above", reason="it is not Python")
    if reason:
        return replace(unread, reason=reason)
    if "CompiledFunction" in output.text:
        return replace(unread, reason="it shows a compiled function, and the program runs as it is written")
    if not own:
        return replace(unread, reason=next(iter(refused.values()), "it does not run"))
    last = own[-1]
    covered = [result for result in own if result.part.line >= output.first] if output.first else []
    text = ""
    for several in ([last], covered or [last]):
        text = _shown_by(several)
        if not any(map(_doubt, several)):
            fits = _fits(output.text, text, raised=last.raised is not None)
            if fits:
                return replace(unread, printed=text, verdict="right")
    if reason := next(filter(None, map(_doubt, covered or [last])), ""):
        return replace(unread, reason=reason)
    return replace(unread, printed=text, verdict="wrong")


def _shown_by(results: Sequence[_Result]) -> str:
    """What statements print, and the error of the last one."""
    error = results[-1].raised
    printed = [result.printed.strip("\n") for result in results]
    return "\n".join(filter(None, [*printed, f"{error.type}: {error.message}" if error else ""]))


def _doubt(result: _Result) -> str:
    """Why what a statement prints cannot be compared, if it prints anything."""
    if result.reason:
        return result.reason if result.part.shows or prints(result.part.text) else ""
    return "it depends on random numbers, and the page sets no seed" if result.is_random else ""


_TRACEBACK = re.compile(r"Traceback \(most recent call last\):")
_NUMBER = re.compile(r"([-+]?(?:\d+\.\d*|\.\d+|\d+)(?:e[-+]?\d+)?)")


def _fits(shown: str, printed: str, *, raised: bool) -> bool:
    """Whether what a page shows is what torch prints.

    White space and addresses do not count, `...` matches any text, numbers may be rounded to the digits shown, and a
    page may show only the end of a line or only the type and the beginning of an error.
    """
    if _TRACEBACK.search(shown) or raised:
        if raised and not _TRACEBACK.search(shown) and _is_message(shown, printed):
            return True
        errors = [line for line in shown.splitlines() if re.match(r"[\w.]*(Error|Exception|Warning)\b", line)]
        return raised and bool(errors) and _same(errors[-1], printed[: len(errors[-1])])
    printed = printed.removesuffix("\nNone") if "\n" in printed else printed  # a prompt prints no None
    return _same(shown, printed) or any(
        _same(shown, line[start:].lstrip())
        for line in [printed, *printed.splitlines()]
        for start in [*(match.end() for match in re.finditer(r"[:=]\s|\s", line))]
    )


def _is_message(shown: str, printed: str) -> bool:
    """Whether a text is an error's message, as a handler prints it; short texts may be in it by chance."""
    one, other = ("".join(text.split()) for text in (shown, printed))
    return len(one) > _BY_CHANCE and (one in other or other.partition(":")[2] in one)


def _same(shown: str, printed: str) -> bool:
    one, other = (re.sub(r"0x[0-9a-fA-F.]+", "0x", re.sub(r"\s+", "", text)) for text in (shown, printed))
    for text, whole in ((one, other), (other, one)):
        if "..." in text:
            pattern = ".*".join(map(re.escape, text.split("...")))
            return re.fullmatch(pattern, whole, re.DOTALL) is not None
    left, right = _NUMBER.split(one), _NUMBER.split(other)
    if left[::2] != right[::2]:
        return False
    return all(_rounded(a, b) for a, b in zip(left[1::2], right[1::2], strict=True))


def _rounded(shown: str, printed: str) -> bool:
    """Whether a number is the other, rounded to its digits; whole numbers are exact."""
    if shown == printed:
        return True
    if "." not in shown and "." not in printed:
        return False
    digits = min(len(text.partition("e")[0].partition(".")[2]) for text in (shown, printed) if "." in text)
    power = float(f"1e{shown.partition('e')[2] or 0}")
    one, other = float(shown), float(printed)
    return one == other or (digits > 0 and abs(one - other) <= 0.51 * 10.0**-digits * power)
