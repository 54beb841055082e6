"""torch's errors for complex inputs of operators without a complex kernel, raised before the forward runs.

Complex numbers have no order, so they can be neither sorted nor compared; NumPy would do both (by the real part
first).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._c10 import dtypes

if TYPE_CHECKING:
    from .registry import Row


def refusal(row: Row, array: Any) -> Exception:
    """The error of a row with complex inputs."""
    refused = row.facts.no_complex
    if isinstance(refused, Exception):
        return type(refused)(*refused.args)
    kind = dtypes.result_dtype(array, 1j)  # the complex operand may be a number
    return NotImplementedError(f"\"{refused}\" not implemented for '{dtypes.BY_NUMPY[kind].legacy}'")
