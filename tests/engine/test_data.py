"""torch.utils.data beside torch's own: no scenario may use its loader, which can start processes."""

from __future__ import annotations

from typing import Any

import pytest

import conformance.engine

torch_module = pytest.importorskip("torch")

LOADERS = {
    "batches": "DataLoader(pairs, batch_size=4)",
    "last batch dropped": "DataLoader(pairs, batch_size=4, drop_last=True)",
    "shuffled": "DataLoader(pairs, batch_size=4, shuffle=True)",
    "shuffled by a generator": "DataLoader(pairs, batch_size=4, shuffle=True, generator=generator)",
    "one by one": "DataLoader(pairs, batch_size=None, shuffle=True)",
    "by weight": "DataLoader(pairs, sampler=WeightedRandomSampler([0.1] * 10, 5))",
    "some": "DataLoader(pairs, sampler=SubsetRandomSampler([1, 3, 5]), batch_size=2)",
    "in given batches": "DataLoader(pairs, batch_sampler=[[0, 1], [5]])",
    "part of a data set": "DataLoader(Subset(pairs, [1, 2, 7]), batch_size=2)",
    "random parts": "[part.indices for part in random_split(pairs, [0.5, 0.3, 0.2])]",
    "again and again": "RandomSampler(range(5), replacement=True, num_samples=40)",
    "more than there are": "RandomSampler(range(5), num_samples=12)",
    "numbers": "DataLoader([1.5, 2, 3], batch_size=2)",
    "a pass, which knows its length": "[len(iter(DataLoader(pairs, batch_size=4)))]",
    "texts": "DataLoader(['a', 'b'], batch_size=2)",
    "mappings": "DataLoader([{'a': 1, 'b': [2.0]}, {'a': 3, 'b': [4.0]}], batch_size=2)",
    "behind one another": "DataLoader(pairs + pairs, batch_size=7)",
    "side by side": "DataLoader(StackDataset(a=pairs, b=range(10)), batch_size=6)",
}
REFUSED = {
    "sizes": "TensorDataset(x, x[:3])",
    "batch of none": "DataLoader(pairs, batch_size=0)",
    "two orders": "DataLoader(pairs, sampler=[1], shuffle=True)",
    "two batches": "DataLoader(pairs, batch_sampler=[[1]], drop_last=True)",
    "no batch to drop": "DataLoader(pairs, batch_size=None, drop_last=True)",
    "workers": "DataLoader(pairs, num_workers=-1)",
    "parts": "random_split(pairs, [7, 4])",
    "unequal": "list(DataLoader([[1], [2, 3]], batch_size=2))",
    "nothing to stack": "list(DataLoader([None, None], batch_size=2))",
}


def _shown(torch: Any, expression: str) -> str:
    torch.manual_seed(0)
    x = torch.arange(20.0).reshape(10, 2)
    data = vars(torch.utils.data)
    pairs = data["TensorDataset"](x, torch.arange(10))
    scope = {**data, "x": x, "pairs": pairs, "generator": torch.Generator().manual_seed(3)}
    try:
        found = eval(expression, scope)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return f"{list(found)}, then {torch.rand(1)}"


@pytest.mark.parametrize("expression", LOADERS.values(), ids=LOADERS.keys())
def test_loads_what_torch_loads(expression: str) -> None:
    """The same batches in the same order, and the same random numbers behind them."""
    found = _shown(conformance.engine, expression)
    assert "Error" not in found
    assert found == _shown(torch_module, expression)


@pytest.mark.parametrize("expression", REFUSED.values(), ids=REFUSED.keys())
def test_refuses_what_torch_refuses(expression: str) -> None:
    """The same error in the same words."""
    found = _shown(conformance.engine, expression)
    assert "Error" in found
    assert found == _shown(torch_module, expression)


def test_processes_are_not_implemented() -> None:
    """Workers are refused by name."""
    with pytest.raises(NotImplementedError, match="num_workers"):
        conformance.engine.utils.data.DataLoader([1], num_workers=2)
