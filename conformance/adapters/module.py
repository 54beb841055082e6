"""Use a module that looks like torch as an engine."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import metadata
from types import ModuleType
from typing import Any

from conformance.runner.engine import GROUPS


class ModuleEngine:
    """Any torch-like namespace as an engine: its ``Tensor`` has torch's attributes.

    It may define ``claims`` and ``divergences`` like an adapter; by default it claims all groups. With ``complete`` it
    claims to provide every name that scenarios use, and a missing name is a failure. ``may``, also of the module, lists
    what its programs may do beyond the wall: "files", "processes", "ctypes". ``grads_start_as_zeros`` of the module
    says that its grads are zeros until a pass fills them.
    """

    def __init__(
        self,
        name: str,
        module: Any,
        *,
        version: str | None = None,
        claims: Iterable[str] | None = None,
        complete: bool = False,
        may: Iterable[str] = (),
    ) -> None:
        self.name = self.asked = name  # asked: the name under which it was requested
        self.torch = module
        self.version = version or _version(module)
        self.claims = frozenset(getattr(module, "claims", GROUPS) if claims is None else claims)
        self.divergences = getattr(module, "divergences", None)
        self.complete = complete
        self.may = frozenset(may or getattr(module, "may", ()))
        self.grads_start_as_zeros = bool(getattr(module, "grads_start_as_zeros", False))
        self.says_what_draws = False  # see runner/draws.py
        self._tensor = known if _is_class(known := getattr(module, "Tensor", ())) else ()

    def __repr__(self) -> str:
        return f"<engine {self.name} {self.version}>"

    def observe(self, value: Any, /) -> Any | None:
        """The value itself if it is a tensor, which has torch's attributes.

        A lazy parameter, which names its future class, has no values yet and does not count.
        """
        kind = type(value)
        if kind is self._tensor:
            return value
        return value if isinstance(value, self._tensor) and not hasattr(kind, "cls_to_become") else None


def _is_class(found: Any) -> bool:
    """Whether it is a class: some modules have a function or a submodule of that name."""
    return isinstance(found, type) or (isinstance(found, tuple) and all(map(_is_class, found)))


def _version(module: Any) -> str:
    """The module's own version, or that of its installed package."""
    own = getattr(module, "__version__", None)
    if own is not None and not isinstance(own, ModuleType):
        return str(own)
    package = str(getattr(module, "__name__", "")).partition(".")[0]
    installed = set(metadata.packages_distributions().get(package, ()))
    return metadata.version(installed.pop()) if len(installed) == 1 else "unknown"


class TensorProxy:
    """A tensor of which some things are read in another way, all else as it is."""

    def __init__(self, own: Any) -> None:
        self._own = own

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)


class ZeroTensor(TensorProxy):
    """A tensor without memory, such as sgn's gradient, whose zeros and storage can be read."""

    def __init__(self, own: Any, torch: Any) -> None:
        super().__init__(own)
        self._torch = torch

    def tolist(self) -> Any:
        """The elements, which the tensor's own tolist() refuses to return."""
        return self._torch.zeros(self._own.shape, dtype=self._own.dtype).tolist()

    def untyped_storage(self) -> Any:
        """No memory, so no shared storage."""
        return self._torch.zeros(0).untyped_storage()


class ZeroTensorEngine(ModuleEngine):
    """An engine with tensors that it stores without memory because all elements are 0."""

    def observe(self, value: Any, /) -> Any | None:
        """The tensor, with elements if the engine does not store them."""
        found = super().observe(value)
        return ZeroTensor(found, self.torch) if found is not None and found._is_zerotensor() else found
