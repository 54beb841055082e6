"""A scenario between others runs in one of pytest's three phases, if no plugin listens to the other two."""

from __future__ import annotations

import pytest

SCENARIOS = "scenarios:\n" + "".join(
    f"  - id: doubled-{n}\n    title: doubling {n} doubles\n    run: b = torch.tensor([{n}.]) * 2\n"
    for n in range(4)
)
PASSING = "def test_nothing():\n    pass\n"

pytestmark = pytest.mark.usefixtures("torch_twice")


def phases(pytester: pytest.Pytester, *arguments: str, of: str = "doubled") -> dict[str, int]:
    """How many of the items ran through each phase, as `--durations` tells."""
    done = pytester.runpytest_inprocess("-vv", "--durations=0", "-p", "no:cacheprovider", *arguments)
    assert done.ret == 0
    listed = done.outlines[next(n for n, line in enumerate(done.outlines) if "slowest durations" in line) :]
    return {
        when: sum(f" {when} " in line and of in line for line in listed)
        for when in ("setup", "call", "teardown")
    }


def test_all_but_the_last_are_one(pytester: pytest.Pytester) -> None:
    pytester.makefile(".yaml", one=SCENARIOS, two=SCENARIOS.replace("doubled", "twice"))
    assert phases(pytester) == {"setup": 1, "call": 4, "teardown": 1}
    assert phases(pytester, of="twice") == {"setup": 1, "call": 4, "teardown": 1}


@pytest.mark.parametrize(
    "hook",
    [
        "runtest_setup(item): pass",
        "runtest_teardown(item): pass",
        "runtest_makereport(item): pass",
        "runtest_logreport(report): pass",
        "runtest_protocol(item): pass",
    ],
)
def test_who_hears_of_phases_hears_of_all(pytester: pytest.Pytester, hook: str) -> None:
    pytester.makefile(".yaml", one=SCENARIOS)
    pytester.makeconftest(f"def pytest_{hook}")
    assert phases(pytester) == {"setup": 4, "call": 4, "teardown": 4}


def test_a_plugin_of_a_worker_sees_all_phases(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTEST_ADDOPTS")  # hypothesis' plugin listens in workers
    pytester.makefile(".yaml", one=SCENARIOS)
    assert phases(pytester, "-n", "1") == {"setup": 1, "call": 4, "teardown": 1}
    pytester.makeconftest(
        """
        class Listener:
            def pytest_runtest_logreport(self, report):
                pass

        def pytest_configure(config):
            if not hasattr(config, "workerinput"):
                config.pluginmanager.register(Listener())
        """
    )
    assert phases(pytester, "-n", "1") == {"setup": 4, "call": 4, "teardown": 4}


def test_tests_beside_them_have_all(pytester: pytest.Pytester) -> None:
    pytester.makefile(".yaml", one=SCENARIOS)
    pytester.makepyfile(test_nothing=PASSING)
    assert phases(pytester) == {"setup": 4, "call": 4, "teardown": 4}


def test_setup_is_shown_for_each(pytester: pytest.Pytester) -> None:
    pytester.makefile(".yaml", one=SCENARIOS)
    assert phases(pytester, "--setup-show") == {"setup": 4, "call": 4, "teardown": 4}
    assert phases(pytester, "--setup-only") == {"setup": 4, "call": 0, "teardown": 4}


def test_a_mark_is_heeded(pytester: pytest.Pytester) -> None:
    pytester.makefile(".yaml", one=SCENARIOS)
    pytester.makeconftest(
        """
        import pytest

        def pytest_collection_modifyitems(items):
            items[1].add_marker(pytest.mark.skip(reason="not today"))
        """
    )
    done = pytester.runpytest_inprocess("-rs")
    done.assert_outcomes(passed=3, skipped=1)
    done.stdout.fnmatch_lines(["*not today*"])


def test_a_run_that_ends_early_leaves_nothing_set_up(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_CURRENT_TEST", "")  # put back as it was, whatever the inner run does
    pytester.makefile(".yaml", one=SCENARIOS.replace("* 2", "* 2; assert b.item() == 4", 1))
    pytester.makeconftest(
        """
        import os

        def pytest_sessionfinish(session):
            print("left", os.environ.get("PYTEST_CURRENT_TEST"), list(session._setupstate.stack))
        """
    )
    done = pytester.runpytest_inprocess("-x", "-s")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*left None []"])


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_junit_has_each_once(pytester: pytest.Pytester, workers: tuple[str, ...]) -> None:
    pytester.makefile(".yaml", one=SCENARIOS, two=SCENARIOS.replace("doubled", "twice"))
    done = pytester.runpytest_subprocess("--junitxml=junit.xml", *workers)
    done.assert_outcomes(passed=8)
    assert (pytester.path / "junit.xml").read_text().count("<testcase ") == 8
