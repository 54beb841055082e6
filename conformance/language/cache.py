"""What files were found to hold, kept as Python keeps bytecode.

Note [Kept beside bytecode]: to read a file and check its programs takes longer than to run them. What it was found to
hold is pickled into ``__pycache__`` beside it, or where ``PYTHONPYCACHEPREFIX`` says; under ``PYTHONDONTWRITEBYTECODE``
nothing is written. It counts while the bytes and the path of the file are the same, and all files of this package.
Its programs, compiled, are kept there too, by runner/bytecode.py.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
from contextlib import suppress
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path

from conformance.language.load_result import LoadResult


def load(path: Path) -> LoadResult:
    """As `load.load_file`, of which not even the import is needed where the file is kept."""
    key, kept = _key(path), cache_path(path, ".scenarios")
    if key:
        with suppress(Exception):  # absent or damaged: pickle raises what it likes
            content = kept.read_bytes()
            if content.startswith(key):
                found = pickle.loads(content[len(key) :])
                assert isinstance(found, LoadResult)
                return found
    from conformance.language.load import load_file

    loaded = load_file(path)
    if key and not sys.dont_write_bytecode:
        with suppress(OSError):  # a folder that is not ours to write
            write(kept, key + pickle.dumps(loaded, pickle.HIGHEST_PROTOCOL))
    return loaded


def cache_path(path: Path | str, suffix: str) -> Path:
    """Where something about a file is kept."""
    return Path(cache_from_source(f"{os.path.abspath(path)}.py")).with_suffix(suffix)


def _key(path: Path) -> bytes:
    """Of all that the content rests on; empty where the file cannot be read."""
    try:
        content = path.read_bytes()
    except OSError:
        return b""
    return hashlib.sha256(
        b"\0".join([_checks(), os.fsencode(path), os.fsencode(path.absolute()), content])
    ).digest()


@cache
def _checks() -> bytes:
    """What tells this package's files, as they are, from those of another time."""
    files = [(each.name, each.stat()) for each in sorted(Path(__file__).parent.iterdir()) if each.is_file()]
    return repr([(name, of.st_size, of.st_mtime_ns) for name, of in files]).encode()


def write(path: Path, content: bytes) -> None:
    """Keep something, at once: another process may be reading it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    beside.write_bytes(content)
    beside.replace(path)
