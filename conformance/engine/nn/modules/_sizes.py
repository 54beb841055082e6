"""Settings such as kernel_size, given as one number or as one for each dimension."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def each(value: Any, spatial: int) -> tuple[Any, ...]:
    """The setting as a tuple with a number for each dimension."""
    return tuple(value) if isinstance(value, Iterable) else (value,) * spatial


def by_dims(name: str, base: type, text: str, counts: tuple[int, ...] = (1, 2, 3)) -> Any:
    """The classes ``name1d``, ``name2d`` ... of a base, which reads the number of dimensions in ``_spatial``.

    Their docstring is ``text`` with that number, and so is their ``_function``.
    """
    words = ("", "one dimension", "two dimensions", "three dimensions")
    function = getattr(base, "_function", "")

    def body(n: int) -> dict[str, Any]:
        own = {"_spatial": n, "__doc__": text.format(words[n]), "__module__": base.__module__}
        return own | ({"_function": function.format(n)} if function else {})

    return tuple(type(f"{name}{n}d", (base,), body(n)) for n in counts)
