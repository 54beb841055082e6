"""torch.distributions.Chi2 (torch: distributions/chi2.py)."""

from __future__ import annotations

from typing import Any

from .._autograd.tensor import Tensor
from . import constraints
from .gamma import Gamma

__all__ = ["Chi2"]


class Chi2(Gamma):
    """The sum of ``df`` squared standard normal variables."""

    __module__ = "torch.distributions.chi2"
    arg_constraints: Any = {"df": constraints.positive}  # noqa: RUF012 - torch's own form

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    @property
    def df(self) -> Tensor:
        """The degrees of freedom."""
        return self.concentration * 2
