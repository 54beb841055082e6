"""Claims: what documents say, sentence by sentence, and whether torch agrees."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from conformance.language.document import Place, Report
from conformance.language.load_result import Problem
from conformance.language.mapping_file import MappingFile
from conformance.language.model import ClaimId, NonEmpty, Slug, StrictModel
from conformance.language.scenario import Position
from conformance.language.suggest import did_you_mean

ClaimVerdict = Literal["confirmed", "refuted", "imprecise", "drifted"]
"""confirmed: torch does what the document says; refuted: something else; imprecise: the same only with the
correction in the note; drifted: it did in the release that the document used."""

Url = Annotated[str, Field(pattern=r"^https?://\S+$")]


class _DocumentModel(StrictModel):
    """A document that says something about autograd."""

    title: NonEmpty
    """As readers know it."""
    author: NonEmpty = ""
    """Who wrote it."""
    publisher: NonEmpty = ""
    """Who published it."""
    url: Url = ""
    """Where it can be read."""
    read_at: NonEmpty = ""
    """The release, the commit or the date of the text that was read."""


class _ClaimModel(StrictModel):
    """One sentence of a document, in words of this project."""

    id: ClaimId
    """Document/name, by which scenarios name it under `claim`."""
    verdict: ClaimVerdict
    """confirmed: torch does what the document says; refuted: something else; imprecise: the same only with the
    correction in the note; drifted: it did in the release that the document used."""
    says: NonEmpty
    """The sentence, in own words."""
    note: NonEmpty = ""
    """What torch does instead; needed where the claim is not confirmed."""
    where: NonEmpty = ""
    """The section of the document."""
    url: Url = ""
    """The place in the document, or in torch's reference."""


class ClaimsFileModel(StrictModel):
    """A file of claims."""

    documents: dict[Slug, _DocumentModel] = Field(min_length=1)
    """The documents, by the first part of their claims' ids."""
    claims: list[_ClaimModel] = Field(min_length=1)
    """What they say, in their order."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document that says something about autograd."""

    key: str
    title: str
    author: str = ""
    publisher: str = ""
    url: str = ""
    read_at: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of a document, the verdict declared for it, the note that explains one not confirmed."""

    id: str
    document: str  # its key
    verdict: ClaimVerdict
    says: str
    note: str
    position: Position
    where: str = ""  # the section of the document
    url: str = ""  # of its place, or of the document


@dataclass(frozen=True, slots=True)
class Claims:
    """Documents by key, claims in order, and the problems of the files; invalid claims are left out."""

    documents: dict[str, Document] = field(default_factory=dict)
    claims: tuple[Claim, ...] = ()
    problems: tuple[Problem, ...] = ()


def load_claims(*paths: Path) -> Claims:
    """The claims of files, taken together; invalid content is reported, never raised."""
    return _joined(MappingFile(str(path), ClaimsFileModel) for path in paths)


def load_claims_text(text: str, file: str) -> Claims:
    """The claims of YAML text; ``file`` is its name in positions."""
    return _joined([MappingFile(file, ClaimsFileModel, text)])


def _joined(contents: Iterable[MappingFile]) -> Claims:
    documents: dict[str, Document] = {}
    claims: dict[str, Claim] = {}
    problems: list[Problem] = []
    for content in contents:
        own = {key: _document(key, said) for key, said in content.entries("documents")}
        for key in own.keys() & documents.keys():
            place = content.place("documents", key)
            content.report(place, f"the document `{key}` is described twice", "one file describes it")
        for index, said in content.entries("claims"):
            place = content.place("claims", index, "id")
            if _sound(said, own, claims, place, content.report):
                claims[said["id"]] = _claim(said, own, Position(content.file, *place))
        documents = documents | {key: each for key, each in own.items() if key not in documents}
        problems += content.problems
    return Claims(documents, tuple(claims.values()), tuple(problems))


def _document(key: str, said: dict[str, Any]) -> Document:
    names = ("author", "publisher", "url", "read_at")
    return Document(key, said["title"], **{name: said.get(name, "") for name in names})


def _claim(said: dict[str, Any], documents: Mapping[str, Document], position: Position) -> Claim:
    name = said["id"]
    document = documents[name.partition("/")[0]]
    note, where = said.get("note", ""), said.get("where", "")
    url = said.get("url", document.url)
    return Claim(name, document.key, said["verdict"], said["says"], note, position, where, url)


def _sound(
    claim: dict[str, Any],
    documents: Mapping[str, Document],
    known: Container[str],
    place: Place,
    report: Report,
) -> bool:
    """Whether a claim is consistent with the other claims and its file; problems are reported."""
    name = claim["id"]
    document = name.partition("/")[0]
    if name in known:
        report(place, f"the claim `{name}` is repeated", "ids are unique")
    elif document not in documents:
        hint = did_you_mean(document, documents) or "describe it under `documents` of this file"
        report(place, f"there is no document `{document}`", hint)
    elif claim["verdict"] != "confirmed" and not claim.get("note"):
        report(place, f"`{name}` is {claim['verdict']} without a note", "explain in `note` what torch does")
    else:
        return True
    return False
