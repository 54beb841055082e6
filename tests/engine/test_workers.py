"""Worker processes of the loader compared with torch."""

from __future__ import annotations

import os
import random
import re
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import conformance.engine

torch_module = pytest.importorskip("torch")

PASSES: dict[str, Callable[[Any, Any], Any]] = {
    "batches": lambda data, sets: data.DataLoader(sets.pairs, batch_size=3, shuffle=True, num_workers=2),
    "one by one": lambda data, sets: data.DataLoader(sets.pairs, batch_size=None, num_workers=2),
    "last batch dropped": lambda data, sets: data.DataLoader("abcde", 2, drop_last=True, num_workers=2),
    "seeds": lambda data, sets: data.DataLoader(sets.chance, num_workers=2),
    "what a worker knows of itself": lambda data, sets: data.DataLoader(sets.own, num_workers=2),
    "a stream for each": lambda data, sets: data.DataLoader(sets.stream, batch_size=2, num_workers=2),
    "an even share of a stream": lambda data, sets: data.DataLoader(
        sets.stream, num_workers=2, worker_init_fn=sets.shorten
    ),
    "unequal batches of a stream dropped": lambda data, sets: data.DataLoader(
        sets.stream, batch_size=2, num_workers=2, drop_last=True, worker_init_fn=sets.shorten
    ),
    "workers that stay": lambda data, sets: twice(
        data.DataLoader(sets.chance, shuffle=True, num_workers=2, persistent_workers=True)
    ),
    "a pass that was left": lambda data, sets: left(
        data.DataLoader(sets.stream, num_workers=2, persistent_workers=True)
    ),
    "more at a time": lambda data, sets: data.DataLoader(range(9), num_workers=1, prefetch_factor=4),
    "samples that end": lambda data, sets: data.DataLoader(sets.ended, num_workers=1),
    "many": lambda data, sets: warned(lambda: data.DataLoader("a", num_workers=4096).num_workers),
}
FAILURES: dict[str, Callable[[Any, Any], Any]] = {
    "a sample": lambda data, sets: data.DataLoader(sets.broken, num_workers=1),
    "a key": lambda data, sets: data.DataLoader([{"a": 1}, {}], batch_size=2, num_workers=1),
    "the beginning": lambda data, sets: data.DataLoader("a", num_workers=1, worker_init_fn=sets.refuse),
    "time": lambda data, sets: data.DataLoader(sets.slow, num_workers=1, timeout=0.2),
    "the process": lambda data, sets: data.DataLoader(sets.deadly, num_workers=1),
}


def twice(loader: Any) -> Any:
    return [*loader, *loader]


def left(loader: Any) -> Any:
    return [next(iter(loader)), *loader]


def warned(action: Callable[[], Any]) -> Any:
    with warnings.catch_warnings(record=True) as caught:
        return [action(), *(str(each.message) for each in caught)]


class Sets:
    """Data sets of one torch."""

    def __init__(self, torch: Any) -> None:
        data = torch.utils.data

        class Computed(data.Dataset):  # type: ignore[misc, name-defined]
            def __init__(self, sample: Callable[[int], Any]) -> None:
                self.sample = sample

            def __len__(self) -> int:
                return 5

            def __getitem__(self, index: int) -> Any:
                return self.sample(index)

        class Stream(data.IterableDataset):  # type: ignore[misc, name-defined]
            end = 3

            def __iter__(self) -> Iterator[int]:
                return iter(range(self.end))

        def own(index: int) -> Any:
            info = data.get_worker_info()
            return (
                info.id,
                info.num_workers,
                torch.initial_seed() - info.seed,
                info.worker_method,
                torch.get_num_threads(),
            )

        def shorten(worker: int) -> None:
            data.get_worker_info().dataset.end = 3 + 2 * worker

        self.pairs = data.TensorDataset(torch.arange(8.0).reshape(4, 2), torch.arange(4))
        self.chance = Computed(lambda index: (index, torch.rand(2), random.random(), np.random.rand()))
        self.own, self.stream, self.shorten = Computed(own), Stream(), shorten
        self.broken = Computed(lambda index: int("x"))
        self.ended = Computed(lambda index: next(iter(())))
        self.slow = Computed(lambda index: time.sleep(3))
        self.deadly = Computed(lambda index: os._exit(1))

    def refuse(self, worker: int) -> None:
        raise RuntimeError(f"no worker {worker}")


def _shown(torch: Any, passes: Callable[[Any, Any], Any]) -> str:
    torch.manual_seed(0)
    found = passes(torch.utils.data, Sets(torch))
    return repr([[*found], torch.rand(1), torch.utils.data.get_worker_info()])


@pytest.mark.parametrize("passes", PASSES.values(), ids=PASSES)
def test_batches_are_those_of_torch(passes: Callable[[Any, Any], Any]) -> None:
    """Workers return the same batches in the same order, and leave the generator in the same state."""
    assert _shown(conformance.engine, passes) == _shown(torch_module, passes)


def _error(torch: Any, passes: Callable[[Any, Any], Any]) -> tuple[str, str, str]:
    with pytest.raises(Exception) as caught:
        list(passes(torch.utils.data, Sets(torch)))
    # torch notices a death by a signal or by the silence, and says more in the one case
    told = re.sub(
        r"pid(\(s\))? \d+\) exited unexpectedly.*", "pid) is gone", str(caught.value), flags=re.DOTALL
    )
    lines = told.splitlines()
    return type(caught.value).__name__, lines[0], lines[-1]


@pytest.mark.parametrize("passes", FAILURES.values(), ids=FAILURES)
def test_failures_are_those_of_torch(passes: Callable[[Any, Any], Any]) -> None:
    """An error in a worker is raised again, with its traceback in the text; a missing answer raises too."""
    assert _error(conformance.engine, passes) == _error(torch_module, passes)
