"""Torch with float64 as default dtype, which shows what depends on the default."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from conformance.adapters.module import ZeroTensorEngine
from conformance.adapters.torch import engine as reference
from conformance.runner.engine import GROUPS


class Float64(ModuleType):
    """Torch under another identity, so that what is set here is not the reference's."""

    def __getattr__(self, name: str) -> Any:
        return getattr(reference.torch, name)


def engine() -> ZeroTensorEngine:
    """The engine: see Note [An engine's own state]. Its random numbers are others, since a float64 takes two words."""
    reference.torch.set_default_dtype(reference.torch.float64)
    claims = [group for group in GROUPS if group not in ("dtypes", "random")]
    return ZeroTensorEngine("torch-float64", Float64("torch"), version=reference.version, claims=claims)
