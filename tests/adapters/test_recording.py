"""Recordings stand for torch where it is not installed, and tell when they are out of date."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.adapters.recording import NotARecordingError, NotRecordedError, read, write
from conformance.runner.execute import available, run
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
    """Of the file, whether it is compressed or not."""
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode().splitlines()


def rewrite(path: Path, *new: str) -> None:
    """Other lines in the file."""
    data = "".join(f"{line}\n" for line in new).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


def test_what_is_recorded_is_what_ran(path: Path) -> None:
    """The whole trace, and what the engine was."""
    made, found = scenario(MODEL), read(path)
    assert run(made, found) == run(made, torch_engine)
    assert (found.name, found.version, found.claims) == ("torch", torch_engine.version, torch_engine.claims)
    assert not available(found, "cuda")


def test_a_stale_trace_is_an_error(path: Path) -> None:
    """One of another program, or looked at otherwise; and one that there is not."""
    found = read(path)
    with pytest.raises(NotRecordedError, match="is stale, since its program has changed: record it again"):
        run(scenario(f"{MODEL}\nc = 1"), found)
    with pytest.raises(NotRecordedError, match="is stale"):
        run(scenario(MODEL), found, observe="end")
    with pytest.raises(NotRecordedError, match="has no trace of another"):
        run(replace(scenario(MODEL), id="another"), found)


def test_what_is_no_whole_recording_is_refused(path: Path) -> None:
    """Cut off, doubled, empty, of another format or of another kind: each with its reason."""
    header, trace, footer = lines(path)
    for content, why in (
        ((), "does not begin like a recording"),
        (("[]",), "does not begin like a recording"),
        ((header,), "was cut off after line 1"),
        ((header, trace), "was cut off after line 2"),
        ((header, trace[:20], footer), "is not a trace"),
        ((header, trace, trace, footer), "has another number of traces than its last line says"),
        (
            (header, trace, trace, footer.replace("1", "2")),
            "has another number of traces than its last line says",
        ),
        ((header, footer.replace("1", "0")), "has no traces"),
        ((header.replace('"format": 1', '"format": 0'), trace, footer), "has format 0, and this reads 1"),
    ):
        rewrite(path, *content)
        with pytest.raises(NotARecordingError, match=why):
            read(path)
    with pytest.raises(NotARecordingError, match="cannot be read"):
        read(path.with_name("absent"))


def test_a_recording_that_fails_leaves_no_file(tmp_path: Path) -> None:
    """It is there only once it is whole."""

    def breaking() -> object:
        yield scenario(MODEL), run(scenario(MODEL), torch_engine)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "torch.jsonl", torch_engine, breaking(), set())  # type: ignore[arg-type]
    assert not (tmp_path / "torch.jsonl").exists()
