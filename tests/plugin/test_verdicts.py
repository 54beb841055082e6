"""What becomes of each verdict: pytest's outcome, the line in its summary, the text, the exit status."""

from __future__ import annotations

import importlib.util

import pytest

from conformance.cli import main

OWN_ENGINES = {
    "lacking": """
        import torch as _torch

        Tensor, tensor = _torch.Tensor, _torch.tensor

        def __getattr__(name):
            raise AttributeError(f"module 'lacking' has no attribute '{name}'")
    """,
    "doubling": """
        import torch as _torch

        Tensor, sin = _torch.Tensor, _torch.sin

        def tensor(values, **options):
            return _torch.tensor([2 * value for value in values], **options)
    """,
    "halves_grad": """
        import torch as _torch

        Tensor, sin = _torch.Tensor, _torch.sin

        def tensor(values, **options):
            made = _torch.tensor(values, **options)
            made.register_hook(lambda grad: grad / 2)
            return made
    """,
    "graphless": """
        class Tensor:
            shape, dtype, grad, grad_fn = (1,), "float32", None, None
            requires_grad, is_leaf, retains_grad = False, True, False

            def __init__(self, values):
                self.values = values

            def tolist(self):
                return self.values

        tensor = Tensor
    """,
    "explodes": "raise ZeroDivisionError('at import')",
}

SINE = """
    scenarios:
      - id: sine
        title: the sine is recorded
        steps:
          - run: |
              a = torch.tensor([3.], requires_grad=True)
              b = torch.sin(a)
          - run: |
              b.backward()
              c = b * 2
"""

LEAF = """
      - id: leaf
        title: a tensor is a leaf
        run: a = torch.tensor([3.])
"""


@pytest.fixture(autouse=True)
def engines(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines that differ from torch in one thing, in the scenarios' folder."""
    pytester.makepyfile(**OWN_ENGINES)
    monkeypatch.setenv("CONFORMANCE_ENGINE", "torch")


def run(pytester: pytest.Pytester, text: str, *arguments: str) -> pytest.RunResult:
    """Run pytest on a file of that text."""
    pytester.makefile(".yaml", mine=text)
    return pytester.runpytest("mine.yaml", *arguments)


def test_an_engine_that_agrees_passes(pytester: pytest.Pytester) -> None:
    """The header names reference and engine with their versions, the summary says that they agree."""
    result = run(pytester, SINE)
    result.assert_outcomes(passed=1)
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "conformance: 1 scenario, reference torch 2.13.0*, engine torch 2.13.0*",
            "torch 2.13.0* compared with torch 2.13.0*: 1 agree",
        ]
    )


def test_a_difference_fails_with_statement_and_facet(pytester: pytest.Pytester) -> None:
    """The verdict, the program with the line marked, the facets side by side, two snippets, no traceback."""
    result = run(pytester, SINE, "--engine", "halves_grad")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "a.grad is [[]-0.494996*[]] on halves_grad, [[]-0.98999*[]] on torch, after line 9: b.backward()",
            "mine.yaml:2: the sine is recorded",
            "",
            "   6 | a = torch.tensor([[]3.[]], requires_grad=True)",
            "   7 | b = torch.sin(a)",
            "     |",
            ">  9 | b.backward()",
            "  10 | c = b * 2",
            "",
            "After step 2, line 1 (line 9):",
            "  name    facet  torch 2.13.0*  halves_grad",
            "  a.grad  value  [[]-0.98999*[]]*  [[]-0.494996*[]]",
            "",
            "On torch:",
            "    import torch",
            "    a = torch.tensor([[]3.[]], requires_grad=True)",
            "    b = torch.sin(a)",
            "    b.backward()",
            "    print(a.grad)",
            "",
            "On halves_grad:",
            "    import halves_grad as torch",
            "    a = torch.tensor([[]3.[]], requires_grad=True)",
            "    b = torch.sin(a)",
            "    b.backward()",
            "    print(a.grad)",
            "halves_grad compared with torch 2.13.0*: 1 differ",
            "FAILED mine.yaml::sine - a.grad is [[]-0.49499*",
        ],
        consecutive=False,
    )
    for word in ("Traceback", "conformance/", "site-packages", "Error"):
        assert word not in result.stdout.str()


def test_the_summary_line_survives_ci(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """On CI pytest prints messages whole: it is the one line all the same."""
    monkeypatch.setenv("CI", "true")
    result = run(pytester, SINE, "--engine", "halves_grad", "--tb=no")
    assert result.outlines[-2].startswith("FAILED mine.yaml::sine - a.grad is [-0.494")
    assert result.outlines[-2].endswith("after line 9: b.backward()")


def test_what_an_engine_lacks_is_unsupported(pytester: pytest.Pytester) -> None:
    """Neither passed nor failed: a category of its own, with the missing names."""
    result = run(pytester, SINE + LEAF, "--engine", "lacking", "-rs")
    assert result.parseoutcomes() == {"passed": 1, "unsupported": 1}
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*1 agree, 1 unsupported", "*missing: torch.sin (1)"])


@pytest.mark.parametrize("mode", [(), ("-n2",)], ids=["serial", "xdist"])
def test_an_engine_that_can_run_nothing_is_no_success(
    pytester: pytest.Pytester, mode: tuple[str, ...]
) -> None:
    """A module that is not an engine, for example because its name is misspelt."""
    result = run(pytester, SINE + LEAF, "--engine", "json", "--engine", "torch", *mode)
    assert result.parseoutcomes() == {"passed": 2, "unsupported": 2, "failed": 1}
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "json cannot run any of the 2 scenarios; missing: torch.tensor (2)",
            "FAILED mine.yaml::json - json cannot run any of the 2 scenarios*",
        ]
    )


def test_facets_that_no_tensor_has_are_named(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    """They differ everywhere, until the engine no longer claims their group; then they are not shown either."""
    text = SINE.partition("steps")[0].replace("sine", "constant") + "run: a = torch.tensor([3.])\n"
    result = run(pytester, text, "--engine", "graphless")
    result.stdout.fnmatch_lines(
        [
            "a has no output_nr on graphless, 0 on torch, after line 4: *",
            "  a     output_nr  0                 no such attribute",
            "  its tensors have no output_nr, _version, _base, storage: leave graph out of its `claims` *",
            "*  a tensor has no output_nr  as in *",
        ]
    )
    pytester.makepyfile(claiming="from graphless import *; claims = {'values', 'flags'}")
    run(pytester, text, "--engine", "claiming").assert_outcomes(passed=1)
    capsys.readouterr()
    assert main(["show", "mine.yaml", "--engine", "claiming"]) == 0
    assert "output_nr" not in capsys.readouterr().out


def test_a_complete_engine_fails_where_it_lacks_a_name(pytester: pytest.Pytester) -> None:
    """For an engine that claims to be complete a missing name is a failure."""
    pytester.makepyfile(
        whole="""
        import lacking
        from conformance.adapters.module import ModuleEngine

        engine = ModuleEngine("whole", lacking, complete=True)
        """
    )
    result = run(pytester, SINE, "--engine", "whole:engine")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["whole has no torch.sin", ">*b = torch.sin(a)"])


def test_a_scenario_that_is_wrong_about_torch_fails(pytester: pytest.Pytester) -> None:
    """Also where the engine would agree with torch: nothing is said about the engine."""
    text = SINE.replace(
        "c = b * 2", "c = b * 2\n            expect: {a.requires_grad: false, a.is_leaf: true}"
    )
    result = run(pytester, text)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "the scenario is wrong about torch: a.requires_grad is True, expected False",
            "mine.yaml:2: the sine is recorded",
            "  mine.yaml:11:18: a.requires_grad is True, expected False",
            "*1 unsound",
            "FAILED mine.yaml::sine - the scenario is wrong about torch: a.requires_gra*",
        ]
    )


def test_an_undeclared_error_on_torch_is_unsound(pytester: pytest.Pytester) -> None:
    """The line that raises is marked."""
    result = run(pytester, SINE.replace("c = b * 2", "b.backward()"))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["the scenario is wrong about torch: *raises RuntimeError: Trying to backward*"]
    )


def test_what_is_never_twice_the_same_is_no_difference(pytester: pytest.Pytester) -> None:
    """Torch differs from itself there, and no engine is to blame."""
    count = "count = b.grad_fn._sequence_nr()"  # not an address, which may be the same again by chance
    text = SINE.replace("b = torch.sin(a)", f"b = torch.sin(a) * 2\n              {count}")
    result = run(pytester, text.replace("b.backward()", "c = 1"))
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        ["the scenario is wrong about torch: * when run again", "*differs from run to run*"]
    )


def test_what_needs_an_absent_device_is_skipped(pytester: pytest.Pytester) -> None:
    """With the reason, at the place of the scenario."""
    result = run(pytester, SINE.replace("steps:", "needs: [second_device]\n        steps:"), "-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(
        ["SKIPPED [[]1[]] mine.yaml:2: needs second_device, which torch does not find*"]
    )


def test_what_needs_a_build_for_the_cpu_is_skipped_on_another(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A torch with CUDA refuses a device otherwise where no driver is found."""
    text = SINE.replace("steps:", "needs: [cpu_build]\n        steps:")
    for built, outcome in ((False, {"passed": 1}), (True, {"skipped": 1})):
        monkeypatch.setattr("torch.backends.cuda.is_built", lambda built=built: built)
        run(pytester, text, "-p", "no:cacheprovider").assert_outcomes(**outcome)


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "long"])
def test_a_limit_of_time_is_above_zero(pytester: pytest.Pytester, seconds: str) -> None:
    """Of 0 seconds no alarm would ever ring."""
    result = run(pytester, SINE, f"--scenario-timeout={seconds}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*--scenario-timeout: {seconds} is not a number of seconds above 0"])


def test_an_invalid_scenario_is_one_failing_item(pytester: pytest.Pytester) -> None:
    """It is one failure with all its mistakes, not a collection error; the other scenarios of its file run."""
    result = run(pytester, SINE + "      - id: broken\n        titel: sums\n        run: a = 1\n")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "invalid: unknown key `titel`; did you mean `title`?",
            "  mine.yaml:12:*: unknown key `titel`; did you mean `title`?",
            "FAILED mine.yaml::broken - invalid: unknown key `titel`*",
        ]
    )
    assert "Traceback" not in result.stdout.str()


def test_a_file_that_is_not_yaml_is_one_failing_item(pytester: pytest.Pytester) -> None:
    """Its name is the line of the mistake."""
    result = run(pytester, "scenarios:\n  - id: [\n")
    result.assert_outcomes(failed=1)
    assert "Traceback" not in result.stdout.str()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("inhose", "ERROR: there is no engine 'inhose': did you mean 'inhouse'?"),
        (
            "no.such.module",
            "ERROR: there is no engine 'no.such.module'; the registered engines are inhouse, torch*",
        ),
        ("explodes", "ERROR: engine 'explodes' cannot be imported: ZeroDivisionError: at import"),
    ],
)
def test_an_engine_that_is_not_there_is_a_usage_error(
    pytester: pytest.Pytester, name: str, message: str
) -> None:
    """Said once, before anything runs."""
    result = run(pytester, SINE, "--engine", name)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])


def test_an_engine_that_is_not_there_stops_the_run(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it is named in the environment, the first scenario says so, and the others are spared."""
    monkeypatch.setenv("CONFORMANCE_ENGINE", "inhose")
    result = run(pytester, SINE + SINE.replace("sine", "other").replace("    scenarios:\n", ""))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*there is no engine 'inhose': did you mean 'inhouse'?"])


def test_without_torch_it_says_what_to_do(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """The suite's recording has no trace of a user's own scenario."""
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *package: None if name == "torch" else find_spec(name, *package),
    )
    result = run(pytester, SINE + SINE.replace("sine", "other").replace("    scenarios:\n", ""))
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["torch is not installed*no trace of sine as it is now: pip install*"])


def test_engines_from_the_ini_file(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ini file names engines where neither option nor environment does; each gets its items."""
    monkeypatch.delenv("CONFORMANCE_ENGINE")
    pytester.makeini("[pytest]\nconformance_engines = torch lacking")
    result = run(pytester, SINE)
    assert result.parseoutcomes() == {"passed": 1, "unsupported": 1, "failed": 1}
    result.stdout.fnmatch_lines(
        [
            "conformance: 1 scenario*torch 2.13.0*, lacking*",
            "torch*: 1 agree",
            "lacking*: 1 unsupported",
        ]
    )


def test_quiet_runs_have_no_header(pytester: pytest.Pytester) -> None:
    """`-q` leaves the header out and keeps the summary; `-qq` leaves both out."""
    result = run(pytester, SINE, "-q")
    result.stdout.no_fnmatch_line("conformance:*")
    result.stdout.fnmatch_lines(["*1 agree"])
    pytester.runpytest("-qq").stdout.no_fnmatch_line("*agree*")


def test_a_device_is_named_with_its_module(pytester: pytest.Pytester) -> None:
    """A module without a device is refused before anything runs."""
    pytester.makefile(".yaml", mine="scenarios: []")
    ran = pytester.runpytest("--device-module", "torch_npu", "mine.yaml")
    ran.stderr.fnmatch_lines(["*--device-module needs --device NAME*"])


@pytest.mark.usefixtures("torch_twice")
def test_a_run_on_a_device_says_what_it_leaves_out(pytester: pytest.Pytester) -> None:
    """`meta` is a device of any torch."""
    pytester.makefile(
        ".yaml",
        mine="""
        scenarios:
          - {id: there, title: a view, run: "a = torch.ones(2, 2)\\nb = a.t()"}
          - {id: named, title: a device, run: "a = torch.ones(2, device='cpu')"}
        """,
    )
    ran = pytester.runpytest("--device", "meta", "mine.yaml")
    ran.stdout.fnmatch_lines(["torch-device-meta * compared with torch *: 1 agree, 1 not observed"])
    ran.stdout.fnmatch_lines(["  not observed, 1: it names a device"])
    assert ran.ret == 0
