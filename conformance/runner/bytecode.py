"""The cache of compiled programs: compiling a program takes longer than running most of them.

They are written when the process that compiled them ends, next to the parsed file: see
Note [Parsed files are cached] in language/cache.py.
"""

from __future__ import annotations

import atexit
import hashlib
import marshal
import os
import sys
from contextlib import suppress
from importlib.util import MAGIC_NUMBER

from conformance.language.cache import cache_path, write
from conformance.language.scenario import Scenario
from conformance.runner import program
from conformance.runner.program import MARSHALLED, compile_step, marshalled

_KEY = hashlib.sha256().digest_size
# The programs compiled for each file; None where they are not cached: without a file or without bytecode.
_files: dict[str, dict[str, bytes] | None] = {}


def programs_of(scenario: Scenario) -> list[program.CompiledProgram]:
    """The programs of a scenario's steps. Raises SyntaxError."""
    file = scenario.position.file
    if file not in _files:
        MARSHALLED.update(_read(file))
        _files[file] = {} if os.path.isfile(file) and not sys.dont_write_bytecode else None
    found = [compile_step(step.run) for step in scenario.steps]
    if (compiled := _files[file]) is not None:
        for step, each in zip(scenario.steps, found, strict=True):
            if step.run not in MARSHALLED:
                MARSHALLED[step.run] = compiled[step.run] = marshalled(each)
    return found


@atexit.register
def write_programs() -> None:
    """Write the compiled programs to the cache."""
    for file, compiled in _files.items():
        if compiled and (key := _key(file)):
            content = marshal.dumps(_read(file) | compiled)
            with suppress(OSError):  # the folder is read-only
                write(cache_path(file, ".programs"), key + hashlib.sha256(content).digest() + content)
    _files.clear()


def _read(file: str) -> dict[str, bytes]:
    """The cached programs of a file; none if they are out of date."""
    with suppress(OSError):
        found = cache_path(file, ".programs").read_bytes()
        key, checked, content = found[:_KEY], found[_KEY : 2 * _KEY], found[2 * _KEY :]
        if key == _key(file) and checked == hashlib.sha256(content).digest():
            programs: dict[str, bytes] = marshal.loads(content)
            return programs
    return {}


def _key(file: str) -> bytes:
    """A hash of the file, the compiler and Python's version; empty if the file does not exist."""
    try:
        about = [(each.st_size, each.st_mtime_ns) for each in map(os.stat, (file, program.__file__))]
    except OSError:
        return b""
    return hashlib.sha256(repr((MAGIC_NUMBER, about)).encode()).digest()
