"""ZeroTensor: immutable zeros (torch: ATen/ZeroTensorFallback.cpp)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


class ZeroTensor(np.ndarray[Any, Any]):
    """The array of a tensor with the ZeroTensor dispatch key.

    Note [ZeroTensor]: torch returns a ZeroTensor, which has no memory, for gradients that are 0 everywhere (as of sgn) and
    for some tangents. Products (also of vectors), quotients, sums and differences of ZeroTensors are ZeroTensors, as are
    views of them; all other operations materialize them. Writing to one raises. A subclass of ndarray that overrides
    ufuncs implements this, so that other arrays need no check.
    """

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **named: Any) -> Any:
        if any(isinstance(each, ZeroTensor) for each in named.get("out", ())):
            raise RuntimeError(IMMUTABLE)
        value = getattr(ufunc, method)(*map(in_memory, inputs), **named)
        known = _KNOWN.get(ufunc) if method == "__call__" and "out" not in named else None
        if known is None or not known(*(isinstance(each, ZeroTensor) for each in inputs)):
            return value
        if ufunc is np.matmul and value.shape:  # products of vectors alone
            return value
        return zeros(value.shape, value.dtype)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        value = function(*in_memory(args), **{name: in_memory(each) for name, each in kwargs.items()})
        viewed = isinstance(value, np.ndarray) and np.may_share_memory(value, in_memory(self))
        return value.view(ZeroTensor) if viewed else value

    def copy(self, order: Any = "C") -> Any:
        """A materialized copy."""
        return in_memory(self).copy(order)

    def astype(self, dtype: Any, *args: Any, **named: Any) -> Any:
        """A ZeroTensor with another dtype."""
        return zeros(self.shape, np.dtype(dtype))


IMMUTABLE = (
    "ZeroTensors are immutable. Please use the materialized zero tensor obtained using .clone() if you want a "
    "mutable tensor."
)
COPIED_INTO = "ZeroTensors are immutable. Please materialize the tensor using `.clone()`, if you want a mutable zero tensor."

_KNOWN: dict[np.ufunc, Callable[..., bool]] = {
    np.matmul: lambda a, b: True,
    np.multiply: lambda a, b: True,
    np.true_divide: lambda a, b: a and not b,
    np.add: lambda a, b: a and b,
    np.subtract: lambda a, b: a and b,
}


def zeros(shape: tuple[int, ...], dtype: np.dtype[Any]) -> ZeroTensor:
    """A ZeroTensor with this shape."""
    array = ZeroTensor(shape, dtype)
    in_memory(array).fill(0)
    return array


def in_memory(value: Any) -> Any:
    """Materialize ZeroTensors, also in tuples and lists, for a call of numpy."""
    if isinstance(value, ZeroTensor):
        return value.view(np.ndarray)
    if isinstance(value, (tuple, list)):
        return type(value)(map(in_memory, value))
    return value
