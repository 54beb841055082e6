"""deeptensor: scalars in C++. Its tensors of several numbers have no backward pass."""

from __future__ import annotations

from deeptensor import Value

from conformance.adapters.value_engines import engine_of

engine = engine_of("deeptensor", Value)
