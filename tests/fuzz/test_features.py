"""Features are found in the text of a program, and phrases have those that they are filed under."""

from __future__ import annotations

import pytest

from conformance.fuzz.features import FEATURES, by_feature, features, pairs, unmet
from conformance.fuzz.meetings import PHRASES, pool
from conformance.fuzz.scope import Program, prelude


def test_each_feature_has_phrases() -> None:
    """In the same order, so that a pair is named in one way."""
    assert list(PHRASES) == list(FEATURES)


@pytest.mark.parametrize("feature", FEATURES)
def test_phrases_have_their_feature(feature: str) -> None:
    """With the definitions that they need."""
    for phrase in PHRASES[feature]:
        text = phrase.format(a="a", b="b", c="c", d="d")
        before = prelude(Program((text,)))
        assert feature in features(f"{before}\n{text}"), text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a.retain_grad()\nb.requires_grad_()", ("retain_grad",)),
        ("c = b[0:1]\nc[0] = 2.", ("view", "in place")),
        ("b.grad_fn.register_hook(f)", ("node hook",)),
        ("b.register_hook(f)", ("tensor hook",)),
        ("nn.functional.relu(a) + nn.Parameter(a)", ()),
        ("class Twice(torch.Tensor):\n    pass", ("subclass",)),
    ],
)
def test_features_of_a_program(text: str, found: tuple[str, ...]) -> None:
    """Names that only look like those of a feature do not count."""
    assert features(text) == found


def test_pairs_that_no_program_has() -> None:
    """They are drawn more often than others, in both orders."""
    met = pairs(["a.view(-1).add_(1)", "a.t().add_(1)"])
    assert met == {("view", "in place"): 2}
    apart = unmet(met)
    assert len(apart) == len(FEATURES) * (len(FEATURES) - 1) // 2 - 1
    assert "in place" not in by_feature(apart)["view"]
    drawn = pool((("view", "sparse"),))
    assert drawn.count(("sparse", "view")) == drawn.count(("view", "sparse")) > drawn.count(("view", "data"))
