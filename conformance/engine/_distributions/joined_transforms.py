"""torch.distributions.CatTransform and StackTransform (torch: distributions/transforms.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from .._aten.operators import FUNCTIONS
from . import constraint_base as constraints
from .base_utils import _sum_rightmost, lazy_property
from .transform_base import Transform

_cat, _stack = FUNCTIONS["cat"], FUNCTIONS["stack"]


class _JoinedTransform(Transform):
    transforms: list[Any]
    _join: Callable[..., Any]

    def __init__(self, tseq: Sequence[Any], dim: int = 0, cache_size: int = 0) -> None:
        if not all(isinstance(each, Transform) for each in tseq):
            raise AssertionError("All elements of tseq must be Transform instances")
        if cache_size:
            tseq = [each.with_cache(cache_size) for each in tseq]
        super().__init__(cache_size=cache_size)
        self.transforms, self.dim = list(tseq), dim

    @property
    def bijective(self) -> Any:
        return all(each.bijective for each in self.transforms)

    def _check(self, name: str, value: Any, of: str = "tensor") -> None:
        """Raise an error for a value whose size along the dimension is wrong."""
        dim, (length, what) = self.dim, self._needed()
        if not -value.dim() <= dim < value.dim():
            raise AssertionError(f"dim {dim} out of range for {of} with {value.dim()} dimensions")
        if value.size(dim) != length:
            raise AssertionError(f"{name}.size({dim}) = {value.size(dim)} must equal {what} {length}")

    def _needed(self) -> tuple[int, str]:
        """The required size of the dimension, and how errors describe it."""
        raise NotImplementedError

    def _parts(self, value: Any) -> Any:
        """The parts of a value, one for each transform."""
        raise NotImplementedError

    def _pairs(self, x: Any, y: Any) -> Iterator[tuple[Any, Any, Any]]:
        """Each transform with its parts of two values."""
        self._check("x", x, "x")
        self._check("y", y, "y")
        after, before = self._parts(y), self._parts(x)
        return zip(self.transforms, before, after, strict=False)

    def _call(self, x: Any) -> Any:
        self._check("x", x)
        parts = zip(self.transforms, self._parts(x), strict=False)
        return self._join([each(part) for each, part in parts], dim=self.dim)

    def _inverse(self, y: Any) -> Any:
        self._check("y", y)
        parts = zip(self.transforms, self._parts(y), strict=False)
        return self._join([each.inv(part) for each, part in parts], dim=self.dim)


class CatTransform(_JoinedTransform):
    """Applies transforms to parts of the dimension ``dim`` with sizes ``lengths``, like `torch.cat`.

    Raises:
        AssertionError: the number of lengths differs from that of the transforms, or a value has a wrong size.
    """

    __module__ = "torch.distributions.transforms"
    _join = staticmethod(_cat)

    def __init__(
        self, tseq: Sequence[Any], dim: int = 0, lengths: Sequence[int] | None = None, cache_size: int = 0
    ) -> None:
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(
                f"lengths ({len(self.lengths)}) must match transforms ({len(self.transforms)})"
            )

    def _arguments(self) -> tuple[Any, ...]:
        return self.transforms, self.dim, self.lengths

    @lazy_property
    def event_dim(self) -> Any:
        return max(each.event_dim for each in self.transforms)

    @lazy_property
    def length(self) -> Any:
        """The total size along the dimension."""
        return sum(self.lengths)

    @constraints.dependent_property
    def domain(self) -> Any:
        return constraints.cat([each.domain for each in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self) -> Any:
        return constraints.cat([each.codomain for each in self.transforms], self.dim, self.lengths)

    def _needed(self) -> tuple[int, str]:
        return self.length, "length"

    def _parts(self, value: Any) -> Any:
        parts = zip(accumulate(self.lengths, initial=0), self.lengths, strict=False)
        return (value.narrow(self.dim, start, length) for start, length in parts)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        found = []
        for each, before, after in self._pairs(x, y):
            own = each.log_abs_det_jacobian(before, after)
            found.append(_sum_rightmost(own, max(self.event_dim - each.event_dim, 0)))
        dim = self.dim - x.dim() if self.dim >= 0 else self.dim
        dim += self.event_dim
        return _cat(found, dim=dim) if dim < 0 else sum(found)


class StackTransform(_JoinedTransform):
    """Applies one transform to each index of the dimension ``dim``, like `torch.stack`.

    Raises:
        AssertionError: a value's size along the dimension is not the number of transforms.
    """

    __module__ = "torch.distributions.transforms"
    _join = staticmethod(_stack)

    def _arguments(self) -> tuple[Any, ...]:
        return self.transforms, self.dim

    @constraints.dependent_property
    def domain(self) -> Any:
        return constraints.stack([each.domain for each in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self) -> Any:
        return constraints.stack([each.codomain for each in self.transforms], self.dim)

    def _needed(self) -> tuple[int, str]:
        return len(self.transforms), "len(transforms)"

    def _parts(self, value: Any) -> Any:
        return [value.select(self.dim, i) for i in range(value.size(self.dim))]

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        pairs = self._pairs(x, y)
        return _stack([each.log_abs_det_jacobian(*parts) for each, *parts in pairs], dim=self.dim)
