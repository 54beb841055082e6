"""Search for programs on which an engine diverges, and count what was tried."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, TypeAlias

from conformance.adapters.registry import find
from conformance.fuzz.features import Pair, features
from conformance.fuzz.programs import programs
from conformance.fuzz.scope import Program, prelude
from conformance.language.scenario import Position, Scenario, Step
from conformance.runner.compare import Difference, differences
from conformance.runner.engine import Engine
from conformance.runner.execute import run
from conformance.runner.states import resolved
from conformance.runner.trace import Raised, Statement, Trace
from conformance.runner.values import differs_in_last_digits, within_rounding

BATCH = 1000  # programs of one process: to import torch and its compiler takes as long as 50 of them
SECONDS = 20.0


@dataclass(frozen=True)
class FoundDivergence:
    """The smallest program found for one kind of difference."""

    program: Program
    difference: Difference | None
    broken: str  # the property that does not hold, where it is not a difference
    seed: int

    @property
    def kind(self) -> tuple[str, ...]:
        """What tells it from others: the facet, and the last statement's shape without its names."""
        what = self.difference.facet if self.difference else self.broken
        return (what, skeleton(self.program.statements[-1]))


@dataclass
class Tally:
    """What was tried."""

    programs: int = 0
    statements: int = 0
    features: Counter[str] = field(default_factory=Counter)
    pairs: Counter[Pair] = field(default_factory=Counter)

    def add(self, program: Program, reference: Trace) -> None:
        """Count one program."""
        self.programs += 1
        self.statements += len(program.statements)
        if any(moment.raised for moment in reference.moments):
            self.features["error"] += 1
        found = features(f"{prelude(program)}\n{program}")
        self.features.update(found)
        self.pairs.update(combinations(found, 2))

    def merge(self, other: Tally) -> None:
        """Count what another has counted."""
        self.programs += other.programs
        self.statements += other.statements
        self.features.update(other.features)
        self.pairs.update(other.pairs)


def scenario_of(program: Program, name: str = "fuzz") -> Scenario:
    """The program as a scenario: a step for each statement."""
    first = prelude(program)
    texts = [*([first] if first else []), *program.statements]
    steps = tuple(Step(text, Position("fuzz", number)) for number, text in enumerate(texts, 1))
    return Scenario(name, "a random program", "", "fuzz", Position("fuzz", 1), steps)


@dataclass(frozen=True)
class Note:
    """What is called before a program and each of its statements, since they may end the process."""

    may_run: Callable[[Engine, Program], bool] = lambda engine, program: True
    at_step: Callable[[int, int], None] | None = None


_UNNOTED = Note()


def diverges(
    program: Program, reference: Engine, engine: Engine, tally: Tally | None = None, note: Note = _UNNOTED
) -> Any:
    """The first difference, or the property that does not hold; None where all agree, or the note forbids it."""
    scenario = scenario_of(program)
    if not note.may_run(reference, program):
        return None
    expected = _run(scenario, reference, note)
    if tally is not None:
        tally.add(program, expected)
    note.may_run(engine, program)
    found = _run(scenario, engine, note)
    if any(each.raised and _ASSERTION in (each.raised.message or "") for each in expected.moments):
        return None
    if any(moment.raised and _is_unsupported(moment.raised) for moment in found.moments):
        return None
    different = differences(scenario, expected, found, engine.claims)
    if first := next(_beyond_rounding(scenario, different, expected, found, reference), None):
        return first
    text = str(program)
    if "flags" in engine.claims and ".data = " not in text:  # new data leave grad and version as they were
        reshaped = any(each in text for each in _RESHAPING)
        return next(broken_properties(found, reshaped, rebound(text)), None)
    return None


_ASSERTION = "INTERNAL ASSERT FAILED"  # a mistake of torch's, after which its tensors may be in any state


def _is_unsupported(raised: Raised) -> bool:
    """Whether the in-house engine says that it lacks a feature, or torch's text for arguments that do not fit."""
    own = raised.message in _UNSUPPORTED or raised.message.endswith(
        (" of a sparse tensor", " with out= of another dtype")
    )
    return raised.type == "MisfitError" or own


_UNSUPPORTED = (
    "complex numbers of two halves (torch.complex32)",
    "products that broadcast a sparse tensor",
    "vmap over a sparse tensor",
)


_AS_NEAR = 16
"""An engine's error may be this many times torch's own rounding error."""
_OF_NEIGHBOURS = 2
"""An engine's error may be this many times what other last bits of the program's numbers change."""


def _beyond_rounding(
    scenario: Scenario, different: Sequence[Difference], expected: Trace, found: Trace, reference: Engine
) -> Iterator[Difference]:
    """The differences without those within the reference's own rounding error.

    A chain of operations can amplify a rounding difference of the last bit arbitrarily, so no tolerance fits all
    programs. The difference between torch in single and in double precision estimates the error, or that between
    numbers in double precision and their neighbours. Printed numbers may also differ in the last digit.
    """
    exact = None
    for difference in different:
        if _is_of_little_extent(difference, scenario, expected) or _is_undefined(difference, scenario):
            continue
        if _name_kernels(difference):
            continue
        if difference.facet == "printed" and differs_in_last_digits(difference.reference, difference.engine):
            continue
        if difference.facet in ("value", "printed"):
            exact = exact or (
                _run(_in_double_precision(scenario), find("torch-float64")),
                _run(_nudged(scenario), reference),
            )
            a, b, *others = (
                _printed(each, difference.statement)
                if difference.facet == "printed"
                else _value(each, difference.statement, difference.name)
                for each in (expected, found, *exact)
            )
            if any(
                None not in (a, b, c) and within_rounding(str(a), str(b), str(c), times)
                for c, times in zip(others, (_AS_NEAR, _OF_NEIGHBOURS), strict=True)
            ):
                continue
        yield difference


def _name_kernels(difference: Difference) -> bool:
    """Whether both messages say that sparse tensors lack a kernel: of which operator depends on torch's steps."""
    texts = (difference.reference, difference.engine)
    return difference.facet == "message" and all("from the 'SparseCPU' backend" in each for each in texts)


def _nudged(scenario: Scenario) -> Scenario:
    """The scenario with other last bits of its numbers, in their precision: what changes is decided by rounding."""

    def nudged(step: Step) -> Step:
        ulps = (
            8.0 if "64" in step.run or "128" in step.run else 2.0**29
        )  # of double precision; or 1 of single

        def next_number(found: re.Match[str]) -> str:
            return repr(float(found[0]) + math.ulp(float(found[0])) * ulps)

        return replace(step, run=re.sub(r"(?<![\w.])\d+\.\d*", next_number, step.run))

    return replace(scenario, steps=tuple(map(nudged, scenario.steps)))


def _in_double_precision(scenario: Scenario) -> Scenario:
    """The scenario in the default dtype: explicit single precision is removed."""
    steps = (
        replace(step, run=step.run.replace("torch.complex64", "torch.complex128")) for step in scenario.steps
    )
    return replace(scenario, steps=tuple(steps))


def _is_of_little_extent(difference: Difference, scenario: Scenario, expected: Trace) -> bool:
    """Whether a difference is in the strides of empty dimensions or dimensions of length 1, which are not compared.

    A program reads the strides, or the version of an empty grad, which torch copies if its strides differ from its
    tensor's.
    """
    if difference.facet in ("_version", "storage"):
        return "0" in _lengths(expected, difference.statement, difference.name)
    if difference.name != "made":
        return False
    before = scenario.steps[: difference.statement.step + 1]
    place, made = next((n, each.run) for n, each in reversed([*enumerate(before)]) if "made" in each.run)
    asked = re.search(r"(\w+)(\.mH)?\.(stride|storage_offset)\(\)", made)
    if asked is None:
        return False
    return not {"0", "1"}.isdisjoint(_lengths(expected, Statement(place, 1), asked[1]))


def _is_undefined(difference: Difference, scenario: Scenario) -> bool:
    """Whether torch leaves what differs undefined (specs/undefined/README.md): versions of what transforms return."""
    before = [
        step.run for step in scenario.steps[: difference.statement.step + 1] if "torch.func." in step.run
    ]
    name = re.match(r"\w+", difference.name)
    made = name is not None and any(re.match(rf"(\w+, )?{name[0]}\b.* = ", run) for run in before)
    return difference.facet == "_version" and bool(before) and (made or difference.name.endswith(".grad"))


def _lengths(trace: Trace, place: Statement, name: str) -> list[str]:
    """The lengths of a tensor's dimensions after a statement."""
    states = (moment.state for moment in trace.moments if moment.statement == place)
    facets = next((resolved(state, name) for state in states if state is not None and name in state), {})
    return re.findall(r"\d+", str(facets.get("shape")))


def _value(trace: Trace, place: Statement, name: str) -> object:
    """The value of a name after a statement; None if it is unknown.

    In double precision ``x.double()`` is x, so a name may be a second name of a tensor there.
    """
    states = (moment.state for moment in trace.moments if moment.statement == place)
    held = (resolved(state, name) for state in states if state is not None and name in state)
    return next((facets.get("value") for facets in held), None)


def _printed(trace: Trace, place: Statement) -> str:
    """What a statement printed."""
    return "".join(moment.printed for moment in trace.moments if moment.statement == place)


def _run(scenario: Scenario, engine: Engine, note: Note = _UNNOTED) -> Trace:
    """A run, repeated if it timed out, which a busy machine may have caused."""
    trace = run(scenario, engine, seconds=SECONDS, at_step=note.at_step)
    late = any(moment.raised and moment.raised.type == "TimeLimit" for moment in trace.moments)
    return run(scenario, engine, seconds=SECONDS, at_step=note.at_step) if late else trace


_State: TypeAlias = Mapping[str, Mapping[str, object]]


def rebound(text: str) -> frozenset[str]:
    """The names that a program binds several times, also in a loop."""
    count: Counter[str] = Counter()
    for line in text.split("\n"):
        bound = re.match(r"\s*([\w*, ]+?),? = ", line)
        names = re.findall(r"\w+", bound[1]) if bound else []
        count.update(names * (1 + ("for turn" in text)))
    return frozenset(name for name, times in count.items() if times > 1)


def broken_properties(
    trace: Trace, reshaped: bool = False, again: frozenset[str] = frozenset()
) -> Iterator[str]:
    """The properties of every state that do not hold.

    A leaf has no grad_fn, a non-leaf requires grad, a grad has the shape of its tensor unless the program reshapes
    tensors in place (torch leaves the grad as it was), and versions never fall as long as the name is bound
    to the same tensor, which excludes the names in ``again``.
    """
    versions: dict[str, int] = {}
    for moment in trace.moments:
        state = moment.state or {}
        for name, facets in state.items():
            leaf, requires, node = (facets.get(each) for each in ("is_leaf", "requires_grad", "grad_fn"))
            if leaf is True and node not in (None, "None"):
                yield f"{name} is a leaf with a grad_fn"
            if leaf is False and requires is False:
                yield f"{name} is not a leaf and does not require grad"
            owner = _itself(state, name.removesuffix(".grad"))
            if not reshaped and owner and _itself(state, name).get("shape") != owner.get("shape"):
                yield f"{name} has another shape than its tensor"
            version = facets.get("_version")
            if isinstance(version, int) and re.split(r"[.\[]", name)[0] not in again:
                if version < versions.get(name, 0) and not name.endswith(".grad"):
                    yield f"the version of {name} has fallen"
                versions[name] = version


def _itself(state: _State, name: str) -> Mapping[str, object]:
    """The facets of a name, or of the first name of the same tensor."""
    facets = state.get(name, {})
    return state.get(str(facets.get("is")), facets)


_RESHAPING = (".t_()", "squeeze_(", "transpose_(", ".set_(")


def search(
    reference: Engine,
    engine: Engine,
    examples: int,
    seed: int,
    tally: Tally,
    note: Note = _UNNOTED,
    unmet: tuple[Pair, ...] = (),
) -> FoundDivergence | None:
    """The smallest diverging program among ``examples``; None if none diverges.

    The features of ``unmet`` meet more often than others.
    """
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import seed as seeded
    from hypothesis.errors import FlakyFailure

    smallest: list[tuple[Program, Any]] = []

    @seeded(seed)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        print_blob=False,
        report_multiple_bugs=False,
    )
    @given(programs(unmet))
    def agrees(program: Program) -> None:
        found = diverges(program, reference, engine, None if smallest else tally, note)
        if found is not None:
            smallest.append((program, found))
            raise _DivergedError

    try:
        agrees()
    except (_DivergedError, FlakyFailure):  # flaky: a divergence that does not recur counts, too
        program, found = minimal(*smallest[-1], reference, engine, note)
        difference = found if isinstance(found, Difference) else None
        return FoundDivergence(program, difference, "" if difference else str(found), seed)
    return None


def minimal(
    program: Program, found: Any, reference: Engine, engine: Engine, note: Note = _UNNOTED
) -> tuple[Program, Any]:
    """The program without needless statements; Hypothesis cannot remove those that others depend on."""
    number = len(program.statements)
    while number:
        number -= 1
        for shorter in _without(program, number):
            again = diverges(shorter, reference, engine, note=note)
            if again is not None and _facet(again) == _facet(found):
                program, found, number = shorter, again, len(shorter.statements)
                break
    return program, found


def _without(program: Program, number: int) -> Iterator[Program]:
    """The program without a statement, then with its operand instead of the name that it bound."""
    before, left_out, after = (
        program.statements[:number],
        program.statements[number],
        program.statements[number + 1 :],
    )
    yield Program(before + after)
    bound = re.match(r"([a-z]\d*) = ", left_out)
    for name in dict.fromkeys(re.findall(_NAME, left_out[bound.end() :])) if bound else ():
        pattern = rf"\b{bound[1]}\b(?![(=])" if bound else ""
        yield Program(before + tuple(re.sub(pattern, name, each) for each in after))


def _facet(found: Any) -> str:
    return found.facet if isinstance(found, Difference) else str(found)


class _DivergedError(Exception):
    """Tells Hypothesis that a program is worth shrinking."""


def batch_seeds(seed: int, examples: int) -> list[tuple[int, int]]:
    """Seeds and sizes of the batches; machines with other seeds draw other programs."""
    stream = random.Random(seed)
    count = -(-examples // BATCH)
    sizes = [min(BATCH, examples - BATCH * number) for number in range(count)]
    return [(stream.getrandbits(48), size) for size in sizes]


def skeleton(text: str) -> str:
    """The statement without its names."""
    return re.sub(_NAME, "_", text)


_NAME = r"\b[a-z]\d*\b(?!\()"
