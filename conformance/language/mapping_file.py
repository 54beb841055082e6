"""YAML files that hold one mapping described by a model: claims and divergence files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from yaml import MappingNode

from conformance.language.document import NotYAML, Place, Reader, compose, text_of
from conformance.language.explain import explain, find
from conformance.language.load_result import Problem
from conformance.language.scenario import Position


class MappingFile:
    """The content of such a file as plain data, and its problems; invalid content is reported, never raised.

    ``file`` is its name in positions, ``text`` the content if the caller has read it already.
    """

    def __init__(self, file: str, model: type[BaseModel], text: str | None = None) -> None:
        self.data: dict[str, Any] = {}
        self.problems: list[Problem] = []
        self.file = file
        self._refused: set[tuple[int | str, ...]] = set()  # paths that the model rejects
        try:
            text = text_of(Path(file)) if text is None else text
            root = compose(text)
        except NotYAML as error:
            self.report(error.place, error.message, error.hint)
            return
        if not isinstance(root, MappingNode):
            self.report(
                Place(1, 1), "the file is a mapping", f"begin with `{next(iter(model.model_fields))}:`"
            )
            return
        self._root, self._reader = root, Reader(text, self.report)
        self.data = self._reader.read(root)
        reported = {problem.position for problem in self.problems}
        try:
            model.model_validate(self.data)
        except ValidationError as error:
            for details in error.errors(include_url=False):
                self._refused.add(details["loc"][:2])
                place, message, hint = explain(details, model, root, self._reader)
                if Position(file, *place) not in reported:
                    self.report(place, message, hint)

    def report(self, place: Place, message: str, hint: str = "") -> None:
        """Add a problem."""
        self.problems.append(Problem(Position(self.file, *place), message, hint))

    def place(self, *path: int | str) -> Place:
        """The position of a path."""
        return find(self._root, path, self._reader)

    def entries(self, key: str) -> Iterator[tuple[Any, Any]]:
        """The valid entries of a mapping or a list: key or index, and value."""
        held = self.data.get(key)
        pairs = held.items() if isinstance(held, dict) else enumerate(held if isinstance(held, list) else ())
        return ((each, value) for each, value in pairs if (key, each) not in self._refused)
