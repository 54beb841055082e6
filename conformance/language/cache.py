"""The cache of parsed scenario files.

Note [Parsed files are cached]: reading a file and checking its programs takes longer than running them. The result is
pickled in the file's ``__pycache__``, like bytecode, or below ``PYTHONPYCACHEPREFIX``; with ``PYTHONDONTWRITEBYTECODE``
nothing is written. An entry is valid while the content and the path of the file and all files of this package stay the
same. A file that was loaded up to a tier has an entry for that tier. runner/bytecode.py caches the compiled programs in
the same folder.
"""

from __future__ import annotations

import gc
import hashlib
import os
import pickle
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path

from conformance.language.load_result import LoadResult
from conformance.language.scenario import Tier


def load(path: Path, tier: Tier = "full") -> LoadResult:
    """Load a scenario file up to a tier; a cached one needs not even the import of `load.load_file`."""
    with _without_collection():
        return _load(path, tier)


@contextmanager
def _without_collection() -> Iterator[None]:
    """Trees of programs are many objects without cycles: looking for cycles takes a third of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _load(path: Path, tier: Tier) -> LoadResult:
    suffix = ".scenarios" if tier == "full" else f".{tier}.scenarios"
    key, cached = _key(path), cache_path(path, suffix)
    if key:
        with suppress(Exception):  # absent or damaged: pickle may raise anything
            content = cached.read_bytes()
            if content.startswith(key):
                found = pickle.loads(content[len(key) :])
                assert isinstance(found, LoadResult)
                return found
    from conformance.language.load import load_file

    loaded = load_file(path, tier)
    if key and not sys.dont_write_bytecode:
        with suppress(OSError):  # the folder is read-only
            write(cached, key + pickle.dumps(loaded, pickle.HIGHEST_PROTOCOL))
    return loaded


def cache_path(path: Path | str, suffix: str) -> Path:
    """The cache file for a scenario file."""
    return Path(cache_from_source(f"{os.path.abspath(path)}.py")).with_suffix(suffix)


def _key(path: Path) -> bytes:
    """A hash of everything that the result depends on; empty if the file cannot be read."""
    try:
        content = path.read_bytes()
    except OSError:
        return b""
    return hashlib.sha256(
        b"\0".join([_checks(), os.fsencode(path), os.fsencode(path.absolute()), content])
    ).digest()


@cache
def _checks() -> bytes:
    """Names, sizes and times of this package's files: they change when the checks change."""
    files = [(each.name, each.stat()) for each in sorted(Path(__file__).parent.iterdir()) if each.is_file()]
    return repr([(name, of.st_size, of.st_mtime_ns) for name, of in files]).encode()


def write(path: Path, content: bytes) -> None:
    """Write a cache file atomically, since another process may be reading it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    temporary.write_bytes(content)
    temporary.replace(path)
