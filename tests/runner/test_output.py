"""Outputs replace regular files only, and are whole: see Note [Outputs]."""

from __future__ import annotations

import os
import socket
import stat
import threading
from pathlib import Path

import pytest

from conformance.cli import main
from conformance.runner.output import check_writable, goes_beside, write_text, writing
from tests.runner.make import DOUBLED

pty = pytest.importorskip("pty")


def received(path: Path) -> tuple[threading.Thread, list[bytes]]:
    """A reader of a pipe, and what it has read when it has ended."""
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(path.read_bytes()), daemon=True)
    reader.start()
    return reader, found


def test_a_file_is_replaced_when_it_is_whole(tmp_path: Path) -> None:
    """An error while writing leaves the old file and no other; the mode is kept, and a link stays a link."""
    path, link = tmp_path / "a.json", tmp_path / "link.json"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    with pytest.raises(KeyError), writing(path) as file:
        file.write(b"ne")
        raise KeyError
    assert path.read_text() == "old"
    write_text(link, "new")
    assert path.read_text() == "new" and link.is_symlink() and stat.S_IMODE(path.stat().st_mode) == 0o640
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.json", "link.json"]


def test_a_pipe_stays_one(tmp_path: Path) -> None:
    """What is written arrives at its reader; checking it neither waits for the reader nor ends its reading."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    check_writable(path)
    reader, found = received(path)
    write_text(path, "all of it")
    reader.join(10)
    assert found == [b"all of it"] and stat.S_ISFIFO(path.stat().st_mode)


def test_a_terminal_stays_one() -> None:
    """A character device is written to."""
    ours, theirs = pty.openpty()
    try:
        path = Path(os.ttyname(theirs))
        before = path.stat()
        check_writable(path)
        write_text(path, "shown")
        assert os.read(ours, 100) == b"shown"
        assert (path.stat().st_ino, path.stat().st_rdev) == (before.st_ino, before.st_rdev)
    finally:
        os.close(ours)
        os.close(theirs)


def test_what_is_neither_is_refused(tmp_path: Path) -> None:
    """A folder and a socket, with one message; nothing becomes of them."""
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        with pytest.raises(OSError, match="not a regular file, a pipe or a character device"):
            write_text(path, "never")
    assert stat.S_ISSOCK(path.stat().st_mode)
    with pytest.raises(IsADirectoryError):
        goes_beside(tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["socket"]


def test_what_comes_in_between_is_kept(tmp_path: Path) -> None:
    """A pipe that is made while the output is written is not replaced."""
    path = tmp_path / "a.json"
    with pytest.raises(FileExistsError), writing(path) as file:
        file.write(b"lost")
        os.mkfifo(path)
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_the_commands_write_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A recording and a drawing arrive in a pipe; a folder is refused in one line."""
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_text(DOUBLED)
    path = tmp_path / "pipe"
    os.mkfifo(path)
    for arguments, begins in (
        (["record", "--engine", "inhouse", "--in", "mine.yaml", "-o", "pipe"], b'{"recording"'),
        (["graph", "mine.yaml::doubled", "--engine", "inhouse", "-o", "pipe"], b"<svg"),
    ):
        reader, found = received(path)
        assert main(arguments) == 0
        reader.join(10)
        assert found[0].startswith(begins) and stat.S_ISFIFO(path.stat().st_mode)
    capsys.readouterr()
    assert main(["record", "--engine", "inhouse", "--in", "mine.yaml", "-o", "."]) == 2
    assert capsys.readouterr().err == "conformance: .: Is a directory\n"


def test_reports_of_pytest_are_written_so(pytester: pytest.Pytester) -> None:
    """Each option writes to a pipe; a socket is refused before anything runs."""
    pytester.makefile(".yaml", mine=DOUBLED)
    for option, begins in (("--conformance-json", b"{"), ("--conformance-html", b"<!doctype html>")):
        path = pytester.path / f"pipe{option}"
        os.mkfifo(path)
        reader, found = received(path)
        result = pytester.runpytest_subprocess(f"{option}={path}", "mine.yaml", "-p", "no:cacheprovider")
        reader.join(10)
        assert result.ret == 0 and found[0].lower().startswith(begins) and stat.S_ISFIFO(path.stat().st_mode)
    place = pytester.path / "s"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(place))
        result = pytester.runpytest_subprocess(f"--conformance-json={place}", "mine.yaml")
    result.stderr.fnmatch_lines(
        ["ERROR: --conformance-json*not a regular file, a pipe or a character device"]
    )
