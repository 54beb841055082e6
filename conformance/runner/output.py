"""Write a file that the user named, without harm to what is there already.

Note [Outputs]: a regular file is written next to its target and moved over it when it is whole, so that an interrupted
run leaves the old one; if its folder takes no new file, it is written to in place. A pipe or a terminal is opened and
written to, since moving a file over it would remove it. Anything else, such as a disk, is refused.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedWriter
from pathlib import Path


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


@contextmanager
def writing(path: Path) -> Iterator[BufferedWriter]:
    """A file to write to, which is at ``path`` when the block ends without an error."""
    if not goes_beside(path):
        with open(
            os.open(path, os.O_WRONLY | os.O_NOCTTY | (os.O_TRUNC if path.is_file() else 0)), "wb"
        ) as file:
            yield file
        return
    target = path.resolve()  # a link to a file stays a link
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        with part.open("xb") as file:
            if target.exists():
                os.chmod(part, stat.S_IMODE(target.stat().st_mode))
            yield file
        if not goes_beside(path):  # made while the file was written
            raise FileExistsError(errno.EEXIST, "became something else than a regular file", str(path))
        part.replace(target)
    except OSError as error:
        if error.filename == str(part):  # what is reported is the file that was named
            error.filename = str(path)
        raise
    finally:
        part.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a whole output."""
    with writing(path) as file:
        file.write(text.encode())


def _is_standard_output(there: os.stat_result) -> bool:
    """Whether this process prints to the same file, as with ``-o /dev/stdout > file``."""
    for descriptor in (1, 2):
        try:
            if os.path.samestat(there, os.fstat(descriptor)):
                return True
        except OSError:  # closed
            continue
    return False
