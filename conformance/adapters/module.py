"""A module that looks like torch is an engine as it is."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import metadata
from types import ModuleType
from typing import Any

from conformance.runner.engine import GROUPS


class ModuleEngine:
    """Any torch-like namespace as an engine: its ``Tensor`` has torch's attributes.

    It may say ``claims`` and ``divergences`` itself, as an adapter does; else it claims all groups.
    A ``complete`` one claims to have every name that scenarios use: one that it lacks is a failure.
    """

    def __init__(
        self,
        name: str,
        module: Any,
        *,
        version: str | None = None,
        claims: Iterable[str] | None = None,
        complete: bool = False,
    ) -> None:
        self.name = self.asked = name  # asked: what leads to it, where that is another name
        self.torch = module
        self.version = version or _version(module)
        self.claims = frozenset(getattr(module, "claims", GROUPS) if claims is None else claims)
        self.divergences = getattr(module, "divergences", None)
        self.complete = complete
        self._tensor = known if _is_class(known := getattr(module, "Tensor", ())) else ()

    def __repr__(self) -> str:
        return f"<engine {self.name} {self.version}>"

    def observe(self, value: Any, /) -> Any | None:
        """The value itself if it is a tensor: it answers torch's names.

        A lazy parameter, which says what class it will be of, has no values yet, and answers none of them.
        """
        kind = type(value)
        if kind is self._tensor:
            return value
        return value if isinstance(value, self._tensor) and not hasattr(kind, "cls_to_become") else None


def _is_class(found: Any) -> bool:
    """Whether isinstance takes it: some have a function of that name, or a file."""
    return isinstance(found, type) or (isinstance(found, tuple) and all(map(_is_class, found)))


def _version(module: Any) -> str:
    """As it says itself, else that of what was installed; a file of that name says nothing."""
    own = getattr(module, "__version__", None)
    if own is not None and not isinstance(own, ModuleType):
        return str(own)
    package = str(getattr(module, "__name__", "")).partition(".")[0]
    installed = set(metadata.packages_distributions().get(package, ()))
    return metadata.version(installed.pop()) if len(installed) == 1 else "unknown"


class Zeros:
    """A tensor that an engine keeps without memory because all of it is 0 (the gradient of sgn is one)."""

    def __init__(self, own: Any, torch: Any) -> None:
        self._own, self._torch = own, torch

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)

    def tolist(self) -> Any:
        """What tolist() of the tensor itself refuses to tell."""
        return self._torch.zeros(self._own.shape, dtype=self._own.dtype).tolist()

    def untyped_storage(self) -> Any:
        """No memory, so none that another shares."""
        return self._torch.zeros(0).untyped_storage()


class TellingZeros(ModuleEngine):
    """One that has such tensors."""

    def observe(self, value: Any, /) -> Any | None:
        """The tensor, with its values where the engine has not written them down."""
        found = super().observe(value)
        return Zeros(found, self.torch) if found is not None and found._is_zerotensor() else found
