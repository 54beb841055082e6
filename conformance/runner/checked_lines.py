"""JSON lines with a checksum, in a file that can be read after each line.

Note [Checked lines]: recordings and results are a header, one line for each entry, and a footer, which ends with the
SHA-256 of all before it. So a file that was cut off, or in which one byte was changed, is noticed. After each line the
footer is written too, and the next line overwrites it: until the run has reached its end it says that the file is
incomplete. So whatever ends the run (a signal, a full disk, a crash) leaves a file with all that it had. If the next
line finds no room, the footer before it still has its own.

A compressed file ends with a second member of gzip, which is empty and has the SHA-256 of the first one as its comment:
a changed byte may leave the text as it is, and is to be noticed too. What cannot be overwritten, such as a pipe, gets
its footer at the end.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import stat
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.runner.output import Output

ENDED = "the run was killed"
"""Why a file is incomplete whose run could not say why."""

_CHECKSUM = b',"checksum":"'
_END = b'"}}\n'
_GZIP = b"\x1f\x8b"
_SEAL = b"\x1f\x8b\x08\x10\0\0\0\0\x02\xff", b"\0\x03\0\0\0\0\0\0\0\0\0"  # around the checksum
_SEAL_SIZE = sum(map(len, _SEAL)) + 64
_SMALL = 64 << 20  # bytes that may always be unpacked
_RATIO = 250  # otherwise, how many times the size of the file
_HEADER = 1 << 20  # bytes in which a header ends


class DamagedError(ValueError):
    """The file is not one that was written here, as it was written; the message says why, without its name."""


def dumps(data: object) -> bytes:
    """A line of JSON. A lone surrogate, which UTF-8 does not have, becomes an escape."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.encode(errors="backslashreplace") + b"\n"


def loads(text: str) -> Any:
    """The data of JSON from elsewhere; raises `DamagedError` whatever is wrong with it."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise DamagedError(f"not JSON: {why}") from None


def header_of(line: str, key: str, version: int, foreign: str, advice: str = "") -> dict[str, Any]:
    """The content of a first line, which is below ``key`` and names the version of its format.

    Raises:
        DamagedError: it is not such a line (``foreign`` says so), or of another version (``advice`` says what to do).
    """
    try:
        data = loads(line)
    except DamagedError:
        data = None
    header = data.get(key) if isinstance(data, dict) else None
    if not isinstance(header, dict):
        raise DamagedError(foreign)
    if header.get("format") != version or type(header["format"]) is not int:
        found = ascii(header.get("format"))[:60]
        raise DamagedError(f"it has format {found}, and this reads {version}{advice}")
    return header


@dataclass(frozen=True, slots=True)
class _Written:
    """What has been written: checksums of the text and of the file, the compressor, and the size of the file."""

    text: Any
    file: Any
    compressor: Any
    size: int = 0

    def then(self, line: bytes) -> tuple[bytes, _Written]:
        """The bytes that a line adds to the file, and what has been written then."""
        text, file, compressor = (
            self.text.copy(),
            self.file.copy(),
            self.compressor and self.compressor.copy(),
        )
        text.update(line)
        data = compressor.compress(line) if compressor else line
        file.update(data)
        return data, _Written(text, file, compressor, self.size + len(data))

    def ending(self, footer: Mapping[str, Any]) -> bytes:
        """The bytes that end the file."""
        line: bytes = dumps({"footer": footer})[: -len(b"}}\n")] + _CHECKSUM
        text = self.text.copy()
        text.update(line)
        hexadecimal: bytes = text.hexdigest().encode()
        line += hexadecimal + _END
        if self.compressor is None:
            return line
        compressor, file = self.compressor.copy(), self.file.copy()
        data: bytes = compressor.compress(line) + compressor.flush()
        file.update(data)
        return data + _sealed(file)


def nothing(compressed: bool) -> _Written:
    """What has been written of an empty file."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, 31) if compressed else None
    return _Written(hashlib.sha256(), hashlib.sha256(), compressor)


def _sealed(checksum: Any) -> bytes:
    hexadecimal: bytes = checksum.hexdigest().encode()
    return _SEAL[0] + hexadecimal + _SEAL[1]


class LinesWriter:
    """Writes such a file, see Note [Checked lines]; the footer is never empty."""

    def __init__(self, output: Output, header: Mapping[str, Any], footer: Mapping[str, Any]) -> None:
        self._output = output
        self._overwrites = stat.S_ISREG(os.fstat(output.descriptor).st_mode)
        self._written = nothing(output.path.suffix == ".gz")
        self._footer, self._ending = footer, b""
        self.add(dumps(header), footer)

    def add(self, line: bytes, footer: Mapping[str, Any]) -> None:
        """Write a line, and a footer until the next one. After an `OSError` the file ends before the line."""
        data, written = self._written.then(line)
        ending = written.ending(footer) if self._overwrites else b""
        try:
            self._put(data + ending)
        except OSError as error:
            if self._overwrites and self._ending:
                self._give_up(error)
            raise
        self._written, self._footer, self._ending = written, footer, ending

    def end(self, footer: Mapping[str, Any]) -> None:
        """Write the footer that stays."""
        self._put(self._written.ending(footer))

    def _give_up(self, error: OSError) -> None:
        """End before a line that could not be written: with the reason, or if even that has no room, as before."""
        why = os.strerror(error.errno) if error.errno else str(error)
        said = {**self._footer, "incomplete": self._footer["incomplete"].replace(ENDED, why)}
        for ending in (self._written.ending(said), self._ending):
            with suppress(OSError):
                self._put(ending)
                return

    def _put(self, data: bytes) -> None:
        """Write after what has been written, instead of what was there."""
        at = self._written.size
        rest = memoryview(data)
        while rest:
            if self._overwrites:
                count = os.pwrite(self._output.descriptor, rest, at)
            else:
                count = os.write(self._output.descriptor, rest)
            if not count:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self._output.path))
            rest, at = rest[count:], at + count
        if self._overwrites:
            os.ftruncate(self._output.descriptor, at)


# ---------------------------------------------------------------------------------------------- reading


def read(path: Path, check: Callable[[str], None]) -> tuple[list[str], dict[str, Any]]:
    """The lines between the header and the footer, and the footer.

    ``check`` is called with the header's line before the rest is looked at, and raises if the file is of another kind.

    Raises:
        DamagedError: the file cannot be read, was cut off, or has changed.
    """
    data = read_bytes(path)
    compressed = data.startswith(_GZIP)
    begin = _unpacked(data, _HEADER)[0] if compressed else data[:_HEADER]
    if compressed and not begin:
        raise DamagedError(_CHANGED)
    try:
        check(begin.partition(b"\n")[0].decode())
    except UnicodeDecodeError:
        raise DamagedError("it is not UTF-8 text") from None
    if compressed:
        if data[-_SEAL_SIZE:] != _sealed(hashlib.sha256(data[:-_SEAL_SIZE])):
            raise DamagedError(_CHANGED)
        data, whole = _unpacked(data[:-_SEAL_SIZE], max(_SMALL, _RATIO * len(data)))
        if not whole:
            raise DamagedError("it is not a compressed text of a plausible size")
    return _checked(data)


def kind_of(path: Path) -> str:
    """The key of a file's first line, as ``header`` or ``recording``; empty for a foreign file, a pipe is not read."""
    with suppress(DamagedError, OSError, UnicodeDecodeError):
        if path.is_file():
            with path.open("rb") as file:
                data = file.read(_HEADER)
            begin = _unpacked(data, _HEADER)[0] if data.startswith(_GZIP) else data
            first = loads(begin.partition(b"\n")[0].decode())
            return next(iter(first), "") if isinstance(first, dict) else ""
    return ""


_CHANGED = "it is incomplete or was changed after it was written: its checksum is not that of its content"


def _checked(data: bytes) -> tuple[list[str], dict[str, Any]]:
    body, found, checksum = data.rpartition(_CHECKSUM)
    last = body.rpartition(b"\n")[2]
    if not found or not last.startswith(b'{"footer":{') or not checksum.endswith(_END):
        number = data.count(b"\n") + (not data.endswith(b"\n"))
        raise DamagedError(f"it is incomplete: it was cut off after line {number}, before its footer ends")
    if checksum != hashlib.sha256(body + found).hexdigest().encode() + _END:
        raise DamagedError(_CHANGED)
    try:
        _, *lines = body.decode().split("\n")
    except UnicodeDecodeError:
        raise DamagedError("it is not UTF-8 text") from None
    footer = loads(lines.pop() + "}}")["footer"]
    if not isinstance(footer, dict):
        raise DamagedError("its footer is not one")
    return lines, footer


def _unpacked(data: bytes, most: int) -> tuple[bytes, bool]:
    """What a compressed text begins with, and whether that is all of it."""
    unpacking = zlib.decompressobj(31)
    try:
        text = unpacking.decompress(data, most)
    except zlib.error:
        return b"", False
    return text, unpacking.eof and not unpacking.unused_data


def read_bytes(path: Path) -> bytes:
    """The content of a file or a pipe; raises `DamagedError` for what is neither, such as a folder or a disk."""
    try:
        kind = path.stat().st_mode
        if stat.S_ISREG(kind):
            return path.read_bytes()
        if stat.S_ISFIFO(kind):
            return _from_pipe(path)
    except OSError as error:
        raise DamagedError(f"it cannot be read: {error.strerror}") from None
    what = "a directory" if stat.S_ISDIR(kind) else "neither a file nor a pipe"
    raise DamagedError(f"it cannot be read: it is {what}")


def _from_pipe(path: Path) -> bytes:
    """All that is written to a pipe; raises `DamagedError` if no process has it open to write, rather than wait."""
    place = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with open(place, "rb", buffering=0) as pipe:
        begun = pipe.read(1)  # None: a process will write
        if begun == b"":
            raise DamagedError("it cannot be read: it is a pipe to which nothing writes; name a file")
        os.set_blocking(place, True)
        return (begun or b"") + pipe.read()
