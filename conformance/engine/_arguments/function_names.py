"""The ``__name__`` of public functions: torch.arcsin is "arcsin", though it is the same as torch.asin; torch.fft.fft is "fft_fft"."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType
from typing import Any

from .argument_errors import handle_failed_call


def with_public_names(
    functions: Mapping[str, Any], prefix: str = "", elsewhere: Iterable[Any] = (), methods: bool = False
) -> dict[str, Any]:
    """The functions whose ``__name__`` has to change, with the right one.

    A function that has several names, or is an operation, is wrapped by another function with the name.

    Args:
        functions: by their public names.
        prefix: of the names in torch's C++, such as "fft_".
        elsewhere: functions that are also public in other modules.
        methods: whether they are methods of Tensor.
    """
    places = Counter(map(id, (*functions.values(), *elsewhere)))
    found = {}
    for name, function in functions.items():
        if (
            not isinstance(function, FunctionType)
            or name.startswith("_")
            or function.__name__ == prefix + name
        ):
            continue
        is_row = hasattr(function, "row") and "__wrapped__" not in vars(function)
        called = f"Tensor.{name}" if methods else prefix + name
        made: Any = _calling(function, called) if is_row or places[id(function)] > 1 else function
        made.__name__ = made.__qualname__ = prefix + name
        found[name] = made
    return found


def _calling(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    @functools.wraps(function)
    def other(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception:
            return handle_failed_call(other, name, args, kwargs)

    return other
