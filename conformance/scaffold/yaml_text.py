"""Write scenarios as YAML text in the style of a human author."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from conformance.scaffold.draft import DraftStep

_PLAIN = re.compile(r"[A-Za-z_][\w ./()\[\]+*=<>-]*")  # text that needs no quotes
_SPECIAL = re.compile(r"(?:null|none|true|false|yes|no|on|off|nan|inf|~)", re.IGNORECASE)
_IN_FLOW = re.compile(r"[\[\]{},]")


def scenario(ident: str, title: str, steps: Sequence[DraftStep]) -> Iterator[str]:
    """The lines of one scenario of a file."""
    yield f"  - id: {ident}"
    yield f"    title: {text(title)}"
    if len(steps) == 1:
        yield from _step(steps[0], "    ", "    ")
        return
    yield "    steps:"
    for step in steps:
        yield from _step(step, "      - ", "        ")


def _step(step: DraftStep, first: str, rest: str) -> Iterator[str]:
    lines = step.run.split("\n")
    if len(lines) == 1 and _PLAIN.fullmatch(lines[0]):
        yield f"{first}run: {lines[0]}"
    else:
        yield f"{first}run: |"
        yield from (f"{rest}  {line}".rstrip() for line in lines)
    if step.raises:
        yield f"{rest}raises: {text(step.raises)}"
        if step.message:
            yield f"{rest}message: {text(step.message)}"
    if len(step.warns) == 1:
        yield f"{rest}warns: {text(step.warns[0])}"
    elif step.warns:
        yield f"{rest}warns:"
        yield from (f"{rest}  - {text(warning)}" for warning in step.warns)
    if step.printed:
        yield from _printed(step.prints, rest)
    if step.expect:
        yield f"{rest}expect:"
        for expression, value in step.expect:
            yield f"{rest}  {text(expression)}: {data(value)}"
    if step.claimed or step.claimed_prints is not None:
        yield f"{rest}claimed:"
    if step.claimed_prints is not None:
        yield from _printed(step.claimed_prints, f"{rest}  ")
    if step.claimed:
        yield f"{rest}  expect:"
        for expression, value in step.claimed:
            yield f"{rest}    {text(expression)}: {data(value)}"


def _printed(printed: str, indent: str) -> Iterator[str]:
    lines = printed.split("\n")
    if len(lines) == 1 or lines[0].startswith(" ") or not all(map(str.isprintable, lines)):
        yield f"{indent}prints: {text(printed)}"
    else:
        yield f"{indent}prints: |"
        yield from (f"{indent}  {line}".rstrip() for line in lines)


def text(value: str, *, in_flow: bool = False) -> str:
    """A text, quoted if necessary."""
    plain = (
        _PLAIN.fullmatch(value)
        and not value.endswith(" ")
        and not _SPECIAL.fullmatch(value)
        and not (in_flow and _IN_FLOW.search(value))
    )
    return value if plain else json.dumps(value, ensure_ascii=False)


def data(value: Any, *, in_flow: bool = False) -> str:
    """Plain data in flow style."""
    if isinstance(value, list):
        return f"[{', '.join(data(item, in_flow=True) for item in value)}]"
    if isinstance(value, str):
        return text(value, in_flow=in_flow)
    if isinstance(value, complex):
        return repr(value).strip("()")
    return (
        {None: "null", True: "true", False: "false"}[value]
        if value is None or isinstance(value, bool)
        else repr(value)
    )
