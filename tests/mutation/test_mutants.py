"""Faults: that they apply and go away, and that named scenarios see them."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType

import pytest

from conformance.check import locate
from conformance.check.library import Library
from conformance.commands.mutation import difference, reference_traces
from conformance.mutation.campaign import WRITERS, Check, Kill, MutantVerdict, campaign, survey
from conformance.mutation.faults import MUTANTS
from conformance.mutation.matrix import as_json, dispensable, footer, matrix
from conformance.mutation.mutant import ENGINE, Mutant, PatchError, applied, located, misfits
from conformance.runner.processes import ProcessDied, forked

KILLED_BY = {
    "versions/not-counted": "increment-version-is-a-change",
    "versions/increment-version-does-not": "increment-version-is-a-change",
    "freeing/hooked-nodes-keep": "second-backward-raises",
}
FILES = (
    "autograd/saved_tensors/allow_mutation_on_saved_tensors.yaml",
    "autograd/retain_graph/second_backward.yaml",
)
BY_ID = {mutant.id: mutant for mutant in MUTANTS}


def engine_code() -> dict[int, tuple[FunctionType, CodeType]]:
    """The code of each function of the engine that lives."""
    return {
        id(each): (each, each.__code__)
        for each in gc.get_objects()
        if type(each) is FunctionType and str(each.__module__).startswith(ENGINE)
    }


def test_there_are_enough() -> None:
    """At least 120 faults in all the areas, each with an id of its own."""
    counts = Counter(mutant.area for mutant in MUTANTS)
    assert len({mutant.id for mutant in MUTANTS}) == len(MUTANTS) >= 120
    assert len(counts) == 29
    assert min(counts.values()) >= 5


def test_faults_come_and_go() -> None:
    """In a process of its own: a subclass of Tensor, as other tests make, has Tensor's attributes ask it first."""
    command = [sys.executable, "-c", "from tests.mutation.test_mutants import come_and_go; come_and_go()"]
    subprocess.run(command, cwd=Path(__file__).parents[2], check=True)


def come_and_go() -> None:
    """Each declared fault fits; inside, one function has other code or a text differs; then all is as it was."""
    before = engine_code()
    for mutant in MUTANTS:
        edit = located(mutant)
        if edit is None:
            with applied(mutant):
                assert misfits([mutant])
            assert not misfits([mutant])
        else:
            was = edit.function.__code__
            assert edit.code != was, mutant.id
            with applied(mutant):
                assert edit.function.__code__ == edit.code, mutant.id
            assert edit.function.__code__ is was, mutant.id
    after = engine_code()
    assert [function for key, (function, code) in before.items() if after[key][1] is not code] == []


@pytest.mark.parametrize(
    ("target", "old", "message"),
    [
        ("_autograd.views:increment_version", "value -= 1", "is in 0 places"),
        (
            "_autograd.views:increment_version",
            "tensor.",
            "places of _autograd.views:increment_version, not in one",
        ),
        ("_autograd.views:no_such_function", "value", "there is no _autograd.views:no_such_function"),
        ("_c10.errors:RETAIN_GRAD", "nowhere", "is not once in the text"),
        ("no_such_row.self", "grad", "there is no row no_such_row.self"),
        ("_autograd.views:increment_version", "value += 1", "invalid syntax"),
    ],
)
def test_misfits_are_told(target: str, old: str, message: str) -> None:
    """A fault that does not fit is refused, and says why."""
    new = "value +=" if message == "invalid syntax" else "tensor."
    with pytest.raises(PatchError, match=r"^test/misfit: ") as caught:
        located(Mutant("misfit", "test", "fits nowhere", target, old, new))
    assert message in str(caught.value)


@pytest.fixture(scope="module")
def checks() -> list[Check]:
    """The scenarios that are named above."""
    loaded = Library().load_all([locate.specs() / each for each in FILES])
    named = [each for each in loaded.scenarios if each.id in KILLED_BY.values()]
    assert {each.id for each in named} == set(KILLED_BY.values())
    # In this process: torch refuses a backward in a fork of one whose threads have run.
    traces = reference_traces(named)
    return [
        Check(each.id, partial(difference, each, trace)) for each, trace in zip(named, traces, strict=True)
    ]


def test_named_scenarios_kill(checks: list[Check]) -> None:
    """Each of these faults is seen by its scenario, and only inside of its process."""
    mutants = [BY_ID[each] for each in KILLED_BY]
    visits = survey(checks, mutants, 1)
    assert [visit.difference for visit in visits] == [""] * len(checks)
    for verdict in campaign(mutants, checks, visits, whole=True):
        assert KILLED_BY[verdict.mutant.id] in {kill.check for kill in verdict.kills}
        assert verdict.reached
    assert [check.run() for check in checks] == [""] * len(checks)


def test_first_kill_ends_it(checks: list[Check]) -> None:
    """Without --matrix a fault is killed once, by the first scenario that runs it and differs."""
    mutant = BY_ID["versions/increment-version-does-not"]
    (verdict,) = campaign([mutant], checks, survey(checks, [mutant], 1))
    assert verdict.ran == 1
    assert [kill.check for kill in verdict.kills] == [KILLED_BY[mutant.id]]


def test_checks_that_differ_have_no_say() -> None:
    """What differs without a fault kills nothing."""
    fails = Check("fails", lambda: "differs")
    mutant = BY_ID["versions/not-counted"]
    (verdict,) = campaign([mutant], [fails], survey([fails], [mutant], 1))
    assert verdict.kills == ()


def test_processes() -> None:
    """Answers, deaths and errors of tasks come back."""

    def fail() -> int:
        raise ValueError("no")

    results = dict(forked([lambda: 1, lambda: sys.exit(2), lambda: 3], 2))
    assert results[0] == 1
    assert isinstance(results[1], ProcessDied)
    assert results[2] == 3
    with pytest.raises(ValueError, match="no"):
        list(forked([fail], 1))


def verdicts() -> Iterator[MutantVerdict]:
    """One killed by two scenarios, one by one, one by none."""
    kills = [(Kill("a[x]", "other"), Kill("b", "other")), (Kill("b", "other"),), ()]
    for mutant, each in zip(MUTANTS, kills, strict=False):
        yield MutantVerdict(mutant, each, ran=2, reached=1)


def test_matrix() -> None:
    """The table names killers and survivors; the score is its last line."""
    found = list(verdicts())
    lines = list(matrix(found, ["c: differs"], ["a[x]", "a[y]", "b", "d"]))
    assert lines[-1] == footer(found) == "KILLED 2 of 3"
    assert "      killed by a, b" in lines
    assert "      killed by b: other" in lines
    assert "      SURVIVED" in lines
    assert dispensable(found, ["a[x]", "b", "d"]) == ["a", "d"]
    data = as_json(found, [])
    assert (data["killed"], data["of"], data["survivors"]) == (2, 3, [found[2].mutant.id])


def test_faults_in_generating_modules_are_known_as_such() -> None:
    """The functions of an operation are generated once, so that only one check reaches such a fault by its own."""
    assert any(mutant.target.startswith(WRITERS) for mutant in MUTANTS)
