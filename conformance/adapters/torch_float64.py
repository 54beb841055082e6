"""Torch with float64 for its default dtype: what hangs on the default, and what does not."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from conformance.adapters.module import TellingZeros
from conformance.adapters.torch import engine as reference


class Float64(ModuleType):
    """Torch, but that a scenario starts with another default: with the seed, which is set last."""

    def __getattr__(self, name: str) -> Any:
        return getattr(reference.torch, name)

    class default_generator:  # noqa: N801 - torch's name
        """What a scenario's start asks for the seed."""

        @staticmethod
        def manual_seed(seed: int) -> None:
            """The seed, and the dtype."""
            reference.torch.set_default_dtype(reference.torch.float64)
            reference.torch.default_generator.manual_seed(seed)


engine = TellingZeros("torch-float64", Float64("torch"), version=reference.version)
