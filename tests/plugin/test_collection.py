"""Which files are collected, and as which items."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.usefixtures("torch_twice")

SQUARE = """
  - id: square
    title: backward fills the leaf's grad
    run: |
      a = torch.tensor([3.], requires_grad=True)
      b = a * a
      b.backward()
"""


def ids(pytester: pytest.Pytester, *arguments: str) -> list[str]:
    """The ids that ``--collect-only -q`` prints."""
    result = pytester.runpytest("--collect-only", "-q", *arguments)
    return [line for line in result.outlines if "::" in line]


def test_only_files_with_scenarios_are_collected(pytester: pytest.Pytester) -> None:
    """A YAML file without a top-level key `scenarios` is nobody's business here."""
    pytester.makefile(
        ".yaml", mine="scenarios:" + SQUARE, compose="services: {}", nested="a:\n  scenarios: []"
    )
    pytester.makefile(".yml", short="scenarios:" + SQUARE.replace("square", "other"))
    pytester.makefile(".txt", text="scenarios:" + SQUARE)
    assert ids(pytester) == ["mine.yaml::square", "short.yml::other"]


def test_a_mark_of_the_byte_order_is_no_text(pytester: pytest.Pytester) -> None:
    """As editors on Windows write it, with their ends of lines."""
    text = ("scenarios:" + SQUARE).replace("\n", "\r\n")
    (pytester.path / "mine.yaml").write_bytes(b"\xef\xbb\xbf" + text.encode())
    pytester.runpytest().assert_outcomes(passed=1)


def test_what_a_link_leads_to_is_collected_once(pytester: pytest.Pytester) -> None:
    """Each scenario has one id in a run, also where a folder holds itself."""
    pytester.makefile(".yaml", mine="scenarios:" + SQUARE)
    (pytester.path / "again.yaml").symlink_to("mine.yaml")
    (pytester.path / "loop").symlink_to(".")
    assert ids(pytester) == ["again.yaml::square"]
    assert ids(pytester, "mine.yaml") == ["mine.yaml::square"]


def test_a_named_file_is_told_what_it_lacks(pytester: pytest.Pytester) -> None:
    """Only where it is named: found in a folder it may be anybody's."""
    pytester.makefile(".yaml", mine="scenario:" + SQUARE, compose="services: {}", empty="")
    pytester.runpytest().assert_outcomes()
    result = pytester.runpytest("mine.yaml", "compose.yaml", "empty.yaml")
    result.assert_outcomes(failed=3)
    result.stdout.fnmatch_lines(
        [
            "invalid: unknown key `scenario`; did you mean `scenarios`?",
            "invalid: the key `scenarios` is missing; *",
            "invalid: a scenario file is a mapping; *",
        ]
    )


def test_a_named_file_of_another_plugin_is_left_to_it(pytester: pytest.Pytester) -> None:
    """What somebody else collects lacks nothing."""
    pytester.makefile(".yaml", theirs="stages: []")
    pytester.makeconftest(
        """
        import pytest

        class Theirs(pytest.File):
            def collect(self):
                return []

        def pytest_collect_file(file_path, parent):
            return Theirs.from_parent(parent, path=file_path) if file_path.name == "theirs.yaml" else None
        """
    )
    pytester.runpytest("theirs.yaml").assert_outcomes()


def test_an_id_can_be_pasted_back(pytester: pytest.Pytester) -> None:
    """Each printed id selects that item alone, also with a matrix and several engines."""
    pytester.makefile(
        ".yaml",
        mine="""
            scenarios:
              - id: elementwise
                title: the grad is filled
                matrix: {op: [sin, exp], dtype: [float32, float64]}
                run: |
                  a = torch.tensor([3.], dtype=torch.${dtype}, requires_grad=True)
                  a.${op}().backward()
        """,
    )
    one = ids(pytester)
    assert one == [
        f"mine.yaml::elementwise[{op}-{d}]" for op in ("sin", "exp") for d in ("float32", "float64")
    ]
    several = ids(pytester, "--engine", "torch", "--engine", "inhouse")
    assert several[:2] == [
        "mine.yaml::elementwise[sin-float32-torch]",
        "mine.yaml::elementwise[sin-float32-inhouse]",
    ]
    for name in one:
        assert ids(pytester, name) == [name]
    for name in several:
        assert ids(pytester, "--engine=torch", "--engine=inhouse", name) == [name]
    assert ids(pytester, "mine.yaml::elementwise") == one


def test_claims_areas_and_engines_are_keywords(pytester: pytest.Pytester) -> None:
    """`-k` finds scenarios by the claim they bear on."""
    pytester.makefile(
        ".yaml",
        claims="documents: {some-blog: {title: A blog}}\n"
        "claims: [{id: some-blog/table-1, verdict: confirmed, says: it holds}]\n",
    )
    pytester.makefile(
        ".yaml",
        mine="scenarios:"
        + SQUARE.replace("    run:", "    claim: some-blog/table-1\n    expect: {a.grad: [6.]}\n    run:")
        + SQUARE.replace("square", "other"),
    )
    assert ids(pytester, "-k", "some-blog/table-1") == ["mine.yaml::square"]
    assert len(ids(pytester, "-k", "torch")) == 2


def test_an_id_used_in_two_files_fails_once(pytester: pytest.Pytester) -> None:
    """The second use is an invalid scenario, and the first one runs."""
    pytester.makefile(".yaml", a="scenarios:" + SQUARE, b="scenarios:" + SQUARE)
    result = pytester.runpytest()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*b.yaml:2:*the id square is used already, at a.yaml:2:*"])


def test_the_same_file_twice_is_no_repetition(pytester: pytest.Pytester) -> None:
    """Naming a file twice does not make its ids repeated."""
    pytester.makefile(".yaml", a="scenarios:" + SQUARE)
    pytester.runpytest("a.yaml", "a.yaml::square", "--keep-duplicates").assert_outcomes(passed=2)


def test_an_unrelated_run_stays_light(pytester: pytest.Pytester) -> None:
    """The plugin imports neither torch nor numpy, pydantic or yaml before there is a scenario file."""
    pytester.makepyfile(
        """
        import sys

        def test_light():
            assert "conformance.pytest_plugin" in sys.modules
            assert not {"torch", "numpy", "pydantic", "yaml"} & set(sys.modules)
        """
    )
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*conformance:*")


def test_collecting_imports_no_engine(pytester: pytest.Pytester) -> None:
    """torch takes a second to import: it is imported when the first scenario runs."""
    pytester.makefile(".yaml", a="scenarios:" + SQUARE)
    pytester.makeconftest(
        """
        import sys

        def pytest_sessionfinish():
            print("torch imported:", "torch" in sys.modules)
        """
    )
    result = pytester.runpytest_subprocess("-s", "--collect-only", "a.yaml")
    result.stdout.fnmatch_lines(["*torch imported: False*"])
