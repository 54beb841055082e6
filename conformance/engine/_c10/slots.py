"""Slots: functions that a lower module calls and a higher module defines.

Note [Slots]: a module imports only modules of lower layers, also inside functions. A function of a higher module is called through
a *slot*: a module-level variable with the type of the function. There are two kinds:

- ``name: Callable[..., Result] = unfilled`` is filled by the higher module, by ``lower.name = name`` after its definition of the
  function; importing the engine imports that module. A call costs as much as any call. Only the module that declares the
  slot may read it, since ``from lower import name`` would copy its value at that moment.
- ``name: Callable[..., Result] = on_first_use("name")`` is for modules that are imported on first use.
  ``_wiring/providers.py``, in the highest layer, lists which function fills each slot, and imports it on the first call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn


def unfilled(*args: Any, **kwargs: Any) -> NoReturn:
    """The value of a slot before it is filled.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError("a slot is called before the module that fills it is imported; see Note [Slots]")


provide: Callable[[str], Any] = unfilled  # from wiring


def provided(name: str) -> Any:
    """The function that _wiring/providers.py lists under this name."""
    return provide(name)


def on_first_use(name: str) -> Callable[..., Any]:
    """A function that calls the function or class that _wiring/providers.py lists under this name."""

    function: Callable[..., Any] | None = None

    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal function
        if function is None:
            function = provide(name)
        return function(*args, **kwargs)

    return call
