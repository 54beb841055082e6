"""Which names a scenario exercises."""

from __future__ import annotations

from textwrap import dedent

from conformance.language.load import load_text
from conformance.language.usage import names_used
from conformance.language.vocabulary import VocabularyName


def test_names_of_programs_and_expectations() -> None:
    """Dotted names whatever they are imported as, attributes by name."""
    text = """\
    scenarios:
      - id: a
        title: t
        steps:
          - run: |
              from torch.nn import functional as G, Linear
              x = torch.ones(2, requires_grad=True)
          - run: y = G.relu(x).sum()
            expect:
              F.relu6(x).grad_fn.name(): ReluBackward0
    """
    (scenario,) = load_text(dedent(text), "my.yaml").scenarios
    usage = names_used(scenario)
    functional = "torch.nn.functional"
    assert usage.paths == {
        "torch", "torch.ones", functional, f"{functional}.relu", f"{functional}.relu6", "torch.nn.Linear"
    }  # fmt: skip
    assert usage.attributes == {"sum", "grad_fn", "name"}
    assert usage.covers(VocabularyName("reduction", "torch.Tensor", "sum", "attribute"))
    assert not usage.covers(VocabularyName("reduction", "torch", "sum", "other"))
