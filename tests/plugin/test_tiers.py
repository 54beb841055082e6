"""`--tier`: which scenarios run, how the others are counted, and what follows for claims and divergences."""

from __future__ import annotations

import pytest

from tests.plugin.test_divergences import ENGINE

MODES = pytest.mark.parametrize("mode", [(), ("-n", "2")], ids=["serial", "xdist"])

SCENARIO = """
  - id: {name}
    title: backward fills the leaf's grad
    tier: {tier}
    claim: blog/fills
    run: |
      a = torch.tensor([3.], requires_grad=True)
      (a * a).backward()
    expect: {{a.grad: [6.]}}
"""
REST = """
  - id: rest
    title: a square
    matrix: {n: [1, 2, 3]}
    run: |
      a = torch.tensor([${n}.], requires_grad=True)
      b = a * a
"""
CLAIMS = """
documents:
  blog: {title: A blog on leaves}
claims:
  - {id: blog/fills, verdict: confirmed, says: backward fills the leaf's grad}
"""


@pytest.fixture(autouse=True)
def files(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of specs with a file of several tiers and one of tier full, and a file elsewhere."""
    monkeypatch.setenv("CONFORMANCE_ENGINE", "inhouse")
    (pytester.path / "specs").mkdir()
    mixed = "".join(SCENARIO.format(name=f"{tier}-one", tier=tier) for tier in ("core", "standard"))
    for name, text in {
        "specs/mixed.yaml": f"scenarios:{mixed}{SCENARIO.format(name='full-one', tier='full')}",
        "specs/rest.yaml": f"tier: full\nscenarios:{REST}",
        "specs/claims.yaml": CLAIMS,
        "elsewhere.yaml": f"tier: full\nscenarios:{REST.replace('rest', 'own')}",
    }.items():
        (pytester.path / name).write_text(text)


@pytest.mark.parametrize(
    ("options", "passed", "deselected"),
    [
        ((), 2, 4),
        (("--tier", "core"), 1, 5),
        (("--tier=standard",), 2, 4),
        (("--tier", "full"), 6, 0),
        (("--tier", "core", "-n", "2"), 1, 5),
    ],
)
def test_a_tier_includes_those_before_it(
    pytester: pytest.Pytester, options: tuple[str, ...], passed: int, deselected: int
) -> None:
    """Standard is the default; the others are counted, and not as skipped."""
    result = pytester.runpytest("specs", *options)
    assert result.parseoutcomes() == {"passed": passed}
    said = [line for line in result.outlines if "deselected by tier" in line]
    assert said == ([f"{deselected} deselected by tier; --tier full runs them"] if deselected else [])


def test_what_is_named_runs_whatever_its_tier(pytester: pytest.Pytester) -> None:
    """A file, an id, and a file that is in no folder of specs."""
    names = {
        "specs/rest.yaml::rest[2]": 1,
        ".": 5,
        "specs/rest.yaml": 3,
        "specs/mixed.yaml": 3,
        "specs/mixed.yaml::full-one": 1,
        "elsewhere.yaml": 3,
    }
    for named, passed in names.items():
        result = pytester.runpytest(named)
        assert result.parseoutcomes() == {"passed": passed}, named


@MODES
def test_a_run_that_deselects_all_says_so(pytester: pytest.Pytester, mode: tuple[str, ...]) -> None:
    """Else it would look as if there were nothing."""
    (pytester.path / "specs" / "mixed.yaml").unlink()
    result = pytester.runpytest("specs", "-q", *mode)
    result.stdout.fnmatch_lines(["3 deselected by tier; --tier full runs them"])
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_the_ini_file_names_a_tier(pytester: pytest.Pytester) -> None:
    """The command line overrides it; an unknown tier is a usage error."""
    pytester.makeini("[pytest]\nconformance_tier = full")
    pytester.runpytest("specs").assert_outcomes(passed=6)
    pytester.runpytest("specs", "--tier", "core").assert_outcomes(passed=1)
    pytester.makeini("[pytest]\nconformance_tier = most")
    result = pytester.runpytest("specs")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*conformance_tier is most; the tiers are core, standard, full*"])
    assert pytester.runpytest("specs", "--tier", "most").ret == pytest.ExitCode.USAGE_ERROR


def test_what_is_beyond_the_tier_is_not_checked(pytester: pytest.Pytester) -> None:
    """Which would take the most time of collecting; a run of its tier finds its mistakes."""
    (pytester.path / "specs" / "rest.yaml").write_text(
        f"tier: full\nscenarios:{REST.replace('torch.tensor', 'torch.tensr')}"
    )
    pytester.runpytest("specs").assert_outcomes(passed=2)
    pytester.runpytest("specs", "--tier", "full").assert_outcomes(passed=3, failed=1)


@MODES
def test_a_claim_is_judged_by_all_its_scenarios(pytester: pytest.Pytester, mode: tuple[str, ...]) -> None:
    """If a tier leaves some of them out, it is not observed; it is contradicted wherever it fails."""
    result = pytester.runpytest("specs", "--tier", "full", *mode)
    result.stdout.fnmatch_lines(["*A blog on leaves*1*agrees*"])
    result = pytester.runpytest("specs", *mode)
    result.stdout.no_fnmatch_line("*A blog on leaves*")
    assert result.ret == 0
    path = pytester.path / "specs" / "claims.yaml"
    path.write_text(CLAIMS.replace("verdict: confirmed", "verdict: refuted, note: it does not"))
    assert pytester.runpytest("specs", *mode).ret == 0
    result = pytester.runpytest("specs", "--tier", "full", *mode)
    result.stdout.fnmatch_lines(["*blog/fills is declared refuted, but what it says holds on torch*"])
    assert result.ret == 1


@MODES
def test_an_entry_is_stale_only_if_its_scenario_ran(pytester: pytest.Pytester, mode: tuple[str, ...]) -> None:
    """A scenario that a tier leaves out is still a known one."""
    pytester.makepyfile(halving=ENGINE)
    entries = "".join(
        f"  - {{scenario: {name}, kind: bug, reason: it halves gradients}}\n"
        for name in ("core-one", "standard-one", "full-one", "'rest[2]'")
    )
    (pytester.path / "halving.yaml").write_text(f"engine: halving\ndivergences:\n{entries}")
    run = ("specs", "--engine", "halving:engine", *mode)
    assert pytester.runpytest(*run).parseoutcomes() == {"xfailed": 2}
    result = pytester.runpytest(*run, "--tier", "full")
    result.assert_outcomes(xfailed=3, passed=2, failed=1)
    result.stdout.fnmatch_lines(["*halving no longer differs as declared at halving.yaml:6:5*"])
    result.stdout.fnmatch_lines(["  agreeing by tier: core 0%, standard 0%, full 75%"])
