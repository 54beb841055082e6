"""Tiers: of a file and of a scenario, loaded up to one of them, and those of the suite's own specs."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

from conformance.check.locate import claims_files, is_scenario_file, specs
from conformance.language import cache as cached
from conformance.language.claims import load_claims
from conformance.language.core_vocabulary import CoreVocabulary, load_core_vocabulary, needed
from conformance.language.load import load_file, load_text
from conformance.language.load_result import LoadResult
from conformance.language.scenario import TIERS, Scenario, Tier
from conformance.runner.serialize import fingerprint

TEXT = """\
tier: full
scenarios:
  - id: basic
    title: the smallest
    tier: core
    run: x = torch.ones(1)
  - id: usual
    title: one of the usual ones
    tier: standard
    claim: blog/it
    run: x = torch.ones(1)
    expect: {x.is_leaf: true}
  - id: rest
    title: what the file is about
    matrix: {n: [1, 2]}
    claim: [blog/it, blog/other]
    run: x = torch.ones(${n})
    expect: {x.is_leaf: true}
"""


def load(text: str = TEXT, tier: Tier = "full") -> LoadResult:
    return load_text(text, "specs/a/a.yaml", "a", tier)


def test_a_scenario_has_its_own_tier_or_its_files() -> None:
    """Standard where neither names one."""
    found = load()
    assert found.problems == () and found.left_out == ()
    assert [(each.id, each.tier) for each in found.scenarios] == [
        *(("basic", "core"), ("usual", "standard")),
        *(("rest[1]", "full"), ("rest[2]", "full")),
    ]
    assert load(TEXT.removeprefix("tier: full\n")).scenarios[-1].tier == "standard"


@pytest.mark.parametrize(("tier", "ids"), [("core", "basic"), ("standard", "basic usual")])
def test_what_is_beyond_a_tier_is_known_but_not_loaded(tier: Tier, ids: str) -> None:
    """Its cases with their claims; the tiers before it are loaded with it."""
    found = load(tier=tier)
    assert found.problems == ()
    assert [each.id for each in found.scenarios] == ids.split()
    assert found.scenarios == load().scenarios[: len(found.scenarios)]
    beyond = load().scenarios[len(found.scenarios) :]
    assert found.left_out == tuple((each.id, each.claims) for each in beyond)


def test_mistakes_beyond_a_tier_show_with_the_tier() -> None:
    """Except for an id used twice, which two scenarios share, and an unknown tier."""
    wrong = TEXT.replace("torch.ones(${n})", "torch.onse(${m})").replace("n: [1, 2]", "n: [[1], 2]")
    assert load(wrong, "standard").problems == () and load(wrong).problems
    (twice,) = load(TEXT.replace("id: rest", "id: basic"), "standard").problems
    assert "the id `basic` is repeated" in str(twice)
    (unknown,) = load(TEXT.replace("tier: standard", "tier: common"), "core").problems
    assert "`tier` is `common`; it may be 'core', 'standard' or 'full'" in str(unknown)


def test_a_file_that_is_no_yaml_keeps_its_tier() -> None:
    """Its scenarios are read one by one."""
    broken = TEXT.replace("title: one of", "title: [one of")
    assert [each.tier for each in load(broken).scenarios] == ["core", "full", "full"]
    assert [each.id for each in load(broken, "standard").scenarios] == ["basic"]


def test_a_tier_is_no_part_of_a_program() -> None:
    """A recording stays valid when a scenario changes its tier."""
    scenario = load().scenarios[0]
    assert fingerprint(scenario) == fingerprint(replace(scenario, tier="full"))


def test_each_tier_is_cached_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was loaded up to one tier is not taken for another."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    file = tmp_path / "a.yaml"
    file.write_text(TEXT)
    for _ in range(2):
        assert [len(cached.load(file, tier).scenarios) for tier in TIERS] == [1, 2, 4]
        assert cached.load(file) == load_file(file)
    monkeypatch.setitem(sys.modules, "conformance.language.load", None)
    assert [len(cached.load(file, tier).left_out) for tier in TIERS] == [3, 2, 0]


def program(text: str, **changes: str) -> Scenario:
    """A scenario of tier core with this program."""
    (scenario,) = load(
        f"tier: core\nscenarios:\n  - id: a\n    title: t\n    run: |\n      {text}\n"
    ).scenarios
    return replace(scenario, area="autograd/leaf", **changes)  # type: ignore[arg-type]


VOCABULARY = CoreVocabulary(
    {"tensors": ("ones", "mul", "neg", "grad")}, {"leaf": ("is_leaf", "_saved_*"), "hooks": ("relu",)}
)


@pytest.mark.parametrize(
    ("text", "beyond"),
    [
        ("x = torch.ones(1); y = -x * x; y.is_leaf", ()),
        ("y = torch.ones(1).grad_fn", ("grad_fn",)),
        ("y = torch.relu(torch.ones(1))", ("relu",)),
        ("y = F.relu(torch.ones(1))", ("relu",)),
        ("x = torch.ones(1); y = x._saved_self; z = x._raw_saved_self", ("_raw_saved_self",)),
        ("x = torch.ones(1); x[0] = 1; y = x[0] / 2; x @= y", ("div", "getitem", "matmul", "setitem")),
        ("from torch import exp; y = exp(torch.ones(1))", ("exp",)),
    ],
)
def test_names_beyond_those_of_core(text: str, beyond: tuple[str, ...]) -> None:
    """Functions, methods, attributes and operators; those of another subject count as any others."""
    assert VOCABULARY.beyond(program(text)) == beyond


def test_expected_expressions_need_names_too() -> None:
    """They are evaluated on the engine."""
    assert needed(load().scenarios[1]) == {"ones", "is_leaf"}
    assert VOCABULARY.beyond(load().scenarios[1]) == ("is_leaf",)  # the names of a subject are for its folder


def test_a_subject_has_twelve_names_at_most(tmp_path: Path) -> None:
    """More is a mistake, with its place."""
    file = tmp_path / "core.yaml"
    names = ", ".join(f"n{number}" for number in range(13))
    file.write_text(f"everywhere: {{tensors: [ones]}}\nsubjects:\n  leaf: [{names}]\n  hooks: []\n")
    (problem,) = load_core_vocabulary(file).problems
    assert str(problem).endswith("core.yaml:3:9: `leaf` has 13 names, 12 are allowed; leave some out")


@cache
def own() -> tuple[LoadResult, ...]:
    """The specs up to tier standard."""
    return tuple(
        load_file(path, "standard") for path in sorted(specs().rglob("*.yaml")) if is_scenario_file(path)
    )


def of_tier(tier: Tier) -> Iterator[Scenario]:
    return (each for loaded in own() for each in loaded.scenarios if each.tier == tier)


def test_core_needs_few_names() -> None:
    """Those of specs/core_vocabulary.yaml: for every program, and for the folder it is in."""
    vocabulary = load_core_vocabulary(specs() / "core_vocabulary.yaml")
    assert vocabulary.problems == ()
    folders = {path.name for path in (specs() / "autograd").iterdir() if path.is_dir()}
    assert vocabulary.subjects.keys() == folders - {"__pycache__"}
    assert {each.id: beyond for each in of_tier("core") if (beyond := vocabulary.beyond(each))} == {}


def test_core_is_about_autograd() -> None:
    """A fifth of the scenarios at most is in it."""
    assert {each.area.partition("/")[0] for each in of_tier("core")} == {"autograd"}
    counts = Counter(each.id.partition("[")[0] for tier in get_args(Tier) for each in of_tier(tier))
    core = {each.id.partition("[")[0] for each in of_tier("core")}
    left_out = {case.partition("[")[0] for loaded in own() for case, _ in loaded.left_out}
    assert 0 < len(core) < (len(counts) + len(left_out)) / 5


def test_all_that_documents_claim_is_in_core_or_standard() -> None:
    """So that a run of the default tier observes every claim, in all its scenarios."""
    assert [case for loaded in own() for case, claims in loaded.left_out if claims] == []
    shown = {claim for loaded in own() for each in loaded.scenarios for claim in each.claims}
    assert shown == {claim.id for claim in load_claims(*claims_files(specs())).claims}
