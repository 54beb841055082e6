"""The files of --conformance-json and --conformance-html: written as results come, moved to their place at the end.

See Note [Outputs] and Note [Checked lines]. Heavy modules are imported when there is something to write.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conformance.plugin.options import tier_of
from conformance.runner.output import PART, Output, check_writable, goes_beside, write_text
from conformance.runner.signals import ended_by_exception

if TYPE_CHECKING:
    from conformance.report.jsonlines import Writer
    from conformance.report.provenance import Provenance
    from conformance.report.result import Result

_AT_THE_END = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED)
"""Exit statuses of runs that were neither interrupted nor broken."""


class ResultFiles:
    """The files that a run writes.

    ``expected`` is the number of results at its end; ``why`` is set if something happens that leaves results out.
    """

    def __init__(self, config: pytest.Config) -> None:
        self.expected = 0
        self.why = ""
        self.collected = ""  # a hash of the ids of all cases, of every shard
        self.about: Provenance | None = None
        self.began = time.monotonic()
        self._config = config
        self._json = config.getoption("--conformance-json")
        self._html = config.getoption("--conformance-html")
        self._output: Output | None = None
        self._writer: Writer | None = None
        self._failed: OSError | None = None
        if self._json and self._html and Path(self._json).resolve() == Path(self._html).resolve():
            raise pytest.UsageError(f"--conformance-json and --conformance-html are both {self._json}")
        for option, path in (("--conformance-json", self._json), ("--conformance-html", self._html)):
            if path:
                try:
                    check_writable(Path(path))
                except OSError as error:
                    raise pytest.UsageError(f"{option} {path}: {error.strerror}") from None
        if self._json or self._html:
            signals = ExitStack()
            signals.enter_context(ended_by_exception())
            config.add_cleanup(signals.close)

    @property
    def seconds(self) -> float:
        """How long the run has taken until now."""
        return time.monotonic() - self.began

    def begin(self) -> None:
        """Note where the results come from; open their file, unless it is a pipe, which is written to at the end."""
        if (self._json or self._html) and not self._config.getoption("--collect-only"):
            from conformance.check.provenance import provenance

            shard = self._config.getoption("--shard") or ""
            self.about = provenance(self._config.invocation_params.args, tier_of(self._config), shard)
        if self._json and not self._config.getoption("--collect-only"):
            with suppress(OSError):  # reported at the end
                if goes_beside(Path(self._json)):
                    self._open()

    def add(self, result: Result) -> None:
        """Write a result."""
        if self._writer is not None:
            self._writer.expected = self.expected  # known when a worker has collected
            try:
                self._writer.add(result)
            except OSError as error:  # the file has what there was, and says why it ends
                self._writer, self._failed = None, error

    def end(self, session: pytest.Session, results: Sequence[Result], html: Callable[[str], str]) -> None:
        """Write the remaining files; ``html`` makes the page, and is called with why it is incomplete."""
        at_the_end = session.exitstatus in _AT_THE_END
        why = self.why or ("" if at_the_end else f"exit status {int(session.exitstatus)}")
        if self._json and not self._config.getoption("--collect-only"):
            try:
                self._end_json(session, results, why, at_the_end)
            except OSError as error:
                self._tell(session, f"{self._json} is not written: {error.strerror}")
        if self._html and results:
            missing = self.expected - len(results)
            why = why or (f"{missing} not run" if missing > 0 else "")
            incomplete = why and f"{len(results)} of {self.expected} results: {why}"
            path = self._html if at_the_end or not goes_beside(Path(self._html)) else self._html + PART
            try:
                write_text(Path(path), html(incomplete))
                if incomplete:
                    self._tell(session, f"{path} is incomplete: {incomplete}")
            except OSError as error:
                self._tell(session, f"{path} is not written: {error.strerror}")

    def _open(self) -> None:
        from conformance.report.jsonlines import Writer

        self._output = Output(Path(self._json))
        try:
            self._writer = Writer(self._output, self.expected, self.about)
        except OSError:
            self._output.discard()
            self._output = None
            raise

    def _end_json(
        self, session: pytest.Session, results: Sequence[Result], why: str, at_the_end: bool
    ) -> None:
        if self._failed is None and self._output is None:
            if not at_the_end and goes_beside(Path(self._json)):
                return  # nothing was run
            self._open()
            for result in results:
                self.add(result)
        if self._output is None:
            return
        if self._failed is None and self._writer is not None:
            self._writer.expected, self._writer.collected = self.expected, self.collected
            try:
                incomplete = self._writer.end(int(session.exitstatus), why)
            except OSError as error:
                self._failed = error
        if self._failed is None and at_the_end:
            self._output.finish()
            place = self._json
        else:
            place = str(self._output.leave())
        if self._failed is not None:
            why = f"{self._failed.strerror}; {place} has the results until then"
            self._tell(session, f"{self._json} is not written: {why}")
        elif incomplete:
            self._tell(session, f"{place} is incomplete: {incomplete}")

    def _tell(self, session: pytest.Session, text: str) -> None:
        """Say what is wrong with a file; a run whose results are not all there does not succeed."""
        self._config.get_terminal_writer().line(f"\nconformance: {text}", red=True)
        if session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.INTERNAL_ERROR
