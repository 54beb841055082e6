"""Declared verdicts against what torch does, and the table at the end."""

from __future__ import annotations

import pytest

CLAIMS = """
    documents:
      blog: {title: A blog on leaves}
    claims:
      - {id: blog/fills, verdict: confirmed, says: backward fills the leaf's grad}
      - {id: blog/no-op, verdict: refuted, says: retain_grad does nothing, note: it raises}
      - {id: blog/unheard, verdict: confirmed, says: nobody looks at this}
"""

NOTES = """
    documents:
      notes: {title: Notes on leaves}
    claims:
      - {id: notes/holds, verdict: confirmed, says: the sum of two gradients arrives}
"""

FILLS = """
    scenarios:
      - id: fills
        title: backward fills the leaf's grad
        claim: blog/fills
        run: |
          a = torch.tensor([3.], requires_grad=True)
          (a * a).backward()
        expect:
          a.grad: [6.]
      - id: fills-twice
        title: backward fills the leaf's grad with two uses
        claim: blog/fills
        run: |
          a = torch.tensor([3.], requires_grad=True)
          (a + a).backward()
        expect:
          a.grad: [2.]
"""

NO_OP = """
    scenarios:
      - id: retain-raises
        title: retain_grad of a constant raises
        claim: blog/no-op
        run: |
          x = torch.ones(1)
          x.retain_grad()
        claimed: {raises: null}
        raises: RuntimeError
"""

ONLY_HOLDS = """
    scenarios:
      - id: no-op-on-a-variable
        title: retain_grad of a variable does nothing
        claim: blog/no-op
        run: |
          a = torch.ones(1, requires_grad=True)
          a.retain_grad()
        expect: {a.retains_grad: false}
"""

MODES = pytest.mark.parametrize("mode", [(), ("-n", "2")], ids=["serial", "xdist"])


@pytest.fixture(autouse=True)
def specs(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two areas below a claims.yaml."""
    monkeypatch.setenv("CONFORMANCE_ENGINE", "torch")
    write(pytester, "claims.yaml", CLAIMS)
    write(pytester, "a/fills.yaml", FILLS)
    write(pytester, "b/no_op.yaml", NO_OP)


def write(pytester: pytest.Pytester, name: str, text: str) -> None:
    """A file below the folder of the run."""
    path = pytester.path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(line[4:] for line in text.splitlines()))


def test_verdicts_borne_out(pytester: pytest.Pytester) -> None:
    """The table counts each document's claims, and names the refuted ones."""
    result = pytester.runpytest()
    result.assert_outcomes(passed=3)
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "*3 agree",
            "",
            "  claims            confirmed  refuted  imprecise  drifted  not observed  engine",
            "  A blog on leaves  1          1                            1             agrees",
            "",
            "Refuted by torch:",
            "  blog/no-op  retain_grad does nothing",
        ],
        consecutive=True,
    )


@MODES
def test_a_confirmed_claim_that_fails(pytester: pytest.Pytester, mode: tuple[str, ...]) -> None:
    """One scenario is enough to contradict a claim declared confirmed."""
    write(pytester, "claims.yaml", CLAIMS.replace("verdict: refuted", "verdict: confirmed"))
    result = pytester.runpytest(*mode)
    result.assert_outcomes(passed=3, failed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    verdict = "blog/no-op is declared confirmed, but what it says fails on torch in retain-raises"
    result.stdout.fnmatch_lines([verdict, "  scenarios:", "    retain-raises", "*1 not as declared*"])
    result.stdout.fnmatch_lines(["FAILED claims.yaml::blog/no-op - blog/no-op is declared confirmed*"])


def test_a_refuted_claim_that_holds(pytester: pytest.Pytester) -> None:
    """A claim declared refuted that holds in all its scenarios is contradicted."""
    write(pytester, "b/no_op.yaml", ONLY_HOLDS)
    result = pytester.runpytest()
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(
        ["blog/no-op is declared refuted, but what it says holds on torch in all its scenarios"]
    )


def test_scenarios_left_out_keep_a_verdict_open(pytester: pytest.Pytester) -> None:
    """That a claim holds everywhere is only said when all its scenarios ran, in whatever files they are."""
    write(pytester, "c/holds.yaml", ONLY_HOLDS)
    pytester.runpytest().assert_outcomes(passed=4)
    pytester.runpytest("c").assert_outcomes(passed=1)
    pytester.runpytest("-k", "no-op-on-a-variable").assert_outcomes(passed=1)
    result = pytester.runpytest("-k", "fills-twice")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*claims  *confirmed*")


def test_a_claim_that_nobody_made(pytester: pytest.Pytester) -> None:
    """A claim that claims.yaml does not have makes the scenario invalid."""
    write(pytester, "a/fills.yaml", FILLS.replace("claim: blog/fills", "claim: blog/fils", 1))
    result = pytester.runpytest()
    result.assert_outcomes(passed=2, failed=1)
    message = "there is no claim blog/fils in claims.yaml; did you mean `blog/fills`?"
    result.stdout.fnmatch_lines([f"invalid: {message}", f"  a/fills.yaml:3:5: {message}"])


def test_a_claim_without_any_claims_file(pytester: pytest.Pytester) -> None:
    """Nothing could be said about it: the scenario is invalid, and the hint says where claims are declared."""
    (pytester.path / "claims.yaml").write_text("insurance: {claims: []}")
    result = pytester.runpytest("a")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        ["invalid: there is no claim blog/fills; declare it in claims.yaml, or in a file of*"]
    )


def test_claims_in_a_folder(pytester: pytest.Pytester) -> None:
    """A file for each document; they are judged together, as one file is."""
    (pytester.path / "claims.yaml").unlink()
    write(pytester, "claims/blog.yaml", CLAIMS)
    write(pytester, "claims/notes.yaml", NOTES)
    write(pytester, "a/fills.yaml", FILLS.replace("claim: blog/fills", "claim: [blog/fills, notes/holds]", 1))
    result = pytester.runpytest()
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["  A blog on leaves  1 *", "  Notes on leaves   1 *"], consecutive=True)
    write(pytester, "b/no_op.yaml", NO_OP.replace("blog/no-op", "notes/no-op"))
    result = pytester.runpytest()
    result.stdout.fnmatch_lines(["invalid: there is no claim notes/no-op in claims/notes.yaml*"])


def test_a_document_described_twice(pytester: pytest.Pytester) -> None:
    """The second file is at fault, at its place."""
    write(pytester, "claims/blog.yaml", CLAIMS.replace("blog/", "blog/again-"))
    result = pytester.runpytest("a")
    result.stdout.fnmatch_lines(
        ["  claims.yaml:3:9: the document `blog` is described twice; one file describes it"]
    )


def test_a_broken_claims_file_fails(pytester: pytest.Pytester) -> None:
    """Once, at its place."""
    write(pytester, "claims.yaml", CLAIMS.replace("note: it raises", "nota: it raises"))
    result = pytester.runpytest("a")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["invalid: unknown key `nota`*", "FAILED claims.yaml::line-6 - invalid: *"])


def test_an_unsound_scenario_says_nothing_about_its_claim(pytester: pytest.Pytester) -> None:
    """It fails for itself; its claim is not observed."""
    write(pytester, "a/fills.yaml", FILLS.replace("a.grad: [6.]", "a.grad: [7.]"))
    result = pytester.runpytest()
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["  A blog on leaves *  1 *  2 *agrees"])


def test_what_is_skipped_does_not_count(pytester: pytest.Pytester) -> None:
    """A claim is confirmed when the scenarios that can run here confirm it."""
    write(pytester, "a/fills.yaml", FILLS.replace("    run:", "    needs: [second_device]\n        run:", 1))
    result = pytester.runpytest()
    result.assert_outcomes(passed=2, skipped=1)
    result.stdout.fnmatch_lines(["  A blog on leaves  1 *"])
