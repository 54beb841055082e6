"""The levels of tier core."""

from __future__ import annotations

from conformance.check.locate import specs
from conformance.report.levels import LEVELS, REST, cells, lines
from conformance.report.result import Result


def _result(area: str, verdict: str, tier: str = "core") -> Result:
    return Result("a", "t", area, "f.yaml", 1, "torch 1", "mine", "1", verdict, tier=tier)  # type: ignore[arg-type]


def test_each_folder_of_a_level_is_one_of_the_specs() -> None:
    """And of one level."""
    folders = [folder for _, named in LEVELS for folder in named.split()]
    assert len(folders) == len({*folders})
    assert {*folders} <= {path.name for path in (specs() / "autograd").iterdir()}


def test_the_levels_of_a_run() -> None:
    """In their order, without the other tiers."""
    results = [
        _result("autograd/hooks", "differs"),
        _result("autograd/leaf", "agrees"),
        _result("autograd/func", "agrees"),
        _result("autograd/leaf", "agrees", "full"),
    ]
    assert [(name, each.agreeing, each.scenarios) for name, each in cells(results)] == [
        (LEVELS[0][0], 1, 1),
        (LEVELS[3][0], 0, 1),
        (REST, 1, 1),
    ]
    assert [*lines(results)] == [
        "  agreeing in tier core by level: tensors, backward and leaf flags 100%, hooks and nodes 0%, "
        "the rest 100%"
    ]
    assert [*lines(results[1:])] == []
