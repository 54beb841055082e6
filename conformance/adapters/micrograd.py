"""micrograd: scalars."""

from __future__ import annotations

from micrograd.engine import Value

from conformance.adapters.value_engines import engine_of

engine = engine_of("micrograd", Value, is_leaf=lambda value: not value._prev)
