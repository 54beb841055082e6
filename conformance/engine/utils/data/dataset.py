"""Datasets: map-style and iterable (torch: utils/data/dataset.py)."""

from __future__ import annotations

import math
import warnings
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from ..._aten.random.random import randperm
from ..._autograd.tensor import Tensor

_MODULE = "torch.utils.data.dataset"


class Dataset:
    """A map-style dataset; subclasses define ``__getitem__`` and, for most samplers, ``__len__``."""

    __module__ = _MODULE

    def __class_getitem__(cls, kind: Any) -> Any:
        return cls

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset) -> Dataset:
        return ConcatDataset([self, other])


class IterableDataset(Dataset, Iterable[Any]):
    """An iterable dataset; subclasses define ``__iter__``."""

    __module__ = _MODULE

    def __add__(self, other: Dataset) -> Dataset:
        return ChainDataset([self, other])


class TensorDataset(Dataset):
    """A dataset of tensors, indexed along the first dimension."""

    __module__ = _MODULE

    def __init__(self, *tensors: Tensor) -> None:
        if any(tensors[0].size(0) != tensor.size(0) for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].size(0)


class StackDataset(Dataset):
    """Datasets of equal length zipped: a sample is a tuple, or a dict if the datasets were given by name."""

    __module__ = _MODULE

    def __init__(self, *args: Dataset, **kwargs: Dataset) -> None:
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, but both "
                "types are given."
            )
        if not args and not kwargs:
            raise ValueError("At least one dataset should be passed")
        self.datasets: Any = args or kwargs
        each: list[Any] = list(args or kwargs.values())
        self._length = len(each[0])
        if any(self._length != len(dataset) for dataset in each):
            raise ValueError("Size mismatch between datasets")

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {name: dataset[index] for name, dataset in self.datasets.items()}
        return tuple(dataset[index] for dataset in self.datasets)

    def __getitems__(self, indices: list[Any]) -> list[Any]:
        """The samples of a batch.

        Raises:
            ValueError: a dataset returns another number of samples than requested.
        """
        if isinstance(self.datasets, dict):
            columns = [_several(each, indices) for each in self.datasets.values()]
            return [dict(zip(self.datasets, row, strict=True)) for row in zip(*columns, strict=True)]
        return list(zip(*(_several(each, indices) for each in self.datasets), strict=True))

    def __len__(self) -> int:
        return self._length


def _several(dataset: Any, indices: list[Any]) -> list[Any]:
    """Samples of one dataset, by ``__getitems__`` if it has that."""
    if not callable(getattr(dataset, "__getitems__", None)):
        return [dataset[each] for each in indices]
    found: list[Any] = dataset.__getitems__(indices)
    if len(found) != len(indices):
        raise ValueError(f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(found)}")
    return found


class ConcatDataset(Dataset):
    """Datasets concatenated."""

    __module__ = _MODULE

    def __init__(self, datasets: Iterable[Dataset]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(each, IterableDataset) for each in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    @staticmethod
    def cumsum(sequence: Any) -> list[int]:
        """The cumulative lengths of the datasets."""
        return list(accumulate(len(each) for each in sequence))

    @property
    def cummulative_sizes(self) -> list[int]:
        """Deprecated: cumulative_sizes."""
        warnings.warn(
            "`cummulative_sizes` attribute is renamed to `cumulative_sizes`", FutureWarning, stacklevel=2
        )
        return self.cumulative_sizes

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: int) -> Any:
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        which = bisect_right(self.cumulative_sizes, idx)
        return self.datasets[which][idx - (self.cumulative_sizes[which - 1] if which else 0)]


class ChainDataset(IterableDataset):
    """Iterable datasets chained."""

    __module__ = _MODULE

    def __init__(self, datasets: Iterable[Dataset]) -> None:
        self.datasets = datasets

    def _each(self) -> Iterator[Any]:
        for each in self.datasets:
            if not isinstance(each, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield each

    def __iter__(self) -> Iterator[Any]:
        for each in self._each():
            yield from each

    def __len__(self) -> int:
        return sum(len(each) for each in self._each())


class Subset(Dataset):
    """A subset of a dataset at given indices."""

    __module__ = _MODULE

    def __init__(self, dataset: Dataset, indices: Sequence[int]) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, list):
            return self.dataset[[self.indices[i] for i in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices: list[Any]) -> list[Any]:
        """The samples of a batch."""
        chosen = [self.indices[each] for each in indices]
        if callable(getattr(self.dataset, "__getitems__", None)):
            return self.dataset.__getitems__(chosen)  # type: ignore[attr-defined]
        return [self.dataset[each] for each in chosen]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(dataset: Any, lengths: Sequence[float], generator: Any = None) -> list[Subset]:
    """Split a dataset randomly into parts with these lengths or fractions.

    Raises:
        ValueError: the lengths do not sum to the dataset's.
    """
    total = len(dataset)
    sizes: list[Any] = list(lengths)
    if math.isclose(sum(sizes), 1) and sum(sizes) <= 1:
        for i, share in enumerate(sizes):
            if not 0 <= share <= 1:
                raise ValueError(f"Fraction at index {i} is not between 0 and 1")
        sizes = [math.floor(total * share) for share in sizes]
        for i in range(total - sum(sizes)):
            sizes[i % len(sizes)] += 1
        for i, size in enumerate(sizes):
            if not size:
                warnings.warn(
                    f"Length of split at index {i} is 0. This might result in an empty dataset.", stacklevel=2
                )
    if sum(sizes) != total:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = randperm(sum(sizes), generator=generator).tolist()
    return [
        Subset(dataset, order[end - size : end]) for end, size in zip(accumulate(sizes), sizes, strict=True)
    ]
