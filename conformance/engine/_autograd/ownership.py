"""What torch owns from C++, where Python's garbage collector does not look.

Note [Owned from C++]: torch's nodes and saved variables are C++ objects. What they own cannot be seen by Python's garbage
collector, so a cycle through it is never freed: a hook of a non-leaf or of a node that leads to that tensor or node, a
post-accumulate hook that leads to its leaf, or a packed object that leads to its own node, as the output of exp does if the
pack hook returns it. Here a global dict owns the same things. Tensor hooks of a leaf are the exception: torch lets the
garbage collector see those.
"""

from __future__ import annotations

from typing import Any

_owned: dict[int, list[Any]] = {}


class Owner:
    """Keeps objects alive as long as it lives itself; see Note [Owned from C++]."""

    __slots__ = ()

    def __init__(self, *values: Any) -> None:
        _owned[id(self)] = [*values]

    def own(self, value: Any) -> None:
        """Keep another object alive."""
        _owned[id(self)].append(value)

    def __del__(self) -> None:
        _owned.pop(id(self), None)
