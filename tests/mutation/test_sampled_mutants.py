"""Faults made from source: which there are, where they are planted, and what becomes of them."""

from __future__ import annotations

import itertools
import json
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from conformance.adapters.recording import write
from conformance.adapters.registry import find
from conformance.check.library import Library
from conformance.cli import main
from conformance.mutation.changes import SourceChange, changes_of
from conformance.mutation.equivalents import RECORDS, load, stale
from conformance.mutation.planted import module_of
from conformance.mutation.reach import Reach, candidates
from conformance.mutation.score import report, score
from conformance.mutation.sources import CORE, NoSuchPathError, drawn, sources
from conformance.mutation.trial import Trial, _limit
from conformance.runner.execute import run
from conformance.runner.processes import ProcessDied, forked

ENGINE = '''"""An engine of one number."""
SIGN = -1
__version__ = "1"


class Tensor:
    shape, dtype, requires_grad, is_leaf, grad = (), "float32", False, True, None

    def __init__(self, data):
        self.data = data

    def tolist(self):
        return self.data

    def neg(self):
        return Tensor(self.data * SIGN)

    def log(self):
        raise RuntimeError("no log")


def tensor(data):
    return Tensor(data)


def attach():
    Tensor.relu = relu


def relu(self):
    if self.data < 0:
        return Tensor(0.0)
    return Tensor(self.data)


attach()
'''
SCENARIOS = """
scenarios:
  - id: relu-of-a-number
    title: relu of a positive number is the number
    tier: core
    run: |
      a = torch.tensor(2.0)
      b = a.relu()
  - id: neg-of-a-number
    title: neg changes the sign
    run: |
      a = torch.tensor(2.0)
      b = a.neg()
"""


def kinds(source: str, **options: bool) -> list[tuple[str, str, str]]:
    """The changes of a module."""
    found = changes_of(source.encode(), "m.py", **options)
    return [(each.kind, each.was, each.becomes) for each in found]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a < b", [("comparison", "a < b", "(a <= b)"), ("comparison", "a < b", "(a >= b)")]),
        ("a is b", [("comparison", "a is b", "(a is not b)")]),
        ("a or b", [("and/or", "a or b", "(a and b)")]),
        ("True", [("constant", "True", "False")]),
        ("1.5", [("constant", "1.5", "2.5")]),
        ("-a", [("sign", "-a", "(a)")]),
        ("a + b", [("sign", "a + b", "(a - b)")]),
        ("a + 'b'", []),
        ("f(a)", []),
        ("f(a, b)", [("arguments exchanged", "a, b", "b, a"), ("argument left out", ", b", "")]),
        ("max(a, b)", [("argument left out", ", b", "")]),
        ("np.logaddexp(a, b)", [("argument left out", ", b", "")]),
        ("zip(a, *b, strict=True)", []),
        ("warn(a, stacklevel=2)", []),
        ("zip(a, *b, strict=False)", [("constant", "False", "True")]),
        ("a.astype(b, copy=False)", []),
        ("a.to(b, copy=False)", [("argument left out", ", copy=False", ""), ("constant", "False", "True")]),
        ("f(a=b)", [("argument left out", "a=b", "")]),
        ("isinstance(a, b)", []),
        ("cast('int', a)", []),
    ],
)
def test_changes_of_an_expression(source: str, expected: list[tuple[str, str, str]]) -> None:
    """Each expression has the changes of its kind; what only a type checker reads has none."""
    assert kinds(f"x = {source}") == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a[:b]", [("index", "a[:b]", "(a[:])")]),
        ("a[1]", [("constant", "1", "0"), ("constant", "1", "2")]),
        ("'is' if a else b", [("condition fixed", "a", "False"), ("condition fixed", "a", "True"),
                              ("condition negated", "a", "(not (a))")]),
    ],
)  # fmt: skip
def test_changes_of_an_index_and_a_condition(source: str, expected: list[tuple[str, str, str]]) -> None:
    """An index moves by one, a bound of a slice goes, a condition is negated or fixed."""
    assert sorted(kinds(f"x = {source}")) == expected


def test_changes_of_statements() -> None:
    """Statements without a name of their own can be left out; docstrings and types are not code."""
    source = '''
def f(a: int = int("1" or "2")) -> "a < b":
    """Docstring."""
    x: "a or b" = a
    a.b = x
    f(x)
    if TYPE_CHECKING:
        f(1, 2)
    raise x
'''
    left_out = [was for kind, was, _ in kinds(source) if kind == "statement left out"]
    assert left_out == ["a.b = x", "f(x)", "raise x"]
    assert {was for _, was, _ in kinds(source)} == {*left_out, '"1" or "2"'}


def test_templates() -> None:
    """The words of texts that are code are changed, but not what is filled in."""
    source = 'def f(a):\n    """a is b"""\n    return [f"if {a is b} is not None:", "a word in a text"]\n'
    found = kinds(source, templates=True)
    assert [(was, becomes) for kind, was, becomes in found if kind == "template"] == [
        ("if", "if not"),
        ("is not", "is"),
        ("None", "True"),
    ]
    assert not kinds(source)


def test_where_a_change_is() -> None:
    """Its lines, its statement or definition, and whether it runs when the module is imported."""
    source = "@op(self=lambda grad: -grad,\n    n=1)\ndef f(a):\n    return g(\n        a + 2)\n"
    found = {(each.was): each for each in changes_of(source.encode(), "m.py")}
    assert (found["1"].lines, found["1"].around, found["1"].runs_at_import) == ((2, 2), (1, 5), True)
    assert (found["-grad"].around, found["-grad"].runs_at_import) == ((1, 1), False)
    assert (found["2"].lines, found["2"].around, found["2"].within) == ((5, 5), (4, 5), "f")


def test_core_has_all_kinds() -> None:
    """The default paths exist, and each gives changes that are applied at their place."""
    of = sources(["_autograd/hooks.py", "_aten/codegen/node.py"], "inhouse")
    changes = [each for file in of.files for each in of.changes(file)]
    assert len({each.kind for each in changes}) == 11
    for change in drawn(changes, 20, 1, of):
        assert change.applied_to(of.read(change.file)) != of.read(change.file)
    assert drawn(changes, 20, 1, of) == drawn(changes, 20, 1, of) != drawn(changes, 20, 2, of)
    assert len(sources([], "inhouse").files) >= len(CORE)


def test_records() -> None:
    """The shipped records are valid, fit the source, and have reasons."""
    records, problems = load(RECORDS)
    assert problems == []
    of = sources([], "inhouse")
    changes = [each for file in sorted({record.file for record in records}) for each in of.changes(file)]
    assert [str(each) for each in stale(records, changes)] == []


def test_stale_and_invalid_records(tmp_path: Path) -> None:
    """A record covers the changes that it names; one that covers none is reported with its place."""
    file = tmp_path / "records.yaml"
    file.write_text(
        "equivalent:\n"
        "  - {file: m.py, was: a  <  b, becomes: [(a <= b)], reason: never equal}\n"
        "  - {file: m.py, within: g, was: a < b, reason: never called}\n"
    )
    records, problems = load(file)
    changes = changes_of(b"def f(a, b):\n    return a < b\n", "m.py")
    assert problems == []
    assert [records[0].covers(each) for each in changes] == [True, False]
    (found,) = stale(records, changes)
    assert (found.position.line, found.position.column) == (3, 5)
    assert "no change of m.py has `a < b` replaced" in str(found)
    file.write_text("equivalent:\n  - {file: m.py, was: a < b}\n")
    assert "reason" in str(load(file)[1][0])


_numbers = itertools.count()


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Runs the command for a small engine and two scenarios; a module of its own for each test."""
    name = f"one_number_{next(_numbers)}"
    (tmp_path / f"{name}.py").write_text(ENGINE)
    specs = tmp_path / "specs.yaml"
    specs.write_text(SCENARIOS)
    monkeypatch.syspath_prepend(str(tmp_path))
    scenarios = Library().load_all([specs]).scenarios
    ((_, recorded),) = forked([partial(_record, name, tmp_path / "reference.jsonl", scenarios)], 1)
    assert recorded == 2

    def mutants(*arguments: str, sample: str = "8") -> int:
        return main(
            ["mutants", "--engine", name, "--paths", f"{name}.py", "--in", str(specs), "--sample", sample,
             "--reference", str(tmp_path / "reference.jsonl"), "--processes", "2", *arguments]
        )  # fmt: skip

    return mutants


def _record(name: str, path: Path, scenarios: tuple[object, ...]) -> int:
    found = find(name)
    return write(path, found, ((each, run(each, found)) for each in scenarios), set())  # type: ignore[misc, arg-type]


def test_a_sample(engine: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    """What a scenario runs is caught, by the first that runs it; what none runs survives, and is shown as a diff."""
    assert engine("--format", "json", sample="100") == 1
    faults = {(each["was"], each["becomes"]): each for each in json.loads(capsys.readouterr().out)["faults"]}
    assert faults["self.data < 0", "(self.data >= 0)"]["killer"] == "relu-of-a-number"
    assert faults["-1", "(1)"]["killer"] == "neg-of-a-number"
    assert faults["Tensor.relu = relu", "pass"]["killer"] == "relu-of-a-number"  # runs while it is imported
    assert faults["self.data * SIGN", "(self.data / SIGN)"]["outcome"] == "survived"  # a number divided by -1
    unseen = faults['raise RuntimeError("no log")', "pass"]
    assert (unseen["outcome"], unseen["reached_by"], unseen["ran"]) == ("survived", 0, 0)
    assert unseen["diff"][4:6] == ['-        raise RuntimeError("no log")', "+        pass"]


def test_a_tier_and_a_limit(engine: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    """With tier core, only its scenario has a say; a lower score may be enough."""
    assert engine("--tier", "core", "--at-least", "10") == 0
    assert " faults are caught" in capsys.readouterr().out.splitlines()[-1]
    assert engine("--tier", "core", "--at-least", "99.5") == 1


def test_a_scenario_that_ends_the_process_is_left_out(
    engine: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It costs the others nothing, is named, and counts for no fault."""
    (module,) = tmp_path.glob("one_number_*.py")
    module.write_text(
        module.read_text().replace("return Tensor(self.data * SIGN)", "__import__('os')._exit(3)")
    )
    assert engine("--format", "json", sample="100") == 1
    shown = capsys.readouterr()
    assert "they end the process of the unchanged engine: neg-of-a-number" in shown.err
    assert {each["killer"] for each in json.loads(shown.out)["faults"]} == {"", "relu-of-a-number"}
    module.write_text(f"__import__('os')._exit(4)\n{module.read_text()}")
    assert engine() == 2
    assert "cannot be imported: the process died with exit code 4" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--paths", "nowhere.py"], "nowhere.py is neither a file or folder"),
        (["--engine", "micrograd"], "which files of micrograd shall be changed?"),
        (["--equivalent", "nowhere.yaml"], "nowhere.yaml"),
        (["--reference", "nowhere.jsonl"], "nowhere.jsonl"),
    ],
)
def test_misuse(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """What is wrong is said in one message."""
    (tmp_path / "specs.yaml").write_text(SCENARIOS)
    given = ["mutants", "--sample", "1", "--paths", "_autograd/hooks.py", "--in", str(tmp_path), *arguments]
    if "--engine" in arguments:
        given = [each for each in given if each not in ("--paths", "_autograd/hooks.py")]
    assert main(given) == 2
    assert message in capsys.readouterr().err


def test_most_likely_cases_come_first() -> None:
    """Those that run the change, then its definition; at import those that name it, run its file, and the others."""
    change = SourceChange("m.py", "argument", 0, "a", "b", (2, 2), (1, 9), "_total_all", runs_at_import=True)
    lines = {"others": 0, "file": 1 << 30, "names": 1 << 31, "around": 1 << 5, "exact": 1 << 2}
    visits = {name: Reach((), {"m.py": bits} if bits else {}) for name, bits in lines.items()}
    programs = dict.fromkeys(lines, "x.prod()") | {"names": "x.total()"}
    found, reached = candidates(change, visits, {}, programs)
    assert (found, reached) == (["exact", "around", "names", "file", "others"], 1)
    found, _ = candidates(replace(change, runs_at_import=False), visits, {}, programs)
    assert found == ["exact", "around"]


def test_module_of(tmp_path: Path) -> None:
    """The module of a file is found from the folders that are packages."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    for folder in ("a", "a/b"):
        (tmp_path / folder / "__init__.py").touch()
    assert module_of(tmp_path / "a/b/c.py") == "a.b.c"
    assert module_of(tmp_path / "a/b/__init__.py") == "a.b"


def test_score() -> None:
    """Equivalent faults and those that break the import are not counted."""
    change = SourceChange("m.py", "constant", 0, "1", "2", (1, 1), (1, 1), "f", runs_at_import=False)
    found = [
        Trial(change, killer="a"),
        Trial(change),
        Trial(change, broken="SyntaxError"),
        Trial(change, equivalent="so"),
    ]
    assert score(found) == (
        "50.0 %: 1 of 2 faults are caught; not counted: 1 recorded as equivalent, 1 broke the import"
    )
    lines = list(report(found, lambda file: b"1\n"))
    assert lines[0] == f"m.py  {score(found)}"
    assert lines[2] == "Survivor 1: constant in f; 0 scenarios run it, 0 were run"
    assert lines[-1] == score(found)


def test_no_such_path() -> None:
    """An engine other than the suite's has no default paths."""
    with pytest.raises(NoSuchPathError, match="--paths"):
        sources([], "other")


def _compute(seconds: float, times: int) -> int:
    """Compute for some seconds, several times, each time with a limit of one second."""
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    for _ in range(times):
        _limit(1)
        end = time.process_time() + seconds
        while time.process_time() < end:
            pass
    return times


def test_the_limit_of_processor_time_is_that_of_each_case() -> None:
    """So many cases that see nothing do not look like one that never ends."""
    results = dict(forked([partial(_compute, 0.6, 3), partial(_compute, 30, 1)], 2))
    assert results[0] == 3
    assert isinstance(results[1], ProcessDied)
