"""Pages as tests: one item for each page, which fails if the page shows what torch does not print."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from conformance.language.scenario import Position
from conformance.plugin.items import EngineMissing, Failure
from conformance.report.text import short_path


class WrongPage(Failure):
    """The page shows something else than torch prints."""


class PageFile(pytest.File):
    """A file that the ini option ``conformance_pages`` names."""

    def collect(self) -> Iterator[pytest.Item]:
        yield PageItem.from_parent(self, name="outputs")


class PageItem(pytest.Item):
    """All outputs of a page."""

    def runtest(self) -> None:
        """Check the page on torch."""
        from conformance.adapters.registry import EngineNotFoundError
        from conformance.check.engine_under_test import reference
        from conformance.runner.execute import run
        from conformance.scaffold.page import NotAPageError
        from conformance.scaffold.page_check import check_page

        file = short_path(self.path)
        try:
            torch = reference()
            page = check_page(
                self.path.read_text(encoding="utf-8-sig"), file, lambda scenario: run(scenario, torch)
            )
        except EngineNotFoundError as error:
            raise EngineMissing(str(error), Position(file, 1)) from None
        except (NotAPageError, UnicodeDecodeError) as error:
            raise WrongPage(f"{file} cannot be checked: {error}", Position(file, 1)) from None
        if wrong := [output for output in page.outputs if output.verdict == "wrong"]:
            lines = [f"{page.name}:{output.place}: {output}" for output in wrong]
            text = "\n".join([f"{page.summary()} on torch {torch.version}", "", *lines])
            raise WrongPage(text, Position(file, wrong[0].line))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The text of a failure alone."""
        if isinstance(excinfo.value, Failure):
            return excinfo.value.report()
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """The place of the page."""
        return self.path, 0, self.name
