"""The Markdown files show what really happens: their examples are run, their commands and links exist."""

from __future__ import annotations

import argparse
import re
import shlex
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import NamedTuple, get_args

import pytest

import conformance
import conformance.adapters.inhouse
import conformance.adapters.torch  # before anything takes modules away again
from conformance.adapters.registry import find
from conformance.check import locate
from conformance.cli import main, parser
from conformance.commands import documenting
from conformance.language.claims import ClaimVerdict, load_claims
from conformance.language.divergences import load_divergences_text
from conformance.pytest_plugin import pytest_addoption
from conformance.runner.engine import terms_of

ROOT = Path(conformance.__file__).parent.parent


class Page(NamedTuple):
    """A Markdown file: its name, its text, and its fenced blocks with their languages."""

    name: str
    text: str
    blocks: list[tuple[str, str]]

    @property
    def files(self) -> dict[str, str]:
        """The files that it shows: blocks that begin with a comment that is a file name."""
        return {
            text[2:].partition("\n")[0]: text
            for kind, text in self.blocks
            if kind in ("python", "yaml") and re.match(r"# [\w.]+\.(py|yaml)\n", text)
        }


def page(path: Path) -> Page:
    """A Markdown file, read."""
    text = path.read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return Page(path.relative_to(ROOT).as_posix(), text, blocks)


_OTHERS = sorted((ROOT / "conformance" / "adapters").glob("[a-z]*.md"))  # of devices and compilers
PAGES = [page(path) for path in (*documenting.files(), *_OTHERS)]
MAIN = next(each for each in PAGES if each.name == "README.md")
CONSOLE = [
    pytest.param(each, text.splitlines(), id=f"{each.name}: {text.partition(chr(10))[0]}")
    for each in PAGES
    for kind, text in each.blocks
    if kind == "console"
]
SHELL = [
    pytest.param(line, id=line)
    for each in PAGES
    for kind, text in each.blocks
    if kind == "sh"
    for line in text.replace("\\\n", " ").splitlines()
    if line.startswith(("conformance ", "pytest "))
]


def write(folder: Path, shown: Page) -> None:
    """The files of the main page, and those of the page, in an empty folder."""
    for name, text in (MAIN.files | shown.files).items():
        (folder / name).write_text(text)


@pytest.mark.parametrize(("shown", "lines"), CONSOLE)
def test_console(
    pytester: pytest.Pytester,
    shown: Page,
    lines: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each line of the output that a page shows, in that order."""
    write(pytester.path, shown)
    program, *arguments = lines[0].removeprefix("$ ").split()
    if program == "conformance":
        monkeypatch.setenv("COLUMNS", "110")
        main(arguments)
        output = capsys.readouterr().out
    else:
        assert program == "pytest"
        output = pytester.runpytest(*arguments).stdout.str()
    assert _plain("\n".join(lines[1:])).rstrip() in _plain(output)


@pytest.mark.parametrize("line", SHELL)
def test_shell_commands_exist(line: str) -> None:
    """Commands parse, and options of pytest exist."""
    program, *arguments = shlex.split(line.partition(" | ")[0].partition(" > ")[0], comments=True)
    if program == "conformance":
        known, others = parser().parse_known_args(arguments)
        assert known.command and not others
    else:
        options = {"-k", "-q", "-n", "-v", "--collect-only", *_plugin_options()}
        assert {each for each in arguments if each.startswith("-")} <= options
        paths = [each for each in arguments if each.startswith(("specs", "tests"))]
        shown = {
            name for each in PAGES for kind, text in each.blocks for name in re.findall(r"^# (\S+)\n", text)
        }
        assert [each for each in paths if not (ROOT / each).exists() and each not in shown] == []


def test_the_yaml_that_pages_show(pytester: pytest.Pytester) -> None:
    """Scenarios agree, and the page of the specs shows a claim that torch refutes."""
    specs = next(each for each in PAGES if each.name == "specs/README.md")
    write(pytester.path, specs)
    result = pytester.runpytest("first.yaml", "matrix.yaml", "clone.yaml")
    result.assert_outcomes(passed=6)
    result.stdout.fnmatch_lines(["  my-blog/a-clone-is-a-leaf  A clone of a leaf is a leaf."])


def test_the_adapter(pytester: pytest.Pytester) -> None:
    """The engine of scalars is graded in what it claims, and its class is as short as the page says."""
    adapters = next(each for each in PAGES if each.name == "conformance/adapters/README.md")
    write(pytester.path, adapters)
    square = "a = torch.tensor([3.], requires_grad=True); b = a * a; b.backward()"
    runs = {"square": square, "retain": f"{square}; b.retain_grad()", "two": "a = torch.tensor([1., 2.])"}
    scenarios = [f"  - {{id: {name}, title: a square, run: '{run}'}}" for name, run in runs.items()]
    (pytester.path / "squares.yaml").write_text("\n".join(["scenarios:", *scenarios]))
    result = pytester.runpytest("squares.yaml", "--engine", "scalars_adapter:ValueEngine")
    assert result.parseoutcomes() == {"passed": 1, "unsupported": 2}
    result.stdout.fnmatch_lines(["scalars 0.1*: 1 agree, 2 unsupported", "*missing: Tensor.retain_grad (1)*"])
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
    assert len(adapters.files["scalars_adapter.py"].splitlines()) <= 20


def test_the_divergence_file_that_a_page_shows() -> None:
    """It is valid, with entries of each form."""
    adapters = next(each for each in PAGES if each.name == "conformance/adapters/README.md")
    (text,) = (text for kind, text in adapters.blocks if kind == "yaml")
    declared = load_divergences_text(text, "scalars.yaml")
    assert (declared.problems, {each["kind"] for each in declared.entries}) == ((), {"by_design", "bug"})


def test_the_module_of_a_device_that_a_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, torch_npu: ModuleType
) -> None:
    """Its names are those that are read of it, its entries are valid, and its device gets them."""
    page = next(each for each in PAGES if each.name == "conformance/adapters/devices.md")
    write(tmp_path, page)
    monkeypatch.syspath_prepend(tmp_path)
    engine = find("torch-device:meta,npu_autograd")
    monkeypatch.delitem(sys.modules, "npu_autograd")
    assert Path(str(engine.divergences)) == tmp_path / "npu_autograd.yaml"  # type: ignore[attr-defined]
    assert dict(terms_of(engine).tolerances)["float32"] == (1e-4, 1e-5)
    assert "random" not in engine.claims
    declared = load_divergences_text((tmp_path / "npu_autograd.yaml").read_text(), "npu_autograd.yaml")
    assert (declared.problems, declared.of) == ((), "torch-device-npu")


@pytest.fixture
def torch_npu(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The package of a device that is not here."""
    module = ModuleType("torch_npu")
    monkeypatch.setitem(sys.modules, "torch_npu", module)
    return module


def test_the_findings() -> None:
    """What the main page calls refuted is; its program holds on torch; its numbers are those of the claims."""
    claims = load_claims(*locate.claims_files(locate.specs()))
    known = {claim.id: claim for claim in claims.claims}
    shown = re.findall(r"^\| (.*?) <sub>`(.*?)`</sub> \|", MAIN.text, re.MULTILINE)
    assert len(shown) == 3
    assert [(known[ident].says, known[ident].verdict) for _, ident in shown] == [
        (says, "refuted") for says, _ in shown
    ]
    (program,) = (
        text for kind, text in MAIN.blocks if kind == "python" and text.startswith("import torch\n")
    )
    exec(program, {})
    counts = Counter(claim.verdict for claim in claims.claims)
    found = re.search(
        r"make (\d+) claims .*? confirms (\d+) .*? refutes (\d+), (\d+) hold .*? (\d+) were",
        MAIN.text,
        re.DOTALL,
    )
    assert found
    assert [*map(int, found.groups())] == [
        counts.total(),
        *(counts[verdict] for verdict in get_args(ClaimVerdict)),
    ]


def test_the_main_page_is_short() -> None:
    """At most 150 lines; what is described in detail has a page of its own."""
    assert len(MAIN.text.splitlines()) <= 150


def test_links_lead_somewhere() -> None:
    """Each link to a file of the repository, and to a heading of a page."""
    wrong = []
    for each in PAGES:
        text = re.sub(r"^```.*?^```$|`[^`\n]*`", "", each.text, flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            path, _, heading = target.partition("#")
            file = (ROOT / each.name).parent / path if path else ROOT / each.name
            if not target.startswith("http") and not (
                file.exists() and (not heading or heading in _headings(file))
            ):
                wrong.append(f"{each.name}: {target}")
    assert wrong == []


def test_pictures(capsys: pytest.CaptureFixture[str]) -> None:
    """They are small, and the drawing is what the command draws that stands above it."""
    images = ROOT / ".github" / "images"
    assert {path.name: path.stat().st_size < 150_000 for path in images.iterdir()} == {
        "graph.svg": True,
        "report.png": True,
    }
    report = next(each for each in PAGES if each.name == "conformance/report/README.md")
    (command,) = re.findall(r"`conformance (graph .*?)`:", report.text)
    assert main(command.split()) == 0
    assert capsys.readouterr().out.rstrip() == (images / "graph.svg").read_text().rstrip()


def test_every_command_and_option_is_named() -> None:
    """With the words that `--help` has for it."""
    rows = dict(
        re.findall(
            r"^\| `([\w-]+(?: \w+)?)[^|]*` \| (.*?) \|$",
            next(each for each in PAGES if each.name == "conformance/commands/README.md").text.replace(
                r"\|", "/"
            ),
            re.MULTILINE,
        )
    )
    commands = {f"conformance {name}": text for name, text in _choices(parser()).items()}
    assert rows == commands | _plugin_options()


def _plain(text: str) -> str:
    """Without the build of torch, and the width that its name gives to a column."""
    return re.sub(" +", " ", re.sub(r"2\.13\.0\+\w+", "2.13.0", text))


def _headings(file: Path) -> set[str]:
    """The anchors of a page's headings."""
    headings = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}


def _plugin_options() -> dict[str, str]:
    plugin = pytest.Parser(_ispytest=True)
    pytest_addoption(plugin)
    return {
        name: option.attrs()["help"]
        for option in plugin.getgroup("conformance").options
        for name in option.names()
    }


def _choices(parser: argparse.ArgumentParser) -> dict[str, str]:
    (action,) = (each for each in parser._actions if isinstance(each, argparse._SubParsersAction))
    return {each.dest: each.help or "" for each in action._choices_actions}
