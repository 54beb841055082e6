"""The name under which the engine's package is imported, and its folder."""

from __future__ import annotations

import os.path

PACKAGE = __name__.rpartition("._c10")[0]
FOLDER = os.path.dirname(os.path.dirname(__file__))
