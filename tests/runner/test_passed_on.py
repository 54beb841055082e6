"""Which programs do no more with functions of the engine than call them."""

from __future__ import annotations

import pytest

from conformance.runner.passed_on import may_pass_on
from tests.runner.test_shared_state import LEAVING

CALLING = [
    "x = torch.tensor([3., 2.], requires_grad=True)\ny = x.exp() if 5 % 2 else y * y\ng = x.grad * 2.5",
    "torch.nn.functional.relu(x, inplace=True).sum().backward()",
    "x = [1.5, .5, 2.]\nx[0].grad.data.zero_()",
    "class D(torch.autograd.Function):\n  def forward(ctx, x): return x * 2\ny = D.apply(x)",
    "with torch.no_grad():\n  y = torch.ones(2, dtype=torch.float64)",
    "m = nn.Linear(1, 1)\nopt = optim.SGD(m.parameters(), lr=1.)\nopt.step()",
]
PASSING = [
    "f = F.relu\n(x)",
    "nn.Module.train(F.elu, False)",
    "f = layer.activation",
    "f = torch.overrides.get_overridable_functions()",
    "f = torch .overrides.get_overridable_functions()",
    "f = (torch\n  .overrides.get_overridable_functions())",
    "f = torch. overrides.get_overridable_functions()",
    "f = torch.\\\noverrides.get_overridable_functions()",
    "f = getattr(m, 'forward')",
    "from torch.nn.functional import relu",
    "C.load_state_dict(f, {'x': 1})",
    "f = x.float",
    "f = \N{FULLWIDTH LATIN CAPITAL LETTER F}.relu",
    "f = f'{F.relu}'",
]


@pytest.mark.parametrize("text", CALLING)
def test_programs_that_only_call(text: str) -> None:
    """They are spared the check."""
    assert not may_pass_on(text)


@pytest.mark.parametrize("text", [*PASSING, *(LEAVING[each] for each in LEAVING if "of-a" in each)])
def test_programs_that_may_pass_a_function_on(text: str) -> None:
    """Whatever is not plainly a call."""
    assert may_pass_on(text)


def test_long_texts_take_no_time() -> None:
    """However little structure they have."""
    for text in ("a" * 200_000, "a." * 100_000, "1" * 200_000 + ".", "(" * 100_000, " ." * 100_000):
        may_pass_on(text)
