"""An engine described in words: what can be read, what is missing, what to do next."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from conformance.language.usage import Usage
from conformance.report.text import label
from conformance.report.unlocking import ranking
from conformance.runner.engine import GROUPS


def describe(
    asked: str, facts: Mapping[str, Any], read: Callable[[], Sequence[Usage]], entries: int
) -> Iterator[str]:
    """The text for what `conformance.adapters.probe` found; ``read`` reads the names of each scenario.

    It is called when everything else has been yielded, since that takes a while. ``asked`` is how the command line
    names the engine, including its interpreter.
    """
    claims = [group for group in GROUPS if group in facts["claims"]]
    unclaimed = [group for group in GROUPS if group not in claims]
    yield f"{label(facts['name'], facts['version'])} claims {_words(claims)}" + (
        f", not {_words(unclaimed)}." if unclaimed else "."
    )
    if entries:
        yield f"Its divergence file declares {entries} {'scenario' if entries == 1 else 'scenarios'}."
    yield from _section("Readable", _readable(facts, claims))
    uses = read()
    yield from _section("Missing", _missing(facts, uses))
    steps = enumerate(_next(asked, facts, claims, uses), start=1)
    yield from _section("Next", (f"{number}. {line}" for number, line in steps))


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
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


def _readable(facts: Mapping[str, Any], claims: Sequence[str]) -> Iterator[str]:
    if facts["made"]:
        yield f"Nothing yet: {facts['made']}."
        return
    yield f"{facts['making']} returns a tensor that `observe` recognizes."
    for group, unread in facts["unread"].items():
        claimed = "claimed" if group in claims else "not claimed"
        if unread:
            yield f"{group} ({claimed}): cannot be read, since it has no {_words(unread)}"
        else:
            yield f"{group} ({claimed}): can be read"
    yield from _not_compared(facts, claims)
    yield f"errors, messages: what a program raises, warns and prints can be read of every engine; {_both(claims)}."


def _not_compared(facts: Mapping[str, Any], claims: Sequence[str]) -> Iterator[str]:
    """What cannot be compared, since the engine has no way to show it: see Note [What cannot be read]."""
    if "is_leaf" in facts["unread"]["flags"]:
        yield "It has no is_leaf, so `grad` is read of every tensor, not only of leaves."
    elif "retains_grad" in facts["unread"]["flags"]:
        yield "It has no retains_grad, so `grad` is compared of leaves alone."
    if facts["starts_with_zeros"]:
        yield "Its grads start as zeros, it says: a grad of zeros is not compared where torch has none."
    if absent := [name for name in ("torch.nn.Module", "torch.optim.Optimizer") if name in facts["lacking"]]:
        yield f"It has no {_words(absent)}, so what its modules and optimizers hold is not compared."
    for owner, methods in facts["unlisted"].items():
        what = "modules" if owner == "torch.nn.Module" else "optimizers"
        yield f"Its {owner} has no {_words(methods)}, so what its {what} hold is not compared."
    if "random" not in claims:
        yield "random is not claimed, so values are compared up to the first random number of a program."


def _both(claims: Sequence[str]) -> str:
    claimed = [group for group in ("errors", "messages") if group in claims]
    return (
        f"{_words(claimed)} claimed"
        if claimed
        else "neither is claimed, so only an error that torch does not raise counts"
    )


def _missing(facts: Mapping[str, Any], uses: Sequence[Usage]) -> Iterator[str]:
    lacking, without = set(facts["lacking"]), set(facts.get("without", ()))
    if not lacking and not without:
        yield "Nothing: it provides every name that scenarios may use."
        return
    attributes = "" if facts["made"] else f", {len(without)} of {facts['attributes']} attributes of tensors"
    yield f"{len(lacking)} of {facts['names']} names of torch that scenarios may use{attributes}."
    first = list(ranking(_lacks(use, lacking, without) for use in uses))
    if first:
        yield "Provide first, with the scenarios that each then unlocks: " + ", ".join(
            f"{name} ({count})" for name, count in first
        )
    if facts["made"]:
        return
    supported = sum(not _lacks(use, lacking, without) for use in uses)
    yield f"{supported} of {len(uses)} scenarios use nothing that is missing; the others are unsupported."


def _lacks(use: Usage, lacking: set[str], without: set[str]) -> set[str]:
    return {*(use.paths & lacking)} | {f"Tensor.{name}" for name in use.attributes & without}


def _next(
    asked: str, facts: Mapping[str, Any], claims: Sequence[str], uses: Sequence[Usage]
) -> Iterator[str]:
    if facts["echoes"]:
        yield "Its tensors are torch's own, so torch is compared with itself and agreement means nothing."
    if facts["made"]:
        known = (
            "let the module provide their class as `Tensor`, or write an adapter whose `observe` recognizes them"
            if facts["nameless"]
            else "`observe` return it"
        )
        yield f"Make torch.tensor([1.0, 2.0], requires_grad=True) return one of its tensors, and {known}."
        return
    for group, unread in facts["unread"].items():
        if unread and group in claims:
            give = f"Let what `observe` returns provide {_words(unread)}"
            yield (
                f"{give}: everything else depends on values."
                if group == "values"
                else (f"{give}, or leave {group} out of `claims`.")
            )
        elif not unread and group not in claims:
            yield f"{group} can be read: claim it."
    if facts["born_with_grad"] and not facts["starts_with_zeros"]:
        yield (
            "A new tensor has a grad already: let `observe` show None until a pass fills it, or say "
            "grads_start_as_zeros = True if the engine cannot tell."
        )
    lacking, without = set(facts["lacking"]), set(facts.get("without", ()))
    for name, count in ranking((_lacks(use, lacking, without) for use in uses), 1):
        yield f"Provide {name}, which unlocks {count} scenarios, if the engine has it under another name."
    yield f"conformance run --engine {asked} -n 2 --tier core: compare it with torch where it supports the scenario."
    yield f"conformance engine {asked} --propose: print what its divergence file needs to declare the differences."


def _words(names: Sequence[str]) -> str:
    return ", ".join(names)
