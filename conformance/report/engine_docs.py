"""Generate tables about source files: the in-house engine's layers, parts, files and Notes, and the tests."""

from __future__ import annotations

import ast
import fnmatch
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.report.docs import flat, table

_NOTE = re.compile(r"Note \[([^\]]+)\]:\s*(.+?)(?=\n *#? *\n|\"\"\"|\n *#? *Note \[)", re.DOTALL)
_BRACES = re.compile(r"(.*)\{([^}]*)\}(.*)")

Sources = Mapping[str, str]


def layers(order: Sequence[str], sources: Sources) -> str:
    """The private layers, lowest first, with their folders, what each holds, and the lines of its own files."""
    packages = [file.removesuffix("/__init__.py") for file in sources if file.endswith("/__init__.py")]
    rows = [
        (
            f"[`{package}`]({package})",
            _first_sentence(sources[f"{package}/__init__.py"]),
            f"{_own_lines(package, sources):,}",
        )
        for layer in order
        for package in packages
        if package == layer or package.startswith(f"{layer}/")
    ]
    return table(("folder", "what it holds", "lines"), rows)


def _own_lines(package: str, sources: Sources) -> int:
    """The lines of a package's files, without those of packages in it."""
    own = (source for file, source in sources.items() if file.rpartition("/")[0] == package)
    return sum(len(source.splitlines()) for source in own)


def modules(order: Sequence[str], sources: Sources) -> str:
    """The files of the layers, each with the first sentence of its docstring."""
    return files(
        {
            file: source
            for layer in order
            for file, source in sources.items()
            if file.startswith(f"{layer}/") and not file.endswith("__init__.py")
        }
    )


def files(sources: Sources) -> str:
    """These files, each with the first sentence of its docstring; one without a docstring is left out."""
    described = ((file, _first_sentence(source)) for file, source in sources.items())
    return table(("file", "what it is"), [(f"[`{file}`]({file})", text) for file, text in described if text])


def parts(made_of: Mapping[str, Any], sources: Sources) -> str:
    """Core and breadth: what needs each part, and its lines."""
    rows: list[tuple[str, str, str, str]] = []
    lines = lines_of_parts(made_of, sources)
    for kind in ("core", "breadth"):
        own = [part for part in made_of[kind] if lines[part["name"]]]
        total = sum(lines[part["name"]] for part in own)
        rows.append((f"**{kind}**", "", "", f"**{total:,}**"))
        rows += [(part["name"], part["why"], part["needed"], f"{lines[part['name']]:,}") for part in own]
    return table(("part", "why", "what needs it", "lines"), rows)


def gone(made_of: Mapping[str, Any]) -> str:
    """What the engine had and has no longer, with the lines it took."""
    rows = [(part["name"], part["why"], f"{part['lines']:,}") for part in made_of["gone"]]
    return table(("part", "why it went", "lines it had"), rows)


def lines_of_parts(made_of: Mapping[str, Any], sources: Sources) -> dict[str, int]:
    """How many lines each part has; a file belongs to the first part whose patterns match it, breadth first.

    Raises:
        LookupError: a file is in no part.
    """
    every = [*made_of["breadth"], *made_of["core"]]
    found = dict.fromkeys((part["name"] for part in every), 0)
    for file, source in sources.items():
        owner = next((part["name"] for part in every if _matches(file, part["files"])), None)
        if owner is None:
            raise LookupError(f"{file} is in no part of parts.yaml")
        found[owner] += len(source.splitlines())
    return found


def _matches(file: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatchcase(file, each) for pattern in patterns for each in _expanded(pattern))


def _expanded(pattern: str) -> Iterator[str]:
    """A pattern with each of the alternatives between braces."""
    found = _BRACES.fullmatch(pattern)
    if found is None:
        yield pattern
    else:
        yield from (f"{found[1]}{each}{found[3]}" for each in found[2].split(","))


def notes(sources: Sources) -> str:
    """The Notes of these files: the file and the first sentence of each."""
    rows = []
    for file, source in sources.items():
        for found in _NOTE.finditer(source):
            text = flat(re.sub(r"^ *#", "", found[2], flags=re.MULTILINE))
            rows.append(
                (found[1], f"[`{file}`]({file})", re.split(r"(?<=\w[.;])\s", text, maxsplit=1)[0].rstrip(";"))
            )
    return table(("Note", "file", "begins"), sorted(rows))


def _first_sentence(source: str) -> str:
    text = flat((ast.get_docstring(ast.parse(source)) or "").partition("\n\n")[0])
    return re.split(r"(?<=\w\.)\s", text, maxsplit=1)[0]
