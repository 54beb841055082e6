"""Foreign and damaged files, given to every command that reads one: one line and status 2, never a traceback.

The corpus is made from valid files by seeded mutations: bytes that are changed, cut, repeated or exchanged; JSON values
that are replaced, where the checksum is wrong and where it is right; and files that are nothing of the kind.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import conformance.adapters.torch  # noqa: F401 - before anything takes modules away again
from conformance.cli import main
from conformance.report.jsonlines import Writer
from conformance.report.result import Result
from conformance.runner.output import Output

SCENARIO = """\
scenarios:
  - id: squares
    title: backward fills the leaf's grad
    run: |
      a = torch.tensor([3.], requires_grad=True)
      b = a * a
      b.backward()
"""
VALUES: list[object] = [None, True, -1, 10**400, 1.5, "", "\ud800", "x", [], [[]], {}, {"x": None}, "[deep]"]
CUT = ',"checksum":"'


@pytest.fixture(scope="module")
def valid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a scenario, a report, recordings, and results of the fuzzer."""
    folder: Path = tmp_path_factory.mktemp("valid")
    (folder / "mine.yaml").write_text(SCENARIO)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name in ("r.rec", "r.rec.gz"):
            assert main(["record", "--engine", "inhouse", "--in", "mine.yaml", "-o", name]) == 0
        output = Output(Path("r.jsonl"))
        writer = Writer(output, 1)
        writer.add(
            Result(
                "squares", "a title", "mine", "mine.yaml", 2, "torch 2", "inhouse", "1", "agrees", tier="core"
            )
        )
        writer.end(0)
        output.finish()
        assert main(["fuzz", "--examples", "1", "--results", "r.fuzz"]) == 0
    return folder


COMMANDS = {
    "r.jsonl": [
        ["matrix", "FILE"],
        ["matrix", "FILE", "--format", "json"],
        ["diff", "FILE", "r.jsonl"],
        ["diff", "r.jsonl", "FILE"],
        ["join", "FILE", "-o", "joined.jsonl"],
        ["summary", "FILE"],
    ],
    "r.rec": [
        ["diff", "FILE", "r.rec", "--in", "mine.yaml"],
        ["diff", "r.rec", "FILE", "--in", "mine.yaml"],
        ["show", "mine.yaml", "--reference", "FILE"],
        ["engine", "inhouse", "--propose", "--reference", "FILE", "--in", "mine.yaml"],
    ],
    "r.rec.gz": [
        ["diff", "FILE", "FILE", "--in", "mine.yaml"],
        ["show", "mine.yaml", "--reference", "FILE"],
    ],
    "r.fuzz": [["fuzz", "--examples", "1", "--results", "FILE"]],
}


def broken(content: bytes, chance: random.Random) -> Iterator[bytes]:
    """Bytes that are changed, cut, repeated and exchanged."""
    for _ in range(12):
        place, length = chance.randrange(len(content)), chance.randrange(1, 40)
        yield content[:place] + bytes([content[place] ^ (1 << chance.randrange(8))]) + content[place + 1 :]
        yield content[:place]
        yield content[:place] + content[place + length :]
        yield content[:place] + content[place : place + length] * 2 + content[place + length :]
        yield content[:place] + chance.randbytes(length) + content[place:]
    lines = content.splitlines(keepends=True)
    yield b"".join(reversed(lines)) + b"\n"
    yield from (content * 2, content[1:], content + b"\n", content + b"\0", b"\xef\xbb\xbf" + content)


def paths(data: object, path: tuple[int | str, ...] = ()) -> Iterator[tuple[int | str, ...]]:
    """Every place in plain data."""
    yield path
    if isinstance(data, dict | list):
        for key in data if isinstance(data, dict) else range(len(data)):
            yield from paths(data[key], (*path, key))


def replaced(data: object, path: tuple[int | str, ...], value: object) -> object:
    """The data with another value at a place."""
    if not path:
        return value
    copy = data.copy() if isinstance(data, dict | list) else data
    copy[path[0]] = replaced(data[path[0]], path[1:], value)  # type: ignore[index]
    return copy


def reshaped(content: bytes, chance: random.Random) -> Iterator[bytes]:
    """JSON values that are replaced; each with the old checksum, and with the one of the new content."""
    text = content.decode()
    sealed = CUT in text
    lines = (text.partition(CUT)[0] + "}}" if sealed else text).split("\n")
    for number, line in enumerate(lines):
        keys = line.split("\t") if "\t" in line else [line]
        for column, part in enumerate(keys):
            places = [*paths(json.loads(part))]
            for place in chance.sample(places, min(len(places), 25)):
                value = chance.choice(VALUES)
                new = json.dumps(replaced(json.loads(part), place, value)).replace(
                    '"[deep]"', "[" * 20000 + "]" * 20000
                )
                changed = [*lines]
                changed[number] = "\t".join([*keys[:column], new, *keys[column + 1 :]])
                body = "\n".join(changed)
                if sealed and body.endswith("}}"):
                    body = body.removesuffix("}}") + CUT
                    right = hashlib.sha256(body.encode()).hexdigest()
                    yield f'{body}{right}"}}}}\n'.encode()
                else:
                    yield body.encode()


FOREIGN = [
    b"",
    b"\n",
    b"null",
    b"[]",
    b"{}",
    b'{"header":null}\n{"footer":null}\n',
    b'{"recording":null}\n{"traces":0}\n',
    b"[" * 100000,
    b'{"a":' * 100000,
    b"9" * 10000,
    b"\xff\xfe\x00",
    b"\x1f\x8b",
    gzip.compress(b""),
    gzip.compress(b"[" * 100000),
    gzip.compress(bytes(200 << 20), 1),
    b"PK\x03\x04",
    b"\0" * 5000,
    SCENARIO.encode(),
    "\u2028".encode() * 100,
]


def run(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """The exit status and what is printed; an error that is raised is a failure by itself."""
    try:
        status = main(arguments)
    except SystemExit as error:
        status = int(error.code or 0)
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def refused(name: str, contents: Iterator[bytes], folder: Path, capsys: pytest.CaptureFixture[str]) -> int:
    """Give the contents to the commands that read such a file; each is refused, or is as good as the valid one."""
    valid = {
        tuple(each): run([part.replace("FILE", name) for part in each], capsys) for each in COMMANDS[name]
    }
    count = 0
    for content in contents:
        path = folder / f"changed{Path(name).suffix}"
        path.write_bytes(content)
        for command in COMMANDS[name]:
            arguments = [part.replace("FILE", path.name) for part in command]
            status, out, err = run(arguments, capsys)
            told = [line for line in err.splitlines() if line]
            assert "Traceback" not in out + err
            if status == 2:
                assert len(told) == 1 and told[0].startswith("conformance: "), (content, err)
                assert len(told[0]) < 600
            else:  # another value of the same type
                assert status == valid[tuple(command)][0] or out or err, content
            count += 1
    return count


@pytest.fixture
def folder(valid: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the valid files, as the current folder."""
    shutil.copytree(valid, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", COMMANDS)
def test_each_damage_is_one_line(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Bytes that are changed: status 2, since the checksum is wrong."""
    content = (folder / name).read_bytes()
    for changed in broken(content, random.Random(name)):
        if changed == content:
            continue
        path = folder / f"changed{Path(name).suffix}"
        for command in COMMANDS[name]:
            path.write_bytes(changed)
            status, out, err = run([part.replace("FILE", path.name) for part in command], capsys)
            assert (status, out) == (2, ""), (command, changed)
            assert len(err.splitlines()) == 1 and err.startswith("conformance: "), err


@pytest.mark.parametrize("name", [name for name in COMMANDS if not name.endswith(".gz")])
def test_each_other_shape_is_one_line(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON values that are replaced, where the checksum is right too."""
    assert refused(name, reshaped((folder / name).read_bytes(), random.Random(name)), folder, capsys) > 10


@pytest.mark.parametrize("facet", ["dtype", "shape", "value", "grad_fn", "is_leaf", "edges"])
def test_a_state_without_a_facet_is_shown(
    facet: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a recording of an engine that has none would be."""
    body = re.sub(rf'"{facet}":("[^"]*"|[^,"}}]+),?', "", (folder / "r.rec").read_text().partition(CUT)[0])
    assert f'"{facet}"' not in body
    body = body.replace(",}", "}") + CUT
    Path("less.rec").write_text(f'{body}{hashlib.sha256(body.encode()).hexdigest()}"}}}}\n')
    for command in COMMANDS["r.rec"][:3]:
        status, _, err = run([part.replace("FILE", "less.rec") for part in command], capsys)
        assert status in (0, 1) and err == "", (command, err)


@pytest.mark.parametrize("name", COMMANDS)
def test_what_is_nothing_of_the_kind_is_one_line(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Foreign files, bombs, folders, devices, and names without a file."""
    path = folder / f"changed{Path(name).suffix}"
    os.mkfifo(folder / "pipe")
    (folder / "loop").symlink_to("loop")
    for content in [
        *FOREIGN,
        *((folder / other).read_bytes() for other in COMMANDS if other[:5] != name[:5]),
    ]:
        for command in COMMANDS[name]:
            path.write_bytes(content)
            status, out, err = run([part.replace("FILE", path.name) for part in command], capsys)
            assert (status, out) == (2, ""), (command, content[:100])
            assert len(err.splitlines()) == 1 and err.startswith("conformance: "), err
    for wrong in (
        "/",
        ".",
        "/dev/null",
        "/dev/zero",
        "pipe",
        "loop",
        "absent/absent",
        "x" * 300,
        "half-\udcff",
        "mine.yaml",
    ):
        for command in COMMANDS[name]:
            if command[0] != "fuzz" or wrong in ("/", ".", "/dev/zero", "mine.yaml"):
                status, out, err = run([part.replace("FILE", wrong) for part in command], capsys)
                assert (status, out) == (2, ""), (command, wrong)
                assert len(err.splitlines()) == 1 and err.startswith("conformance: "), err


def test_no_pages_are_written_into_the_root(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nor under the other names that it has."""
    Path("loop").symlink_to("loop")
    assert run(["site", "r.jsonl", "-o", "loop"], capsys)[0] == 2
    for root in ("/", "//", "/../", str(folder.anchor)):
        status, out, err = run(["site", "r.jsonl", "-o", root], capsys)
        assert (status, out) == (2, "") and err.startswith(f"conformance: {Path(root)} is the root")


@pytest.mark.parametrize("command", [["matrix"], ["lint"], ["diff", "r.rec"]], ids=lambda command: command[0])
def test_a_name_with_lines_stays_on_one(
    command: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As `a\\nb`."""
    Path("a\nb.yaml").write_text("scenarios: 1\n")
    _, out, err = run([*command, "a\nb.yaml"], capsys)
    assert "a\\nb.yaml" in out + err and "\nb.yaml" not in out + err


def test_what_is_written_to_a_pipe_is_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As a shell's `<(command)` gives it."""
    reading, writing = os.pipe()
    os.write(writing, (folder / "r.jsonl").read_bytes())
    os.close(writing)
    assert run(["matrix", f"/dev/fd/{reading}"], capsys)[0] == 0
    os.close(reading)


def test_a_page_of_an_engine_with_a_long_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its file has a name that systems allow."""
    lines = (folder / "r.jsonl").read_text().partition(CUT)[0].replace('"inhouse"', f'"{"x" * 300}"') + CUT
    Path("long.jsonl").write_text(f'{lines}{hashlib.sha256(lines.encode()).hexdigest()}"}}}}\n')
    assert run(["site", "long.jsonl", "-o", "pages"], capsys)[0] == 0
    assert (folder / "pages" / f"engine-{'x' * 60}.html").is_file()


WRITING = [
    ["record", "--engine", "inhouse", "--in", "mine.yaml", "-o", "FILE"],
    ["graph", "mine.yaml", "--line", "7", "-o", "FILE"],
    ["new", "snippet.py", "-o", "FILE"],
    ["fuzz", "--examples", "1", "--results", "FILE"],
]


@pytest.mark.parametrize("command", WRITING, ids=lambda command: command[0])
@pytest.mark.parametrize("path", ["/", ".", "", "no/folder", "mine.yaml/x", "x" * 300, "socket", "/proc/x"])
def test_an_output_that_cannot_be_written_is_one_line(
    command: list[str], path: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever stands in the way."""
    import socket

    (folder / "snippet.py").write_text("import torch\na = torch.ones(2)\n")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        status, _, err = run([part.replace("FILE", path) for part in command], capsys)
    told = [line for line in err.splitlines() if line.startswith("conformance: ")]
    assert status == 2 and len(told) == 1, err
    assert "Traceback" not in err


def test_a_full_output_is_one_line(folder: Path) -> None:
    """Printed tables too, where the file that they are printed to may not grow."""
    import resource
    import subprocess
    import sys

    def full() -> None:
        _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, most))

    with open("printed", "w") as printed:
        done = subprocess.run(
            [sys.executable, "-m", "conformance", "matrix", "r.jsonl"],
            stdout=printed,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            preexec_fn=full,
        )
    assert done.returncode == 2
    assert done.stderr == "conformance: standard output: File too large\n"
