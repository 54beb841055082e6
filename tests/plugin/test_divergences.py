"""Declared divergences of an engine: covered, exceeded, stale, and wrongly declared."""

from __future__ import annotations

import pytest

ENGINE = """
    import torch as _torch
    from conformance.adapters.module import ModuleEngine

    class Halving:
        Tensor = _torch.Tensor

        @staticmethod
        def tensor(values, **options):
            made = _torch.tensor(values, **options)
            made.register_hook(lambda grad: grad / 2)
            return made

    engine = ModuleEngine("halving", Halving)
    engine.divergences = "halving.yaml"
"""

SCENARIOS = """
    scenarios:
      - id: halved
        title: backward fills the leaf's grad
        run: |
          a = torch.tensor([3.], requires_grad=True)
          (a * a).backward()
          c = 1
      - id: untouched
        title: a computed tensor has no grad
        run: |
          a = torch.tensor([3.], requires_grad=True)
          b = a * a
"""

HALVED = "{scenario: halved, name: a.grad, kind: bug, reason: it halves gradients}"
NO_REASON = "{scenario: halved, kind: bug}"
STALE = HALVED.replace("halved", "untouched")
FOR_NOTHING = HALVED.replace("halved", "halfed")


@pytest.fixture(autouse=True)
def files(pytester: pytest.Pytester) -> None:
    """The engine and the scenarios."""
    pytester.makepyfile(halving=ENGINE)
    pytester.makefile(".yaml", scenarios=SCENARIOS)


def run(pytester: pytest.Pytester, *entries: str, mode: tuple[str, ...] = ()) -> pytest.RunResult:
    """Run with these entries in the engine's file."""
    lines = ["engine: halving", "divergences:", *(f"  - {entry}" for entry in entries)]
    (pytester.path / "halving.yaml").write_text("\n".join(lines))
    return pytester.runpytest("--engine", "halving:engine", "-rxf", "scenarios.yaml", *mode)


def test_what_is_declared_is_expected(pytester: pytest.Pytester) -> None:
    """An xfail with its kind and reason, and the run is green."""
    result = run(pytester, HALVED)
    result.assert_outcomes(passed=1, xfailed=1)
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        ["halving*: 1 agree, 1 known divergence", "XFAIL *halved - bug: it halves gradients"]
    )


def test_what_goes_beyond_fails(pytester: pytest.Pytester) -> None:
    """A difference that no entry covers is the one shown."""
    result = run(pytester, HALVED.replace("kind", "facets: _version, kind"))
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "a.grad is [[]3.*[]] on halving, [[]6.*[]] on torch, after line 6: (a [*] a)*",
            "This goes beyond what is declared at:",
            "  halving.yaml:3:5: bug: it halves gradients",
        ]
    )


def test_a_crash_is_never_covered_by_the_way(pytester: pytest.Pytester) -> None:
    """An entry for a difference is none for an error."""
    pytester.makepyfile(halving=ENGINE.replace("made.register", "0 / 0; made.register"))
    result = run(pytester, HALVED.replace("name: a.grad, ", ""))
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["halving raises ZeroDivisionError: division by zero, torch raises nothing*"])


def test_a_wrong_entry_fails(pytester: pytest.Pytester) -> None:
    """An entry without a reason is refused."""
    result = run(pytester, NO_REASON)
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["FAILED halving.yaml::line-3 - invalid: the key `reason` is missing; *"])


def test_an_entry_for_no_scenario_fails(pytester: pytest.Pytester) -> None:
    """Neither met in this run nor among the suite's own specs."""
    result = run(pytester, HALVED, FOR_NOTHING)
    result.assert_outcomes(passed=1, failed=1, xfailed=1)
    message = "there is no scenario halfed; did you mean `halved`?"
    result.stdout.fnmatch_lines([f"  halving.yaml:4:5: {message}", "FAILED halving.yaml::line-4 - *"])


def test_an_entry_for_a_scenario_in_a_file_that_was_not_loaded(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not judged, and the file is not loaded for it: a run of one scenario takes no longer than that one."""
    from conformance.check import engine_under_test, library

    folder = pytester.mkdir("specs")
    (folder / "other.yaml").write_text("scenarios:\n  - id: elsewhere\n    nonsense: true\n")
    monkeypatch.setattr(engine_under_test, "specs", lambda: folder)
    monkeypatch.setattr(library.Library, "complete", None)
    entry = "{{scenario: '{}', kind: bug, reason: it halves}}"
    result = run(pytester, HALVED, *(entry.format(each) for each in ("elsewhere[1]", "else*", "*ere[a]")))
    result.assert_outcomes(passed=1, xfailed=1)
    result = run(pytester, HALVED, entry.format("elsewher[1]"))
    result.stdout.fnmatch_lines(["*there is no scenario elsewher[[]1]; did you mean `elsewhere`?"])


def test_an_entry_for_no_facet_fails(pytester: pytest.Pytester) -> None:
    """An entry for all scenarios without a facet would cover nothing, silently."""
    result = run(pytester, HALVED, "{scenario: '*', facets: [valeu], kind: bug, reason: it halves}")
    result.assert_outcomes(passed=1, failed=1, xfailed=1)
    result.stdout.fnmatch_lines(["  halving.yaml:4:5: there is no facet valeu; did you mean `value`?"])


@pytest.mark.parametrize("mode", [(), ("-n", "2")], ids=["serial", "xdist"])
def test_all_at_once(pytester: pytest.Pytester, mode: tuple[str, ...]) -> None:
    """Declared, stale and wrong entries: each is reported once, however many processes ran."""
    result = run(pytester, HALVED, STALE, NO_REASON, mode=mode)
    result.assert_outcomes(failed=2, xfailed=1)
    result.stdout.fnmatch_lines_random(
        [
            "halving no longer differs as declared at halving.yaml:4:5",
            "  halving.yaml:4:5: bug: it halves gradients",
            "halving*: 1 known divergence, 1 stale",
            "XFAIL *halved - bug: it halves gradients",
            "FAILED halving.yaml::line-5 - *",
        ]
    )
