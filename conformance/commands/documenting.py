"""The sources of the generated parts of the Markdown files."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from conformance.adapters.divergences import Divergence
from conformance.check import locate
from conformance.check.library import Library
from conformance.check.releases import label, release_files
from conformance.commands.command import Misuse
from conformance.commands.examples import by_job
from conformance.language.claims import Claims
from conformance.language.core_vocabulary import load_core_vocabulary
from conformance.language.scenario import TIERS, Scenario
from conformance.report import docs, document_page, engine_docs, subjects
from conformance.report.matrix import Matrix, from_plain
from conformance.report.result import MEANINGS
from conformance.runner.checked_lines import DamagedError, loads, read_bytes

_PACKAGE = Path(__file__).resolve().parents[1]


def files() -> Iterator[Path]:
    """The Markdown files of the checkout that people read; none if the package is installed."""
    root = _PACKAGE.parent
    if (root / "pyproject.toml").is_file():
        yield root / "README.md"
        yield from sorted((root / ".github").glob("*.md"))
        yield locate.specs() / "CHANGES.md"
        for folder in (locate.specs(), _PACKAGE, root / "tests"):
            yield from sorted(folder.rglob("README.md"))
        yield _PACKAGE / "adapters" / "compilers.md"


def makers(parser: ArgumentParser) -> dict[str, Callable[[], str]]:
    """The function that generates each part; ``parser`` is the command line's."""
    from conformance.plugin.options import add_options

    return {
        "keys": docs.keys,
        "facets": docs.facets,
        "words": docs.words,
        "core": lambda: docs.core(load_core_vocabulary(locate.specs() / "core_vocabulary.yaml")),
        "areas": lambda: subjects.index(_subjects(), _scenarios()),
        "rules": lambda: subjects.rules(
            _subjects(), _sources(locate.specs(), "**/*.yaml"), _measured("measured.json")
        ),
        "engines": lambda: docs.engines(_measured("measured.json"), _counts()),
        "compilers": lambda: docs.compilers(_measured("compiled.json")),
        "releases": lambda: docs.releases(_releases()),
        "pages": lambda: document_page.index(_claims()),
        "options": lambda: docs.pytest_options(add_options),
        "runs": lambda: docs.runs(_runs()),
        "fuzzed": lambda: docs.fuzzed(_runs()),
        "faults": lambda: docs.faults(_areas_of_faults()),
        "verdicts": lambda: docs.verdicts(MEANINGS),
        "commands": lambda: docs.commands(parser, by_job),
        "tests": lambda: engine_docs.files(_tests_apart()),
        "layers": lambda: engine_docs.layers(engine_parts()["layers"], _engine_sources()),
        "parts": lambda: engine_docs.parts(engine_parts(), _engine_sources()),
        "gone": lambda: engine_docs.gone(engine_parts()),
        "modules": lambda: engine_docs.modules(engine_parts()["layers"], _engine_sources()),
        "notes": lambda: engine_docs.notes(_engine_sources()),
    }


def pages() -> dict[Path, str]:
    """The generated page of each document of the specs, with its declared verdicts, which runs check."""
    from conformance.language.words import RELEASE

    claims = _claims()
    declared = {claim.id: claim.verdict for claim in claims.claims}
    found = document_page.pages(claims, declared, _scenarios(), f"torch {RELEASE}")
    return {locate.specs() / locate.CLAIMS / f"{key}.md": text for key, text in found.items()}


@cache
def _scenarios() -> tuple[Scenario, ...]:
    return Library().load_all([locate.specs()]).scenarios


def _subjects() -> dict[str, subjects.Subject]:
    found: dict[str, subjects.Subject] = _read(locate.specs() / locate.AREAS, subjects.parsed)
    return found


def _claims() -> Claims:
    return Library().claims(locate.specs())


def _releases() -> list[tuple[str, list[Divergence]]]:
    return [(label(file.version), list(file.entries)) for file in release_files()]


def _measured(name: str) -> Matrix:
    """The counts of engines, which `conformance matrix --format json` made."""
    path = _PACKAGE / "adapters" / name
    measured: Matrix = _read(path, lambda text: from_plain(loads(text)))
    return measured


def _counts() -> dict[str, int]:
    """How many scenarios each tier has."""
    tiers = [scenario.tier for scenario in _scenarios()]
    return {tier: tiers.count(tier) for tier in TIERS}


def _areas_of_faults() -> Iterator[str]:
    from conformance.mutation.faults import MUTANTS

    return (mutant.area for mutant in MUTANTS)


def _runs() -> list[dict[str, int]]:
    """The recorded runs of the fuzzer; each line was copied from a result file."""
    path = locate.specs() / "regressions" / "runs.jsonl"
    runs: list[dict[str, int]] = _read(path, lambda text: [dict(loads(line)) for line in text.splitlines()])
    return runs


def engine_parts() -> dict[str, Any]:
    """What the in-house engine is made of: its layers, its core and its breadth."""
    found: dict[str, Any] = _read(_PACKAGE / "engine" / "parts.yaml", lambda text: dict(yaml.safe_load(text)))
    return found


def _read(path: Path, parse: Callable[[str], Any]) -> Any:
    """The data of a file; raises Misuse if it is damaged."""
    try:
        return parse(read_bytes(path).decode())
    except DamagedError as error:
        raise Misuse(f"{path}: {error}") from None
    except (yaml.YAMLError, TypeError, ValueError, LookupError, RecursionError) as error:
        raise Misuse(f"{path} cannot be read: {' '.join(str(error).split())[:200]}") from None


def _tests_apart() -> dict[str, str]:
    """The test files that are not named after a module of the code in the same place."""
    return {
        file: source
        for file, source in _sources(_PACKAGE.parent / "tests", "**/test_*.py").items()
        if not (_PACKAGE / file.replace("test_", "")).is_file()
    }


@cache
def _engine_sources() -> dict[str, str]:
    return _sources(_PACKAGE / "engine", "**/*.py")


def _sources(folder: Path, pattern: str = "**/*.py") -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.glob(pattern))
    }
