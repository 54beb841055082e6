"""README shows what really happens: its examples are run, its table is the claims' own."""

from __future__ import annotations

import argparse
import re
from collections import Counter
from pathlib import Path
from typing import get_args

import pytest

import conformance.adapters.inhouse
import conformance.adapters.torch  # noqa: F401 - before anything takes modules away again
from conformance.check import locate
from conformance.cli import main, parser
from conformance.language.claims import ClaimVerdict, load_claims
from conformance.pytest_plugin import pytest_addoption

README = (Path(__file__).parent.parent / "README.md").read_text()
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
FILES = {text[2:].partition("\n")[0]: text for _, text in BLOCKS if text.startswith("# ")}
CONSOLE = [text.splitlines() for kind, text in BLOCKS if kind == "console"]


@pytest.fixture
def files(pytester: pytest.Pytester) -> None:
    """The files that README shows, in an empty folder."""
    for name, text in FILES.items():
        (pytester.path / name).write_text(text)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("lines", CONSOLE, ids=lambda lines: lines[0])
def test_what_the_console_shows(
    pytester: pytest.Pytester,
    lines: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each line of the output that README shows, in that order."""
    program, *arguments = lines[0].removeprefix("$ ").split()
    if program == "conformance":
        monkeypatch.setenv("COLUMNS", "110")
        main(arguments)
        output = capsys.readouterr().out
    else:
        assert program == "pytest"
        output = pytester.runpytest(*arguments).stdout.str()
    assert _plain("\n".join(lines[1:])) in _plain(output)


@pytest.mark.usefixtures("files")
def test_the_adapter(pytester: pytest.Pytester) -> None:
    """The engine of scalars is graded in what it claims, and its class is as short as README says."""
    square = "a = torch.tensor([3.], requires_grad=True); b = a * a; b.backward()"
    runs = {"square": square, "retain": f"{square}; b.retain_grad()", "two": "a = torch.tensor([1., 2.])"}
    scenarios = [f"  - {{id: {name}, title: a square, run: '{run}'}}" for name, run in runs.items()]
    (pytester.path / "squares.yaml").write_text("\n".join(["scenarios:", *scenarios]))
    result = pytester.runpytest("squares.yaml", "--engine", "scalars_adapter:ValueEngine")
    assert result.parseoutcomes() == {"passed": 1, "unsupported": 2}
    result.stdout.fnmatch_lines(
        ["scalars 0.1*: 1 agree, 2 not supported", "*missing: Tensor.retain_grad (1)*"]
    )
    assert result.ret == 0
    constant = (
        "{id: constant, title: a square, run: 'b = torch.tensor([3.]); b.backward()', raises: RuntimeError}"
    )
    (pytester.path / "constant.yaml").write_text(f"scenarios:\n  - {constant}")
    result = pytester.runpytest("constant.yaml", "--engine", "scalars_adapter:ValueEngine")
    result.stdout.fnmatch_lines(
        [
            "scalars raises nothing, torch raises RuntimeError*",
            "    from scalars_adapter import ValueEngine; torch = ValueEngine().torch",
            "  scenarios without a difference: values *%, errors 0%",
        ]
    )
    assert len(FILES["scalars_adapter.py"].splitlines()) <= 20


def test_the_examples_of_the_language(pytester: pytest.Pytester) -> None:
    """What specs/README.md shows of scenarios and claims is as torch does."""
    page = (locate.specs() / "README.md").read_text()
    first, claims, clone = re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    one, two = pytester.mkdir("one"), pytester.mkdir("two")
    (one / "first.yaml").write_text(first)
    (two / "claims.yaml").write_text(claims)
    (two / "clone.yaml").write_text(clone)
    result = pytester.runpytest("one", "two")
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["  my-blog/a-clone-is-a-leaf  A clone of a leaf is a leaf."])


def test_the_table_of_claims() -> None:
    """The numbers in README's table are those of claims.yaml."""
    claims = load_claims(locate.specs() / locate.CLAIMS)
    counts = Counter((claim.document, claim.verdict) for claim in claims.claims)
    table = next(text for kind, text in BLOCKS if not kind and "confirmed" in text).splitlines()
    for line, document in zip(table[1:-1], claims.documents.values(), strict=True):
        assert document.title.startswith(line[2:20])
        numbers = [int(number) for number in re.findall(r"\d+", line[51:])]
        assert numbers == [
            counts[document.key, verdict] for verdict in _VERDICTS if counts[document.key, verdict]
        ]
    assert [int(number) for number in table[-1].split()[1:-1]] == [
        sum(claim.verdict == verdict for claim in claims.claims) for verdict in _VERDICTS
    ]


def test_every_command_and_option_is_named() -> None:
    """With the words that `--help` has for it."""
    commands, plugin = _choices(parser()), pytest.Parser(_ispytest=True)
    pytest_addoption(plugin)
    options = {
        name: option.attrs()["help"]
        for option in plugin.getgroup("conformance").options
        for name in option.names()
    }
    rows = dict(
        re.findall(r"^\| `([\w-]+(?: \w+)?)[^|]*` \| (.*?) \|$", README.replace(r"\|", "/"), re.MULTILINE)
    )
    assert rows == {f"conformance {name}": text for name, text in commands.items()} | options


def _plain(text: str) -> str:
    """Without the build of torch, and the width that its name gives to a column."""
    return re.sub(" +", " ", re.sub(r"2\.13\.0\+\w+", "2.13.0", text))


def _choices(parser: argparse.ArgumentParser) -> dict[str, str]:
    (action,) = (each for each in parser._actions if isinstance(each, argparse._SubParsersAction))
    return {each.dest: each.help or "" for each in action._choices_actions}


_VERDICTS = get_args(ClaimVerdict)
