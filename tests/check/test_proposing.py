"""Entries that cover a cause in all scenarios, and the rest as entries for one scenario."""

from __future__ import annotations

from conformance.adapters.divergences import Divergence, cover
from conformance.check.proposing import by_cause
from conformance.language.divergences import load_divergences_text
from conformance.report.proposal import Undeclared, as_yaml, of_engine
from conformance.runner.compare import Difference
from conformance.runner.trace import Statement


def _difference(facet: str, reference: str, engine: str, line: int = 1) -> Difference:
    groups = {"dtype": "dtypes", "raised": "errors", "is_leaf": "flags"}
    return Difference(Statement(0, line), "a", facet, groups.get(facet, "values"), reference, engine)


DTYPES = [Undeclared(f"d{i}", (_difference("dtype", "float32", "float64"),)) for i in range(9)]
ERRORS = [
    Undeclared(
        f"e{i}",
        (
            _difference("raised", "nothing", f"ValueError: size {i} of 'x'"),
            _difference("value", "1", "2", line=2),
        ),
    )
    for i in range(6)
]
ALONE = [
    Undeclared("v", (_difference("value", "1", "2"),)),
    Undeclared("l", (_difference("is_leaf", "True", "False"),)),
]


def test_a_cause_gets_one_entry_for_all_scenarios() -> None:
    """A facet that differs often, and an error by its text; a value and a rare flag are listed by their scenario."""
    found = by_cause([*DTYPES, *ERRORS, *ALONE], 100)
    assert [(each.scenario, each.facets, each.now, each.alike) for each in found] == [
        ("*", ("dtype",), "", 9),
        ("*", ("raised",), "ValueError: size * of *", 6),
        ("v", ("value",), "", 0),
        ("l", ("is_leaf",), "", 0),
    ]
    assert [each.scenario for each in by_cause(DTYPES, 1000)] == [f"d{i}" for i in range(9)]


def test_what_is_proposed_covers_what_differs() -> None:
    """Once kind and reason are filled in; what follows an error with its text is a consequence."""
    text = "\n".join(as_yaml(of_engine("mine"), [], by_cause([*DTYPES, *ERRORS, *ALONE], 100)))
    filled = text.replace("kind: # bug, missing_feature or by_design", "kind: bug").replace("# why", "why")
    declared = load_divergences_text(filled, "mine.yaml")
    assert declared.problems == ()
    entries = [Divergence(**entry) for entry in declared.entries]
    for each in (*DTYPES, *ERRORS, *ALONE):
        assert cover(each.scenario, each.differences, entries).uncovered == ()
    other = _difference("raised", "nothing", "ValueError: something else")
    assert cover("e0", [other], entries).uncovered == (other,)


def test_an_entry_for_a_missing_attribute_names_it() -> None:
    """Otherwise it would cover every attribute that anything lacks."""
    texts = [f"AttributeError: 'int' object has no attribute '{name}'" for name in ("data", "grad")]
    errors = [
        Undeclared(f"{text[-3]}{i}", (_difference("raised", "nothing", text),))
        for text in texts
        for i in range(6)
    ]
    assert [each.now for each in by_cause(errors, 100)] == texts
