"""NumPy's functions under torch's names, for engines built on NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

DTYPES = {name: np.dtype(name) for name in ("float16", "float32", "float64", "int32", "int64", "bool")}
SAME = ("sin", "cos", "tan", "exp", "log", "sqrt", "tanh", "abs", "square", "matmul")
OTHER = {"add": "add", "sub": "subtract", "mul": "multiply", "div": "divide", "neg": "negative"}
REDUCTIONS = ("sum", "mean", "prod")


def operations(own: Any) -> dict[str, Callable[..., Any]]:
    """Torch's functions that a module like NumPy provides."""
    return {
        **{name: _elementwise(getattr(own, name)) for name in SAME},
        **{name: _elementwise(getattr(own, theirs)) for name, theirs in OTHER.items()},
        **{name: _reducing(getattr(own, name)) for name in REDUCTIONS},
        "reshape": _reshaping(own.reshape),
    }


def array(data: Any, dtype: Any = None) -> Any:
    """Data with torch's dtypes: Python's floats become float32, its integers int64."""
    made = np.array(data, dtype)
    if made.dtype == object:
        raise NotImplementedError("torch.tensor of tensors")
    return made.astype(np.float32) if dtype is None and made.dtype == np.float64 else made


def shaped(make: Callable[..., Any], wrap: Callable[[Any, bool], Any]) -> Callable[..., Any]:
    """``ones`` and similar functions."""

    def creating(*shape: Any, dtype: Any = None, requires_grad: bool = False) -> Any:
        size = shape[0] if len(shape) == 1 else shape
        return wrap(make(size, dtype or np.float32), requires_grad)

    return creating


def _elementwise(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *operands: function(*operands)


def _reducing(function: Callable[..., Any]) -> Callable[..., Any]:
    def reduce(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
        return function(x, axis=dim, keepdims=keepdim)

    return reduce


def _reshaping(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, *shape: function(x, shape[0] if len(shape) == 1 else shape)
