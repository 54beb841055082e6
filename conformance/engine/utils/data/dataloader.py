"""DataLoader (torch: utils/data/dataloader.py); its worker processes are in utils/data/_utils/worker.py."""

from __future__ import annotations

import math
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from itertools import islice, repeat
from typing import Any

from ..._c10.modes import state
from ._utils.collate import default_collate, default_convert
from .dataset import IterableDataset
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler, drawn_seed

_MODULE = "torch.utils.data.dataloader"
_FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


class _InfiniteConstantSampler(Sampler):
    """The sampler of iterable datasets: yields None forever."""

    __module__ = _MODULE

    def __iter__(self) -> Iterator[None]:
        return repeat(None)


class _SingleProcessDataLoaderIter:
    """An iteration over the data; its length is that of the whole pass."""

    __module__ = _MODULE

    def __init__(self, loader: DataLoader) -> None:
        self._loader, self._places = loader, loader._places
        self._order = iter(self._places)
        self._base_seed, self._num_yielded = (
            drawn_seed(loader.generator),
            0,
        )  # torch draws the base seed of workers here too
        if loader.timeout != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        self._fetch = loader._fetcher()

    def __iter__(self) -> _SingleProcessDataLoaderIter:
        return self

    def __next__(self) -> Any:
        if state.trace is None:
            return self._next()
        with state.trace.user_scope("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"):
            return self._next()

    def _next(self) -> Any:
        batch = self._fetch(next(self._order))
        self._num_yielded += 1
        told = self._loader._IterableDataset_len_called
        if told is not None and self._num_yielded > told:
            warnings.warn(
                f"Length of IterableDataset {self._loader.dataset} was reported to be {told}(when accessing "
                f"len(dataloader)), but {self._num_yielded} samples have been fetched. ",
                stacklevel=3,
            )
        return batch

    def __len__(self) -> int:
        return len(self._places)


class DataLoader:
    """Iterates over the batches of a dataset.

    Raises:
        ValueError: arguments are mutually exclusive.
        TypeError: ``multiprocessing_context`` is not a context.
    """

    __module__ = _MODULE
    _ready = False
    _workers: Any = None  # with persistent_workers, the pass whose workers are reused
    _IterableDataset_len_called: int | None = (
        None  # the dataset's length when it was read; more samples than that cause a warning
    )

    def __init__(
        self, dataset: Any, batch_size: int | None = 1, shuffle: bool | None = None, sampler: Any = None,
        batch_sampler: Any = None, num_workers: int = 0, collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False, drop_last: bool = False, timeout: float = 0, worker_init_fn: Any = None,
        multiprocessing_context: Any = None, generator: Any = None, *, prefetch_factor: int | None = None,
        persistent_workers: bool = False, pin_memory_device: str = "", in_order: bool = True,
    ) -> None:  # fmt: skip
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
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
        self.num_workers, self.timeout = num_workers, timeout
        self.prefetch_factor: Any = 2 if num_workers and prefetch_factor is None else prefetch_factor
        self.pin_memory, self.pin_memory_device, self.in_order = pin_memory, pin_memory_device, in_order
        self.worker_init_fn, self.persistent_workers = worker_init_fn, persistent_workers
        self.multiprocessing_context = _context(multiprocessing_context, num_workers)
        batched = batch_sampler is not None
        self.collate_fn = collate_fn or (default_collate if batched else default_convert)
        self._ready = True

    def __setattr__(self, name: str, value: Any) -> None:
        if self._ready and name in _FIXED:
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    @property
    def _places(self) -> Any:
        """The indices of each batch, or of each sample without automatic batching."""
        return self.sampler if self.batch_sampler is None else self.batch_sampler

    def __iter__(self) -> Iterator[Any]:
        if not self.num_workers:
            return _SingleProcessDataLoaderIter(self)
        from ._utils.worker import WorkerPass  # rarely used

        if self._workers is not None:
            return self._workers.again()
        found = WorkerPass(self)  # see Note [Batches in turn]
        if self.persistent_workers:
            self._workers = found
        return found

    def _fetcher(self) -> Callable[[Any], Any]:
        """The function that fetches the batch of an index; StopIteration ends a stream."""
        dataset, collate, batched = self.dataset, self.collate_fn, self.batch_sampler is not None
        if self._iterable:
            return self._stream_fetcher(iter(dataset))
        if not batched:
            return lambda place: collate(dataset[place])
        if getattr(dataset, "__getitems__", None):
            return lambda places: collate(dataset.__getitems__(places))
        return lambda places: collate([dataset[each] for each in places])

    def _stream_fetcher(self, samples: Iterator[Any]) -> Callable[[Any], Any]:
        collate, drop_last, ended = self.collate_fn, self.drop_last, False

        def fetch(places: Any) -> Any:
            nonlocal ended
            if ended:
                raise StopIteration
            batch = list(islice(samples, len(places)))
            ended = len(batch) < len(places)
            if not batch or (drop_last and ended):
                raise StopIteration
            return collate(batch)

        return (lambda _: collate(next(samples))) if self.batch_sampler is None else fetch

    def __len__(self) -> int:
        if not self._iterable:
            return len(self._places)
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
        _warn_of_many(workers)


def _warn_of_many(workers: int) -> None:
    """Warn if there are more workers than processors."""
    counted = hasattr(os, "sched_getaffinity")
    most = len(os.sched_getaffinity(0)) if counted else os.cpu_count()
    if most is not None and workers <= most:
        return
    suggested = (
        "DataLoader is not able to compute a suggested max number of worker in current system."
        if most is None
        else f"Our suggested max number of worker in current system is {most}"
        f"{'' if counted else ' (`cpuset` is not taken into account)'}, which is smaller than what this DataLoader "
        "is going to create."
    )
    warnings.warn(
        f"This DataLoader will create {workers} worker processes in total. {suggested} Please be aware that excessive "
        "worker creation might get DataLoader running slow or even freeze, lower the worker number to avoid potential "
        "slowness/freeze if necessary.",
        stacklevel=3,
    )


def _context(context: Any, workers: int) -> Any:
    """The multiprocessing context of the workers, given itself or by name."""
    if context is None:
        return None
    if not workers:
        raise ValueError(
            "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got "
            f"num_workers={workers}"
        )
    import multiprocessing.context  # slow to import

    if isinstance(context, str):
        known = multiprocessing.get_all_start_methods()
        if context not in known:
            raise ValueError(
                f"multiprocessing_context option should specify a valid start method in {known!r}, but got "
                f"multiprocessing_context={context!r}"
            )
        return multiprocessing.get_context(context)
    if not isinstance(context, multiprocessing.context.BaseContext):
        raise TypeError(
            "multiprocessing_context option should be a valid context object or a string specifying the start method, "
            f"but got multiprocessing_context={context}"
        )
    return context


def _check_iterable(shuffle: bool | None, sampler: Any, batch_sampler: Any) -> None:
    given = {"shuffle": shuffle or None, "sampler": sampler, "batch_sampler": batch_sampler}
    for name, value in given.items():
        if value is not None:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}"
            )


def get_worker_info() -> Any:
    """torch.utils.data.get_worker_info: the info of a worker; None in the main process."""
    workers = sys.modules.get(f"{__package__}._utils.worker")
    return workers and workers.info
