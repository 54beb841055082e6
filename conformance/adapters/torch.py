"""The reference. The only file of the suite that imports torch."""

from __future__ import annotations

import warnings
from typing import Any

import torch
import torch.autograd.forward_ad
import torch.nn.utils.prune

from conformance.adapters.module import ModuleEngine

_load_decompositions: Any = torch.autograd.forward_ad._maybe_load_decompositions


def _load_decompositions_quietly() -> None:
    """What torch imports with its first dual warns that once: not in one scenario of many, and not at every start."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _load_decompositions()


torch.autograd.forward_ad._maybe_load_decompositions = _load_decompositions_quietly


class Zeros:
    """A tensor that torch keeps without memory because all of it is 0 (the gradient of sgn is one)."""

    def __init__(self, own: Any) -> None:
        self._own = own

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)

    def tolist(self) -> Any:
        """What tolist() of the tensor itself refuses to tell."""
        return torch.zeros(self._own.shape, dtype=self._own.dtype).tolist()

    def untyped_storage(self) -> Any:
        """No memory, so none that another shares."""
        return torch.zeros(0).untyped_storage()


class Reference(ModuleEngine):
    """torch itself."""

    def observe(self, value: Any, /) -> Any | None:
        """The tensor, with its values where torch has not written them down."""
        found = super().observe(value)
        return Zeros(found) if found is not None and found._is_zerotensor() else found


engine = Reference("torch", torch)
