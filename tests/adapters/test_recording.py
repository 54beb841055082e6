"""Recordings replace torch where it is not installed, and report when they are out of date."""

from __future__ import annotations

import errno
import gzip
import hashlib
import json
import os
import signal
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.adapters.recording import NotARecordingError, NotRecordedError, read, write
from conformance.language.scenario import Scenario
from conformance.runner import checked_lines
from conformance.runner.execute import available, run
from conformance.runner.signals import Ended
from conformance.runner.trace import Trace
from tests.runner.make import scenario, torch_engine

MODEL = "a = torch.tensor([2.], requires_grad=True)\nb = a * a\nb.backward()"


@pytest.fixture(params=["torch.jsonl", "torch.jsonl.gz"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A recording of one scenario, compressed or not."""
    made = scenario(MODEL)
    file: Path = tmp_path / request.param
    assert write(file, torch_engine, [(made, run(made, torch_engine))], set()) == 1
    return file


def lines(path: Path) -> list[str]:
    """Of the file, whether it is compressed or not, without the checksum."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    return (text.split(',"checksum"')[0] + "}}").split("\n")


def rewrite(path: Path, *new: str) -> None:
    """Other lines in the file, with the checksum of their content; the last one is the footer."""
    written, content = checked_lines.nothing(path.suffix == ".gz"), b""
    for line in new[:-1]:
        data, written = written.then(f"{line}\n".encode())
        content += data
    path.write_bytes(content + written.ending(json.loads(new[-1])["footer"]))


def test_a_recording_says_where_it_comes_from(tmp_path: Path) -> None:
    """As results do; one of an earlier release says nothing."""
    made = scenario(MODEL)
    traces = [(made, run(made, torch_engine))]
    write(tmp_path / "new.jsonl", torch_engine, traces, set(), about={"date": "2026-01-02", "specs": "7"})
    write(tmp_path / "old.jsonl", torch_engine, traces, set())
    assert read(tmp_path / "new.jsonl").about == {"date": "2026-01-02", "specs": "7"}
    assert read(tmp_path / "old.jsonl").about == {}


def test_what_is_recorded_is_what_ran(path: Path) -> None:
    """The whole trace, and what the engine was."""
    made, found = scenario(MODEL), read(path)
    assert run(made, found) == run(made, torch_engine)
    assert (found.name, found.version, found.claims) == ("torch", torch_engine.version, torch_engine.claims)
    assert not available(found, "cuda")


def test_a_stale_trace_is_an_error(path: Path) -> None:
    """A trace of another program, one that was observed differently, and a missing one."""
    found = read(path)
    with pytest.raises(NotRecordedError, match="is stale, since its program has changed: record it again"):
        run(scenario(f"{MODEL}\nc = 1"), found)
    with pytest.raises(NotRecordedError, match="is stale"):
        run(scenario(MODEL), found, observe="end")
    with pytest.raises(NotRecordedError, match="has no trace of another"):
        run(replace(scenario(MODEL), id="another"), found)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda head, trace, foot: ("[]", trace, foot), "does not begin like a recording"),
        (lambda head, trace, foot: ("{}", trace, foot), "does not begin like a recording"),
        (lambda head, trace, foot: ('{"recording":null}', trace, foot), "does not begin like a recording"),
        (lambda head, trace, foot: ("[" * 99999, trace, foot), "does not begin like a recording"),
        (lambda head, trace, foot: (head, trace[:20], foot), "not JSON"),
        (lambda head, trace, foot: (head, "null\t{}", foot), "line 2 is not a trace"),
        (lambda head, trace, foot: (head, trace, trace, foot), "an-id is there twice"),
        (lambda head, trace, foot: (head, foot), "its footer does not fit its 0 traces"),
        (lambda head, trace, foot: (head, foot.replace("1", "0")), "it has no traces"),
        (
            lambda head, trace, foot: (head.replace('"format":2', '"format":0'), trace, foot),
            "has format 0, and",
        ),
        (lambda head, trace, foot: (head.replace('"engine":"', '"motor":"'), trace, foot), "`engine` of its"),
        (
            lambda head, trace, foot: (head.replace('"claims":[', '"claims":[3,'), trace, foot),
            "`claims` of its",
        ),
    ],
)
def test_what_is_no_recording_is_refused(
    path: Path, change: Callable[..., tuple[str, ...]], why: str
) -> None:
    """Foreign, doubled, empty, of another format: each with its reason, also where the checksum is right."""
    rewrite(path, *change(*lines(path)))
    with pytest.raises(NotARecordingError, match=why) as raised:
        read(path)
    assert "\n" not in str(raised.value)


def test_what_is_not_there_is_refused(path: Path) -> None:
    """A name without a file, and a folder."""
    for wrong in (path.with_name("absent"), path.parent):
        with pytest.raises(NotARecordingError, match="cannot be read"):
            read(wrong)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (old, new)
        for old in ('"step":0', '"line":1', '"kind":"run"', '"turn":[]', '"moments":[')
        for new in ("null", "[[]]", '"x"', "99", "true", "-1", "{}", "[" * 9999 + "]" * 9999)
        if (old, new) != ('"turn":[]', "{}")  # which Python reads as the same
    ],
    ids=lambda text: text[:20],
)
def test_a_trace_of_another_shape_is_refused_when_it_is_used(path: Path, old: str, new: str) -> None:
    """In one line, whatever is wrong with it."""
    head, trace, foot = lines(path)
    assert old in trace
    key = old.partition(":")[0]
    rewrite(path, head, trace.replace(old, f"{key}:{new}" + f",{key}s:[" * old.endswith(":["), 1), foot)
    with pytest.raises(NotRecordedError, match="has no valid trace of an-id: record it again"):
        run(scenario(MODEL), read(path))


def test_each_changed_byte_is_noticed(path: Path) -> None:
    """Wherever it is, and whatever it becomes; so is each end that is missing."""
    content = path.read_bytes()
    for place in range(len(content)):
        for changed in (
            content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :],
            content[:place],
        ):
            path.write_bytes(changed)
            with pytest.raises(NotARecordingError, match=r"^.*$"):
                read(path)


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    """What unpacks to much more than a recording does is not unpacked to its end."""
    path = tmp_path / "bomb.gz"
    content = b'{"recording":{"format":2,"engine":"e","version":"1","claims":[],"available":[]}}\n'
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    packed = packer.compress(content)
    for _ in range(80):
        packed += packer.compress(b"0" * (1 << 20))
    packed += packer.flush()
    path.write_bytes(packed + checked_lines._sealed(hashlib.sha256(packed)))
    with pytest.raises(NotARecordingError, match="not a compressed text of a plausible size"):
        read(path)


def test_a_recording_is_there_after_each_trace(path: Path) -> None:
    """What ends it leaves what it had, next to the old one, and says why."""
    old, part = path.read_bytes(), path.with_name(f"{path.name}.part")
    why = []

    def breaking() -> Iterator[tuple[Scenario, Trace]]:
        yield scenario(MODEL), run(scenario(MODEL), torch_engine)
        why.append(read(part).incomplete)  # as if it were killed here
        raise Ended(signal.SIGTERM)

    with pytest.raises(Ended) as raised:
        write(path, torch_engine, breaking(), set(), 7)
    assert why == ["1 of 7 traces: the run was killed"]
    assert path.read_bytes() == old
    found = read(part)
    assert found.incomplete == "1 of 7 traces: SIGTERM" and list(found.lines) == ["an-id"]
    assert raised.value.__notes__ == [f"{part} is incomplete: 1 of 7 traces: SIGTERM"]


def test_a_recording_without_traces_is_not_left(tmp_path: Path) -> None:
    """An error before the first one."""

    def breaking() -> Iterator[tuple[Scenario, Trace]]:
        raise KeyboardInterrupt
        yield

    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "torch.jsonl", torch_engine, breaking(), set())
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("room", range(400, 1800, 200))
def test_a_full_disk_leaves_what_there_is(path: Path, room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever the room ends, the file is one that can be read, and says that it is incomplete."""
    old, write_at = path.read_bytes(), os.pwrite

    def full(descriptor: int, data: bytes, at: int) -> int:
        if at >= room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write_at(descriptor, data[: room - at], at)

    monkeypatch.setattr(os, "pwrite", full)
    traces = [(made := replace(scenario(MODEL), id=f"n{n}"), run(made, torch_engine)) for n in range(60)]
    with pytest.raises(OSError, match="No space left on device"):
        write(path, torch_engine, traces, set(), 60)
    assert path.read_bytes() == old
    part = path.with_name(f"{path.name}.part")
    if part.exists():
        found = read(part)
        assert found.incomplete.startswith(f"{len(found.lines)} of 60 traces: ")
        assert part.stat().st_size <= room
    else:  # there was no room for the first one
        assert room < 1500
