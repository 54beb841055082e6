"""What a lower module calls and a higher one provides.

Note [Slots]: a module imports modules below it alone, inside functions too. What it calls of a module above it is a
*slot*: a module-level variable with a function's type, that is called as any function. There are two kinds:

- ``name: Callable[..., Result] = unfilled`` is filled by the higher module below its own definition, by
  ``lower.name = name``, when that is imported, which is whenever the engine is. A call costs what a call of a function
  costs. Only the module that declares such a slot reads it: ``from lower import name`` copies what is in it just then.
- ``name: Callable[..., Result] = on_first_use("name")`` is filled by a module that is imported on first use. Nobody below
  knows which: ``_wiring/providers.py``, above all modules, lists what provides each, and imports it when the slot is first called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn


def unfilled(*args: Any, **kwargs: Any) -> NoReturn:
    """What is in a slot before it is filled.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError("a slot is called before the module that fills it is imported; see Note [Slots]")


provide: Callable[[str], Any] = unfilled  # from wiring


def provided(name: str) -> Any:
    """The function that wiring lists under this name, for who keeps it."""
    return provide(name)


def on_first_use(name: str) -> Callable[..., Any]:
    """What calls the function, or class, that wiring lists under this name."""

    function: Callable[..., Any] | None = None

    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal function
        if function is None:
            function = provide(name)
        return function(*args, **kwargs)

    return call
