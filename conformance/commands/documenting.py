"""The sources of the generated parts of the Markdown files."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from conformance.check import locate
from conformance.check.library import Library
from conformance.language.core_vocabulary import load_core_vocabulary
from conformance.language.scenario import Scenario
from conformance.report import docs, engine_docs

_PACKAGE = Path(__file__).resolve().parents[1]


def files() -> Iterator[Path]:
    """The README files of the checkout; none if the package is installed."""
    root = _PACKAGE.parent
    if (root / "pyproject.toml").is_file():
        described = (root, locate.specs(), locate.specs() / "regressions")
        yield from (path for folder in described if (path := folder / "README.md").is_file())
        yield from sorted(_PACKAGE.glob("*/README.md"))


def makers(parser: ArgumentParser) -> dict[str, Callable[[], str]]:
    """The function that generates each part; ``parser`` is the command line's."""
    from conformance.plugin.options import add_options

    return {
        "keys": docs.keys,
        "facets": docs.facets,
        "words": docs.words,
        "core": lambda: docs.core(load_core_vocabulary(locate.specs() / "core_vocabulary.yaml")),
        "areas": lambda: docs.areas(_scenarios()),
        "otherwise": lambda: docs.otherwise(Library().claims(locate.specs() / locate.CLAIMS), _scenarios()),
        "options": lambda: docs.pytest_options(add_options),
        "runs": lambda: docs.runs(_runs()),
        "fuzzed": lambda: docs.fuzzed(_runs()),
        "commands": lambda: docs.commands(parser),
        "layers": lambda: engine_docs.layers(engine_parts()["layers"], _engine_sources()),
        "parts": lambda: engine_docs.parts(engine_parts(), _engine_sources()),
        "modules": lambda: engine_docs.modules(engine_parts()["layers"], _engine_sources()),
        "notes": lambda: engine_docs.notes(_engine_sources()),
    }


@cache
def _scenarios() -> tuple[Scenario, ...]:
    return Library().load_all([locate.specs()]).scenarios


def _runs() -> list[dict[str, int]]:
    """The recorded runs of the fuzzer; each line was copied from a result file."""
    lines = (locate.specs() / "regressions" / "runs.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def engine_parts() -> dict[str, Any]:
    """What the in-house engine is made of: its layers, its core and its breadth."""
    import yaml

    found: dict[str, Any] = yaml.safe_load((_PACKAGE / "engine" / "parts.yaml").read_text(encoding="utf-8"))
    return found


@cache
def _engine_sources() -> dict[str, str]:
    folder = _PACKAGE / "engine"
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.glob("**/*.py"))
    }
