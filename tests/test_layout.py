"""Who may import whom, by the modules' source, and what an import brings along."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
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
    "fuzz": {"language", "runner", "adapters.registry"},  # its processes receive engines by name
    "mutation": {"engine", "language", "runner", "adapters.registry"},
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


# Circles ------------------------------------------------------------------------------------------


def import_graph(package: Path) -> dict[str, set[str]]:
    """What each module of a package imports of it, in functions too, but for types alone."""
    names = {
        ".".join((package.name, *path.relative_to(package).with_suffix("").parts)).removesuffix(
            ".__init__"
        ): path
        for path in package.rglob("*.py")
    }
    graph: dict[str, set[str]] = {}
    for name, path in names.items():
        here = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
        found = set[str]()
        for node in run_time_nodes(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                base = here[: len(here) - node.level + 1] if node.level else []
                source = ".".join([*base, *(node.module or "").split(".")]).strip(".")
                of_parts = {f"{source}.{alias.name}" for alias in node.names}
                found |= (
                    of_parts & names.keys()
                    if of_parts <= names.keys()
                    else of_parts & names.keys() | {source}
                )
        graph[name] = found & names.keys() - {name}
    return graph


def run_time_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a module without those that only a type checker sees."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield node
        yield from run_time_nodes(node)


def circle(graph: dict[str, set[str]]) -> list[str]:
    """A circle of imports; none where there is no circle."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_modules_import_each_other() -> None:
    """Imports go one way, those inside functions too: what a lower module calls of a higher one is a slot."""
    assert circle(import_graph(PACKAGE)) == []


@pytest.mark.parametrize(
    ("first", "second", "closed"),
    [
        ("from . import b", "from .a import x", True),
        ("from .b import y", "def f():\n    from . import a", True),
        ("import p.b", "class C:\n    def f(self):\n        import p.a", True),
        (
            "from .b import y",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .a import x",
            False,
        ),
        ("from .b import y", "", False),
    ],
)
def test_what_is_a_circle(first: str, second: str, closed: bool, tmp_path: Path) -> None:
    """The check above can fail."""
    package = tmp_path / "p"
    package.mkdir()
    for name, text in {"__init__": "", "a": first, "b": second}.items():
        (package / f"{name}.py").write_text(text)
    assert bool(circle(import_graph(package))) == closed


# Imports inside functions -------------------------------------------------------------------------


def inner_imports(source: str) -> list[tuple[int, bool]]:
    """The lines of imports inside functions, and whether a comment on them says why.

    A module's ``__getattr__`` is left out: it imports the name that is looked up.
    """
    tree = ast.parse(source)
    own = [
        node for node in tree.body if not (isinstance(node, ast.FunctionDef) and node.name == "__getattr__")
    ]
    functions = [
        node
        for part in own
        for node in ast.walk(part)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    lines = {
        node.lineno
        for function in functions
        for node in run_time_nodes(function)
        if isinstance(node, (ast.Import, ast.ImportFrom))
    }
    text = source.splitlines()
    return [
        (line, bool(re.search(r"#\s*(noqa: \w+\s+)?(?!noqa)\w", text[line - 1]))) for line in sorted(lines)
    ]


def test_imports_inside_functions_are_few() -> None:
    """The engine's modules import at their top, but for what is slow to import and seldom needed, which they say."""
    found = {
        f"{module}:{line}": reason
        for module in MODULES
        if module.parts[0] == "engine"
        for line, reason in inner_imports((PACKAGE / module).read_text())
    }
    assert [place for place, reason in found.items() if not reason] == []
    assert len(found) <= 20


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("import scipy", False),
        ("import scipy  # slow to import", True),
        ("import scipy  # noqa: F401", False),
        ("import scipy  # noqa: F401  it has rows of its own", True),
    ],
)
def test_what_is_a_reason(line: str, reason: bool) -> None:
    """The check above can fail."""
    assert inner_imports(f"def f():\n    {line}\n") == [(2, reason)]
    assert inner_imports(f"def __getattr__(name):\n    {line}\n") == []
