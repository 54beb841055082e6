"""Write a file that the user named, without harm to what is there already.

Note [Outputs]: a regular file is written next to its target, as ``FILE.part``, and moved over it when it is whole. If a
run does not reach its end, the old file stays, and the beginning of the new one is in ``FILE.part``. If the folder
takes no new file, the target is written to in place. A pipe or a terminal is opened and written to, since moving a file
over it would remove it. Anything else, such as a disk, is refused.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedWriter
from pathlib import Path

_NO_TERMINAL = getattr(os, "O_NOCTTY", 0)  # Windows lacks these
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_BYTES = getattr(os, "O_BINARY", 0)  # and has this, since it writes two characters for the end of a line

PART = ".part"
"""The suffix of a file that is being written, or whose run did not reach its end."""


def goes_beside(path: Path) -> bool:
    """Whether the output is a file that is moved to ``path`` when it is whole, see Note [Outputs].

    Raises:
        OSError: there is something that is not written to.
    """
    try:
        there = path.stat()
    except FileNotFoundError:
        return True
    if stat.S_ISREG(there.st_mode):
        return os.access(path.resolve().parent, os.W_OK) and not _is_standard_output(there)
    if stat.S_ISFIFO(there.st_mode) or stat.S_ISCHR(there.st_mode):
        return False
    if stat.S_ISDIR(there.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise OSError(errno.EINVAL, "not a regular file, a pipe or a character device", str(path))


def check_writable(path: Path) -> None:
    """Raise `OSError` if the output cannot be written; changes nothing, and does not wait for a pipe's reader."""
    if goes_beside(path):
        new = not path.exists()
        path.open("ab").close()
        if new:
            path.unlink()
    elif not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


class Output:
    """A file that is being written: ``descriptor`` is open until one of the three ways to end it.

    Raises:
        OSError: it cannot be written, or another process is writing it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.part: Path | None = None  # see Note [Outputs]
        if not goes_beside(path):
            self.descriptor = os.open(
                path, os.O_WRONLY | _BYTES | _NO_TERMINAL | (os.O_TRUNC if path.is_file() else 0)
            )
            return
        target = path.resolve()  # a link to a file stays a link
        self.part = target.with_name(target.name + PART)
        try:
            self.descriptor = os.open(self.part, os.O_RDWR | os.O_CREAT | _BYTES | _NO_LINK, 0o666)
        except OSError as error:  # what is reported is the file that was named
            raise OSError(error.errno, error.strerror, str(path)) from None
        try:
            if not stat.S_ISREG(os.fstat(self.descriptor).st_mode):
                raise FileExistsError(errno.EEXIST, "is not a regular file", str(self.part))
            _lock(self.descriptor, path)
            os.ftruncate(self.descriptor, 0)
            if target.exists():
                os.chmod(self.part, stat.S_IMODE(target.stat().st_mode))
        except BaseException:
            os.close(self.descriptor)
            raise

    def finish(self) -> None:
        """The file is whole: move it to its target."""
        os.close(self.descriptor)
        if self.part is None:
            return
        if not goes_beside(self.path):  # made while the file was written
            self.part.unlink(missing_ok=True)
            raise FileExistsError(errno.EEXIST, "became something else than a regular file", str(self.path))
        self.part.replace(self.path.resolve())

    def leave(self) -> Path:
        """The file is not whole: leave it next to its target, and say where."""
        os.close(self.descriptor)
        return self.path if self.part is None else self.path.with_name(self.part.name)

    def discard(self) -> None:
        """The file is worth nothing."""
        os.close(self.descriptor)
        if self.part is not None:
            self.part.unlink(missing_ok=True)


def _lock(descriptor: int, path: Path) -> None:
    """Lock the file as long as it is open, so that two runs never write to the same one."""
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise OSError(errno.EBUSY, "another process is writing it", str(path)) from None
    except OSError:  # a file system without locks
        return


@contextmanager
def writing(path: Path) -> Iterator[BufferedWriter]:
    """A file to write to, which is at ``path`` when the block ends without an error."""
    output = Output(path)
    try:
        with open(output.descriptor, "wb", closefd=False) as file:
            yield file
    except BaseException as error:
        with suppress(OSError):
            output.discard()
        if isinstance(error, OSError) and error.filename is None:
            error.filename = str(path)
        raise
    output.finish()


def write_text(path: Path, text: str) -> None:
    """Write a whole output. A lone surrogate, which UTF-8 does not have, is written as an escape."""
    with writing(path) as file:
        file.write(text.encode(errors="backslashreplace"))


def _is_standard_output(there: os.stat_result) -> bool:
    """Whether this process prints to the same file, as with ``-o /dev/stdout > file``."""
    for descriptor in (1, 2):
        try:
            if os.path.samestat(there, os.fstat(descriptor)):
                return True
        except OSError:  # closed
            continue
    return False
