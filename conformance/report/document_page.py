"""A page for each document: what it says, whether torch agrees, and a program that shows it, as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import get_args

from conformance.language.claims import Claim, Claims, ClaimVerdict, Document
from conformance.language.scenario import Scenario, base_id
from conformance.report.docs import flat, table
from conformance.report.program import annotated

KINDS = get_args(ClaimVerdict)


def pages(
    claims: Claims, verdicts: Mapping[str, str], scenarios: Iterable[Scenario], reference: str
) -> dict[str, str]:
    """The page of each document, by its key.

    ``verdicts`` has the verdict of each claim, ``reference`` is the torch that it was checked on.
    """
    of_claim: dict[str, list[Scenario]] = {}
    for scenario in scenarios:
        for claim in scenario.claims:
            of_claim.setdefault(claim, []).append(scenario)
    return {
        key: "\n".join(
            _page(document, [c for c in claims.claims if c.document == key], verdicts, of_claim, reference)
        )
        for key, document in claims.documents.items()
    }


def index(claims: Claims) -> str:
    """A table of the documents, which links to their pages, with the number of claims of each verdict."""
    counts = Counter((claim.document, claim.verdict) for claim in claims.claims)
    totals = Counter(claim.verdict for claim in claims.claims)
    rows = [
        (f"[{document.title}]({key}.md)", *(str(counts[key, kind] or "") for kind in KINDS))
        for key, document in claims.documents.items()
    ]
    rows.append(("all", *(str(totals[kind]) for kind in KINDS)))
    return table(("document", *KINDS), rows)


def _page(
    document: Document,
    claims: Sequence[Claim],
    verdicts: Mapping[str, str],
    of_claim: Mapping[str, Sequence[Scenario]],
    reference: str,
) -> Iterator[str]:
    title = f"[{document.title}]({document.url})" if document.url else document.title
    yield from (f"# {title}", "", *_origin(document))
    counts = Counter(verdicts[claim.id] for claim in claims)
    kinds = [*KINDS, *sorted(counts.keys() - set(KINDS))]
    counted = ", ".join(f"{counts[kind]} {kind}" for kind in kinds if counts[kind])
    yield from (f"{len(claims)} claims, checked on {reference}: {counted}.", "")
    section = None
    for claim in claims:
        if claim.where and claim.where != section:
            section = claim.where
            yield from (f"## {flat(section)}", "")
        link = claim.url if claim.url != document.url else ""
        yield from _entry(claim, verdicts[claim.id], link, of_claim.get(claim.id, ()))


def _origin(document: Document) -> Iterator[str]:
    said = [part for part in (document.author, document.publisher) if part and part not in document.title]
    if document.read_at:
        said.append(f"read at {document.read_at}")
    if said:
        yield from (f"{', '.join(said)}.", "")


def _entry(claim: Claim, verdict: str, link: str, scenarios: Sequence[Scenario]) -> Iterator[str]:
    name = claim.id.partition("/")[2]
    yield from (f"### {name}", "", f"**{verdict}**: {flat(claim.says)}", "")
    if claim.note:
        yield from (f"> {flat(claim.note)}", "")
    if link:
        yield from (f"[The place]({link})", "")
    ranked = _by_weight(scenarios)
    for shown in ranked[:1]:
        yield from (f"{shown.title} (`{base_id(shown.id)}`):", "", "```python", annotated(shown), "```", "")
    if others := [f"`{base_id(each.id)}`" for each in ranked[1:]]:
        yield from (f"Further scenarios: {', '.join(others)}.", "")


def _by_weight(scenarios: Iterable[Scenario]) -> list[Scenario]:
    """Those in which document and torch differ come first; of a matrix only the first case."""
    first: dict[str, Scenario] = {}
    for scenario in scenarios:
        first.setdefault(base_id(scenario.id), scenario)
    return sorted(first.values(), key=lambda each: not any(step.claimed for step in each.steps))
