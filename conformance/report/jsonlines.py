"""Results as JSON lines: a header, lines of results, a footer; see Note [Checked lines] and Note [Short results]."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import conformance
from conformance.language.scenario import TIERS
from conformance.report.compact import Packer, Unpacker
from conformance.report.provenance import Provenance
from conformance.report.result import VERDICTS, Result
from conformance.runner.checked_lines import ENDED, DamagedError, LinesWriter, dumps, header_of, loads
from conformance.runner.checked_lines import read as read_lines
from conformance.runner.fits import fits
from conformance.runner.output import Output

FORMAT = 3


class NotAReportError(ValueError):
    """The file is not a report of results; the message says why."""


class Writer:
    """Writes a report while its run goes on; ``expected`` is the number of results at its end, 0 if not known."""

    def __init__(self, output: Output, expected: int, about: Provenance | None = None) -> None:
        self.expected = expected
        self.collected = ""  # a hash of the ids of all cases, of every shard
        self.seconds: float | None = None  # how long it took, if not since now
        self._began = time.monotonic()
        self._packer = Packer()
        self.count = 0
        self._verdicts: Counter[str] = Counter()
        self._tiers: dict[str, Counter[str]] = {}
        self._references: set[str] = set()
        self._engines: dict[str, str] = {}
        about = about or Provenance(suite=conformance.__version__)
        self._lines = LinesWriter(
            output, {"header": {"format": FORMAT, **about.to_plain()}}, self._footer(ENDED)
        )

    def add(self, result: Result) -> None:
        """Write a result."""
        self.count += 1
        self._verdicts[result.verdict] += 1
        if result.tier:
            self._tiers.setdefault(result.tier, Counter())[result.verdict] += 1
        if result.reference:
            self._references.add(result.reference)
        if result.engine:
            self._engines[result.engine] = result.version
        lines = map(dumps, self._packer.lines(result))
        self._lines.add(b"".join(lines), self._footer(ENDED))

    def end(self, exit_status: int, why: str = "") -> str:
        """End the report; returns why it is incomplete, empty if it is complete."""
        if not why and self.count < self.expected:
            why = f"{self.expected - self.count} not run"
        seconds = round(time.monotonic() - self._began if self.seconds is None else self.seconds, 1)
        ending = {"exit_status": exit_status, "seconds": seconds, "collected": self.collected}
        self._lines.end(self._footer(why) | ending)
        return self.incomplete(why)

    def incomplete(self, why: str) -> str:
        """How many results there are, and why not all; empty without a reason."""
        return why and (f"{self.count} of {self.expected} results: {why}" if self.expected else why)

    def _footer(self, why: str) -> dict[str, Any]:
        return {
            "results": self.count,
            "verdicts": dict(self._verdicts),
            "tiers": {tier: dict(self._tiers[tier]) for tier in TIERS if tier in self._tiers},
            "references": sorted(self._references),
            "engines": dict(self._engines),
            "incomplete": self.incomplete(why),
        }


_UNKNOWN = Provenance()


@dataclass(frozen=True, slots=True)
class Report:
    """The results of a run; ``incomplete`` says why some are missing."""

    file: str
    suite: str
    results: tuple[Result, ...]
    passed: bool
    incomplete: str = ""
    about: Provenance = _UNKNOWN
    seconds: float | None = None
    collected: str = ""  # a hash of the ids of all cases, of every shard

    @property
    def reference(self) -> str:
        """The engine that the results are compared with."""
        return next((result.reference for result in self.results if result.reference), "")

    @property
    def engines(self) -> list[str]:
        """The engines that have results."""
        return list(dict.fromkeys(result.engine for result in self.results if result.engine))


def scenario_set(results: Sequence[Result]) -> str:
    """A hash of the scenarios and their programs, since results of other sets cannot be compared."""
    keys = sorted({f"{result.scenario} {result.fingerprint}" for result in results})
    return hashlib.sha256("\n".join(keys).encode(errors="backslashreplace")).hexdigest()[:16]


def read(path: Path) -> Report:
    """A report; raises `NotAReportError` for any other file, and for one that was cut off or changed."""
    try:
        header: dict[str, Any] = {}
        lines, footer = read_lines(path, lambda line: header.update(_header(line)))
        results = tuple(_results(lines))
    except DamagedError as error:
        raise NotAReportError(f"{path}: {error}") from None
    incomplete = footer.get("incomplete")
    if len(results) != footer.get("results") or not isinstance(incomplete, str):
        raise NotAReportError(f"{path}: its footer does not fit its {len(results)} results")
    if not results:
        raise NotAReportError(
            f"{path}: it has no results{incomplete and f', it is incomplete: {incomplete}'}"
        )
    keys = Counter((each.scenario, each.engine) for each in results)
    (scenario, engine), count = keys.most_common(1)[0]
    if count > 1:
        raise NotAReportError(f"{path}: {scenario} on {engine} is there twice")
    references = sorted({result.reference for result in results if result.reference})
    if len(references) > 1:
        raise NotAReportError(f"{path}: it is mixed: next to {' and '.join(references)}")
    about, seconds = Provenance.from_plain(header), footer.get("seconds")
    timed = seconds if type(seconds) in (int, float) else None
    passed, collected = footer.get("exit_status") == 0, str(footer.get("collected", ""))
    return Report(str(path), header["suite"], results, passed, incomplete, about, timed, collected)


def _header(line: str) -> dict[str, Any]:
    """The content of the header's line; raises `DamagedError` if it is none, or of another format."""
    header = header_of(
        line, "header", FORMAT, "it does not begin with a header, as files of --conformance-json do"
    )
    if not isinstance(header.get("suite"), str):
        raise DamagedError("its header does not name the version of the suite")
    return header


def _results(lines: Sequence[str]) -> Iterator[Result]:
    unpacker = Unpacker()
    for number, line in enumerate(lines, start=2):
        why = ""
        try:
            result = unpacker.result(loads(line))
            if result is None:
                continue
            if fits(result, Result):
                yield result
                continue
            why = "" if result.verdict in VERDICTS else f": there is no verdict {_shown(result.verdict)}"
        except DamagedError as error:
            why = f": {error}"
        except (TypeError, KeyError, ValueError, AttributeError):
            pass
        raise DamagedError(f"line {number} is not a result{why}")


def merged(reports: Sequence[Report]) -> tuple[Result, ...]:
    """The merged results of several reports on the same scenarios and the same reference."""
    first = reports[0]
    engines: dict[str, str] = {}
    for other in reports:
        for what, one, another in (
            ("versions of the suite", first.suite, other.suite),
            ("references", first.reference, other.reference),
            ("sets of scenarios", scenario_set(first.results), scenario_set(other.results)),
        ):
            if one != another:
                raise NotAReportError(
                    f"{first.file} and {other.file} have different {what}: {one} and {another}"
                    + "".join(f"; {each}" for each in incomplete([first, other]))
                )
        for engine in other.engines:
            if engine in engines:
                raise NotAReportError(f"{engine} is both in {engines[engine]} and in {other.file}")
            engines[engine] = other.file
    return tuple(result for report in reports for result in report.results)


def incomplete(reports: Sequence[Report]) -> list[str]:
    """The reports that are incomplete, each with the reason."""
    return [f"{each.file} is incomplete: {each.incomplete}" for each in reports if each.incomplete]


def _shown(value: Any) -> str:
    return ascii(value)[:60]
