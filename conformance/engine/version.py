"""torch.version: the torch whose behaviour this is, and what it was built with."""

from __future__ import annotations

__version__ = "2.13.0"
debug = False
cuda = hip = xpu = None
