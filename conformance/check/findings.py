"""The claims of documents, judged by the results of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.check.library import Library
from conformance.report.claims import Finding, find
from conformance.report.result import Result

if TYPE_CHECKING:
    from conformance.language.claims import Claims


@dataclass(frozen=True, slots=True)
class Findings:
    """The claims of a folder, and the finding for each."""

    folder: Path
    claims: Claims
    found: tuple[Finding, ...]


def findings(library: Library, results: Sequence[Result]) -> tuple[Findings, ...]:
    """The findings on all claims that govern a file of the results.

    Further files are loaded only if a contradiction depends on them: a claim declared refuted is known to hold only if
    all its scenarios have run.
    """
    governing = {library.governing(Path(file)) for file in {result.file for result in results}}
    judged = []
    for folder in sorted(path for path in governing if path is not None):
        claims = library.claims(folder)
        found = find(claims.claims, _by_claim(library.cases(folder)), results)
        if any(finding.contradicted and finding.observed == "confirmed" for finding in found):
            library.complete(folder)
            found = find(claims.claims, _by_claim(library.cases(folder)), results)
        judged.append(Findings(folder, claims, found))
    return tuple(judged)


def _by_claim(cases: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for case, claims in cases.items():
        for claim in claims:
            found.setdefault(claim, []).append(case)
    return found
