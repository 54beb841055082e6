"""What of the vocabulary an engine has and scenarios exercise."""

from __future__ import annotations

import json

import pytest

from conformance.cli import main
from conformance.language.usage import Usage
from conformance.language.vocabulary import VocabularyName
from conformance.report.coverage import as_json, as_text, cover

ENTRIES = [
    VocabularyName("unary", "torch", "sin", "other"),
    VocabularyName("unary", "torch.Tensor", "sin", "attribute"),
    VocabularyName("shape", "torch", "roll", "other"),
]


def test_names_of_each_area_are_told_apart() -> None:
    """What the engine lacks and what no scenario uses are two things."""
    uses = [Usage(frozenset({"torch.sin"}), frozenset()), Usage(frozenset({"torch.roll"}), frozenset())]
    unary, shape = cover(ENTRIES, {"torch.roll"}, uses)
    assert (unary.lacking, unary.unexercised) == ((), ("torch.Tensor.sin",))
    assert (shape.lacking, shape.unexercised) == (("torch.roll",), ())


def test_table_and_data() -> None:
    """Counts by area with their total, and then the names."""
    areas = cover(ENTRIES, {"torch.roll"}, [])
    assert [line.split() for line in as_text(areas, "mine")][:4] == [
        ["area", "names", "mine", "scenarios"],
        ["unary", "2", "2", "0"],
        ["shape", "1", "0", "0"],
        ["total", "3", "2", "0"],
    ]
    assert "  shape: torch.roll" in list(as_text(areas, "mine"))
    data = as_json(areas, {"name": "mine", "version": "1"})
    assert data["areas"][1]["lacking"] == ["torch.roll"]  # type: ignore[index]


def test_vocabulary_is_exercised_and_the_engine_has_all_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    """No name without a scenario, none that the in-house engine lacks."""
    assert main(["coverage", "--format", "json"]) == 0
    areas = json.loads(capsys.readouterr().out)["areas"]
    assert {area["area"]: area["lacking"] for area in areas if area["lacking"]} == {}
    assert {area["area"]: area["unexercised"] for area in areas if area["unexercised"]} == {}
