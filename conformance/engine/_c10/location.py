"""Where the engine is: the package it is imported as, and its folder."""

from __future__ import annotations

import os.path

PACKAGE = __name__.rpartition("._c10")[0]
FOLDER = os.path.dirname(os.path.dirname(__file__))
