"""Find scenarios by what a user types or pastes: an id, a case, a pytest id."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from conformance.check import locate
from conformance.check.library import Library, written_ids
from conformance.language.scenario import Scenario, base_id
from conformance.language.suggest import did_you_mean

_PRINTED = re.compile(
    r"^(?:[A-Z]+ )?(\S+\.ya?ml(?:::[^\s\[]+(?:\[.*?\])?)?)(?: (?:- |[A-Z]+\b).*)?$", re.DOTALL
)
"""A line in which pytest prints an id."""


class NotFoundError(LookupError):
    """No scenario matches; the message suggests others."""


def find(text: str, library: Library) -> tuple[Scenario, ...]:
    """The case that ``text`` names, or all the cases of a scenario.

    ``text`` is ``an-id``, ``an-id[sin-float32]``, ``a.yaml``, ``a.yaml::an-id`` or an id that pytest printed, which
    may have an engine in its brackets, its outcome before it and a reason behind it. Files are searched in the current
    folder, then among the specs; ids without a file, or with one that is not here, among the specs, then in the current
    folder and two levels below it.
    """
    text = _PRINTED.sub(r"\1", text.strip())
    file, _, wanted = text.rpartition("::")
    if not file and text.endswith(locate.SUFFIXES):
        file, wanted = text, ""
    base, _, label = wanted.partition("[")
    cases = list(_cases(_files(file, base, library) if file else _files_with(base), base, library))
    if not label:
        return tuple(cases)
    exact = [case for case in cases if case.id == wanted]
    pasted = [case for case in cases if f"{wanted[:-1]}-".startswith(f"{case.id.removesuffix(']')}-")]
    if not exact and len(cases) == 1 and cases[0].id == base:
        pasted = cases  # the bracket names only the engine
    if not exact and not pasted:
        labels = ", ".join(case.id for case in cases)
        raise NotFoundError(f"there is no case {wanted}; there are {labels}")
    return tuple(exact or [max(pasted, key=lambda case: len(case.id))])


def _cases(files: list[Path], base: str, library: Library) -> Iterator[Scenario]:
    """The cases of one scenario in these files, or of all; raises NotFoundError if there are none."""
    loaded = library.load_all(files)
    found = [case for case in loaded.scenarios if base in ("", base_id(case.id))]
    if not found:
        wrong = [str(problem) for problem in loaded.problems if base in ("", problem.scenario)]
        if wrong:
            raise NotFoundError("\n".join([f"{base or files[0]} cannot be read:", *wrong]))
        raise NotFoundError(f"there is no scenario {base or files[0]}{_near(base)}")
    yield from found


def _files(name: str, base: str, library: Library) -> list[Path]:
    within = re.sub(r"^(.*/)?_?specs/", "", name)  # as another installation calls it
    for path in (Path(name), locate.specs() / within):
        if path.is_file():
            if locate.is_scenario_file(path):
                return [path]
            raise NotFoundError("\n".join(map(str, library.load(path).problems)))
    if base and (found := _files_with(base)):  # a path relative to another folder
        return found
    raise NotFoundError(f"there is no file {name}")


def _files_with(base: str) -> list[Path]:
    """The files that contain the id: searching the text is faster than loading all files."""
    line = re.compile(
        rb"""id["']?\s*:\s*["']?%s["']?\s*(?:$|#|,)""" % re.escape(os.fsencode(base)), re.MULTILINE
    )
    here = (path for depth in ("", "*/", "*/*/") for path in Path().glob(f"{depth}*.y*ml"))
    for paths in (locate.scenario_files([locate.specs()]), here):
        if found := [
            path for path in paths if locate.is_scenario_file(path) and line.search(path.read_bytes())
        ]:
            return found
    return []


def _near(base: str) -> str:
    near = did_you_mean(base, written_ids(locate.scenario_files([locate.specs()])))
    return f"; {near}" if near else ""
