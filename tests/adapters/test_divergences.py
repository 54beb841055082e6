"""What is declared of an engine covers that, no more, and not for longer than it is so."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conformance.adapters.divergences import Coverage, Divergence, cover, unmatched
from conformance.language.divergences import load_divergences_text
from conformance.report.proposal import Undeclared, as_yaml, of_engine
from conformance.runner.compare import Difference, differences
from conformance.runner.execute import run
from tests.runner.broken import broken, raising
from tests.runner.make import scenario, torch_engine

MODEL = "a = torch.ones(2, requires_grad=True)\nb = torch.neg(a)\nc = b.sum()\nc.backward()"
WRONG = broken(neg=lambda x: x * 1)  # values and grad_fn of b; after it of c, and of a.grad


def _differences(engine: Any = WRONG, program: str = MODEL) -> tuple[Difference, ...]:
    made = scenario(program)
    return differences(made, run(made, torch_engine), run(made, engine), engine.claims)


def _entry(**keys: Any) -> Divergence:
    return Divergence(
        **{"scenario": "an-id", "kind": "bug", "reason": "a reason", "position": "e.yaml:2:3", **keys}
    )


def _cover(*entries: Divergence, engine: Any = WRONG) -> Coverage:
    return cover("an-id", _differences(engine), entries)


def test_an_entry_for_the_whole_scenario_covers_all() -> None:
    """Every difference, with one entry."""
    assert _cover(_entry()).known


def test_without_an_entry_nothing_is_covered() -> None:
    """Nor with one for another scenario: ids are exact."""
    assert not _cover().known
    assert not _cover(_entry(scenario="an-id[x]"), _entry(scenario="an")).known
    assert _cover().uncovered == _differences()


def test_what_follows_from_a_declared_statement_needs_no_entry() -> None:
    """The verdict is the first statement that differs."""
    assert _cover(_entry(statement="step 1, line 2")).known


def test_a_difference_before_the_declared_statement_fails() -> None:
    """It is the first, and not declared; the entry is stale besides, where nothing differs there."""
    coverage = _cover(_entry(statement="step 1, line 3"))
    assert not coverage.known
    assert {difference.statement.line for difference in coverage.uncovered} == {2}


def test_a_difference_beyond_the_declared_facets_fails() -> None:
    """At the declared statement, and with facets alone anywhere."""
    first = _cover(_entry(statement="step 1, line 2", facets=("grad_fn", "edges", "name()")))
    assert [difference.facet for difference in first.uncovered if difference.statement.line == 2] == ["value"]
    assert not first.known
    assert not _cover(_entry(facets=("grad_fn", "edges", "name()"))).known
    assert _cover(_entry(facets=("grad_fn", "edges", "name()", "value"))).known


def test_a_name_narrows() -> None:
    """To what differs of it."""
    assert _cover(_entry(statement="step 1, line 2", name="b")).known
    assert not _cover(_entry(name="b")).known  # c and a.grad differ too


def test_several_entries_together() -> None:
    """Each for its own."""
    values = _entry(facets=("value",), kind="by_design")
    nodes = _entry(facets=("grad_fn", "edges", "name()"))
    coverage = _cover(values, nodes)
    assert coverage.known
    assert set(coverage.used) == {values, nodes}


def test_a_stale_entry_fails() -> None:
    """An entry that covers no difference is reported, also next to others that do, and where the engine agrees."""
    stale = _entry(facets=("is_leaf",))
    coverage = _cover(_entry(), stale)
    assert (coverage.stale, coverage.known) == ((stale,), False)
    agrees = _cover(_entry(), engine=torch_engine)
    assert (len(agrees.stale), agrees.known) == (1, False)


def test_a_crash_is_covered_only_where_it_is_named() -> None:
    """Not by an entry for the scenario, its statement or another facet."""
    crash = broken(neg=raising(TypeError("no")))
    assert not _cover(_entry(), engine=crash).known
    assert not _cover(_entry(statement="step 1, line 2"), engine=crash).known
    assert _cover(_entry(statement="step 1, line 2", facets=("raised", "value")), engine=crash).known


def test_a_crash_after_a_declared_statement_fails() -> None:
    """A crash is never a mere consequence of a declared difference."""
    crashes = broken(neg=lambda x: 1)
    assert not _cover(_entry(statement="step 1, line 2"), engine=crashes).known


def test_a_time_out_is_never_covered() -> None:
    """Whatever the entry says."""
    made = scenario(MODEL)
    reference = run(made, torch_engine)
    late = run(scenario("for i in iter(int, 1): pass"), torch_engine, seconds=0.05)
    found = differences(made, reference, late)
    assert not cover("an-id", found, [_entry(), _entry(facets=("raised", "value", "reached"))]).known


def test_a_statement_means_all_its_turns() -> None:
    """Or one of them, where it is written."""
    found = _differences(program="for i in range(2):\n  b = torch.neg(torch.ones(1))")
    assert cover("an-id", found, [_entry(statement="step 1, line 2")]).known
    assert cover("an-id", found, [_entry(statement="step 1, line 2, turn 1")]).known
    assert not cover("an-id", found, [_entry(statement="step 1, line 2, turn 2")]).known
    assert not cover("an-id", found, [_entry(statement="step 1, line 1")]).known


def test_an_entry_for_no_scenario_is_told() -> None:
    """By exact id."""
    entries = [_entry(), _entry(scenario="gone")]
    assert unmatched(entries, {"an-id", "other"}) == (entries[1],)


def test_an_entry_with_a_star_is_of_all_that_fit() -> None:
    """Brackets are not wildcards. An entry that covers no difference is not stale, and changes no verdict."""
    assert _cover(_entry(scenario="*")).known
    assert _cover(_entry(scenario="a*d")).known
    assert not _cover(_entry(scenario="an-[ij]d")).known
    assert not _cover(_entry(scenario="b*")).known
    elsewhere = _entry(scenario="*", facets=("is_leaf",), statement="step 1, line 2")
    alone = _entry(statement="step 1, line 2", facets=("grad_fn", "edges", "name()", "value"))
    assert _cover(elsewhere, alone).known
    assert _cover(elsewhere).stale == ()
    assert _cover(elsewhere).uncovered == _differences()
    assert cover("an-id", (), [elsewhere]) == Coverage((), (), ())


def test_a_star_must_fit_a_scenario() -> None:
    """A pattern that fits no scenario is reported as an unknown id."""
    entries = [_entry(scenario="an-*"), _entry(scenario="gone-*")]
    assert unmatched(entries, {"an-id", "other"}) == (entries[1],)


def test_a_proposed_entry_covers_what_it_was_made_of() -> None:
    """Once its author has said kind and reason; until then the file is refused."""
    text = "\n".join(as_yaml(of_engine("broken"), (), [Undeclared("an-id", _differences())]))
    assert [problem.message for problem in load_divergences_text(text, "e.yaml").problems] != []
    filled = text.replace("# bug, missing_feature or by_design", "bug").replace("# why", "a reason")
    declared = load_divergences_text(filled, "e.yaml")
    assert declared.problems == ()
    entries = [Divergence(**entry) for entry in declared.entries]
    assert cover("an-id", _differences(), entries).known
    assert entries[0].position == "e.yaml:4:5"
    assert entries[0].statement == "step 1, line 2"


def test_a_proposal_covers_a_crash_that_comes_later() -> None:
    """A statement does not; so it is for all of the scenario."""
    found = _differences(broken(neg=lambda x: 1))
    text = "\n".join(as_yaml(of_engine("broken"), (), [Undeclared("an-id", found)]))
    text = text.replace("# bug, missing_feature or by_design", "bug").replace("# why", "a reason")
    entries = [Divergence(**entry) for entry in load_divergences_text(text, "e.yaml").entries]
    assert cover("an-id", found, entries).known
    assert entries[0].statement == ""


def test_one_reason_at_many_places_is_one_entry() -> None:
    """Each divergence has its own place in the file, and what is written is read as it was."""
    text = """engine: e
divergences:
  - kind: bug
    reason: >-
      it halves
    facets: [value]
    at:
      step 1, line 2: "a[x]"
      step 1, line 10, expectations:
        [b, c]
  - kind: bug
    reason: >-
      it halves
    facets: [value]
    scenario:
      [d, e]
"""
    declared = load_divergences_text(text, "e.yaml")
    assert declared.problems == ()
    assert [(one["scenario"], one["statement"], one["position"]) for one in declared.entries] == [
        ("a[x]", "step 1, line 2", "e.yaml:8:23"),
        ("b", "step 1, line 10, expectations", "e.yaml:10:10"),
        ("c", "step 1, line 10, expectations", "e.yaml:10:13"),
        ("d", "", "e.yaml:16:8"),
        ("e", "", "e.yaml:16:11"),
    ]
    entries = [Divergence(**entry) for entry in declared.entries]
    assert "\n".join(as_yaml(of_engine("e"), reversed(entries))).splitlines() != text.splitlines()
    assert "\n".join(as_yaml(of_engine("e"), entries)) + "\n" == text


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{scenario: a, kind: bug}", "e.yaml:3:5: the key `reason` is missing"),
        ("{scenario: a, reason: r}", "e.yaml:3:5: the key `kind` is missing"),
        ("{kind: bug, reason: r}", "e.yaml:3:5: the key `scenario` is missing"),
        (
            "{scenario: a, kind: wish, reason: r}",
            "e.yaml:3:25: `kind` is `wish`; it may be 'bug', 'missing_feature'",
        ),
        ("{scenario: a, kind: bug, reason: ''}", "e.yaml:3:38: `reason` is empty"),
        (
            "{scenario: a, kind: bug, reason: r, facet: v}",
            "e.yaml:3:41: unknown key `facet`; did you mean `facets`?",
        ),
        ("{scenario: a, kind: bug, reason: r, facets: []}", "e.yaml:3:49: `facets` is empty"),
        (
            "{at: {step 1: a}, kind: bug, reason: r}",
            "e.yaml:3:11: `step 1`: write a statement as failure",
        ),
        ("{at: {'step 1, line 1': []}, kind: bug, reason: r}", "e.yaml:3:29: `step 1, line 1` is empty"),
        ("{at: {}, scenario: a, kind: bug, reason: r}", "e.yaml:3:10: `at` is empty"),
        (
            "{at: {'step 1, line 1': a}, scenario: a, kind: bug, reason: r}",
            "e.yaml:3:5: `at` already names scenarios and statements: remove `scenario` and `statement`",
        ),
    ],
)
def test_a_wrong_entry_is_named_and_left_out(entry: str, message: str) -> None:
    """With its place; the others count."""
    text = f"engine: e\ndivergences:\n  - {entry}\n  - {{scenario: b, kind: bug, reason: r, facets: value}}\n"
    declared = load_divergences_text(text, "e.yaml")
    assert len(declared.problems) == 1
    assert str(declared.problems[0]).startswith(message)
    assert [(one["scenario"], one["facets"]) for one in declared.entries] == [("b", ("value",))]


@pytest.mark.parametrize("text", ["", "- a", "engine: e", "engine: [", "engine: e\ndivergences: []\n"])
def test_a_file_that_is_none_is_a_problem(text: str) -> None:
    """And no error."""
    declared = load_divergences_text(text, "e.yaml")
    assert declared.problems
    assert declared.entries == ()


def test_a_name_that_an_error_left_unbound_is_no_error_of_its_own() -> None:
    """Unless the name is another one, which the engine itself lacks."""
    made = scenario("a = torch.ones(1)\nb = torch.neg(a)", "c = b * 1")
    engine = broken(neg=raising(ValueError("no")))
    found = differences(made, run(made, torch_engine), run(made, engine), engine.claims)
    assert [each.engine for each in found if each.facet == "raised"][
        1
    ] == "NameError: name 'b' is not defined"
    entry = _entry(statement="step 1, line 2")
    assert cover("an-id", found, [_entry(statement="step 1, line 2", facets=("raised",))]).known
    assert not cover("an-id", found, [_entry(statement="step 1, line 2", facets=("value",))]).known
    renamed = [replace(each, engine=each.engine.replace("'b'", "'other'")) for each in found]
    assert len(cover("an-id", renamed, [entry, _entry(facets=("value",))]).uncovered) == 2
