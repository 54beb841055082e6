"""The loader of batches, in one process (torch: utils/data/dataloader.py)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from itertools import repeat
from typing import Any

from .collate import default_collate, default_convert
from .dataset import IterableDataset
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler, drawn_seed

_MODULE = "torch.utils.data.dataloader"
_FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


class _InfiniteConstantSampler(Sampler):
    """For data sets without indices: None for ever."""

    __module__ = _MODULE

    def __iter__(self) -> Iterator[None]:
        return repeat(None)


class _SingleProcessDataLoaderIter:
    """One pass through the data: an iterator that has the length of the whole pass."""

    __module__ = _MODULE

    def __init__(self, loader: DataLoader, batches: Iterator[Any], order: Any, seed: int) -> None:
        self._loader, self._batches, self._order = loader, batches, order
        self._base_seed, self._num_yielded = seed, 0  # the seed would be the workers', that there are not

    def __iter__(self) -> _SingleProcessDataLoaderIter:
        return self

    def __next__(self) -> Any:
        batch = next(self._batches)
        self._num_yielded += 1
        told = self._loader._IterableDataset_len_called
        if told is not None and self._num_yielded > told:
            warnings.warn(
                f"Length of IterableDataset {self._loader.dataset} was reported to be {told}(when accessing "
                f"len(dataloader)), but {self._num_yielded} samples have been fetched. ",
                stacklevel=2,
            )
        return batch

    def __len__(self) -> int:
        return len(self._order)


class DataLoader:
    """Batches of a data set.

    Raises:
        ValueError: arguments that exclude one another.
        NotImplementedError: ``num_workers`` above 0.
    """

    __module__ = _MODULE
    _ready = False
    _IterableDataset_len_called: int | None = None  # what its data set said, which is held to it

    def __init__(
        self, dataset: Any, batch_size: int | None = 1, shuffle: bool | None = None, sampler: Any = None,
        batch_sampler: Any = None, num_workers: int = 0, collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False, drop_last: bool = False, timeout: float = 0, worker_init_fn: Any = None,
        multiprocessing_context: Any = None, generator: Any = None, *, prefetch_factor: int | None = None,
        persistent_workers: bool = False, pin_memory_device: str = "", in_order: bool = True,
    ) -> None:  # fmt: skip
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        if multiprocessing_context is not None:
            raise ValueError(
                "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got num_workers=0"
            )
        self._iterable = isinstance(dataset, IterableDataset)
        if self._iterable:
            _check_iterable(shuffle, sampler, batch_sampler)
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
                )
            batch_size = None
        elif batch_size is None and drop_last:
            raise ValueError(
                "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
            )
        if sampler is None:
            sampler = (
                _InfiniteConstantSampler()
                if self._iterable
                else RandomSampler(dataset, generator=generator)
                if shuffle
                else SequentialSampler(dataset)
            )
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.dataset, self.batch_size, self.drop_last = dataset, batch_size, drop_last
        self.sampler, self.batch_sampler, self.generator = sampler, batch_sampler, generator
        self.num_workers, self.prefetch_factor, self.timeout = num_workers, prefetch_factor, timeout
        self.pin_memory, self.pin_memory_device, self.in_order = pin_memory, pin_memory_device, in_order
        self.worker_init_fn, self.multiprocessing_context = worker_init_fn, multiprocessing_context
        self.persistent_workers = persistent_workers
        batched = batch_sampler is not None
        self.collate_fn = collate_fn or (default_collate if batched else default_convert)
        self._ready = True

    def __setattr__(self, name: str, value: Any) -> None:
        if self._ready and name in _FIXED:
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    def __iter__(self) -> Iterator[Any]:
        order = iter(self.sampler if self.batch_sampler is None else self.batch_sampler)
        seed = drawn_seed(self.generator)
        if self.timeout != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        found = self._from_stream(order, iter(self.dataset)) if self._iterable else self._by_index(order)
        index_sampler = self.sampler if self.batch_sampler is None else self.batch_sampler
        return _SingleProcessDataLoaderIter(self, found, index_sampler, seed)

    def _by_index(self, order: Iterator[Any]) -> Iterator[Any]:
        for index in order:
            if self.batch_sampler is None:
                yield self.collate_fn(self.dataset[index])
            elif getattr(self.dataset, "__getitems__", None):
                yield self.collate_fn(self.dataset.__getitems__(index))
            else:
                yield self.collate_fn([self.dataset[each] for each in index])

    def _from_stream(self, order: Iterator[Any], samples: Iterator[Any]) -> Iterator[Any]:
        if self.batch_sampler is None:
            for sample in samples:
                yield self.collate_fn(sample)
            return
        for places in order:
            batch = [sample for _, sample in zip(places, samples, strict=False)]
            if batch and not (self.drop_last and len(batch) < len(places)):
                yield self.collate_fn(batch)
            if len(batch) < len(places):
                return

    def __len__(self) -> int:
        if not self._iterable:
            return len(self.sampler if self.batch_sampler is None else self.batch_sampler)
        count = self._IterableDataset_len_called = len(self.dataset)
        if self.batch_size is None:
            return count
        return count // self.batch_size if self.drop_last else math.ceil(count / self.batch_size)


def _check_workers(workers: int, timeout: float, prefetch: int | None, persistent: bool) -> None:
    if workers < 0:
        raise ValueError(
            "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing."
        )
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if workers == 0 and prefetch is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable "
            "multiprocessing, otherwise set prefetch_factor to None."
        )
    if persistent and workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")
    if workers:
        raise NotImplementedError("DataLoader with num_workers above 0")


def _check_iterable(shuffle: bool | None, sampler: Any, batch_sampler: Any) -> None:
    given = {"shuffle": shuffle or None, "sampler": sampler, "batch_sampler": batch_sampler}
    for name, value in given.items():
        if value is not None:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}"
            )


def get_worker_info() -> None:
    """None: there are no worker processes."""
    return
