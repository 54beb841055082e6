"""torch.version: the version of torch whose behavior the engine has, and its build settings."""

from __future__ import annotations

__version__ = "2.13.0"
debug = False
cuda = hip = xpu = None
