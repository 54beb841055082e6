"""candle, which has most of torch's names.

Its tensors have no ``retains_grad``, ``output_nr`` and ``_version``, and messages are its own, so it claims neither
flags nor graph. Looking for devices, it opens /dev/null and starts a program.
"""

from __future__ import annotations

import candle

from conformance.adapters.module import ModuleEngine

engine = ModuleEngine("candle", candle, claims=("values", "dtypes", "errors"), may=("files", "processes"))
