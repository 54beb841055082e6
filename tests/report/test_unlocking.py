"""The order in which missing names are worth providing."""

from __future__ import annotations

from conformance.report.unlocking import ranking


def test_names_come_by_the_scenarios_that_they_unlock() -> None:
    """Not by their use: two are used most, and always together with a third."""
    needs = [{"a"}, {"a"}, {"b", "c", "d"}, {"b", "c", "d"}, {"b", "c", "d"}, {"a", "e"}, set()]
    assert [*ranking(needs)][:2] == [("a", 2), ("e", 1)]
    assert {name for name, _ in ranking(needs)} == set("abcde")
    assert sum(count for _, count in ranking(needs)) == 6
    assert [*ranking(needs, 1)] == [("a", 2)]
    assert [*ranking([])] == []
