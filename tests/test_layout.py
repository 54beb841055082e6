"""Who may import whom, by the modules' source, and what an import brings along."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import conformance

PACKAGE = Path(conformance.__file__).parent
MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))

# What each part may import of the others. Plugin and command line may import all of them, but no engine: those
# are known by name.
MAY_IMPORT = {
    "engine": set[str](),
    "language": set[str](),
    "runner": {"language"},
    # Of language what needs the standard library alone: scenarios travel to engines elsewhere, words are counted.
    "adapters": {"runner", "engine", "language.scenario", "language.vocabulary", "language.words"},
    "report": {"runner", "language"},
    "fuzz": {"language", "runner", "adapters.registry"},  # its processes are told engines by name
    "mutation": {"engine", "runner"},
    "check": {"language", "runner", "adapters", "report"},
    "scaffold": {"language", "runner", "report", "check"},
    "lint_deep": {"language", "runner", "adapters.registry"},
}
PROJECT = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text())["project"]
ENGINES = {path.partition(":")[0] for path in PROJECT["entry-points"]["conformance.engines"].values()}


def imports(module: Path) -> Iterator[tuple[str, ...]]:
    """The dotted names a module imports, in functions too, relative ones made absolute."""
    here = ("conformance", *module.parts[:-1])
    for node in ast.walk(ast.parse((PACKAGE / module).read_text())):
        if isinstance(node, ast.Import):
            yield from (tuple(alias.name.split(".")) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = here[: len(here) - node.level + 1] if node.level else ()
            start = (*base, *(node.module or "").split(".")) if node.module else base
            yield from ((*start, alias.name) for alias in node.names)


def refused(module: Path, name: tuple[str, ...]) -> bool:
    """Whether a module may not import that name."""
    part = module.parts[0]
    if name[0] == "torch":
        return module != Path("adapters/torch.py")
    if name[0] != "conformance" or name[1:] in {(), ("__version__",)}:
        return False
    if part in MAY_IMPORT and not {name[1], ".".join(name[1:3])} & (MAY_IMPORT[part] | {part}):
        return True
    known_by_name = name[1] == "engine" or ".".join(name[:3]) in ENGINES
    return known_by_name and part not in {"engine", "adapters", "mutation"}


def test_parts_import_what_they_may() -> None:
    """Each part imports what the design lets it import; engines are known by name; torch is imported once."""
    wrong = [
        f"{module}: {'.'.join(name)}"
        for module in MODULES
        for name in imports(module)
        if refused(module, name)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("engine/tensor.py", "conformance.language.load"),
        ("language/load.py", "conformance.runner.trace"),
        ("runner/execute.py", "conformance.adapters.torch"),
        ("report/claims.py", "conformance.engine.tensor"),
        ("check/checker.py", "conformance.commands.specs"),
        ("check/engine_under_test.py", "conformance.adapters.torch"),
        ("cli.py", "conformance.adapters.torch"),
        ("pytest_plugin.py", "conformance.engine"),
        ("runner/execute.py", "torch.nn"),
        ("adapters/inhouse.py", "torch"),
    ],
)
def test_what_is_refused(module: str, name: str) -> None:
    """The check above can fail."""
    assert refused(Path(module), tuple(name.split(".")))


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import conformance", {"torch", "numpy", "pydantic", "yaml", "pytest"}),
        ("import conformance.pytest_plugin", {"torch", "numpy", "pydantic", "yaml"}),
        ("import conformance.cli", {"torch", "numpy", "pydantic", "yaml", "pytest"}),
        ("import conformance.engine", {"torch", "pydantic", "yaml", "pytest"}),
        ("import conformance.engine", {f"conformance.engine.{part}" for part in ("nn", "optim", "utils")}),
        ("import conformance.language.load", {"torch", "numpy", "pytest"}),
    ],
)
def test_imports_stay_light(statement: str, absent: set[str]) -> None:
    """What an import must not bring along."""
    program = f"{statement}; import sys; print(*({absent!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
