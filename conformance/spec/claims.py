"""claims.yaml: what documents say, sentence by sentence, and what torch makes of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError
from yaml import MappingNode, Node

from conformance.spec.document import NotYAML, Place, Reader, Report, compose
from conformance.spec.explain import explain, find
from conformance.spec.loaded import Problem
from conformance.spec.model import ClaimId, Slug, Strict
from conformance.spec.scenario import Position
from conformance.spec.suggest import did_you_mean

Verdict = Literal["confirmed", "refuted", "imprecise", "drifted"]
"""confirmed: torch does what the document says; refuted: something else; imprecise: the same only with the
correction in the note; drifted: it did in the release that the document used."""

Text = Annotated[str, Field(min_length=1)]


class _Document(Strict):
    """A document that says something about autograd."""

    title: Text
    author: Text = ""


class _Claim(Strict):
    """One sentence of a document, in words of this project."""

    id: ClaimId
    verdict: Verdict
    says: Text
    note: Text = ""


class _File(Strict):
    """The content of claims.yaml."""

    documents: dict[Slug, _Document] = Field(min_length=1)
    claims: list[_Claim] = Field(min_length=1)


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
    verdict: Verdict
    says: str
    note: str
    position: Position


@dataclass(frozen=True, slots=True)
class Claims:
    """Documents by key, claims in order, and what is wrong with the file; a wrong claim is left out."""

    documents: dict[str, Document] = field(default_factory=dict)
    claims: tuple[Claim, ...] = ()
    problems: tuple[Problem, ...] = ()


def load_claims(path: Path) -> Claims:
    """The claims of a file; bad content never raises."""
    try:
        return load_claims_text(path.read_text(encoding="utf-8-sig"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        return Claims(problems=(Problem(Position(str(path), 1), f"cannot be read: {error}"),))


def load_claims_text(text: str, file: str) -> Claims:
    """The claims of YAML text; ``file`` is its name in positions."""
    problems: list[Problem] = []

    def report(place: Place, message: str, hint: str = "") -> None:
        problems.append(Problem(Position(file, *place), message, hint))

    reader = Reader(text, report)
    documents: dict[str, Document] = {}
    claims: list[Claim] = []
    try:
        root = compose(text)
    except NotYAML as error:
        report(error.place, error.message, error.hint)
        root = None
    else:
        if not isinstance(root, MappingNode):
            report(Place(1, 1), "claims are a mapping", "begin with `documents:`")
    if isinstance(root, MappingNode):
        content = _validated(reader.read(root), root, reader)
        documents = {
            key: Document(key, d["title"], d.get("author", "")) for key, d in content["documents"].items()
        }
        for index, claim in content["claims"].items():
            place = find(root, ("claims", index, "id"), reader)
            if _sound(claim, documents, [c.id for c in claims], place, report):
                document = claim["id"].partition("/")[0]
                note = claim.get("note", "")
                position = Position(file, *place)
                claims.append(Claim(claim["id"], document, claim["verdict"], claim["says"], note, position))
    return Claims(documents, tuple(claims), tuple(problems))


def _validated(data: Any, root: Node, reader: Reader) -> dict[str, dict[Any, Any]]:
    """Documents by key and claims by index, without those that the model refuses."""
    refused: set[tuple[str | int, ...]] = set()
    try:
        _File.model_validate(data)
    except ValidationError as error:
        for details in error.errors(include_url=False):
            reader.report(*explain(details, _File, root, reader))
            refused.add(details["loc"][:2])
    documents, claims = data.get("documents"), data.get("claims")
    return {
        "documents": {
            key: value
            for key, value in (documents.items() if isinstance(documents, dict) else ())
            if ("documents", key) not in refused
        },
        "claims": {
            index: value
            for index, value in enumerate(claims if isinstance(claims, list) else ())
            if ("claims", index) not in refused
        },
    }


def _sound(
    claim: dict[str, Any], documents: dict[str, Document], known: list[str], place: Place, report: Report
) -> bool:
    """Whether a claim goes together with the rest of the file."""
    name = claim["id"]
    document = name.partition("/")[0]
    if name in known:
        report(place, f"the claim `{name}` is repeated", "ids are unique")
    elif document not in documents:
        hint = did_you_mean(document, documents) or "name it under documents"
        report(place, f"there is no document `{document}`", hint)
    elif claim["verdict"] != "confirmed" and not claim.get("note"):
        report(place, f"`{name}` is {claim['verdict']} without a note", "say in `note` what torch does")
    else:
        return True
    return False
