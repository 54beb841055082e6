"""An engine in plain words: what is wired, what is missing, what to do next."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.language.usage import Usage
from conformance.report.text import label
from conformance.runner.engine import GROUPS

_SHOWN = 12  # missing names


def describe(asked: str, facts: Mapping[str, Any], uses: Sequence[Usage], entries: int) -> Iterator[str]:
    """The text for what `conformance.adapters.probe` found; ``uses`` has the names of each scenario.

    ``asked`` is the engine as commands name it, with the interpreter in which it is.
    """
    claims = [group for group in GROUPS if group in facts["claims"]]
    unclaimed = [group for group in GROUPS if group not in claims]
    yield f"{label(facts['name'], facts['version'])} claims {_words(claims)}" + (
        f", not {_words(unclaimed)}." if unclaimed else "."
    )
    if entries:
        yield f"Its divergence file declares {entries} {'scenario' if entries == 1 else 'scenarios'}."
    for title, lines in (
        ("Wired", list(_wired(facts, claims))),
        ("Missing", list(_missing(facts, uses))),
        ("Next", [f"{n}. {line}" for n, line in enumerate(_next(asked, facts, claims, uses), start=1)]),
    ):
        yield ""
        yield title
        for line in lines:
            yield from textwrap.wrap(
                line,
                100,
                initial_indent="  ",
                subsequent_indent="     " if title == "Next" else "    ",
                break_on_hyphens=False,
                break_long_words=False,
            )


def _wired(facts: Mapping[str, Any], claims: Sequence[str]) -> Iterator[str]:
    if facts["made"]:
        yield f"Nothing yet: {facts['made']}."
        return
    yield f"{facts['making']} gives a tensor that `observe` knows."
    for group, unread in facts["unread"].items():
        claimed = "claimed" if group in claims else "not claimed"
        if unread:
            yield f"{group} ({claimed}): cannot be read, since it has no {_words(unread)}"
        else:
            yield f"{group} ({claimed}): can be read"
    if "is_leaf" in facts["unread"]["flags"]:
        yield "Since it has no is_leaf, `grad` is read of every tensor, and not of leaves alone."
    yield f"errors, messages: what a program raises, warns and prints is seen of every engine; {_both(claims)}."


def _both(claims: Sequence[str]) -> str:
    mine = [group for group in ("errors", "messages") if group in claims]
    return (
        f"{_words(mine)} claimed"
        if mine
        else "neither is claimed, so only raising where torch does not counts"
    )


def _missing(facts: Mapping[str, Any], uses: Sequence[Usage]) -> Iterator[str]:
    lacking, without = set(facts["lacking"]), set(facts.get("without", ()))
    if not lacking and not without:
        yield "No name that scenarios may use."
        return
    attributes = "" if facts["made"] else f", {len(without)} of {facts['attributes']} attributes of tensors"
    yield f"{len(lacking)} of {facts['names']} names of torch that scenarios may use{attributes}."
    most = _wanted(lacking, without, uses)
    if most:
        yield "Those in most scenarios: " + ", ".join(f"{name} ({count})" for name, count in most[:_SHOWN])
    if facts["made"]:
        return
    whole = sum(not _lacks(use, lacking, without) for use in uses)
    yield f"{whole} of {len(uses)} scenarios use nothing that is missing; the others are unsupported."


def _wanted(lacking: set[str], without: set[str], uses: Sequence[Usage]) -> list[tuple[str, int]]:
    counts: Counter[str] = Counter()
    for use in uses:
        counts.update(_lacks(use, lacking, without))
    return counts.most_common()


def _lacks(use: Usage, lacking: set[str], without: set[str]) -> set[str]:
    return {*(use.paths & lacking)} | {f"Tensor.{name}" for name in use.attributes & without}


def _next(
    asked: str, facts: Mapping[str, Any], claims: Sequence[str], uses: Sequence[Usage]
) -> Iterator[str]:
    if facts["echoes"]:
        yield "Its tensors are torch's own: torch is compared with itself, and agreeing says nothing."
    if facts["made"]:
        known = (
            "give the module the name `Tensor` for their class, or write an adapter whose `observe` knows them"
            if facts["nameless"]
            else "`observe` return it"
        )
        yield f"Make torch.tensor([1.0, 2.0], requires_grad=True) give one of its tensors, and {known}."
        return
    for group, unread in facts["unread"].items():
        if unread and group in claims:
            give = f"Give what `observe` returns {_words(unread)}"
            yield (
                f"{give}: all else rests on values."
                if group == "values"
                else (f"{give}, or leave {group} out of `claims`.")
            )
        elif not unread and group not in claims:
            yield f"{group} can be read: claim it."
    if facts["born_with_grad"]:
        yield "A new tensor has a grad already: let `observe` show None, as torch does, until a pass fills it."
    most = _wanted(set(facts["lacking"]), set(facts.get("without", ())), uses)
    if most:
        name, count = most[0]
        yield f"Give it {name}, which {count} scenarios use, where it has the like under another name."
    yield f"conformance run --engine {asked} -n 2: every scenario that it can run, beside torch."
    yield f"conformance engine {asked} --propose: what its divergence file needs, for differences to be kept."


def _words(names: Sequence[str]) -> str:
    return ", ".join(names)
