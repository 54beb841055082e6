"""The claims of documents, judged by the results of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.check.library import Library
from conformance.check.locate import governing_claims
from conformance.report.claims import Finding, find
from conformance.report.result import Result

if TYPE_CHECKING:
    from conformance.language.claims import Claims


@dataclass(frozen=True, slots=True)
class Findings:
    """The claims of one claims.yaml, and the finding for each."""

    path: Path
    claims: Claims
    found: tuple[Finding, ...]


def findings(library: Library, results: Sequence[Result]) -> tuple[Findings, ...]:
    """The findings for every claims.yaml that governs a file of the results.

    Further files are loaded only if a contradiction depends on them: a claim declared refuted is known to hold only if
    all its scenarios have run.
    """
    governing = {file: governing_claims(Path(file)) for file in {result.file for result in results}}
    judged = []
    for path in sorted({path for path in governing.values() if path is not None}):
        claims = library.claims(path)
        found = find(claims.claims, _by_claim(library.cases(path.parent)), results)
        if any(finding.contradicted and finding.observed == "confirmed" for finding in found):
            library.complete(path.parent)
            found = find(claims.claims, _by_claim(library.cases(path.parent)), results)
        judged.append(Findings(path, claims, found))
    return tuple(judged)


def _by_claim(cases: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for case, claims in cases.items():
        for claim in claims:
            found.setdefault(claim, []).append(case)
    return found
