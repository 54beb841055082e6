"""torch.utils.data compared with torch's: scenarios may not use DataLoader, which can start processes."""

from __future__ import annotations

import importlib
from collections import UserList, deque
from collections.abc import Sequence
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
    "a stream": "DataLoader(stream)",
    "batches of a stream": "DataLoader(stream, batch_size=2)",
    "last batch of a stream dropped": "DataLoader(stream, batch_size=2, drop_last=True)",
    "a stream, one by one": "DataLoader(stream, batch_size=None)",
    "a stream in one batch": "DataLoader(stream, batch_size=5)",
    "less of a stream than a batch": "DataLoader(stream, batch_size=7)",
    "lengths of streams": "[len(DataLoader(stream, batch_size=n, drop_last=n == 2)) for n in (None, 1, 2, 3)]",
    "a stream not shuffled": "DataLoader(stream, shuffle=False)",
    "several at once": "[Subset(pairs, [4, 2]).__getitems__([1, 0])]",
    "several side by side": "StackDataset(a=Subset(pairs, [4, 2]), b=range(2)).__getitems__([1, 0])",
    "a part side by side": "DataLoader(StackDataset(Subset(pairs, [4, 2]), range(2)), batch_size=2)",
    "seeds and counts": "[(each._base_seed, next(each), each._num_yielded) for each in [iter(DataLoader(pairs))]]",
    "side by side": "DataLoader(StackDataset(a=pairs, b=range(10)), batch_size=6)",
}
REFUSED = {
    "sizes": "TensorDataset(x, x[:3])",
    "batch of none": "DataLoader(pairs, batch_size=0)",
    "two orders": "DataLoader(pairs, sampler=[1], shuffle=True)",
    "two batches": "DataLoader(pairs, batch_sampler=[[1]], drop_last=True)",
    "no batch to drop": "DataLoader(pairs, batch_size=None, drop_last=True)",
    "order of a stream": "DataLoader(stream, sampler=[1])",
    "no order of a stream": "DataLoader(stream, sampler=[])",
    "batches given of a stream": "DataLoader(stream, batch_sampler=[[1]])",
    "stream shuffled": "DataLoader(stream, shuffle=True)",
    "persistence without workers": "DataLoader(pairs, persistent_workers=True)",
    "timeout": "list(DataLoader(pairs, timeout=3))",
    "context without workers": "DataLoader(pairs, multiprocessing_context='fork')",
    "sparse": "list(DataLoader([x.to_sparse()]))",
    "process": "DistributedSampler(pairs, 2, 2)",
    "negative timeout": "DataLoader(pairs, timeout=-1)",
    "prefetching without workers": "DataLoader(pairs, prefetch_factor=2)",
    "workers": "DataLoader(pairs, num_workers=-1)",
    "processes without workers": "DataLoader(pairs, multiprocessing_context='fork')",
    "an unknown way of making processes": "DataLoader(pairs, num_workers=1, multiprocessing_context='frok')",
    "no way of making processes": "DataLoader(pairs, num_workers=1, multiprocessing_context=3)",
    "parts": "random_split(pairs, [7, 4])",
    "unequal": "list(DataLoader([[1], [2, 3]], batch_size=2))",
    "nothing to stack": "list(DataLoader([None, None], batch_size=2))",
}


def _shown(torch: Any, expression: str) -> str:
    torch.manual_seed(0)
    x = torch.arange(20.0).reshape(10, 2)
    data = vars(torch.utils.data)
    pairs = data["TensorDataset"](x, torch.arange(10))

    streams: Any = data["IterableDataset"]

    class Stream(streams):  # type: ignore[misc]
        def __iter__(self) -> Any:
            return iter(range(5))

        def __len__(self) -> int:
            return 5

    scope = {
        **data,
        "x": x,
        "stream": Stream(),
        "pairs": pairs,
        "generator": torch.Generator().manual_seed(3),
    }
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


class Named(list[Any]):
    """A list that is not made of its elements alone."""

    def __init__(self, name: str, elements: Any) -> None:
        super().__init__(elements)
        self.name = name


class Row(Sequence[Any]):
    """A sequence that cannot be written to."""

    def __init__(self, elements: Any) -> None:
        self.elements = list(elements)

    def __getitem__(self, at: Any) -> Any:
        return self.elements[at]

    def __len__(self) -> int:
        return len(self.elements)

    def __repr__(self) -> str:
        return f"Row({self.elements})"


class Unlike(Row):
    """A sequence of which no other can be made."""

    def __init__(self, one: Any, other: Any) -> None:
        super().__init__([one, other])


SEQUENCES: list[Any] = [
    [Named("a", [1, 2]), Named("b", [3, 4])],
    [Row([1, 2]), Row([3, 4])],
    [Unlike(1, 2), Unlike(3, 4)],
    [UserList([1, 2]), UserList([3, 4])],
    [deque([1]), deque([2])],
    [range(2), range(2)],
    [[1], [2]],
    [(), ()],
]


@pytest.mark.parametrize("batch", SEQUENCES, ids=repr)
def test_sequences_stay_of_their_kind(batch: Any) -> None:
    """A batch of sequences is one of the first one's kind where such can be made, and converted it is one too."""
    outcomes = []
    for torch in (torch_module, conformance.engine):
        data = importlib.import_module(f"{torch.__name__}.utils.data")
        for found in (data.default_collate(batch), data.default_convert(batch[0])):
            outcomes.append([type(found), repr(found), getattr(found, "name", None)])
    assert outcomes[:2] == outcomes[2:]
