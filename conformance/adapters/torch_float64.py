"""Torch with float64 as default dtype, which shows what depends on the default."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from conformance.adapters.module import TellingZeros
from conformance.adapters.torch import engine as reference


class Float64(ModuleType):
    """Torch, except that seeding, the last step of a scenario's setup, also sets the default dtype."""

    def __getattr__(self, name: str) -> Any:
        return getattr(reference.torch, name)

    class default_generator:  # noqa: N801 - torch's name
        """The object that the setup calls to seed."""

        @staticmethod
        def manual_seed(seed: int) -> None:
            """Set the seed and the default dtype."""
            reference.torch.set_default_dtype(reference.torch.float64)
            reference.torch.default_generator.manual_seed(seed)


engine = TellingZeros("torch-float64", Float64("torch"), version=reference.version)
