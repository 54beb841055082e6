"""``--conformance-html``: a report of a run."""

from __future__ import annotations

import base64
import json
import re
import zlib

import pytest

import conformance.report.html
import conformance.report.page

SCENARIOS = """
scenarios:
  - id: square
    title: backward fills the leaf's grad
    matrix: {value: [1., 2.]}
    run: |
      a = torch.tensor([${value}], requires_grad=True)
      (a * a).backward()
  - id: cannot-be-read
    title: it has no program
"""


@pytest.mark.parametrize("processes", ["0", "2"])
def test_a_run_writes_a_report(pytester: pytest.Pytester, processes: str) -> None:
    """With each scenario's pages, which come from xdist's workers too."""
    pytester.makefile(".yaml", mine=SCENARIOS)
    result = pytester.runpytest(
        "--engine=torch",
        "--engine=conformance.adapters.torch:engine",
        "--conformance-html=r.html",
        "-n",
        processes,
    )
    result.assert_outcomes(passed=4, failed=1)
    text = (pytester.path / "r.html").read_text()
    packed = re.search(r'<script id="index" type="text/plain">(.*?)</script>', text)
    assert packed
    index = json.loads(zlib.decompress(base64.b64decode(packed[1])))
    assert sorted(index["scenarios"]["id"]) == ["cannot-be-read", "square[1.]", "square[2.]"]
    assert index["scenarios"]["id"][2] == "cannot-be-read"  # in the order of the file
    assert "there is nothing to run" in text
    assert re.search(r"command</th><td>pytest .*--conformance-html=r.html", text)
    assert text.count("</html>") == 1
    assert len(text) > 20_000


def test_a_file_that_cannot_be_written_is_refused(pytester: pytest.Pytester) -> None:
    """Before anything runs."""
    result = pytester.runpytest("--conformance-html=no/such/folder/r.html")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--conformance-html no/such/folder/r.html: No such file or directory"])


def test_a_report_that_is_not_written_is_no_success(pytester: pytest.Pytester) -> None:
    """At the end no file may be as long, as on a full disk: the rest of the report is printed."""
    pytester.makefile(".yaml", mine=SCENARIOS.partition("  - id: cannot")[0])
    pytester.makeconftest(
        """
        import resource
        import pytest

        @pytest.hookimpl(wrapper=True)
        def pytest_sessionfinish():
            _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
            resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, most))  # the report is longer, what is printed is not
            return (yield)
        """
    )
    done = pytester.runpytest_subprocess("mine.yaml", "--conformance-html=r.html", "-p", "no:cacheprovider")
    done.stdout.fnmatch_lines(["conformance: r.html is not written: File too large", "*= conformance =*"])
    assert done.ret == pytest.ExitCode.INTERNAL_ERROR


def test_two_reports_in_one_file_are_refused(pytester: pytest.Pytester) -> None:
    """The one would be written over the other."""
    done = pytester.runpytest("--conformance-html=a", "--conformance-json=./a")
    done.stderr.fnmatch_lines(["*--conformance-json and --conformance-html are both ./a"])


@pytest.mark.parametrize("misuse", ["--engine=nonesuch", "no-such-file.yaml", "--scenario-timeout=x", "-k=("])
def test_a_misused_command_leaves_no_file(pytester: pytest.Pytester, misuse: str) -> None:
    """Nor does it empty the report of an earlier run."""
    pytester.makefile(".yaml", mine=SCENARIOS)
    assert pytester.runpytest("--conformance-html=new.html", misuse).ret == pytest.ExitCode.USAGE_ERROR
    assert not (pytester.path / "new.html").exists()
    (pytester.path / "old.html").write_text("a report")
    assert pytester.runpytest("--conformance-html=old.html", misuse).ret == pytest.ExitCode.USAGE_ERROR
    assert (pytester.path / "old.html").read_text() == "a report"


def test_a_run_of_nothing_leaves_no_file(pytester: pytest.Pytester) -> None:
    """A browser would show an empty page; the report of an earlier run stays."""
    pytester.makefile(".yaml", mine=SCENARIOS)
    (pytester.path / "r.html").write_text("a report")
    pytester.runpytest("--conformance-html=r.html", "-k", "nothing-is-named-so")
    assert (pytester.path / "r.html").read_text() == "a report"
    assert not (pytester.path / "r.html.part").exists()


def test_without_it_no_pages_are_made(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """They cost time."""

    def refuse(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(conformance.report.page, "page", refuse)
    pytester.makefile(".yaml", mine=SCENARIOS)
    pytester.runpytest("--engine=torch", "-k", "square").assert_outcomes(passed=2)
