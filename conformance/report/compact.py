"""Results as short lines of JSON.

Note [Short results]: what many results share (file, engine, cause) is written once, as a numbered context or cause,
before the first of them. Values that are empty are left out. Of the differences the file has the first ones,
which decide, and the first error that only the engine raised, with long texts shortened; the counts of all are in
``groups``. So one engine's results stay below a kilobyte each whatever it does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

from conformance.report.result import ReportedDifference, Result
from conformance.report.text import clip_end, shorten_both
from conformance.runner.compare import NOTHING

KEPT = 2  # differences of a result
LONGEST = 100  # characters of a value
REASON = 300  # characters of a reason

_SHARED = ("area", "file", "reference", "engine", "version", "tier")
_EMPTY = {each.name: each.default for each in fields(Result)} | {
    "claims": [],
    "missing": [],
    "differences": [],
    "groups": {},
    "unclaimed": {},
    "changed": [],
    "operations": [],
}
_DIFFERENCE = tuple(each.name for each in fields(ReportedDifference))


class Packer:
    """Turns results into lines, and remembers the contexts that it has written."""

    def __init__(self) -> None:
        self._contexts: dict[tuple[Any, ...], int] = {}
        self._causes: dict[str, int] = {"": 0}

    def lines(self, result: Result) -> Iterator[dict[str, Any]]:
        """The lines of a result: its context if that is new, and itself."""
        shared = {name: getattr(result, name) for name in _SHARED}
        key = (*shared.values(), *result.groups)
        number = self._contexts.get(key)
        if number is None:
            number = self._contexts[key] = len(self._contexts)
            claims = {"claims": list(result.groups)} if result.groups else {}
            yield {"context": {"number": number, **shared, **claims}}
        cause = self._causes.get(result.cause)
        if cause is None:
            cause = self._causes[result.cause] = len(self._causes)
            yield {"cause": {"number": cause, "text": result.cause}}
        yield {"result": {"of": number, **_own(result), **({"cause": cause} if cause else {})}}


def _own(result: Result) -> dict[str, Any]:
    short = shortened(result)
    plain: dict[str, Any] = {
        each.name: getattr(short, each.name)
        for each in fields(Result)
        if each.name not in _SHARED and each.name != "cause"
    }
    for name in ("claims", "missing", "changed", "operations"):
        plain[name] = list(plain[name])
    plain["groups"] = {group: count for group, count in short.groups.items() if count}
    plain["differences"] = [[getattr(each, name) for name in _DIFFERENCE] for each in short.differences]
    return {name: value for name, value in plain.items() if value != _EMPTY[name] or value is False}


def shortened(result: Result) -> Result:
    """The result as a file has it: see Note [Short results]."""
    return replace(
        result,
        reason=clip_end(result.reason, REASON),
        claim_fault=clip_end(result.claim_fault, REASON),
        code="",
        differences=tuple(map(_short, _first(result.differences))),
    )


def _first(differences: Sequence[ReportedDifference]) -> list[ReportedDifference]:
    crash = next((each for each in differences if each.facet == "raised" and each.reference == NOTHING), None)
    kept = list(differences[:KEPT])
    return kept if crash is None or crash in kept else [*kept, crash]


def _short(difference: ReportedDifference) -> ReportedDifference:
    reference, engine = shorten_both(difference.reference, difference.engine, LONGEST)
    return replace(difference, reference=reference, engine=engine, name=clip_end(difference.name, LONGEST))


class Unpacker:
    """Turns lines into results again."""

    def __init__(self) -> None:
        self._contexts: dict[int, dict[str, Any]] = {}
        self._causes = {0: ""}

    def result(self, line: dict[str, Any]) -> Result | None:
        """The result of a line, or None of a context or a cause.

        Raises:
            TypeError, KeyError, ValueError, AttributeError: the line is neither.
        """
        if "context" in line:
            context = dict(line["context"])
            number = context.pop("number")
            if type(number) is not int or number != len(self._contexts):
                raise ValueError("contexts are numbered from 0")
            self._contexts[number] = context
            return None
        if "cause" in line:
            number, text = line["cause"]["number"], line["cause"]["text"]
            if type(number) is not int or number != len(self._causes) or not isinstance(text, str):
                raise ValueError("causes are numbered from 1")
            self._causes[number] = text
            return None
        own = dict(line["result"])
        of, cause = own.pop("of"), own.pop("cause", 0)
        if type(cause) is not int:
            raise TypeError("the number of a cause is not a number")
        if type(of) is not int:
            raise TypeError("the number of a context is not a number")
        shared = dict(self._contexts[of])
        groups = dict.fromkeys(shared.pop("claims", ()), 0) | own.pop("groups", {})
        own["differences"] = [
            dict(zip(_DIFFERENCE, each, strict=True)) for each in own.get("differences", ())
        ]
        return Result.from_plain(
            {"claims": (), "missing": (), "groups": groups, "cause": self._causes[cause], **shared, **own}
        )
