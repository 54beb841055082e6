"""Where the specs are, which files hold scenarios, and which files of claims govern one."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

CLAIMS = "claims"
"""A folder's claims are in its claims.yaml, or in the YAML files of its folder claims."""
AREAS = "areas.yaml"
"""In the suite's own specs: what each folder is about."""
SUFFIXES = (".yaml", ".yml")
_HAS_SCENARIOS = re.compile(rb"""^(?:\xef\xbb\xbf)?(?:["']?scenarios["']?\s*:|\{)""", re.MULTILINE)
_LISTS_CLAIMS = re.compile(
    rb"^[\"']?claims[\"']?\s*:", re.MULTILINE
)  # a claims.yaml of another tool does not


def specs() -> Path:
    """The folder of the suite's own specs: inside the package in a wheel, next to the package in a checkout."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "_specs", package.parent / "specs"):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"no specs next to {package}: was the package copied without them?")


def is_in_specs(file: Path) -> bool:
    """Whether a file is in a folder of specs, whose tiers a run selects; any other file runs whole."""
    return bool({"specs", "_specs"}.intersection(file.absolute().parts[:-1]))


def governing_claims(file: Path) -> Path | None:
    """The nearest folder at or above that of ``file`` that has claims: only those may be named there."""
    return next((folder for folder in file.resolve().parents if claims_files(folder)), None)


def claims_files(folder: Path) -> tuple[Path, ...]:
    """The files of a folder's claims, sorted: its claims.yaml, or the YAML files in its folder claims."""
    candidates = [folder / f"{CLAIMS}.yaml", *(folder / CLAIMS).glob("*.y*ml")]
    return tuple(sorted(path for path in candidates if path.suffix in SUFFIXES and lists_claims(path)))


def lists_claims(path: Path) -> bool:
    """Whether a file is YAML with a top-level key ``claims``, decided without loading it."""
    return path.is_file() and _LISTS_CLAIMS.search(path.read_bytes()) is not None


def is_scenario_file(path: Path) -> bool:
    """Whether a file is YAML with a top-level key ``scenarios``, decided without loading it."""
    if path.suffix not in SUFFIXES:
        return False
    try:
        content = path.read_bytes()
    except OSError:
        return False
    found = _HAS_SCENARIOS.search(content)
    return found is not None and (not found[0].startswith(b"{") or b"scenarios" in content)


def may_be_meant(path: Path) -> bool:
    """Whether a file has a key similar to ``scenarios``, also in UTF-16, or cannot be read."""
    try:
        content = path.read_bytes()
    except OSError:
        return True
    text = content.replace(b"\0", b"").decode(errors="replace").lstrip("\ufeff\ufffd")
    keys = re.findall(r"^(\w+)\s*:", text, re.MULTILINE)
    return any(difflib.get_close_matches(key.lower(), ["scenarios"], cutoff=0.7) for key in keys)


def scenario_files(paths: list[Path]) -> list[Path]:
    """The YAML files that ``paths`` name or contain, sorted; the loader decides which contain scenarios."""
    found: set[Path] = set()
    for path in paths:
        if path.is_dir():
            files = (file for suffix in SUFFIXES for file in path.rglob(f"*{suffix}"))
            found.update(filter(Path.is_file, files))
        else:
            found.add(path)
    return sorted(found)
