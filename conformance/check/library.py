"""All scenario files of a run: each is loaded once, ids are unique across files, and claims exist."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.check.locate import claims_files, governing_claims, is_scenario_file, scenario_files
from conformance.language import cache
from conformance.language.load_result import LoadResult, Problem
from conformance.language.scenario import Position, Tier, base_id
from conformance.language.suggest import did_you_mean
from conformance.report.text import short_path

if TYPE_CHECKING:
    from conformance.language.claims import Claims


class Library:
    """The scenario files loaded so far, with the checks that need several files."""

    def __init__(self) -> None:
        self._loaded: dict[Path, LoadResult] = {}
        self._claims: dict[Path, Claims] = {}  # folder -> its claims
        self._governing: dict[Path, Path | None] = {}  # folder of scenarios -> folder of their claims
        self._cases: dict[Path, dict[str, tuple[str, ...]]] = {}  # file -> case -> its claims
        self._defined: dict[str, Position] = {}  # the position of each id

    def load(self, path: Path, tier: Tier = "full") -> LoadResult:
        """The scenarios of a file up to a tier and its problems, including conflicts with other files."""
        path = path.resolve()
        if path not in self._loaded:
            loaded = cache.load(Path(short_path(path)), tier)
            problems = [*loaded.problems, *self._repeated(loaded), *self._unknown_claims(path, loaded)]
            wrong = {problem.scenario for problem in problems}
            scenarios = tuple(each for each in loaded.scenarios if base_id(each.id) not in wrong)
            ordered = sorted(
                dict.fromkeys(problems), key=lambda each: (each.position.line, each.position.column)
            )
            self._loaded[path] = LoadResult(scenarios, tuple(ordered), loaded.left_out)
            self._cases[path] = {scenario.id: scenario.claims for scenario in scenarios}
            self._cases[path] |= dict(loaded.left_out)
        return self._loaded[path]

    def left_out(self) -> int:
        """How many cases of the loaded files are in a tier beyond the one asked for."""
        return sum(len(loaded.left_out) for loaded in self._loaded.values())

    def load_all(self, paths: Iterable[Path], tier: Tier = "full") -> LoadResult:
        """Everything up to a tier in the scenario files that ``paths`` name or contain."""
        loaded = [self.load(path, tier) for path in scenario_files(list(paths)) if is_scenario_file(path)]
        return LoadResult(
            tuple(scenario for each in loaded for scenario in each.scenarios),
            tuple(problem for each in loaded for problem in each.problems),
        )

    def claims(self, folder: Path) -> Claims:
        """The claims of a folder, which may be in several files."""
        if folder not in self._claims:
            from conformance.language.claims import (
                load_claims,  # imports pydantic, which cached files do not need
            )

            self._claims[folder] = load_claims(*(Path(short_path(path)) for path in claims_files(folder)))
        return self._claims[folder]

    def governing(self, scenario_file: Path) -> Path | None:
        """The folder whose claims govern a scenario file, if there is one."""
        folder = scenario_file.resolve().parent
        if folder not in self._governing:
            self._governing[folder] = governing_claims(scenario_file)
        return self._governing[folder]

    def complete(self, folder: Path) -> None:
        """Load the files below a folder that have not been loaded."""
        for path in scenario_files([folder.resolve()]):
            if path not in self._cases and is_scenario_file(path):
                self.load(path)

    def ids_elsewhere(self, folder: Path) -> frozenset[str]:
        """The ids written in the files below a folder that have not been loaded, found without loading them."""
        files = (path for path in scenario_files([folder.resolve()]) if path not in self._cases)
        return frozenset(written_ids(files))

    def cases(self, folder: Path | None = None) -> dict[str, tuple[str, ...]]:
        """The cases of the files loaded so far, in any tier, with the claims of each; in a folder or everywhere."""
        found: dict[str, tuple[str, ...]] = {}
        for path in sorted(self._cases):
            if folder is None or path.is_relative_to(folder.resolve()):
                found |= self._cases[path]
        return found

    def index(self) -> dict[str, dict[str, tuple[str, ...]]]:
        """The data of `cases`, for another process."""
        return {str(path): cases for path, cases in self._cases.items()}

    def adopt(self, index: dict[str, dict[str, tuple[str, ...]]]) -> None:
        """Add what another process loaded."""
        self._cases |= {Path(path): cases for path, cases in index.items()}

    def _repeated(self, loaded: LoadResult) -> Iterable[Problem]:
        for scenario in loaded.scenarios:
            first = self._defined.setdefault(base_id(scenario.id), scenario.position)
            if first != scenario.position:
                message = f"the id {base_id(scenario.id)} is used already, at {first}"
                yield Problem(
                    scenario.position, message, "ids are unique in the whole run", base_id(scenario.id)
                )

    def _unknown_claims(self, path: Path, loaded: LoadResult) -> Iterable[Problem]:
        claimed = [(scenario, claim) for scenario in loaded.scenarios for claim in scenario.claims]
        if not claimed:
            return
        folder = self.governing(path)
        known = {claim.id for claim in self.claims(folder).claims} if folder else set()
        for scenario, claim in claimed:
            if claim not in known:
                message = f"there is no claim {claim}{_where(folder, claim)}"
                hint = did_you_mean(claim, known) or _TO_DECLARE
                yield Problem(scenario.position, message, hint, base_id(scenario.id))


_TO_DECLARE = (
    "declare it in claims.yaml, or in a file of a folder claims, in the folder of the scenario or above"
)


def _where(folder: Path | None, claim: str) -> str:
    """Where a claim was looked for: the file of its document, if it has one, or all of them."""
    files = claims_files(folder) if folder else ()
    own = [file for file in files if file.stem == claim.partition("/")[0]] or files
    return f" in {', '.join(map(short_path, own[:3]))}" if len(own) <= 3 and own else ""


_ID = re.compile(rb"""^[ -]*["']?id["']?\s*:\s*["']?([\w-]+)""", re.MULTILINE)


def written_ids(files: Iterable[Path]) -> set[str]:
    """The ids in the files, found without loading them."""
    return {found.decode() for path in files if path.is_file() for found in _ID.findall(path.read_bytes())}
