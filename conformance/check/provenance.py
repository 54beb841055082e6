"""Find out where the results of a run come from."""

from __future__ import annotations

import hashlib
import platform
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import conformance
from conformance.check import locate
from conformance.report.provenance import Provenance

CHANGES = "CHANGES.md"
"""The page of the specs that lists their versions, the latest first."""


def provenance(arguments: Sequence[str], tier: str = "", shard: str = "") -> Provenance:
    """The circumstances of a run of pytest that begins now, with these arguments."""
    return Provenance(
        date=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        suite=conformance.__version__,
        torch=_version("torch"),
        numpy=_version("numpy"),
        python=f"{platform.python_version()} ({platform.python_implementation()})",
        system=platform.platform(terse=True),
        processor=_processor(),
        command=_command(arguments),
        commit=_commit(),
        specs=specs_version(),
        specs_hash=specs_hash(),
        tier=tier,
        shard=shard,
    )


def specs_version() -> str:
    """The latest version that the page of changes lists; empty where there is none."""
    with suppress(OSError):
        text = (locate.specs() / CHANGES).read_text(encoding="utf-8")
        if found := re.search(r"^## (\S+)", text, re.MULTILINE):
            return found[1]
    return ""


def specs_hash() -> str:
    """A hash of the names and contents of the suite's YAML files."""
    folder = locate.specs()
    found = hashlib.sha256()
    for path in locate.scenario_files([folder]):
        name, content = path.relative_to(folder).as_posix(), path.read_bytes()
        found.update(f"{name} {len(content)}\n".encode() + content)
    return found.hexdigest()[:16]


def hash_of(ids: Iterable[str]) -> str:
    """A hash of ids, in any order."""
    return hashlib.sha256("\n".join(sorted(ids)).encode(errors="backslashreplace")).hexdigest()[:16]


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _processor() -> str:
    """The processor's own name where the system says it."""
    with suppress(OSError):
        found = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
        if found:
            return found[1]
    return platform.processor() or platform.machine()


def _command(arguments: Sequence[str]) -> str:
    """The command line; `conformance run` calls pytest with other arguments than its own."""
    program = Path(sys.argv[0]).name if sys.argv else ""
    if program.startswith("conformance"):
        return shlex.join(["conformance", *sys.argv[1:]])
    return shlex.join(["pytest", *map(str, arguments)])


def _commit() -> str:
    """The commit of the repository that contains the current folder, and whether files differ from it."""
    with suppress(OSError, subprocess.SubprocessError):
        found, changed = (_git("rev-parse", "HEAD"), _git("status", "--porcelain", "--untracked-files=no"))
        return f"{found[:12]} with changes" if found and changed else found[:12]
    return ""


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", "--no-optional-locks", *arguments], capture_output=True, text=True, check=True, timeout=5
    )
    return done.stdout.strip()
