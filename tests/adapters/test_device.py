"""Torch on another device: a device in Python, without and with faults, and torch's own `meta`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.adapters.registry import EngineNotFoundError, find
from conformance.adapters.remote import RemoteEngine
from conformance.check.checker import Checker, CheckResult
from conformance.check.engine_under_test import with_divergences
from conformance.language.load import load_text
from conformance.language.scenario import Scenario
from conformance.report.terminal import idle, summary
from conformance.runner.engine import GROUPS, Engine, terms_of
from conformance.runner.execute import run
from conformance.runner.terms import on_terms
from conformance.runner.uses import uses_of
from conformance.runner.verdict import judge
from tests.runner.make import scenario, step, torch_engine

PROGRAMS = """
scenarios:
  - id: accumulates
    title: a second pass adds to grad
    run: |
      a = torch.tensor([1., 2.], requires_grad=True)
      (a * a).sum().backward()
      (a * a).sum().backward()
  - id: transposes
    title: t returns a view
    run: |
      a = torch.tensor([[1., 2.], [3., 4.]])
      b = a.t()
      b[0, 1] = 7.
  - id: clones
    title: clone has memory of its own
    run: |
      a = torch.tensor([1., 2.], requires_grad=True)
      b = a.clone()
      print(b.device, b)
  - id: refuses
    title: a saved tensor that was changed is refused
    steps:
      - run: |
          a = torch.tensor([1., 2.], requires_grad=True)
          b = a.exp()
          b.add_(1.)
      - run: b.sum().backward()
        raises: RuntimeError
  - id: branches
    title: a number decides
    run: |
      a = torch.tensor([1., 2.])
      b = a * 2 if a.sum() > 0 else a
  - id: names
    title: cpu is named
    run: a = torch.ones(2, device="cpu")
  - id: draws
    title: random numbers
    run: |
      a = torch.ones(2)
      b = torch.rand(2)
      c = b > 2
  - id: moves
    title: a copy on the second device is no leaf
    needs: [second_device]
    run: |
      a = torch.tensor([1., 2.], requires_grad=True)
      b = a.to(second_device)
      b.sum().backward()
    expect:
      b.is_leaf: false
      a.grad: [1., 1.]
  - id: counts
    title: no tensor
    run: |
      a = 1
      b = torch.Size([2])
"""
FINE = {
    "accumulates": "known divergence",
    "transposes": "agrees",
    "clones": "agrees",
    "refuses": "agrees",
    "branches": "agrees",
    "names": "not observed",
    "draws": "agrees",
    "moves": "agrees",
    "counts": "not observed",
}


@pytest.fixture(scope="module")
def scenarios() -> tuple[Scenario, ...]:
    """The programs above."""
    loaded = load_text(PROGRAMS, "npy.yaml")
    assert not loaded.problems
    return loaded.scenarios


@pytest.fixture(scope="module")
def sound() -> Iterator[RemoteEngine]:
    """The device without faults."""
    engine = RemoteEngine("torch-device:npy,tests.adapters.npy_device")
    yield engine
    engine.close()


def checked(scenarios: tuple[Scenario, ...], engine: Engine) -> dict[str, CheckResult]:
    """The result of each scenario, with what the device declares."""
    checker, known = Checker(torch_engine), with_divergences(engine)
    return {each.id: checker(each, engine, known.entries_for(each.id)) for each in scenarios}


def test_a_device_without_faults_agrees(scenarios: tuple[Scenario, ...], sound: RemoteEngine) -> None:
    """Values, views, versions, errors and printed tensors are those of the CPU, under the CPU's name."""
    found = checked(scenarios, sound)
    assert {name: each.result.verdict for name, each in found.items()} == FINE, [
        each.text for each in found.values()
    ]
    assert found["names"].result.reason == "it names a device"
    assert found["counts"].result.reason == "there were no tensors on npy"
    lines = [*summary([each.result for each in found.values()], {}, [])]
    assert "  not observed, 1: it names a device" in lines
    assert any(line.startswith("  1 of ") and "draw random numbers" in line for line in lines)


def test_tensors_on_the_device_are_counted(sound: RemoteEngine) -> None:
    """The count says how much of a run was there; the second device is named by a program of the CPU."""
    there = run(scenario("a = torch.ones(2)\nb = a + 1"), sound)
    assert there.counts["tensors on npy"] >= 3
    first = run(scenario("a = torch.ones(2)\nb = a.to(second_device)"), sound)
    assert 1 <= first.counts["tensors on npy"] < there.counts["tensors on npy"]


def test_a_tensor_that_is_not_on_the_device_differs(sound: RemoteEngine) -> None:
    """Its values cannot be read, though they are right: inside backward there is no default device."""
    made = scenario("""
        seen = []
        a = torch.tensor([1., 2.], requires_grad=True)
        a.register_hook(lambda grad: seen.append(torch.ones(2)))
        a.sum().backward()
    """)
    (found,) = Checker(torch_engine)(made, sound).result.differences
    assert (found.name, found.facet) == ("seen[0]", "value")
    assert found.engine.startswith("raises RuntimeError")


def test_each_planted_fault_is_found(scenarios: tuple[Scenario, ...]) -> None:
    """A sum that overwrites, a transpose that copies, and a clone that shares memory."""
    engine = RemoteEngine("torch-device:npy,tests.adapters.npy_faulty")
    found = checked(scenarios, engine)
    engine.close()
    differing = {name: each.result for name, each in found.items() if each.result.verdict == "differs"}
    firsts = {name: (each.differences[0].name, each.differences[0].facet) for name, each in differing.items()}
    assert firsts["accumulates"] == ("a.grad", "value")
    assert firsts["transposes"] == ("b", "storage")
    assert firsts["clones"] == ("b", "storage")


def test_pretending_fails(scenarios: tuple[Scenario, ...]) -> None:
    """An adapter whose tensors stay on the CPU differs in each scenario, whatever they say of their device."""
    engine = RemoteEngine("torch-device:npy,tests.adapters.npy_pretending")
    found = checked(scenarios[:2], engine)
    engine.close()
    for each in found.values():
        assert each.result.verdict == "differs"
        raised = each.result.differences[0].engine
        assert raised == "RuntimeError: the default device has no effect: a new tensor is on cpu"


def test_a_run_without_a_tensor_there_fails(scenarios: tuple[Scenario, ...], sound: RemoteEngine) -> None:
    """Whatever else agrees: nothing was observed."""
    found = checked(tuple(each for each in scenarios if FINE[each.id] == "not observed"), sound)
    ((_, text),) = idle([each.result for each in found.values()])
    assert text == "torch-device-npy was not observed in any of the 2 scenarios: it names a device"


def test_meta_is_compared_without_values(scenarios: tuple[Scenario, ...]) -> None:
    """Shapes, dtypes, flags and graphs are; what needs a number is unsupported."""
    engine = find("torch-device:meta")
    found = checked(scenarios, engine)
    assert {name: each.result.verdict for name, each in found.items()} == {
        **FINE,
        "branches": "unsupported",
        "moves": "unsupported",  # a gradient cannot come back from there
    }
    assert found["branches"].result.missing == ("numbers of a meta tensor",)
    made = scenario("a = torch.ones(2)")
    wider = scenario("a = torch.ones(3)")
    outcome = judge(made, run(made, torch_engine), run(wider, engine), engine.claims, terms_of(engine))
    assert {each.facet for each in outcome.differences} == {"shape"}


def test_what_says_nothing_about_a_device_is_read_from_the_program() -> None:
    """Devices, memory of others and old constructors, also in expectations."""
    assert uses_of(scenario('a = torch.ones(2).to("cpu")')) == {"a device"}
    assert uses_of(scenario("a = torch.ones(2).numpy()")) == {"NumPy"}
    assert uses_of(scenario("a = torch.FloatTensor([1.])\nb = torch.Tensor(2)")) == {"a legacy constructor"}
    assert uses_of(scenario(step("a = torch.ones(2)", expect={"a.device": "cpu"}))) == set()
    assert uses_of(scenario(step("a = torch.ones(2)", expect={"a.cpu() is a": True}))) == {"a device"}
    assert not uses_of(scenario("a = isinstance(torch.ones(2), torch.Tensor)"))


def test_tolerances_and_divergences_of_a_device_are_its_modules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The module that is named with the device declares them, for `meta` too."""
    (tmp_path / "declaring.py").write_text(
        'tolerances = {"float32": (0.1, 0.0)}\nsame_random_numbers = True\ndivergences = "there.yaml"\n'
    )
    monkeypatch.syspath_prepend(tmp_path)
    engine = find("torch-device:meta,declaring")
    assert (engine.divergences, set(engine.claims)) == ("there.yaml", set(GROUPS))  # type: ignore[attr-defined]
    assert "random" not in find("torch-device:meta").claims
    made = scenario("a = torch.ones(2)")
    trace = run(made, torch_engine)
    wide, _, _ = on_terms(engine.terms, made, trace, trace)  # type: ignore[attr-defined]
    assert wide.tolerance is not None
    assert wide.tolerance.by_dtype == (("float32", (0.1, 0.0)),)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("torch-device:npu", "torch does not know the device 'npu': name the module that adds it"),
        ("torch-device:npu,torch_no_npu", "--device-module torch_no_npu cannot be imported"),
        ("torch-device:meta:0", "--device takes the name of a device without an index: meta, not meta:0"),
    ],
)
def test_what_is_no_device_is_refused(name: str, said: str) -> None:
    """In one line that says what to do."""
    with pytest.raises(EngineNotFoundError, match=said):
        find(name)
