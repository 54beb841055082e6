"""The fuzzer finds faults, is clean where there are none, and writes scenarios that load and run."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.adapters.registry import find
from conformance.fuzz import campaign as campaigns
from conformance.fuzz import search as searching
from conformance.fuzz.campaign import Campaign, Found, resume, run_campaign
from conformance.fuzz.save import save
from conformance.fuzz.scope import Program
from conformance.fuzz.search import Tally, batch_seeds, broken_properties, diverges, rebound, search
from conformance.language.load import load_file
from conformance.runner.execute import run
from conformance.runner.processes import ProcessDied
from conformance.runner.trace import Moment, Raised, Trace
from conformance.runner.trace import Statement as Place


@pytest.fixture
def no_accumulation() -> Iterator[None]:
    """The in-house engine with one fault: a second gradient replaces the first."""
    from conformance.engine._autograd import accumulate_grad

    whole = accumulate_grad.accumulate_grad.__code__

    def replacing(node, grads):  # type: ignore[no-untyped-def]
        node.variable._grad = grads[0].clone()
        return ()

    accumulate_grad.accumulate_grad.__code__ = replacing.__code__
    yield
    accumulate_grad.accumulate_grad.__code__ = whole


def program(*lines: str) -> Program:
    """A program of these statements."""
    return Program(lines)


def test_torch_agrees_with_itself() -> None:
    """Random programs have the same traces twice on the reference."""
    torch = find("torch")
    tally = Tally()
    assert search(torch, torch, 40, 1, tally) is None
    assert tally.programs == 40
    assert tally.features["in place"]
    assert sum(tally.pairs.values()) > 0


@pytest.mark.usefixtures("no_accumulation")
def test_a_planted_fault_is_found_and_shrunk() -> None:
    """A fault in accumulation is found within 600 programs, by a program of few statements."""
    found = search(find("torch"), find("inhouse"), 600, 3, Tally())
    assert found is not None
    assert len(found.program.statements) <= 4


def test_a_statement_that_raises_does_not_end_the_program() -> None:
    """What comes after an error is compared as well."""
    torch, inhouse = find("torch"), find("inhouse")
    text = ("a = torch.tensor(1., requires_grad=True)", "a.mul_(2)", "b = a * 2", "b.backward()")
    tally = Tally()
    assert diverges(program(*text), torch, inhouse, tally) is None
    assert tally.features["error"] == 1


def test_saved_program_is_a_sound_scenario(tmp_path: Path) -> None:
    """What is saved loads without a problem, with the errors that the reference raises."""
    statements = (
        "a = torch.tensor([1., 2.], requires_grad=True)",
        "a.add_(1)",
        "b = a * 2",
        "b.sum().backward()",
    )
    path = save(Found(255, statements, "step 2: nothing", ("value", "")), tmp_path, find("torch"))
    loaded = load_file(path)
    assert loaded.problems == ()
    (scenario,) = loaded.scenarios
    assert scenario.id == "found-ff"
    assert [step.own.raises for step in scenario.steps].count("RuntimeError") == 1


def test_a_run_goes_on_from_its_result_file(tmp_path: Path) -> None:
    """Batches that are done are not run again; a file of another run is refused."""
    results = tmp_path / "results.json"
    first = run_campaign(Campaign("torch", 5), 30, 1, results)
    again = run_campaign(resume(results, "torch", 5), 30, 1, results)
    assert first.tally.programs == again.tally.programs == 30
    with pytest.raises(ValueError, match="seed 5"):
        resume(results, "torch", 6)
    results.write_text('{"engine": "tor')
    with pytest.raises(ValueError, match="not a result file"):
        resume(results, "torch", 5)


def test_an_engine_that_ends_its_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each program that does costs itself alone, and is reported up to the statement that ended it."""
    drawn: list[Program] = []
    with monkeypatch.context() as patch:
        patch.setattr(searching, "diverges", lambda program, *_: drawn.append(program))
        search(find("torch"), find("torch"), 20, batch_seeds(5, 20)[0][0], Tally())
    called = Counter(name for each in drawn for name in set(re.findall(r"torch\.(\w+)\(", str(each))))
    rarest = min(called, key=lambda name: (called[name], name))
    _plant(tmp_path, monkeypatch, rarest)
    campaign = run_campaign(Campaign("dying", 5), 20, 2)
    assert len(campaign.done) == 1
    assert campaign.tally.programs == 20 - called[rarest]
    assert 1 <= len(campaign.found) <= called[rarest]
    for found in campaign.found:
        assert f"torch.{rarest}(" in found.statements[-1]
        assert found.difference == "the process died with exit code 3 while dying ran"


def test_an_engine_that_always_ends_its_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It costs its batch, after some attempts, and what was found is reported."""
    _plant(tmp_path, monkeypatch, "tensor")
    monkeypatch.setattr(campaigns, "_DEATHS", 0)
    campaign = run_campaign(Campaign("dying", 5), 10, 1)
    assert len(campaign.done) == 1
    (found,) = campaign.found
    assert "torch.tensor" in found.statements[-1]


def _plant(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """An engine that is torch, but for one function."""
    dying = f"import os\nimport torch\n\ndef {name}(*values, **options):\n    os._exit(3)\n"
    (folder / "dying.py").write_text(f"{dying}\ndef __getattr__(name):\n    return getattr(torch, name)\n")
    monkeypatch.syspath_prepend(folder)


@pytest.mark.parametrize("deaths", [1, 4])
def test_torch_ending_the_process(monkeypatch: pytest.MonkeyPatch, deaths: int) -> None:
    """The other programs run without it; if several do, that is reported."""
    rounds: list[int] = []

    def dying(tasks: list[Any], processes: int) -> Iterator[tuple[int, Any]]:
        rounds.append(len(tasks))
        for number, task in enumerate(tasks):
            if len(rounds) > deaths:
                yield number, task()
            else:
                task.args[3].write_text(json.dumps(["torch", [f"a = {len(rounds)}"], 7]))
                yield number, ProcessDied("the process died with exit code -11")

    monkeypatch.setattr(campaigns, "fresh", dying)
    campaign = run_campaign(Campaign("torch", 5), 10, 1)
    assert rounds == [1] * min(deaths + 1, 4)
    why = "4 of 7 programs ended their process; the others were not run"
    assert campaign.found == ([] if deaths == 1 else [Found(campaign.done[0], (), why, ("process",))])
    assert campaign.tally.programs == (10 if deaths == 1 else 0)


def test_a_run_that_took_too_long_is_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow run on a busy machine is not a divergence."""
    names: list[str] = []

    def late(scenario: Any, engine: Any, seconds: float, **_: Any) -> Trace:
        names.append(engine.name)
        if names.count(engine.name) > 1:
            return run(scenario, engine, seconds=seconds)
        moment = Moment(Place(0, 1), {}, raised=Raised("TimeLimit", "still running after 20 s"))
        return Trace("s", engine.name, "1", (moment,))

    monkeypatch.setattr(searching, "run", late)
    assert diverges(program("a = torch.ones(2)"), find("torch"), find("inhouse")) is None
    assert names == ["torch", "torch", "inhouse", "inhouse"]


def test_digits_of_single_precision_are_no_divergence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not where they are seen in double precision either: there ``.double()`` is the tensor itself."""

    def rounded_otherwise(scenario: Any, engine: Any, seconds: float, **_: Any) -> Trace:
        if engine.name == "inhouse":
            steps = (replace(step, run=step.run.replace("/ 3", "/ 3.000001")) for step in scenario.steps)
            scenario = replace(scenario, steps=tuple(steps))
        return run(scenario, engine, seconds=seconds)

    monkeypatch.setattr(searching, "run", rounded_otherwise)
    torch, inhouse = find("torch"), find("inhouse")
    assert diverges(program("a = torch.tensor([64]) / 3", "b = a.double()"), torch, inhouse) is None
    text = "a = (torch.tensor([64], dtype=torch.complex64) / 3).to(torch.complex128)"
    assert diverges(program(text), torch, inhouse) is None
    assert diverges(program("a = torch.tensor([64.], dtype=torch.float64) / 3"), torch, inhouse)
    assert diverges(program("print(torch.tensor([6400000.]) / 3)"), torch, inhouse) is None
    assert diverges(program("print((torch.tensor([3.]) / 3).item())"), torch, inhouse)


def test_properties_that_no_state_may_break() -> None:
    """A leaf with a grad_fn, a grad of another shape and a falling version are reported."""

    def moment(line: int, **facets: object) -> Moment:
        state = {
            "a": {"is_leaf": True, "requires_grad": True, "grad_fn": None, "shape": "(2,)", "_version": 1}
        }
        state["a"].update(facets)  # type: ignore[arg-type]
        return Moment(Place(0, line), state)

    assert not list(broken_properties(Trace("s", "e", "1", (moment(1),))))
    told = broken_properties(Trace("s", "e", "1", (moment(1, grad_fn="MulBackward0"), moment(2, _version=0))))
    assert list(told) == ["a is a leaf with a grad_fn", "the version of a has fallen"]
    falling = Trace("s", "e", "1", (moment(1), moment(2, _version=0)))
    assert not list(broken_properties(falling, again=rebound("a = 1\na = 2")))
    assert rebound("a = 1\nb, *_ = c\na.grad = b") == frozenset()
