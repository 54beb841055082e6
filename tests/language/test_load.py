"""Loading what is right: plain data as it is meant, cases of a matrix, positions, files."""

from __future__ import annotations

import math
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.check.locate import is_scenario_file
from conformance.language.load import area_of, load_file, load_text
from conformance.language.load_result import LoadResult
from conformance.language.scenario import UNSET, Position, Scenario, Tolerance

STEPS = """\
topic: Running backward more than once
scenarios:
  - id: retain-graph-accumulates
    title: each pass with retain_graph adds to the leaf's grad
    claim: [pinn-article/retain-graph, leaf-blog/table-1]
    needs: [second_device]
    tolerance: exact
    observe: end
    steps:
      - run: |
          a = torch.tensor([3.], requires_grad=True)
          b = a * a
        expect:
          a.grad: null
      - run: b.backward()
        raises: RuntimeError
        message: Trying to backward
        warns: The .grad
        claimed: {raises: null, expect: {a.grad: [6.]}}
"""


def load(text: str) -> LoadResult:
    return load_text(dedent(text), "my.yaml")


def only(text: str) -> Scenario:
    loaded = load(text)
    assert loaded.problems == ()
    (scenario,) = loaded.scenarios
    return scenario


def value(written: str) -> Any:
    """What a value of expect is read as."""
    (pair,) = (
        only(f"scenarios:\n  - {{id: a, title: t, run: x = 1, expect: {{x: {written}}}}}").steps[0].own.expect
    )
    return pair[1]


def test_every_key_arrives() -> None:
    """A scenario with all its keys becomes frozen data; what was not written is UNSET."""
    scenario = only(STEPS)
    assert (scenario.id, scenario.topic) == ("retain-graph-accumulates", "Running backward more than once")
    assert scenario.area == "my"
    assert scenario.claims == ("pinn-article/retain-graph", "leaf-blog/table-1")
    assert (scenario.needs, scenario.observe) == (("second_device",), "end")
    assert scenario.tolerance == Tolerance(0.0, 0.0, "exact")
    assert scenario.position == Position("my.yaml", 3, 5)
    first, second = scenario.steps
    assert first.run == "a = torch.tensor([3.], requires_grad=True)\nb = a * a\n"
    assert first.position == Position("my.yaml", 11, 11)
    assert first.own.expect == (("a.grad", None),)
    assert (first.own.raises, first.own.message, first.own.warns) == (UNSET, UNSET, UNSET)
    assert first.claimed is None
    assert second.position == Position("my.yaml", 15, 14)
    assert (second.own.raises, second.own.message) == ("RuntimeError", "Trying to backward")
    assert second.own.warns == ("The .grad",)
    assert second.claimed is not None
    assert second.claimed.raises is None
    assert second.claimed.message is UNSET
    assert second.claimed.expect == (("a.grad", [6.0]),)


def test_one_run_is_enough() -> None:
    """A file with an id, a title and a program is a start."""
    scenario = only("scenarios:\n  - id: a\n    title: adds\n    run: x = torch.ones(1) + 1\n")
    assert scenario.steps[0].run == "x = torch.ones(1) + 1"
    assert (scenario.topic, scenario.claims, scenario.tolerance) == ("my", (), None)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("1", 1),
        ("-1", -1),
        ("+1", 1),
        ("0", 0),
        ("0x1F", 31),
        ("0b11", 3),
        ("0o17", 15),
        ("1_000", 1000),
        ("1.", 1.0),
        (".5", 0.5),
        ("-.5", -0.5),
        ("1e-3", 0.001),
        ("1E3", 1000.0),
        ("1.5e+3", 1500.0),
        ("inf", math.inf),
        ("-inf", -math.inf),
        (".inf", math.inf),
        ("null", None),
        ("None", None),
        ("~", None),
        ("true", True),
        ("False", False),
        ("no", "no"),
        ("yes", "yes"),
        ("on", "on"),
        ("off", "off"),
        ("y", "y"),
        ("12:30:45", "12:30:45"),
        ("2024-01-01", "2024-01-01"),
        ("1.2.3", "1.2.3"),
        ("torch.float32", "torch.float32"),
        ("-", "-"),
        ("=", "="),
        ("'1'", "1"),
        ('"null"', "null"),
        ("[1, 2.5, [nan_, a b]]", [1, 2.5, ["nan_", "a b"]]),
        ("{a: 1, 2: b}", {"a": 1, "2": "b"}),
        ("[]", []),
    ],
)
def test_values_are_read_as_meant(written: str, expected: Any) -> None:
    """Python's and torch's words and numbers; whatever else YAML 1.1 makes of a word is text."""
    found = value(written)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize("written", ["nan", "NaN", ".nan"])
def test_nan_is_nan(written: str) -> None:
    """The word that torch prints."""
    assert math.isnan(value(written))


def test_quoted_keys_and_expressions_with_commas() -> None:
    """A quoted key in braces, or a plain one in block form."""
    in_braces = "scenarios:\n  - {id: a, title: t, run: x = 1, expect: {'max(x, 2)': 2}}"
    in_block = "scenarios:\n  - id: a\n    title: t\n    run: x = 1\n    expect:\n      max(x, 2): 2\n"
    for text in (in_braces, in_block):
        assert only(text).steps[0].own.expect == (("max(x, 2)", 2),)


MATRIX = """\
scenarios:
  - id: values
    title: an operation keeps the dtype
    claim: leaf-blog/table-1
    matrix:
      op: [sin, cos]
      dtype: [float32, {double: float64}]
      result: [{one: "[1., -0.0]"}]
    run: y = torch.ones(1).to(torch.${dtype}).${op}()
    raises: ${op}
    message: no ${op} for ${dtype}
    expect:
      y.${op}(): ${result}
      repr(y): [${op}, "${dtype}", 1e-3]
    claimed:
      message: ${op}!
"""


def test_matrix_gives_every_combination() -> None:
    """One case for each, the text replaced in the program and in what is expected of it."""
    loaded = load(MATRIX.replace("    raises: ${op}\n", "    raises: RuntimeError\n"))
    assert loaded.problems == ()
    assert [scenario.id for scenario in loaded.scenarios] == [
        "values[sin-float32-one]",
        "values[sin-double-one]",
        "values[cos-float32-one]",
        "values[cos-double-one]",
    ]
    step = loaded.scenarios[3].steps[0]
    assert step.run == "y = torch.ones(1).to(torch.float64).cos()"
    assert step.own.message == "no cos for float64"
    assert step.own.expect == (("y.cos()", [1.0, -0.0]), ("repr(y)", ["cos", "float64", 0.001]))
    assert step.claimed is not None
    assert step.claimed.message == "cos!"


def test_matrix_value_stays_text_where_it_is_quoted() -> None:
    """`${v}` is what the value means, "${v}" its text."""
    keys = 'run: "${v}", expect: {str(1): ${v}, str(2): "${v}"}'
    loaded = load(f"scenarios:\n  - {{id: a, title: t, matrix: {{v: [1, None]}}, {keys}}}")
    assert loaded.problems == ()
    values = [[value for _, value in scenario.steps[0].own.expect] for scenario in loaded.scenarios]
    assert values == [[1, "1"], [None, "None"]]


def test_position_of_a_replaced_program() -> None:
    """Columns are those of the file, however long the value is."""
    head = "scenarios:\n  - id: a\n    title: t\n    matrix: {op: [sin, logsumexp]}\n    run: |\n"
    loaded = load(f"{head}      x = torch.ones(2)\n      x.${{op}}(0) + x.${{op}}(0); x.grd\n")
    assert {(str(p.position), p.message) for p in loaded.problems} == {
        ("my.yaml:7:34", "the attribute `.grd` is not in the vocabulary")
    }


@pytest.mark.parametrize("header", ["|", "|-", "|2", "|  # a program"])
def test_position_below_every_block_header(header: str) -> None:
    """A header, a comment or empty lines above do not shift positions."""
    loaded = load(f"scenarios:\n- id: a\n  title: t\n  run: {header}\n\n    x = torch.ones(2)\n\n    x.grd\n")
    assert [str(problem.position) for problem in loaded.problems] == ["my.yaml:8:7"]


def test_areas() -> None:
    """The folder below specs, or the file's name."""
    assert area_of(Path("/somewhere/specs/leaf/four_kinds.yaml")) == "leaf"
    assert area_of(Path("/venv/conformance/_specs/leaf/deep/four_kinds.yaml")) == "leaf/deep"
    assert area_of(Path("/somewhere/specs/four_kinds.yaml")) == "four_kinds"
    assert area_of(Path("/home/my.yaml")) == "my"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (STEPS, True),
        ("# comment\nscenarios:\n", True),
        ('"scenarios": []', True),
        ('{"topic": "T", "scenarios": []}', True),
        ("jobs:\n  scenarios: []\n", False),
        ("documents: {}\n", False),
        ("scenarios_of_mine: []\n", False),
        ("", False),
    ],
)
def test_is_scenario_file(tmp_path: Path, content: str, expected: bool) -> None:
    """YAML with a top-level key `scenarios`, told without loading it."""
    path = tmp_path / "file.yaml"
    path.write_text(content)
    assert is_scenario_file(path) is expected


def test_is_scenario_file_by_name(tmp_path: Path) -> None:
    """Other suffixes are not for us, a missing file is none."""
    (tmp_path / "file.txt").write_text(STEPS)
    assert not is_scenario_file(tmp_path / "file.txt")
    assert not is_scenario_file(tmp_path / "absent.yaml")


def test_unreadable_files_are_problems(tmp_path: Path) -> None:
    """Absent, or not UTF-8."""
    absent = load_file(tmp_path / "absent.yaml")
    assert "cannot be read" in absent.problems[0].message
    (tmp_path / "latin.yaml").write_bytes(b"topic: T\nscenarios: caf\xe9\n")
    (problem,) = load_file(tmp_path / "latin.yaml").problems
    assert (problem.message, problem.position.line) == ("is not UTF-8", 2)


def test_windows_files(tmp_path: Path) -> None:
    """A byte-order mark and CRLF are read as what they are."""
    path = tmp_path / "my.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + STEPS.replace("\n", "\r\n").encode())
    loaded = load_file(path)
    assert loaded.problems == ()
    assert loaded.scenarios[0].steps == tuple(
        type(step)(step.run, Position(str(path), *_place(step.position)), step.own, step.claimed)
        for step in only(STEPS).steps
    )


def _place(position: Position) -> tuple[int, int]:
    return position.line, position.column


@settings(max_examples=300)
@given(data=st.data())
def test_no_text_raises(data: st.DataObject) -> None:
    """Any edit of a file gives scenarios and problems, never an error."""
    text = data.draw(st.sampled_from([STEPS, MATRIX]))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 12)))
        pieces = [
            "",
            "  ",
            "\n",
            ":",
            "- ",
            "[",
            "{",
            "}",
            "'",
            '"',
            "|",
            "&a ",
            "*a",
            "!!x ",
            "${op}",
            "\t",
            "é",
            "#",
        ]
        text = text[:start] + data.draw(st.sampled_from(pieces)) + text[end:]
    loaded = load_text(text, "any.yaml")
    for problem in loaded.problems:
        assert 1 <= problem.position.line <= text.count("\n") + 2
        assert problem.message


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ("expect: {a: [1.0, 2.0}", (5, 17), "`[` is not closed"),
        ("expect:\n      a: [1.0,\n    tier: core", (6, 10), "`[` is not closed"),
        ("matrix: {x: [1, 2]\n    needs: []", (5, 13), "`{` is not closed"),
        ("expect: [a, {b: c]", (5, 17), "`{` is not closed"),
        ("warns: [a, b\n  - id: other\n    title: t\n    run: |\n      b = 1", (5, 12), "`[` is not closed"),
        ("raises: ]", (5, 13), "`]` closes no bracket"),
        ("tolerance: {rtol: true, atol: 0, reason: r}", (5, 23), "`rtol` must be a number, not true"),
        (
            f"tolerance: {{rtol: {'9' * 401}, atol: 0, reason: r}}",
            (5, 23),
            "`rtol` must be a number, not `9999",
        ),
        (f"expect: {{a: {'9' * 5000}}}", (5, 17), "has more than 4300 digits"),
        (f"expect: {{a: {'9' * 401}.5}}", (5, 17), "is out of the range of float"),
        ("expect: {a: 1e999}", (5, 17), "`1e999` is out of the range of float; write inf"),
    ],
)
def test_a_mistake_is_reported_where_it_begins(text: str, place: tuple[int, int], says: str) -> None:
    """A bracket where it opens, not where the rest of the file no longer fits; a number that is none."""
    (problem, *others) = load_text(
        f"scenarios:\n  - id: a\n    title: t\n    run: a = 1\n    {text}\n", "x.yaml"
    ).problems
    assert ((problem.position.line, problem.position.column), others) == (place, [])
    assert says in str(problem)


def test_an_integer_of_many_digits_is_compared_exactly() -> None:
    """One that no float holds equals itself, and no float."""
    from conformance.runner.values import Bounds, holds

    large, loose = 10**401, Bounds(0.1, 0.1)
    assert holds(large, large, loose) and not holds(large, large + 1, loose)
    for other in (1.5, float("inf"), 1j, float("nan")):
        assert not holds(large, other, loose) and not holds(other.real, large, loose)
