"""claims.yaml: what documents say, sentence by sentence, and whether torch agrees."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from conformance.language.document import Place, Report
from conformance.language.load_result import Problem
from conformance.language.mapping_file import MappingFile
from conformance.language.model import ClaimId, Slug, StrictModel
from conformance.language.scenario import Position
from conformance.language.suggest import did_you_mean

ClaimVerdict = Literal["confirmed", "refuted", "imprecise", "drifted"]
"""confirmed: torch does what the document says; refuted: something else; imprecise: the same only with the
correction in the note; drifted: it did in the release that the document used."""

Text = Annotated[str, Field(min_length=1)]


class _DocumentModel(StrictModel):
    """A document that says something about autograd."""

    title: Text
    author: Text = ""


class _ClaimModel(StrictModel):
    """One sentence of a document, in words of this project."""

    id: ClaimId
    verdict: ClaimVerdict
    says: Text
    note: Text = ""


class _ClaimsFileModel(StrictModel):
    """The content of claims.yaml."""

    documents: dict[Slug, _DocumentModel] = Field(min_length=1)
    claims: list[_ClaimModel] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Document:
    """A document that says something about autograd."""

    key: str
    title: str
    author: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of a document, the verdict declared for it, the note that explains one not confirmed."""

    id: str
    document: str  # its key
    verdict: ClaimVerdict
    says: str
    note: str
    position: Position


@dataclass(frozen=True, slots=True)
class Claims:
    """Documents by key, claims in order, and the problems of the file; invalid claims are left out."""

    documents: dict[str, Document] = field(default_factory=dict)
    claims: tuple[Claim, ...] = ()
    problems: tuple[Problem, ...] = ()


def load_claims(path: Path) -> Claims:
    """The claims of a file; invalid content is reported, never raised."""
    return _claims(MappingFile(str(path), _ClaimsFileModel), str(path))


def load_claims_text(text: str, file: str) -> Claims:
    """The claims of YAML text; ``file`` is its name in positions."""
    return _claims(MappingFile(file, _ClaimsFileModel, text), file)


def _claims(content: MappingFile, file: str) -> Claims:
    documents = {
        key: Document(key, document["title"], document.get("author", ""))
        for key, document in content.entries("documents")
    }
    claims: list[Claim] = []
    for index, claim in content.entries("claims"):
        place = content.place("claims", index, "id")
        if _sound(claim, documents, [each.id for each in claims], place, content.report):
            document = claim["id"].partition("/")[0]
            note, position = claim.get("note", ""), Position(file, *place)
            claims.append(Claim(claim["id"], document, claim["verdict"], claim["says"], note, position))
    return Claims(documents, tuple(claims), tuple(content.problems))


def _sound(
    claim: dict[str, Any], documents: dict[str, Document], known: list[str], place: Place, report: Report
) -> bool:
    """Whether a claim is consistent with the rest of the file; problems are reported."""
    name = claim["id"]
    document = name.partition("/")[0]
    if name in known:
        report(place, f"the claim `{name}` is repeated", "ids are unique")
    elif document not in documents:
        hint = did_you_mean(document, documents) or "name it under documents"
        report(place, f"there is no document `{document}`", hint)
    elif claim["verdict"] != "confirmed" and not claim.get("note"):
        report(place, f"`{name}` is {claim['verdict']} without a note", "explain in `note` what torch does")
    else:
        return True
    return False
