"""The sparse kernels, complete: a kernel is known once its module is imported."""

from __future__ import annotations

from . import elementwise, matrices, shape  # noqa: F401  they register their kernels
from .kernels import evaluated

__all__ = ["evaluated"]
